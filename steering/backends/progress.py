"""One progress bar for all requests of a run: answers, tokens a second, time left."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm


class Progress:
    """Counts answers over all chunks.

    Args:
        total: Answers that are wanted.
        what: Name of lm_eval's request.
        hidden: Show nothing (all processes but the first).
    """

    def __init__(self, total: int, what: str, *, hidden: bool = False) -> None:
        self._bar = tqdm(
            total=total,
            desc=what,
            unit="answer",
            smoothing=0.05,
            dynamic_ncols=True,
            disable=hidden,
        )
        self._began = time.monotonic()
        self._tokens = 0
        self._ahead = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def found(self, answers: int) -> None:
        """Answers that were there already: they count, but not as speed."""
        if not self._bar.disable:
            self._bar.initial += answers
            self._bar.n += answers
            self._bar.refresh()

    def finished(self, answers: int, tokens: int) -> None:
        """A chunk is done; what the engine has reported of it meanwhile is not counted twice."""
        self._tokens += tokens
        if self._tokens:
            seconds = max(time.monotonic() - self._began, 1e-9)
            self._say(f"{self._tokens / seconds:,.0f} tokens/s")
        self._bar.update(answers - self._ahead)
        self._ahead = 0

    def engine_bar(self, *positional: Any, **options: Any) -> Any:
        """What an engine may use in place of `tqdm`: it moves this bar.

        An engine that wraps a sequence gets the sequence back.
        """
        if positional or "iterable" in options:
            return positional[0] if positional else options["iterable"]
        return _EngineBar(self)

    def _advance(self, answers: int) -> None:
        self._ahead += answers
        self._bar.update(answers)

    def _say(self, text: str) -> None:
        self._bar.set_postfix_str(text, refresh=False)


class _EngineBar:
    """The part of a tqdm bar that vLLM uses.

    vLLM divides by the elapsed time; a disabled tqdm bar has none, and the run would end there.
    """

    def __init__(self, owner: Progress) -> None:
        self._owner = owner
        self._began = time.monotonic()
        self.n = 0

    @property
    def format_dict(self) -> dict[str, float]:
        return {"elapsed": max(time.monotonic() - self._began, 1e-9)}

    @property
    def postfix(self) -> str:
        return ""

    @postfix.setter
    def postfix(self, text: str) -> None:
        self._owner._say(str(text))

    def update(self, answers: int = 1) -> None:
        self.n += answers
        self._owner._advance(answers)

    def refresh(self) -> None:
        """Nothing: the owner draws."""

    def close(self) -> None:
        """Nothing: the owner goes on."""

    def __iter__(self) -> Iterable[Any]:
        raise TypeError("this bar wraps no sequence")

"""How many tokens a request takes, and how many the model of each backend holds.

The limits are those at which the classes of lm_eval 0.4.13 begin to cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

SPECIAL = 8
"""Tokens that a tokenizer may put around a text."""
LONGEST_FORM = 33
"""Bytes that a tokenizer may make of one character outside ASCII."""

_BATCH = 1000
Size = tuple[int, int]
"""Tokens with the answer, and tokens that the model holds."""


@dataclass(frozen=True, slots=True)
class Room:
    """The context of a model.

    Attributes:
        holds: Tokens of prompt and generated answer together.
        scores: Tokens of context and continuation together.
        usual: Tokens that are generated where a task does not say.
        count: Tokens of texts.
    """

    holds: int
    scores: int
    usual: int
    count: Callable[[Sequence[str]], list[int]]

    def generation(self, requests: Sequence[Any]) -> list[Size]:
        """Of every request for a text: what it takes with the longest answer, and what there is."""
        answers = [_longest(one.args[1], self.usual) for one in requests]
        limits = [self.holds - answer for answer in answers]
        tokens = self._tokens([str(one.args[0]) for one in requests], limits)
        return [(n + answer, self.holds) for n, answer in zip(tokens, answers, strict=True)]

    def likelihood(self, requests: Sequence[Any]) -> list[Size]:
        """Of every request for a score: what it takes, and what there is."""
        texts = [f"{one.args[0]}{one.args[1]}" for one in requests]
        tokens = self._tokens(texts, [self.scores] * len(texts))
        return [
            (n + (not one.args[0]), self.scores) for n, one in zip(tokens, requests, strict=True)
        ]

    def _tokens(self, texts: Sequence[str], limits: Sequence[int]) -> list[int]:
        """Tokens of texts; of one that fits in any case the most that it can have."""
        most = [_most(text) for text in texts]
        unsure = [i for i, limit in enumerate(limits) if most[i] > limit]
        for start in range(0, len(unsure), _BATCH):
            batch = unsure[start : start + _BATCH]
            for index, found in zip(batch, self.count([texts[i] for i in batch]), strict=True):
                most[index] = found
        return most


def _most(text: str) -> int:
    """A bound of the tokens of a text: each covers a byte or more of what a tokenizer makes of it.

    ASCII is left as it is. Unicode's compatibility forms make 33 bytes of one character at most
    (U+FDFA).
    """
    ascii_only = len(text.encode("ascii", "ignore"))
    return ascii_only + LONGEST_FORM * (len(text) - ascii_only) + SPECIAL


def room_of(lm: Any) -> Room | None:
    """The room of a model of lm_eval or ours; None if only the model itself knows."""
    kinds = {one.__name__ for one in type(lm).__mro__}
    if "HFLM" in kinds:
        return _of_hf(lm)
    if "VLLM" in kinds:
        length = int(lm.max_length)
        return Room(length, length - 1, int(lm.max_gen_toks), _each(lm.tok_encode))
    if "TemplateAPI" in kinds:
        return _of_server(lm)
    return None


def _of_hf(lm: Any) -> Room | None:
    if lm.backend != "causal":
        return None
    length = int(lm.max_length)
    return Room(length, length + 1, int(lm.max_gen_toks), _each(lm.tok_encode))


def _of_server(lm: Any) -> Room | None:
    """A chat, and a server whose tokenizer nobody has, are left to the server."""
    length = getattr(lm, "context", lm.max_length)
    if lm.tokenizer is None or length is None or "Chat" in type(lm).__name__:
        return None
    return Room(int(length), int(length) - 1, int(lm._max_gen_toks), _each(lm.tok_encode))


def _each(encode: Callable[[str], Sequence[int]]) -> Callable[[Sequence[str]], list[int]]:
    return lambda texts: [len(encode(text)) for text in texts]


def _longest(settings: Any, usual: int) -> int:
    """Tokens of the longest answer, by any of the names that backends read."""
    for name in ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens"):
        if settings.get(name) is not None:
            return int(settings[name])
    return usual

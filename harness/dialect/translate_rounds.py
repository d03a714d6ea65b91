"""Rounds of translating and checking: every text until one passes, or attempts run out.

Texts are taken in the order of their file, in batches of fixed size, so a run that was stopped
asks the same requests in the same company and finds the answers that are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm

from sociolect.generators.dialect.rejection import reject_reason, tidy
from sociolect.harness.dialect.translate_prompts import INSTRUCTIONS, STEPS, Step, prompt
from sociolect.harness.dialect.translate_settings import Settings
from sociolect.harness.fable.asking import Asker

BATCH = 16
"""Texts that are translated together by a local model: so often a bar moves."""
MANY = 256
"""The same for servers and vLLM, which answer many at once: fewer waits for the slowest."""
TASK = "aae_translate"
_NAMES: Mapping[Step, str] = {"sae": "AAE to SAE", "back": "SAE to AAE"}


@dataclass(slots=True)
class Translations:
    """What became of the texts of one step.

    Attributes:
        accepted: Translations by id.
        asked: Translations asked for in all.
        rejected: By reason, of all attempts.
        last: Reason of the last rejection of every text that has no translation, by id.
        by_attempt: Accepted ones by the attempt that brought them.
    """

    accepted: dict[str, str] = field(default_factory=dict)
    asked: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    last: dict[str, str] = field(default_factory=dict)
    by_attempt: Counter[int] = field(default_factory=Counter)

    def judge(self, name: str, text: str, reason: str | None, attempt: int) -> None:
        """Count one translation, and keep it if nothing is wrong with it."""
        self.asked += 1
        if reason is not None:
            self.rejected[reason] += 1
            self.last[name] = reason
            return
        self.accepted[name] = text
        self.by_attempt[attempt] += 1
        self.last.pop(name, None)


@dataclass(frozen=True, slots=True)
class Batches:
    """What is asked together.

    Attributes:
        count: Tokens of a text.
        size: Texts at a time.
        alone: Every text has a limit of its own, as suits a server; else those of a batch share
            the largest, since a local model answers only equal settings together.
    """

    count: Callable[[str], int]
    size: int
    alone: bool = False

    def limits(self, texts: Sequence[str], settings: Settings) -> list[int]:
        """Longest answers in tokens to the texts of one batch."""
        own = [settings.longest(self.count(text)) for text in texts]
        return own if self.alone else [max(own)] * len(own)


def translations(
    asker: Asker,
    texts: Mapping[str, str],
    step: Step,
    settings: Settings,
    batches: Batches,
    *,
    progress: bool = False,
) -> Translations:
    """Translate texts until each has a translation that passes, or all attempts are used.

    Args:
        asker: The model.
        texts: By id.
        step: The direction.
        settings: Of the run.
        batches: Which texts are asked together.
        progress: Show bars on standard error.
    """
    made = Translations()
    for attempt in range(1, settings.attempts + 1):
        left = [name for name in texts if name not in made.accepted]
        if not left:
            break
        told = f"{_NAMES[step]}, attempt {attempt} of {settings.attempts}"
        with tqdm(total=len(left), desc=told, unit="text", disable=not progress) as bar:
            for names in _batches(left, batches.size):
                asked = {name: texts[name] for name in names}
                limits = batches.limits(list(asked.values()), settings)
                _batch(asker, asked, step, settings, attempt, limits, made)
                passed = (
                    f"{len(made.accepted):,} texts accepted, "
                    f"{made.rejected.total():,} attempts rejected"
                )
                bar.set_postfix_str(passed, refresh=False)
                bar.update(len(names))
    return made


def _batches(names: Sequence[str], size: int) -> list[Sequence[str]]:
    return [names[start : start + size] for start in range(0, len(names), size)]


def _batch(
    asker: Asker,
    texts: Mapping[str, str],
    step: Step,
    settings: Settings,
    attempt: int,
    limits: Sequence[int],
    made: Translations,
) -> None:
    """Ask for one translation of each text, and judge it."""
    order = STEPS.index(step) + len(STEPS) * (attempt - 1)
    prompts = [prompt(text, step) for text in texts.values()]
    given = [settings.generation(attempt, longest, chat=asker.chat) for longest in limits]
    docs = [{"benchmark": "aae", "id": name, "order": order} for name in texts]
    raws = asker.write(docs, prompts, given, TASK)
    cut = [_is_cut_off(asker, *asked) for asked in zip(prompts, given, raws, strict=True)]
    for (name, text), raw, cut_off in zip(texts.items(), raws, cut, strict=True):
        reason = reject_reason(
            raw,
            text,
            instruction=INSTRUCTIONS[step],
            limits=settings.limits,
            cut_off=cut_off,
        )
        made.judge(name, "" if reason else tidy(raw, text), reason, attempt)


def _is_cut_off(asker: Asker, asked: str, settings: Mapping[str, Any], raw: str) -> bool:
    """Whether a server said that an answer ended at its limit; other models do not say."""
    said = getattr(asker.model, "is_cut_off", None)
    return said is not None and said((asker.framed(asked), settings), raw)

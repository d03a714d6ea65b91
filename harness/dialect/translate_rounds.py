"""Rounds of translating and checking: every text until one passes, or attempts run out.

Texts are taken in the order of their file, in batches of fixed size, so a run that was stopped
asks the same requests in the same company and finds the answers that are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tqdm import tqdm

from sociolect.generators.dialect.rejection import reject_reason, tidy
from sociolect.harness.dialect.translate_prompts import INSTRUCTIONS, STEPS, Step, prompt
from sociolect.harness.dialect.translate_settings import Settings
from sociolect.harness.fable.asking import Asker

BATCH = 64
"""Texts that are translated together where answers are kept by whole batches."""
OWN_BATCH = 256
"""The same for backends that keep answers by themselves: fewer waits for the slowest request."""
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


def translations(
    asker: Asker,
    texts: Mapping[str, str],
    step: Step,
    settings: Settings,
    *,
    progress: bool = False,
) -> Translations:
    """Translate texts until each has a translation that passes, or all attempts are used.

    Args:
        asker: The model.
        texts: By id.
        step: The direction.
        settings: Of the run.
        progress: Show bars on standard error.
    """
    made = Translations()
    for attempt in range(1, settings.attempts + 1):
        left = [name for name in texts if name not in made.accepted]
        if not left:
            break
        told = f"{_NAMES[step]}, attempt {attempt} of {settings.attempts}"
        with tqdm(total=len(left), desc=told, unit="text", disable=not progress) as bar:
            for names in _batches(left, BATCH if asker.store is not None else OWN_BATCH):
                _batch(asker, {n: texts[n] for n in names}, step, settings, attempt, made)
                passed = f"{len(made.accepted):,} accepted, {made.rejected.total():,} rejected"
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
    made: Translations,
) -> None:
    """Ask for one translation of each text, and judge it."""
    order = STEPS.index(step) + len(STEPS) * (attempt - 1)
    raws = asker.write(
        [{"benchmark": "aae", "id": name, "order": order} for name in texts],
        [prompt(text, step) for text in texts.values()],
        settings.generation(attempt, chat=asker.chat),
        TASK,
    )
    for (name, text), raw in zip(texts.items(), raws, strict=True):
        reason = reject_reason(raw, text, instruction=INSTRUCTIONS[step], limits=settings.limits)
        made.judge(name, tidy(raw, text), reason, attempt)

"""Rounds of writing and checking: every item until a response is accepted, or attempts run out.

Items are taken in the order of the plan, in batches of fixed size, so a run that was stopped asks
the same requests in the same company and finds the answers that are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType

from tqdm import tqdm

from sociolect.generators.benchmarks.fable_items import JudgeItem
from sociolect.generators.benchmarks.fable_plan import PlannedItem
from sociolect.harness.fable.asking import Asker
from sociolect.harness.fable.prompts import writing_prompt
from sociolect.harness.fable.settings import Settings
from sociolect.harness.fable.stance import UNREAD, UNSTABLE, Checker
from sociolect.harness.fable.text_checks import TEXT_REASONS, masked, reject_reason, tidy

REASONS = {
    **TEXT_REASONS,
    "duplicate": "the text of another response to the question, but for the names",
    "stance_unread": "the checker gave no verdict that can be read",
    "stance_unstable": "the checker reads another stance once the options change places",
    "other_stance": "the checker reads another stance",
}
"""Why a response is rejected, in the order of the checks."""
BATCH = 64
"""Items that are written, then checked together."""
TASK = "fable_write"


@dataclass(slots=True)
class Written:
    """What became of a plan.

    Attributes:
        accepted: Items with their responses, by key.
        written: Responses written in all.
        rejected: By reason.
        by_label: Rejections by the stance wanted and the reason.
        verdicts: What the checker read, by the stance wanted.
        by_attempt: Accepted items by the attempt that brought them.
    """

    accepted: dict[str, JudgeItem] = field(default_factory=dict)
    written: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    by_label: Counter[tuple[str, str]] = field(default_factory=Counter)
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_attempt: Counter[int] = field(default_factory=Counter)

    def reject(self, item: PlannedItem, reason: str) -> None:
        """Count a rejected response."""
        self.rejected[reason] += 1
        self.by_label[item.label, reason] += 1


class Rounds:
    """Writes and checks the responses of a plan.

    Args:
        writer: The model that writes.
        checker: The model that reads stances.
        settings: Of the run.
        names: Those of the writer and of the checker, kept with every item.
        progress: Show bars on standard error.
    """

    def __init__(
        self,
        writer: Asker,
        checker: Checker,
        settings: Settings,
        names: tuple[str, str],
        *,
        progress: bool = False,
    ) -> None:
        self._writer, self._checker, self._settings = writer, checker, settings
        (self._model, self._reader), self._progress = names, progress
        self._texts: set[tuple[str, str]] = set()
        self.written = Written()

    def run(self, planned: Sequence[PlannedItem]) -> Written:
        """Write until every item has a response or all attempts are used."""
        left = list(planned)
        for attempt in range(1, self._settings.attempts + 1):
            if not left:
                break
            with _Bar(len(left), attempt, self._settings.attempts, shown=self._progress) as bar:
                for start in range(0, len(left), BATCH):
                    batch = left[start : start + BATCH]
                    bar.finished(len(batch), self._batch(batch, attempt))
            left = [item for item in left if item.key not in self.written.accepted]
        return self.written

    def _batch(self, batch: Sequence[PlannedItem], attempt: int) -> int:
        """Write one response for each item; how many were accepted."""
        candidates = self._candidates(batch, self._responses(batch, attempt), attempt)
        verdicts = self._checker.verdicts([made for _, made in candidates]) if candidates else []
        before = len(self.written.accepted)
        for (item, made), verdict in zip(candidates, verdicts, strict=True):
            self._judge(item, made, verdict, attempt)
        return len(self.written.accepted) - before

    def _responses(self, batch: Sequence[PlannedItem], attempt: int) -> list[str]:
        own, limits = self._settings, self._settings.limits
        prompts = [
            writing_prompt(item, attempt, own.seed, limits.min_words, limits.max_words)
            for item in batch
        ]
        docs = [{"benchmark": "fable", "id": item.key, "order": attempt} for item in batch]
        settings = own.generation(chat=self._writer.chat)
        texts = self._writer.write(docs, prompts, settings, TASK)
        self.written.written += len(texts)
        return texts

    def _candidates(
        self, batch: Sequence[PlannedItem], texts: Sequence[str], attempt: int
    ) -> list[tuple[PlannedItem, JudgeItem]]:
        """The responses that pass all checks of the text."""
        kept = []
        in_batch: set[tuple[str, str]] = set()
        for item, raw in zip(batch, texts, strict=True):
            reason = reject_reason(raw, item, self._settings.limits)
            text = tidy(raw)
            same = _text_key(item, text)
            if reason is None and (same in self._texts or same in in_batch):
                reason = "duplicate"
            if reason is not None:
                self.written.reject(item, reason)
                continue
            in_batch.add(same)
            kept.append((item, item.item(text, self._source(attempt))))
        return kept

    def _source(self, attempt: int) -> dict[str, str | int]:
        """What an item says of where its response is from."""
        licence = self._settings.licence
        return {
            "model": self._model,
            "checker": self._reader,
            "attempt": attempt,
            **({"licence": licence} if licence else {}),
        }

    def _judge(self, item: PlannedItem, made: JudgeItem, verdict: str, attempt: int) -> None:
        self.written.verdicts[item.label, verdict] += 1
        if verdict in (UNREAD, UNSTABLE):
            self.written.reject(item, f"stance_{verdict}")
        elif verdict != item.label:
            self.written.reject(item, "other_stance")
        else:
            self.written.accepted[item.key] = made
            self.written.by_attempt[attempt] += 1
            self._texts.add(_text_key(item, made.response))


def _text_key(item: PlannedItem, text: str) -> tuple[str, str]:
    """Equal for two responses to one question that differ in the names alone."""
    return f"{item.category}/{item.question_id}", masked(text, item.options)


class _Bar:
    """One bar an attempt: items, accepted and rejected, time left."""

    def __init__(self, items: int, attempt: int, attempts: int, *, shown: bool) -> None:
        self._accepted = self._rejected = 0
        self._bar = tqdm(
            total=items,
            desc=f"attempt {attempt} of {attempts}",
            unit="item",
            dynamic_ncols=True,
            disable=not shown,
        )

    def __enter__(self) -> _Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()

    def finished(self, items: int, accepted: int) -> None:
        self._accepted += accepted
        self._rejected += items - accepted
        self._bar.set_postfix_str(
            f"{self._accepted:,} accepted, {self._rejected:,} rejected", refresh=False
        )
        self._bar.update(items)

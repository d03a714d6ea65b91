"""From a plan to a file of judge items: written by one model, checked by it or another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.benchmarks.fable_items import LABELS, JudgeItem, write_items
from sociolect.generators.benchmarks.fable_plan import PlannedItem
from sociolect.generators.errors import ModelError
from sociolect.generators.locks import only_one
from sociolect.harness.fable.asking import Asker
from sociolect.harness.fable.balance import counts, evened
from sociolect.harness.fable.files import (
    finished,
    items_file,
    unfinished_folder,
    write_finished,
)
from sociolect.harness.fable.models import ModelChoice
from sociolect.harness.fable.prompts import writing_prompt
from sociolect.harness.fable.rounds import REASONS, Rounds, Written
from sociolect.harness.fable.settings import Settings
from sociolect.harness.fable.stance import VERDICTS, Checker, check_form, checker_form
from sociolect.harness.run_folders import check_writable
from sociolect.steering.backends.registry import SERVED
from sociolect.steering.lora.asking import Prompt, check_context

Manifest = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Models:
    """Who writes and who reads.

    Attributes:
        writer: The model that writes.
        checker: The model that reads stances; None if it is the writer.
        form: How the checker is asked, one of `CHECKER_FORMS`.
    """

    writer: ModelChoice
    checker: ModelChoice | None = None
    form: str = "auto"

    def identities(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Those of both, ready for JSON."""
        reader = self.checker or self.writer
        return self.writer.identity(), {**reader.identity(), "form": self.form}


def generate(
    planned: Sequence[PlannedItem],
    models: Models,
    settings: Settings,
    out: Path,
    *,
    progress: bool = False,
    report: Callable[[Manifest], None] = lambda manifest: None,
) -> tuple[Manifest, bool]:
    """Write the responses of a plan.

    A run that was stopped goes on where it was. Of several processes that write the same file
    one works and the others wait for it.

    Args:
        planned: Items that are wanted, at least one.
        models: Who writes and who reads.
        settings: Of the run.
        out: The file, `….jsonl`; its manifest goes beside it.
        progress: Show bars on standard error.
        report: Told what became of the items before anything is written or refused.

    Returns:
        The manifest, and whether the file was made now (else it was there).

    Raises:
        InvalidInputError: `out` holds something else, or no balanced set exists.
        ModelError: A model cannot be used, or no response was accepted.
        ResultsError: Something cannot be written.
    """
    check_form(models.form)
    target = items_file(out)
    check_writable(unfinished_folder(target))
    job = settings.job(planned, *models.identities())
    with only_one(target):
        if there := finished(target, job):
            return there, False
        written = _written(planned, models, settings, unfinished_folder(target), progress)
        manifest = _manifest(planned, list(written.accepted.values()), written, job)
        report(manifest)
        if not written.accepted:
            raise ModelError(_nothing(written))
        kept = _kept(planned, written, settings)
        manifest = _manifest(planned, kept, written, job)
        complete = len(written.accepted) == len(planned)
        write = partial(write_items, kept)
        return write_finished(target, write, manifest, complete=complete), True


def _written(
    planned: Sequence[PlannedItem],
    models: Models,
    settings: Settings,
    folder: Path,
    progress: bool,
) -> Written:
    reading = models.checker or models.writer
    writer = models.writer.load(folder / "answers")
    reader = writer if models.checker is None else reading.load(folder / "answers")
    if models.writer.backend not in SERVED:
        _check_context(writer, planned, settings)
    checker = Checker(reader, checker_form(models.form, reading.backend, reader))
    names = models.writer.name, reading.name
    rounds = Rounds(writer, checker, settings, names, progress=progress)
    return rounds.run(planned)


def _check_context(writer: Asker, planned: Sequence[PlannedItem], settings: Settings) -> None:
    limits = settings.limits
    prompts = [
        Prompt(
            {"id": item.key},
            writing_prompt(item, 1, settings.seed, limits.min_words, limits.max_words),
        )
        for item in planned
    ]
    check_context(writer.model, prompts, settings.max_new_tokens)


def _kept(planned: Sequence[PlannedItem], written: Written, settings: Settings) -> list[JudgeItem]:
    if settings.balanced:
        return evened(planned, written.accepted, settings.seed)
    return [written.accepted[item.key] for item in planned if item.key in written.accepted]


def _manifest(
    planned: Sequence[PlannedItem],
    kept: Sequence[JudgeItem],
    written: Written,
    job: Manifest,
) -> Manifest:
    rejected = sum(written.rejected.values())
    assert rejected + len(written.accepted) == written.written, "every response has one fate"
    return {
        "sociolect_version": __version__,
        **counts(planned, kept),
        "dropped_for_balance": len(written.accepted) - len(kept),
        "responses": {
            "written": written.written,
            "accepted": len(written.accepted),
            "rejected": {reason: written.rejected[reason] for reason in REASONS},
            "rejected_by_label": {
                label: {reason: n for reason in REASONS if (n := written.by_label[label, reason])}
                for label in LABELS
            },
            "accepted_by_attempt": {
                str(attempt): n for attempt, n in sorted(written.by_attempt.items())
            },
            "verdicts_of_the_checker": {
                label: {verdict: written.verdicts[label, verdict] for verdict in VERDICTS}
                for label in LABELS
            },
        },
        "settings": job,
    }


def _nothing(written: Written) -> str:
    named = ((reason, written.rejected[reason]) for reason in REASONS)
    told = ", ".join(f"{n:,} {reason}" for reason, n in named if n)
    return (
        f"none of {written.written:,} responses was accepted ({told}), and no file was written. "
        "A larger or instruction-tuned model is needed, or with one --apply-chat-template; small "
        "models rarely hold a stance"
    )

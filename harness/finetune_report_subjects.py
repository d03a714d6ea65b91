"""The runs that a report compares: for each benchmark and form, clean and errored, of each model.

The comparison is a controlled one (learner-error paper, App. C.3): the models were asked the same
prompts with the same errors, in the same way, and differ in nothing but the mitigation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import NotComparableError, ResultsError
from sociolect.harness.candidates import Found, newest
from sociolect.harness.comparability import shared
from sociolect.harness.finetune_report_models import (
    ROLE_NAMES,
    FoundModel,
    Role,
)
from sociolect.harness.results import Run, read_run
from sociolect.harness.seeds import MIN_SEEDS

Subject = tuple[str, ...]
"""Benchmark, axis and form."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs a report is about.

    Attributes:
        condition: Of the errored prompts.
        form: Only this one; empty for all.
        error_seed: Only this one; `None` for all.
    """

    condition: Condition
    form: str = ""
    error_seed: int | None = None

    def takes(self, run: Found) -> bool:
        """Whether a run belongs to the report."""
        if self.form and run.doc.get("form") != self.form:
            return False
        if run.is_clean:
            return True
        held = tuple(run.doc.get(key) for key in ("transform", "level", "part"))
        condition = (self.condition.transform, self.condition.level, self.condition.part)
        return held == condition and self.error_seed in (None, run.doc.get("seed"))


@dataclass(frozen=True, slots=True)
class ModelRuns:
    """The runs of one model on one subject.

    Attributes:
        errored: One, or one for each of several error seeds, in the order of the seeds.
    """

    clean: Run
    errored: tuple[Run, ...]

    @property
    def all(self) -> tuple[Run, ...]:
        """The clean run, then the errored ones."""
        return (self.clean, *self.errored)


Trio = Mapping[Role, ModelRuns]
"""The runs of the models; three in the learner-error paper, Base first."""
_COUNTS = {2: "two", 3: "three", 4: "four", 5: "five"}


def read_trios(
    models: Mapping[Role, FoundModel], wanted: Wanted, *, strict: bool = False
) -> tuple[list[Trio], list[str], list[str]]:
    """Read the runs of every subject that all models were run on.

    Args:
        models: One for each role.
        wanted: Which runs.
        strict: Read the answers in strict mode.

    Returns:
        The runs, one sentence for each subject that some model lacks, and notes on choices made
        among repetitions.

    Raises:
        ResultsError: A damaged file, repetitions that differ, or no subject that all have.
        NotComparableError: Models with other error seeds than the others.
    """
    found, notes = {}, []
    for role in models:
        kept, more = newest([run for run in models[role].runs if wanted.takes(run)])
        found[role] = kept
        notes += [f"{ROLE_NAMES[role]}: {note}" for note in more]
    subjects = dict.fromkeys(run.subject for role in found for run in found[role])
    missing = {s: text for s in subjects if (text := _missing(found, s, wanted.condition))}
    complete = [subject for subject in subjects if subject not in missing]
    if not complete:
        listed = "".join(f"\n  {text}" for text in missing.values())
        form = f" in the form {wanted.form}" if wanted.form else ""
        raise ResultsError(
            f"no benchmark that all {_COUNTS[len(models)]} models were run on, clean and with "
            f"{wanted.condition.config_name}{form}"
            + (f":{listed}" if listed else ": no run of any is on such prompts")
        )
    trios: list[Trio] = [_read(found, subject, strict=strict) for subject in complete]
    return trios, list(missing.values()), notes


def _of(runs: Iterable[Found], subject: Subject, *, clean: bool) -> list[Found]:
    return [run for run in runs if run.subject == subject and run.is_clean == clean]


def _missing(found: Mapping[Role, Sequence[Found]], subject: Subject, condition: Condition) -> str:
    """What some model lacks of a subject; empty if they all have clean and errored runs."""
    lacks = [
        f"{ROLE_NAMES[role]} has no {name} run"
        for role in found
        for clean, name in ((True, "clean"), (False, condition.config_name))
        if not _of(found[role], subject, clean=clean)
    ]
    benchmark, axis, form = subject
    named = f"{benchmark}{f' ({axis})' if axis else ''} · {form}"
    return f"{named}: {', '.join(lacks)}" if lacks else ""


def _read(
    found: Mapping[Role, Sequence[Found]], subject: Subject, *, strict: bool
) -> dict[Role, ModelRuns]:
    trio: dict[Role, ModelRuns] = {}
    for role in found:
        clean, *_ = _of(found[role], subject, clean=True)
        errored = [read_run(r.files, strict=strict) for r in _of(found[role], subject, clean=False)]
        errored.sort(key=lambda run: run.error_seed)
        trio[role] = ModelRuns(read_run(clean.files, strict=strict), tuple(errored))
    _check_seeds(trio)
    return trio


def _check_seeds(trio: Trio) -> None:
    """The models were run under the same error seeds, one or enough of them."""
    seeds = {role: [run.error_seed for run in runs.errored] for role, runs in trio.items()}
    task = trio["base"].errored[0].task
    if len(set(map(tuple, seeds.values()))) > 1:
        listed = "; ".join(f"{ROLE_NAMES[r]} {', '.join(map(str, s))}" for r, s in seeds.items())
        raise NotComparableError(
            f"{task}: the models were asked prompts with errors of other seeds: {listed}. "
            "Run them under the same ones, or choose one that all have with --error-seed."
        )
    count = len(seeds["base"])
    if 1 < count < MIN_SEEDS:
        raise ResultsError(
            f"{task}: {count} error seeds are not pooled, {MIN_SEEDS} are needed; choose one "
            "with --error-seed"
        )


def on_shared_prompts(trio: Trio) -> tuple[dict[Role, ModelRuns], int]:
    """The runs with only the prompts that all of them asked, and how many are left out."""
    sizes = {role: len(trio[role].all) for role in trio}
    everything = [run for role in trio for run in trio[role].all]
    asked = {(record.id, record.order) for run in everything for record in run.records}
    kept = iter(shared(*everything))
    same = {role: [next(kept) for _ in range(sizes[role])] for role in trio}
    trimmed = {
        role: replace(trio[role], clean=first, errored=tuple(rest))
        for role, (first, *rest) in same.items()
    }
    return trimmed, len(asked) - len(trimmed["base"].clean.records)

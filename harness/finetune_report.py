"""The controlled comparison of Base, FT clean and FT errors (learner-error paper, App. C.3).

`report` reads finished runs of the models, checks that they differ in nothing but the mitigation,
and tests FT errors against the other two on every benchmark that all of them were run on. A steered
model and its control may stand beside them, or in their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolect.generators.conditions import Condition, conditions
from sociolect.generators.errors import UnknownNameError
from sociolect.harness.comparison_rows import Row
from sociolect.harness.finetune_report_adapters import Training, check_training
from sociolect.harness.finetune_report_checks import check_trio
from sociolect.harness.finetune_report_files import (
    check_bases,
    check_vectors,
    evaluated_weights,
    trained_on_another_base,
)
from sociolect.harness.finetune_report_models import TUNED, FoundModel, Role, adapter_of
from sociolect.harness.finetune_report_rows import SubjectReport, report_subject
from sociolect.harness.finetune_report_subjects import Trio, Wanted, read_trios
from sociolect.harness.labels import model_labels
from sociolect.harness.paired import Method
from sociolect.tasks.kinds import KIND_OF
from sociolect.tasks.prompts import FORMS


@dataclass(frozen=True, slots=True)
class Report:
    """The comparison on all benchmarks.

    Attributes:
        condition: Of the errored prompts.
        models: What each role was, as it is labelled.
        training: What is known of the two adapters.
        subjects: At least one, each benchmark and form that all models were run on.
        missing: A sentence for each of the others.
        notes: On choices among repetitions, and on the files of the base model.
    """

    condition: Condition
    method: Method
    models: Mapping[Role, str]
    training: Training
    subjects: tuple[SubjectReport, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        """Forms of the prompts, in the order of the subjects."""
        return tuple(dict.fromkeys(subject.form for subject in self.subjects))

    @property
    def unusable(self) -> tuple[Row, ...]:
        """Rows without a single unit to compare."""
        return tuple(row for one in self.subjects for row in one.comparison.unusable)


def wanted_runs(
    level: int, transform: str = "l2", form: str = "", error_seed: int | None = None
) -> Wanted:
    """Which runs a report is about, checked; errors are in the input (App. C.3).

    Args:
        level: Error level of the errored prompts, per cent.
        transform: Their errors.
        form: Only this form of the prompts; empty for all.
        error_seed: Only this error seed; `None` for all.

    Raises:
        UnknownNameError: A level, transform or form that does not exist.
    """
    if form and form not in FORMS:
        raise UnknownNameError("form", form, FORMS)
    _, condition = conditions([transform], [level], ["input"])
    return Wanted(condition, form, error_seed)


def report(
    models: Mapping[Role, FoundModel], wanted: Wanted, method: Method, *, strict: bool = False
) -> Report:
    """Compare FT errors with FT clean and with Base, and a steered model with both and its control.

    Args:
        models: The runs of each (`finetune_report_models.assign`).
        wanted: Which of the runs.
        method: Levels, seeds and accepted differences; its metrics are not used.
        strict: Read the answers in strict mode.

    Raises:
        ResultsError: A damaged file, or no benchmark that all were run on.
        NotComparableError: Models that differ in more than the mitigation, adapters that differ in
            more than the prompts that they were trained on or are not those that were run, or
            runs that differ in more than the errors.
        InvalidInputError: The two adapters are exchanged.
    """
    trios, missing, notes = read_trios(models, wanted, strict=strict)
    checked = [(trio, check_trio(trio, method)) for trio in sorted(trios, key=_place)]
    first = trios[0]
    adapters = {role: adapter_of(first[role].clean) for role in TUNED if role in first}
    notes += [*check_bases(trios, method), *check_vectors(trios, method)]
    training = check_training(adapters, evaluated_weights(trios), method.allow)
    notes += trained_on_another_base(first, adapters)
    labels = model_labels([first[role].clean for role in first])
    return Report(
        condition=wanted.condition,
        method=method,
        models=dict(zip(first, labels, strict=True)),
        training=training,
        subjects=tuple(report_subject(trio, method, found) for trio, found in checked),
        missing=tuple(missing),
        notes=tuple(notes),
    )


def _place(trio: Trio) -> tuple[int, int]:
    """Forms together, benchmarks in their usual order."""
    clean = trio["base"].clean
    return (FORMS.index(clean.form), _BENCHMARKS.index(clean.benchmark))


_BENCHMARKS: Sequence[str] = tuple(KIND_OF)

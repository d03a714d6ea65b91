"""Clean run against errored runs of one model: paired differences with test and interval.

The unit is the counterfactual pair, or the item where there are no pairs (learner-error paper,
App. D.2): its value is taken over both option orders and all samples, then clean and errored
values of one unit are subtracted. A unit that a condition leaves without an answer leaves the test
and is counted.

Where one condition was run under three error seeds or more, a further row compares the mean over
the seeds with the clean run. Two models are compared by their changes (`compare_changes`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.comparability import require_comparable
from sociolect.harness.comparison_rows import Row
from sociolect.harness.labels import condition_labels, model_labels
from sociolect.harness.paired import Arm, Method, adjusted, make_row
from sociolect.harness.results import USUAL_RULES, Run
from sociolect.harness.seeds import MIN_SEEDS
from sociolect.tasks.kinds import kind_of

POOLED_GAP = 0.05
"""Points by which pooled value and mean of the units may differ without a note."""
OTHER_MODEL: frozenset[str] = frozenset({"model", "model_sha", "model_args", "condition"})
"""What may differ between two models whose changes are compared, unasked."""


def subject_name(run: Run) -> str:
    """Benchmark, axis and form of a run, to show."""
    axis = f" ({run.axis})" if run.axis else ""
    return f"{run.benchmark}{axis} · {run.form}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rows, how they came about, and what a reader must know about them.

    Attributes:
        clean: The baseline.
        others: The runs that are compared with it, in the order of their rows.
        against: Runs of a second model, its clean one first, where changes are compared.
    """

    clean: Run
    others: tuple[Run, ...]
    method: Method
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    against: tuple[Run, ...] = ()

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs."""
        return (self.clean, *self.others, *self.against)

    @property
    def subject(self) -> str:
        """Benchmark, axis and form."""
        return subject_name(self.clean)

    @property
    def unit(self) -> str:
        """What is counted: `pair` or `item`."""
        return self.rows[0].unit

    @property
    def families(self) -> dict[tuple[str, ...], int]:
        """Number of tests by family."""
        sizes: dict[tuple[str, ...], int] = defaultdict(int)
        for row in self.rows:
            sizes[row.family] += row.test is not None
        return dict(sizes)

    @property
    def unusable(self) -> tuple[Row, ...]:
        """Rows without a single unit to compare."""
        return tuple(row for row in self.rows if row.test is None)


def compare(clean: Run, others: Sequence[Run], method: Method | None = None) -> Comparison:
    """Compare errored runs with the clean run of the same model.

    Args:
        clean: The baseline.
        others: At least one; a run given twice counts once.
        method: Metrics, levels and seeds.

    Raises:
        NotComparableError: Runs that differ in more than the errors.
        InvalidInputError: No run to compare, or the clean run itself.
        UnknownNameError: A metric that the benchmark does not have.
    """
    method = method or Method()
    runs = _distinct(clean, others)
    notes = require_comparable(clean, runs, method.allow)
    baseline, *arms = _arms([clean, *runs])
    pooled, more = _with_means(arms)
    rows = [
        make_row(baseline, arm, metric, method)
        for metric in method.metrics_for(kind_of(clean.benchmark))
        for arm in pooled
    ]
    ordered = tuple(arm.runs[0] for arm in pooled if len(arm.runs) == 1)
    return Comparison(clean, ordered, method, tuple(adjusted(rows)), (*notes, *more))


def _distinct(clean: Run, others: Sequence[Run]) -> list[Run]:
    runs = list({run.files.samples.resolve(): run for run in others}.values())
    if not runs or clean.files.samples.resolve() in {r.files.samples.resolve() for r in runs}:
        raise InvalidInputError(
            "give the clean run and at least one other: "
            + ("the same file was given as both" if runs else "there is no errored run")
        )
    return runs


def _arms(runs: Sequence[Run]) -> list[Arm]:
    models = model_labels(runs)
    labels = condition_labels(runs, models)
    return [Arm((run,), m, n) for run, m, n in zip(runs, models, labels, strict=True)]


def _with_means(arms: Sequence[Arm]) -> tuple[list[Arm], list[str]]:
    """The arms, each condition under several error seeds followed by the mean over them."""
    groups: dict[tuple[object, ...], list[Arm]] = defaultdict(list)
    for arm in arms:
        run = arm.runs[0]
        groups[arm.model, run.condition, run.rules].append(arm)
    found, notes = [], []
    for group in groups.values():
        found += group
        runs = [arm.runs[0] for arm in group]
        if len(group) == 1 or runs[0].condition.is_clean:
            continue
        seeds = sorted(run.error_seed for run in runs)
        name = _plain_name(runs[0])
        if len(set(seeds)) < len(seeds):
            notes.append(f"{name}: not pooled over error seeds, as one of them occurs twice.")
        elif len(seeds) < MIN_SEEDS:
            notes.append(
                f"{name}: {len(seeds)} error seeds are not pooled; {MIN_SEEDS} are needed."
            )
        else:
            runs.sort(key=lambda run: run.error_seed)
            label = f"{name} (mean of {len(seeds)} error seeds)"
            found.append(replace(group[0], runs=tuple(runs), label=label))
    return found, notes


def _plain_name(run: Run) -> str:
    """The condition without its error seed."""
    rules = "" if run.rules == USUAL_RULES else f" ({run.rules})"
    return f"{run.condition.config_name}{rules}"


def compare_changes(
    first: tuple[Run, Sequence[Run]],
    second: tuple[Run, Sequence[Run]],
    method: Method | None = None,
) -> Comparison:
    """Compare what the same errors do to two models: a difference of differences.

    Learner-error paper, App. D.2 and C.3: the value of a unit is its change from the clean to the
    errored prompt; the delta of a row is the change of the second model minus that of the first.

    Args:
        first: Clean run and errored runs of one model.
        second: The same of the other model.
        method: Metrics, levels and seeds. Model and model arguments may differ between the two.

    Raises:
        NotComparableError: Runs that differ in more than errors and model.
        InvalidInputError: Nothing to compare, or no condition that both models were run on.
        UnknownNameError: A metric that the benchmark does not have.
    """
    method = method or Method()
    groups = [(clean, _distinct(clean, others)) for clean, others in (first, second)]
    notes = [n for clean, runs in groups for n in require_comparable(clean, runs, method.allow)]
    runs = [run for clean, others in groups for run in (clean, *others)]
    arms = _arms(runs)
    cut = 1 + len(groups[0][1])
    sides = [_change_arms(arms[:cut]), _change_arms(arms[cut:])]
    notes += [note for _, more in sides for note in more]
    pairs = [(arm, sides[1][0][key]) for key, arm in sides[0][0].items() if key in sides[1][0]]
    if not pairs:
        raise InvalidInputError(
            "the two models were not run on one condition that is the same: "
            + " / ".join(", ".join(arm.label for arm in found.values()) for found, _ in sides)
        )
    notes += _require_same(groups[0][0], groups[1][0], pairs, method)
    notes += _unmatched(sides[0][0], sides[1][0])
    rows = [
        make_row(one, other, metric, method)
        for metric in method.metrics_for(kind_of(runs[0].benchmark))
        for one, other in pairs
    ]
    clean, others = groups[0]
    against = (groups[1][0], *groups[1][1])
    return Comparison(
        clean, tuple(others), method, tuple(adjusted(rows)), tuple(dict.fromkeys(notes)), against
    )


Keyed = dict[tuple[object, ...], Arm]


def _change_arms(arms: Sequence[Arm]) -> tuple[Keyed, list[str]]:
    """Changes from the first of the arms, by what must be the same of the other model."""
    (clean,), *_ = (arm.runs for arm in arms)
    found, notes = _with_means(arms[1:])
    keyed = {_key(arm): replace(arm, clean=clean) for arm in found}
    return keyed, [f"{arms[0].model}: {note}" for note in notes]


def _key(arm: Arm) -> tuple[object, ...]:
    run = arm.runs[0]
    return (run.condition, run.rules, tuple(one.error_seed for one in arm.runs))


def _require_same(
    first: Run, second: Run, pairs: Sequence[tuple[Arm, Arm]], method: Method
) -> list[str]:
    """The two models were asked the same prompts in the same way."""
    notes = require_comparable(first, [second], method.allow, OTHER_MODEL)
    for one, other in pairs:
        for run, same in zip(one.runs, other.runs, strict=True):
            notes += require_comparable(run, [same], method.allow, OTHER_MODEL)
    return notes


def _unmatched(first: Keyed, second: Keyed) -> list[str]:
    return [
        f"{arm.model}: {arm.label} was not run on the other model, and is not compared."
        for mine, theirs in ((first, second), (second, first))
        for key, arm in mine.items()
        if key not in theirs
    ]


__all__ = [
    "OTHER_MODEL",
    "POOLED_GAP",
    "Comparison",
    "Method",
    "compare",
    "compare_changes",
    "subject_name",
]

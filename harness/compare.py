"""Clean run against errored runs of one model: paired differences with test and interval.

The unit is the counterfactual pair (learner-error paper, App. D.2): its value is taken over both
option orders and all samples, then clean and errored values of one pair are subtracted. A pair
that a condition leaves without an answer leaves the test and is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.harness import statistics
from sociolect.harness.comparability import check_allowed, require_comparable, shared
from sociolect.harness.comparison_rows import LeftOut, PairedTest, Row, Side
from sociolect.harness.labels import condition_labels, model_labels
from sociolect.harness.results import Run
from sociolect.tasks.metrics import MEMBERS, AnswerRecord, point, tally, unit_values
from sociolect.tasks.prompts import orders

METRICS: tuple[str, ...] = ("bias", "acc_pro", "acc_anti")
MIN_ALPHA = 1e-6
"""Smallest level: below it 1 − alpha is too near 1 for a quantile or a percentage to show."""
MAX_DRAWS = 10_000_000
"""Permutations, and resamples; minutes on a benchmark of some thousand pairs."""
POOLED_GAP = 0.05
"""Points by which pooled value and mean of the units may differ without a note."""


@dataclass(frozen=True, slots=True)
class Method:
    """How a comparison is computed.

    Attributes:
        alpha: Two-sided level of the tests; the interval has confidence 1 − alpha.
        include_invalid: Keep pairs that are not valid counterfactuals.
        allow: Differences between runs that are accepted.

    Raises:
        InvalidInputError: A number out of range.
        UnknownNameError: A metric or a difference that does not exist.
    """

    metrics: tuple[str, ...] = ("bias",)
    alpha: float = statistics.ALPHA
    permutations: int = statistics.PERMUTATIONS
    resamples: int = statistics.RESAMPLES
    seed: int = 0
    include_invalid: bool = False
    allow: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for metric in self.metrics:
            if metric not in METRICS:
                raise UnknownNameError("metric", metric, METRICS)
        check_allowed(self.allow)
        if not MIN_ALPHA <= self.alpha < 1:
            raise InvalidInputError(
                f"alpha {self.alpha} must be at least {MIN_ALPHA:g} and less than 1, e.g. 0.05"
            )
        for name in ("permutations", "resamples"):
            if not 1 <= getattr(self, name) <= MAX_DRAWS:
                raise InvalidInputError(
                    f"{getattr(self, name):,} {name}; give a number from 1 to {MAX_DRAWS:,}"
                )
        if self.seed < 0:
            raise InvalidInputError(f"the seed {self.seed} must be at least 0")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rows, how they came about, and what a reader must know about them."""

    clean: Run
    others: tuple[Run, ...]
    method: Method
    rows: tuple[Row, ...]
    notes: tuple[str, ...]

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
    """
    method = method or Method()
    runs = list({run.files.samples.resolve(): run for run in others}.values())
    if not runs or clean.files.samples.resolve() in {r.files.samples.resolve() for r in runs}:
        raise InvalidInputError(
            "give the clean run and at least one other: "
            + ("the same file was given as both" if runs else "there is no errored run")
        )
    notes = require_comparable(clean, runs, method.allow)
    models = model_labels([clean, *runs])
    names = list(zip(models, condition_labels([clean, *runs], models), strict=True))
    rows = [
        _row((clean, run), (names[0], name), metric, method)
        for metric in method.metrics
        for run, name in zip(runs, names[1:], strict=True)
    ]
    return Comparison(clean, tuple(runs), method, tuple(_adjusted(rows)), tuple(notes))


def unit_numbers(records: Iterable[AnswerRecord], metric: str) -> dict[str, float | None]:
    """The value of every pair in one metric.

    Args:
        records: One condition of one model.
        metric: `bias`, or `acc_pro` / `acc_anti` for the accuracy of one member (learner-error
            paper, Table 2).

    Returns:
        Pair id to per cent over answered generations, `None` where there are none.
    """
    return unit_values(records, metric, include_invalid=True)


def _row(
    runs: tuple[Run, Run], names: tuple[tuple[str, str], ...], metric: str, method: Method
) -> Row:
    clean, other = shared(*runs)
    units, incomplete, invalid = _whole_pairs(clean, include_invalid=method.include_invalid)
    before, after = (unit_numbers(run.records, metric) for run in (clean, other))
    answered = [u for u in units if before[u] is not None and after[u] is not None]
    asked_once = sum(len(run.records) for run in runs) - 2 * len(clean.records)
    return Row(
        benchmark=clean.benchmark,
        axis=clean.axis,
        form=clean.form,
        metric=metric,
        task=other.task,
        error_seed=other.error_seed,
        baseline=_side(clean, names[0], metric),
        other=_side(other, names[1], metric),
        test=_test([before[u] for u in answered], [after[u] for u in answered], method),
        left=LeftOut(len(units) - len(answered), incomplete, invalid, asked_once),
    )


def _whole_pairs(run: Run, *, include_invalid: bool) -> tuple[list[str], int, int]:
    """Pairs that can be units, and how many are incomplete and how many invalid."""
    wanted = {(member, order) for member in MEMBERS for order in orders(run.form)}
    asked: dict[str, set[tuple[str, int]]] = {}
    valid: dict[str, bool] = {}
    for record in run.records:
        asked.setdefault(record.pair_id, set()).add((record.member, record.order))
        valid[record.pair_id] = record.pair_valid or include_invalid
    usable = [pair for pair in asked if valid[pair]]
    whole = [pair for pair in usable if asked[pair] == wanted]
    return whole, len(usable) - len(whole), len(asked) - len(usable)


def _side(run: Run, names: tuple[str, str], metric: str) -> Side:
    tallies = [tally(record) for record in run.records]
    pooled, unanswered = point(metric, tallies), point("unanswered", tallies)
    return Side(
        model=names[0],
        condition=run.condition.config_name,
        label=names[1],
        rules=run.rules,
        data_sha256=run.data["data_sha256"],
        pooled=_number(pooled),
        unanswered=_number(unanswered),
    )


def _number(value: float) -> float | None:
    return None if isnan(value) else value


def _test(
    clean: Sequence[float | None], errored: Sequence[float | None], method: Method
) -> PairedTest | None:
    if not clean:
        return None
    before, after = (np.array(values, dtype=np.float64) for values in (clean, errored))
    changes = after - before
    p = statistics.randomisation_test(changes, permutations=method.permutations, seed=method.seed)
    interval = statistics.bootstrap_interval(
        changes, confidence=1 - method.alpha, resamples=method.resamples, seed=method.seed
    )
    low, high = interval or (None, None)
    return PairedTest(
        n=len(changes),
        clean=float(before.mean()),
        errored=float(after.mean()),
        delta=float(after.mean() - before.mean()),
        low=low,
        high=high,
        p=p,
        p_holm=p,
        detectable=statistics.smallest_detectable_effect(changes, alpha=method.alpha),
    )


def _adjusted(rows: Sequence[Row]) -> Iterable[Row]:
    """The rows with Holm-adjusted p-values; one without a test is in no family."""
    families: dict[tuple[str, ...], list[PairedTest]] = defaultdict(list)
    for row in rows:
        if row.test is not None:
            families[row.family].append(row.test)
    adjusted = {
        id(test): value
        for tests in families.values()
        for test, value in zip(tests, statistics.holm([t.p for t in tests]), strict=True)
    }
    for row in rows:
        if row.test is None:
            yield row
        else:
            yield replace(row, test=replace(row.test, p_holm=adjusted[id(row.test)]))

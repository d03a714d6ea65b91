"""One row of a comparison: two sides, the units that both of them have, and the test on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.harness import statistics
from sociolect.harness.comparability import check_allowed, shared
from sociolect.harness.comparison_rows import LeftOut, PairedTest, Row, Side
from sociolect.harness.results import Run
from sociolect.harness.seeds import MIN_SEEDS, SeedSpread, seed_spread
from sociolect.harness.units import (
    CLUSTERED,
    Values,
    change,
    mean_over,
    unit_numbers,
    whole_units,
)
from sociolect.tasks.kinds import KINDS, METRICS_OF, Kind, check_metric, kind_of
from sociolect.tasks.metrics import template_of

METRICS: tuple[str, ...] = tuple(dict.fromkeys(m for kind in KINDS for m in METRICS_OF[kind]))
"""The metrics of all kinds."""
MIN_ALPHA = 1e-6
"""Smallest level: below it 1 − alpha is too near 1 for a quantile or a percentage to show."""
MAX_DRAWS = 10_000_000
"""Permutations, and resamples; minutes on a benchmark of some thousand units."""


@dataclass(frozen=True, slots=True)
class Method:
    """How a comparison is computed.

    Attributes:
        metrics: Empty for the headline of the benchmark.
        alpha: Two-sided level of the tests; the interval has confidence 1 − alpha.
        include_invalid: Keep pairs that are not valid counterfactuals.
        allow: Differences between runs that are accepted.

    Raises:
        InvalidInputError: A number out of range.
        UnknownNameError: A metric or a difference that does not exist.
    """

    metrics: tuple[str, ...] = ()
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

    def metrics_for(self, kind: Kind) -> tuple[str, ...]:
        """The metrics to compare on a benchmark of a kind.

        Raises:
            UnknownNameError: One that the kind does not have.
        """
        for metric in self.metrics:
            check_metric(metric, kind)
        return self.metrics or METRICS_OF[kind][:1]


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a row before it is computed.

    Attributes:
        runs: One run, or the error seeds of one condition, whose mean counts.
        model: Label of the model.
        label: Label of the condition.
        clean: Where it is given, the arm is the change from it.
    """

    runs: tuple[Run, ...]
    model: str
    label: str
    clean: Run | None = None

    @property
    def all_runs(self) -> tuple[Run, ...]:
        """The runs, after the clean one."""
        return (*((self.clean,) if self.clean else ()), *self.runs)

    def over(self, keys_of: Sequence[Run]) -> Arm:
        """The same arm with other versions of its runs, in the order of `all_runs`."""
        clean, runs = (keys_of[0], keys_of[1:]) if self.clean else (None, keys_of)
        return replace(self, clean=clean, runs=tuple(runs))

    def values(self, metric: str) -> list[Values]:
        """Unit values by run, or their changes from the clean run."""
        found = [unit_numbers(run, metric) for run in self.runs]
        if self.clean is None:
            return found
        before = unit_numbers(self.clean, metric)
        return [change(before, values) for values in found]


def make_row(baseline: Arm, other: Arm, metric: str, method: Method) -> Row:
    """Compare two arms in one metric, on the prompts that all their runs asked."""
    asked = [*baseline.all_runs, *other.all_runs]
    cut = len(baseline.all_runs)
    same = shared(*asked)
    first, second = baseline.over(same[:cut]), other.over(same[cut:])
    run = second.runs[0]
    units = whole_units(same[0], include_invalid=method.include_invalid)
    before, after = first.values(metric), second.values(metric)
    sides = [mean_over(before), mean_over(after)]
    answered = [u for u in units.whole if all(values[u] is not None for values in sides)]
    prompts = frozenset().union(*(one.keys for one in asked))
    return Row(
        benchmark=run.benchmark,
        axis=run.axis,
        form=run.form,
        metric=metric,
        task=run.task,
        error_seeds=tuple(one.error_seed for one in second.runs),
        baseline=_side(first, metric),
        other=_side(second, metric),
        test=paired_test(sides[0], sides[1], answered, method, kind_of(run.benchmark)),
        left=LeftOut(
            unanswered=len(units.whole) - len(answered),
            incomplete=units.incomplete,
            invalid=units.invalid,
            prompts=len(prompts) - len(same[0].records),
        ),
        spread=_spread(second, before, after, answered),
        of_changes=second.clean is not None,
    )


def _spread(
    arm: Arm, before: Sequence[Values], after: Sequence[Values], units: Sequence[str]
) -> SeedSpread | None:
    """What the error seeds do; one run on the other side is the same for all of them."""
    if len(arm.runs) < MIN_SEEDS or not units:
        return None
    firsts = before if len(before) == len(after) else [before[0]] * len(after)
    columns = [change(first, second) for first, second in zip(firsts, after, strict=True)]
    matrix = [[column[unit] for column in columns] for unit in units]
    return seed_spread([run.error_seed for run in arm.runs], np.array(matrix, dtype=np.float64))


def pooled(run: Run, metric: str) -> float | None:
    """A metric over all answers of a run, as lm-eval prints it; `None` if nothing was answered."""
    value = run.unit_counts.point(metric, kind_of(run.benchmark))
    return None if isnan(value) else value


def _side(arm: Arm, metric: str) -> Side:
    run = arm.runs[0]
    values = [pooled(one, metric) for one in arm.runs]
    if arm.clean is not None:
        values = [_minus(value, pooled(arm.clean, metric)) for value in values]
    rates = [pooled(one, "unanswered") for one in arm.all_runs]
    return Side(
        model=arm.model,
        condition=run.condition.config_name,
        label=arm.label,
        rules=run.rules,
        data_sha256=run.data["data_sha256"] if len(arm.runs) == 1 else "",
        pooled=_mean(values),
        unanswered=_mean(rates[-len(arm.runs) :]),
        rates=tuple(rates),
    )


def _minus(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def paired_test(
    before: Values, after: Values, units: Sequence[str], method: Method, kind: Kind
) -> PairedTest | None:
    """The test on the named units; `None` without any."""
    if not units:
        return None
    first, second = (
        np.array([values[unit] for unit in units], dtype=np.float64) for values in (before, after)
    )
    changes = second - first
    p = statistics.randomisation_test(changes, permutations=method.permutations, seed=method.seed)
    low, high = _interval(changes, method, None) or (None, None)
    clusters = [template_of(unit) for unit in units] if kind in CLUSTERED else []
    by_cluster = _interval(changes, method, clusters) if clusters else None
    cluster_low, cluster_high = by_cluster or (None, None)
    return PairedTest(
        n=len(changes),
        clean=float(first.mean()),
        errored=float(second.mean()),
        delta=float(second.mean() - first.mean()),
        low=low,
        high=high,
        p=p,
        p_holm=p,
        detectable=statistics.smallest_detectable_effect(changes, alpha=method.alpha),
        clusters=len(set(clusters)),
        cluster_low=cluster_low,
        cluster_high=cluster_high,
    )


def _interval(
    changes: statistics.Floats, method: Method, clusters: Sequence[object] | None
) -> tuple[float, float] | None:
    return statistics.bootstrap_interval(
        changes,
        confidence=1 - method.alpha,
        resamples=method.resamples,
        seed=method.seed,
        clusters=clusters,
    )


def adjusted(rows: Sequence[Row]) -> Iterable[Row]:
    """The rows with Holm-adjusted p-values; one without a test is in no family."""
    families: dict[tuple[str, ...], list[PairedTest]] = defaultdict(list)
    for row in rows:
        if row.test is not None:
            families[row.family].append(row.test)
    found = {
        id(test): value
        for tests in families.values()
        for test, value in zip(tests, statistics.holm([t.p for t in tests]), strict=True)
    }
    for row in rows:
        if row.test is None:
            yield row
        else:
            yield replace(row, test=replace(row.test, p_holm=found[id(row.test)]))

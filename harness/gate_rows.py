"""What the regression gate finds, and what makes a condition red, small or doubtful."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.comparison_rows import MAX_UNANSWERED, MAX_UNANSWERED_CHANGE, LeftOut
from sociolect.harness.gate_statistics import can_be_found, check_permutations, unseen_increase
from sociolect.harness.paired import Method

MAX_INCREASE = 2.0
"""Points by which a figure may get worse."""
NOTHING = 100.0
"""Per cent of unanswered generations of a model that answered none."""


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What is tolerated, and how it is tested.

    Attributes:
        method: Level, permutations, resamples, seed, allowed differences, and at most one metric.
        max_increase: Points by which a figure may get worse.
        holm: Adjust the p-values over the conditions of a benchmark and form.
        strict: Red also where the interval reaches above `max_increase`.

    Raises:
        InvalidInputError: A number out of range, or more than one metric.
    """

    method: Method = field(default_factory=Method)
    max_increase: float = MAX_INCREASE
    holm: bool = False
    strict: bool = False

    def __post_init__(self) -> None:
        if not (isfinite(self.max_increase) and self.max_increase >= 0):
            raise InvalidInputError(
                f"a maximal increase of {self.max_increase}; give points, 0 or more"
            )
        if self.method.alpha >= 0.5:  # a one-sided quantile would change its sign
            raise InvalidInputError(f"alpha {self.method.alpha} must be less than 0.5, e.g. 0.05")
        if len(self.method.metrics) > 1:
            raise InvalidInputError("a gate looks at one metric; run it again for another")
        check_permutations(self.method.permutations, self.method.alpha, 1)


@dataclass(frozen=True, slots=True)
class IncreaseTest:
    """Of at least one unit; means in per cent, the others in points.

    Attributes:
        increase: By how much the candidate is worse; negative where it is better.
        low: Lower end of the interval of it; `None`, as `high`, where there is none.
        p: One-sided.
        p_holm: The same adjusted over the conditions of the benchmark and form.
        detectable: Smallest true increase found with 80 % power; `None` where units do not vary.
        templates: Question templates that the interval resamples; 0 where it resamples units.
        unchanged: Whether no unit has another value.
    """

    n: int
    baseline: float
    candidate: float
    increase: float
    low: float | None
    high: float | None
    p: float
    p_holm: float
    detectable: float | None
    templates: int
    unchanged: bool


@dataclass(frozen=True, slots=True)
class GateRow:
    """One condition.

    Attributes:
        subject: Benchmark, axis and form, to show.
        condition: To show, with rule set and error seed unless they are the usual ones.
        unit: `pair` or `item`.
        unanswered: Generations without an answer of baseline and candidate, per cent; `None`
            where a run is missing.
        left: What is not in the test.
        test: `None` without a unit that both models answered.
        red: Why the condition is red, in words; empty if it is green.
        small: Whether it is too small to see the tolerated increase.
        warning: Whether unanswered generations make it doubtful.
    """

    subject: str
    task: str
    condition: str
    metric: str
    unit: str
    unanswered: tuple[float | None, float | None]
    left: LeftOut
    test: IncreaseTest | None
    red: str = ""
    small: bool = False
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Gate:
    """The verdict, and what it was made of.

    Attributes:
        models: Labels of baseline and candidate; empty for a candidate of which nothing was run.
        inputs: Everything that was read: `role` (`baseline` or `candidate`), files with hashes,
            data and settings (`exports.input_of`).
        notes: What was allowed, left out or chosen, in sentences.
    """

    options: GateOptions
    models: tuple[str, str]
    rows: tuple[GateRow, ...]
    inputs: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]

    @property
    def is_green(self) -> bool:
        """Whether no condition is red."""
        return not any(row.red for row in self.rows)


def with_verdict(row: GateRow, options: GateOptions) -> GateRow:
    """The row with what makes it red, small or doubtful."""
    red = _why_red(row, options)
    return replace(row, red=red, small=_is_small(row, options), warning=_is_doubtful(row))


def _why_red(row: GateRow, options: GateOptions) -> str:
    """Why a condition is red; empty if it is green."""
    test, (before, after) = row.test, row.unanswered
    if after is None:
        return "not run"
    if after == NOTHING:
        return "answered nothing"
    if test is None:
        return "" if before == NOTHING else f"no {row.unit} answered by both"
    p = test.p_holm if options.holm else test.p
    if test.increase > options.max_increase and p < options.method.alpha:
        return "worse"
    return "not shown to be harmless" if options.strict and not _is_harmless(test, options) else ""


def _is_harmless(test: IncreaseTest, options: GateOptions) -> bool:
    """Whether the interval stays below what is tolerated; one unit alone has none."""
    if test.high is None:
        return test.n > 1 and test.increase <= options.max_increase
    return test.high <= options.max_increase


def _is_small(row: GateRow, options: GateOptions) -> bool:
    """Whether the units could not have shown the tolerated increase, with 80 % power.

    Where no unit changed there is no variance to tell the power from: what counts is which share
    of units could have changed unseen.
    """
    test = row.test
    if test is None:
        return row.unanswered[1] is not None
    alpha = options.method.alpha
    if not can_be_found(test.n, alpha):
        return True
    if test.unchanged:
        return unseen_increase(row.metric, test.n, alpha=alpha) > options.max_increase
    return test.detectable is not None and test.detectable > options.max_increase


def _is_doubtful(row: GateRow) -> bool:
    before, after = row.unanswered
    if before is None or after is None:
        return False
    return after > MAX_UNANSWERED or after - before > MAX_UNANSWERED_CHANGE

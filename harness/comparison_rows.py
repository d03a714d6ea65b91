"""What a comparison finds: one row for each run that is compared, in each metric."""

from __future__ import annotations

from dataclasses import dataclass

from sociolect.generators.conditions import CLEAN

MAX_UNANSWERED = 20.0
"""Per cent of unanswered generations above which a comparison carries a warning."""
MAX_UNANSWERED_CHANGE = 2.0
"""The same for the difference between two conditions, in points."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The test on at least one unit; values in per cent, differences in points.

    Attributes:
        n: Units in the test.
        clean: Mean of the units on clean prompts; `delta` is `errored` − `clean`.
        low: Lower end of the interval of `delta`; `None`, as `high`, from a single unit.
        p_holm: p adjusted over the family of the row.
        detectable: Smallest true |delta| that would be found with 80 % power; `None` where the
            units do not vary.
    """

    n: int
    clean: float
    errored: float
    delta: float
    low: float | None
    high: float | None
    p: float
    p_holm: float
    detectable: float | None


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs of a row.

    Attributes:
        model: Distinct among the models of the comparison.
        condition: Name of the dataset config.
        label: The condition so named that no other run of the model is called the same.
        rules: Rule set of the errors.
        data_sha256: Of the dataset config.
        pooled: The metric over all answers of the run, as lm-eval prints it; per cent.
        unanswered: Generations without an answer; per cent.
    """

    model: str
    condition: str
    label: str
    rules: str
    data_sha256: str
    pooled: float | None
    unanswered: float | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not in the test.

    Attributes:
        unanswered: Pairs with a member that got no answer in either of the conditions.
        incomplete: Pairs of which not every prompt was asked.
        invalid: Pairs that are no valid counterfactuals.
        prompts: Prompts that only one of the two runs asked (`--allow ids`).
    """

    unanswered: int
    incomplete: int
    invalid: int
    prompts: int


@dataclass(frozen=True, slots=True)
class Row:
    """One errored run against the clean one, in one metric."""

    benchmark: str
    axis: str
    form: str
    metric: str
    task: str
    error_seed: int
    baseline: Side
    other: Side
    test: PairedTest | None
    left: LeftOut

    @property
    def family(self) -> tuple[str, ...]:
        """Rows whose p-values are adjusted together."""
        return (self.other.model, self.benchmark, self.axis, self.form, self.metric)

    @property
    def is_plain(self) -> bool:
        """Whether this is a run with errors against the clean run of the same model."""
        conditions = self.baseline.condition, self.other.condition
        same_model = self.baseline.model == self.other.model
        return same_model and conditions[0] == CLEAN and conditions[1] != CLEAN

    @property
    def warning(self) -> bool:
        """Whether unanswered generations make the row doubtful."""
        rates = [self.baseline.unanswered, self.other.unanswered]
        known = [rate for rate in rates if rate is not None]
        if len(known) < 2:
            return True
        return max(known) > MAX_UNANSWERED or max(known) - min(known) > MAX_UNANSWERED_CHANGE

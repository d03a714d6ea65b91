"""What a comparison finds: one row for each run that is compared, in each metric."""

from __future__ import annotations

from dataclasses import dataclass

from sociolect.generators.conditions import CLEAN
from sociolect.harness.seeds import SeedSpread
from sociolect.harness.units import unit_word
from sociolect.tasks.kinds import kind_of

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
        low: Lower end of the interval of `delta`; `None`, as `high`, from a single unit, or where
            the changes of the units do not vary.
        p_holm: p adjusted over the family of the row.
        detectable: Smallest true |delta| that would be found with 80 % power; `None` where the
            units do not vary.
        clusters: Question templates of the units; 0 where units are not made from templates.
        cluster_low: As `low`, resampling whole templates; `None` without them.
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
    clusters: int = 0
    cluster_low: float | None = None
    cluster_high: float | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two sides of a row: a run, or the mean of its error seeds.

    Attributes:
        model: Distinct among the models of the comparison.
        condition: Name of the dataset config.
        label: The condition so named that no other run of the model is called the same.
        rules: Rule set of the errors.
        data_sha256: Of the dataset config; empty for several error seeds.
        pooled: The metric over all answers, as lm-eval prints it; per cent. The change of it from
            the clean run where two models are compared by their changes.
        unanswered: Generations without an answer; per cent.
        rates: The same of every run behind the side, clean ones included.
    """

    model: str
    condition: str
    label: str
    rules: str
    data_sha256: str
    pooled: float | None
    unanswered: float | None
    rates: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not in the test.

    Attributes:
        unanswered: Units that got no answer (pairs: to one of their members) in one of the runs.
        incomplete: Units of which not every prompt was asked.
        invalid: Pairs that are no valid counterfactuals.
        prompts: Prompts that not all of the runs asked (`--allow ids`).
    """

    unanswered: int
    incomplete: int
    invalid: int
    prompts: int


@dataclass(frozen=True, slots=True)
class Row:
    """One errored run against the clean one, in one metric.

    Attributes:
        error_seeds: Of the errored run; several where their mean is compared.
        spread: What the seeds do, where there are several.
        of_changes: The two sides are changes from clean to errored, of two models.
    """

    benchmark: str
    axis: str
    form: str
    metric: str
    task: str
    error_seeds: tuple[int, ...]
    baseline: Side
    other: Side
    test: PairedTest | None
    left: LeftOut
    spread: SeedSpread | None = None
    of_changes: bool = False

    @property
    def family(self) -> tuple[str, ...]:
        """Rows whose p-values are adjusted together; means over seeds are among themselves."""
        own = (self.other.model, self.benchmark, self.axis, self.form, self.metric)
        return (*own, "mean of error seeds") if len(self.error_seeds) > 1 else own

    @property
    def error_seed(self) -> int | None:
        """The error seed; `None` for a mean over several."""
        return self.error_seeds[0] if len(self.error_seeds) == 1 else None

    @property
    def unit(self) -> str:
        """What is counted in `test.n`: `pair` or `item`."""
        return unit_word(kind_of(self.benchmark))

    @property
    def is_plain(self) -> bool:
        """Whether this is a run with errors against the clean run of the same model."""
        conditions = self.baseline.condition, self.other.condition
        same_model = self.baseline.model == self.other.model
        return same_model and conditions[0] == CLEAN and conditions[1] != CLEAN

    @property
    def warning(self) -> bool:
        """Whether unanswered generations make the row doubtful."""
        rates = [rate for side in (self.baseline, self.other) for rate in side.rates]
        known = [rate for rate in rates if rate is not None]
        if len(known) < max(2, len(rates)):
            return True
        return max(known) > MAX_UNANSWERED or max(known) - min(known) > MAX_UNANSWERED_CHANGE

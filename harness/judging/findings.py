"""What `analyse` finds: one record a judge, condition and category."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.judging.amplification import Amplification
from sociolect.harness.judging.asymmetry import Rate, Ratio, SignTest
from sociolect.harness.judging.clustered import Contrast
from sociolect.harness.judging.matched import ChangeSlope, MatchedPair, MatchedPoint
from sociolect.harness.judging.ranks import RankAgreement
from sociolect.harness.judging.resampling import RESAMPLES, Interval
from sociolect.harness.judging.transitions import ALIGNED, NAMES
from sociolect.harness.judging.verdicts import Judgements

MAX_RESAMPLES = 1_000_000
BY_CATEGORY: tuple[str, ...] = tuple(
    name for name in NAMES if name not in ALIGNED and not name.endswith("_to_none")
)


@dataclass(frozen=True, slots=True)
class FlipMethod:
    """How flips are computed.

    Attributes:
        seed: Of the bootstrap over questions.
        alpha: Intervals cover 1 − alpha; level of the marks.
        resamples: Of the bootstrap.

    Raises:
        InvalidInputError: A number out of range.
    """

    seed: int = 0
    alpha: float = 0.05
    resamples: int = RESAMPLES

    def __post_init__(self) -> None:
        if self.seed < 0 or not 1e-6 <= self.alpha < 1 or not 1 <= self.resamples <= MAX_RESAMPLES:
            raise InvalidInputError(
                f"seed {self.seed}, alpha {self.alpha}, {self.resamples} resamples: give a seed of "
                f"0 or more, an alpha from 1e-6 to below 1, and 1 to {MAX_RESAMPLES:,} resamples"
            )

    @property
    def confidence(self) -> float:
        """Of the intervals."""
        return 1 - self.alpha


@dataclass(frozen=True, slots=True)
class Change:
    """Realised change of the responses, means (noise paper, App. C).

    Attributes:
        token_change: Changed over clean tokens.
        char_distance: Changed over clean characters.
        length_ratio: Noisy over clean length.
        neutral: Token change of the responses with a clean NONE verdict, `None` without any.
        named: Of those with a clean A or B verdict.
    """

    token_change: float
    char_distance: float
    length_ratio: float
    neutral: float | None
    named: float | None


@dataclass(frozen=True, slots=True)
class CategoryFlips:
    """One category under one condition: rates by name (`BY_CATEGORY`)."""

    name: str
    questions: int
    items: int
    rates: Mapping[str, Rate]


@dataclass(frozen=True, slots=True)
class ConditionFlips:
    """One noise condition against the clean verdicts.

    Attributes:
        matrix: Counts by clean outcome (rows) and noisy outcome, 4 × 4.
        rates: By name (`transitions.NAMES`).
        ratio: Fabrications over erasures.
        parity_p: Fabrications against erasures, exact binomial test; `None` without any.
        parity_p_holm: Adjusted over the conditions of the judge.
        sign: The same, a vote a question.
        difference: Interval of conditional fabrication minus conditional erasure (bootstrap over
            questions), on the scale of the rates.
        quotient: Conditional fabrication over conditional erasure; `None` where that is 0.
        quotient_interval: Its interval.
        contrast: The difference with cluster-robust errors.
    """

    condition: Condition
    label: str
    error_seed: int
    partial: str
    change: Change | None
    matrix: tuple[tuple[int, ...], ...]
    rates: Mapping[str, Rate]
    ratio: Ratio
    parity_p: float | None
    parity_p_holm: float | None
    sign: SignTest
    difference: Interval | None
    quotient: float | None
    quotient_interval: Interval | None
    contrast: Contrast
    categories: tuple[CategoryFlips, ...]

    @property
    def difference_value(self) -> float | None:
        """Conditional fabrication minus conditional erasure; `None` where one is undefined."""
        first, second = (
            self.rates[name].value for name in ("fabrication_eligible", "erasure_eligible")
        )
        return None if first is None or second is None else first - second


@dataclass(frozen=True, slots=True)
class Flips:
    """Everything about one judge."""

    judgements: Judgements
    method: FlipMethod
    conditions: tuple[ConditionFlips, ...]
    ranks: tuple[RankAgreement, ...]
    amplifications: tuple[Amplification, ...]
    pairs: tuple[MatchedPair, ...]
    points: tuple[MatchedPoint, ...]
    slopes: tuple[ChangeSlope, ...]

    @property
    def questions(self) -> int:
        """Clusters of the bootstrap."""
        return len(self.judgements.items.questions.names)

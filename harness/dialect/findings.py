"""The audit of several systems on one dataset: numbers, intervals, and differences from Base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.audits import (
    Answers,
    Key,
    TokensOf,
    feature_groups,
    gather,
    measures,
    only,
    texts_of,
)
from sociolect.harness.dialect.localised import Bootstrap, Localisation
from sociolect.harness.dialect.localised_systems import localisations
from sociolect.harness.dialect.resampling import (
    MAX_RESAMPLES,
    RESAMPLES,
    Resampled,
    clusters_that_count,
    intervals,
    replicates,
)
from sociolect.harness.dialect.systems import Dataset, System
from sociolect.harness.judging.resampling import Interval
from sociolect.harness.statistics import PERMUTATIONS, holm, randomisation_test
from sociolect.tasks.dialect.measures import Floats, Measure

FEW_PAIRS = 30
EDGE = 5
"""Below so many pairs, or so many on one side of a share, a percentile interval is too narrow."""
CONDITIONAL: tuple[str, ...] = ("cdgi", "cdgi_any")
"""Over pairs that the answers of a system select: two systems have other pairs."""
_MAX_PERMUTATIONS = 10_000_000


@dataclass(frozen=True, slots=True)
class Method:
    """How the audit is computed.

    Attributes:
        seed: Of the bootstrap and of the sign flips.
        alpha: Intervals cover 1 − alpha; level of the marks.
        resamples: Of the bootstrap.
        permutations: Of the randomisation test.

    Raises:
        InvalidInputError: A number out of range.
    """

    seed: int = 0
    alpha: float = 0.05
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS

    def __post_init__(self) -> None:
        if (
            self.seed < 0
            or not 1e-6 <= self.alpha < 1
            or not 1 <= self.resamples <= MAX_RESAMPLES
            or not 1 <= self.permutations <= _MAX_PERMUTATIONS
        ):
            raise InvalidInputError(
                f"seed {self.seed}, alpha {self.alpha}, {self.resamples} resamples, "
                f"{self.permutations} permutations: give a seed of 0 or more, an alpha from 1e-6 "
                f"to below 1, 1 to {MAX_RESAMPLES:,} resamples and 1 to {_MAX_PERMUTATIONS:,} "
                "permutations"
            )

    @property
    def confidence(self) -> float:
        """Of the intervals."""
        return 1 - self.alpha


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number of one system.

    Attributes:
        value: None over no pairs.
        n: Pairs that count.
        left: Pairs that do not, by reason.
        interval: None where there is none.
        lost: Resamples without the number.
        doubtful: Few pairs, or a share near 0 or 1.
    """

    value: float | None
    n: int
    left: Mapping[str, int]
    interval: Interval | None
    lost: int
    doubtful: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """One number of a system against that of its Base.

    Attributes:
        base: The number of Base, over the pairs that count in both; of a `CONDITIONAL` measure
            over the pairs that count in each.
        value: That of the system.
        n: Pairs that count in both.
        interval: Of value − base.
        lost: Resamples without it.
        p: Paired randomisation test; None where the number is no mean over pairs.
        p_holm: Adjusted over the systems of the model.
    """

    base: float
    value: float
    n: int
    interval: Interval | None
    lost: int
    p: float | None
    p_holm: float | None

    @property
    def delta(self) -> float:
        """Value − base."""
        return self.value - self.base


@dataclass(frozen=True)
class Audited:
    """One system: answers, numbers, differences from its Base, and LP by class of feature.

    `features` is in nats and, where tokens were counted, in nats a token.
    """

    system: System
    answers: Answers
    estimates: Mapping[Key, Estimate]
    differences: Mapping[Key, Difference] = field(default_factory=dict)
    features: tuple[Localisation, ...] = ()


@dataclass(frozen=True)
class Audit:
    """All systems on one dataset."""

    dataset: Dataset
    method: Method
    systems: tuple[Audited, ...]

    @property
    def models(self) -> dict[str, tuple[Audited, ...]]:
        """The systems by model."""
        names = dict.fromkeys(one.system.model for one in self.systems)
        return {
            name: tuple(one for one in self.systems if one.system.model == name) for name in names
        }


@dataclass(frozen=True, slots=True)
class _Versus:
    """A measure of a system and of its Base, over the pairs to compare."""

    system: int
    key: Key
    base: Measure
    other: Measure

    @property
    def both(self) -> np.ndarray:
        found: np.ndarray = (self.base.denominators > 0) & (self.other.denominators > 0)
        return found


def audit(dataset: Dataset, method: Method, tokens_of: TokensOf) -> Audit:
    """Compute everything.

    Args:
        dataset: Systems and pairs.
        method: Seed, level, and numbers of resamples and permutations.
        tokens_of: Counts of the tokens of the continuations of a run.
    """
    answers = [gather(system, tokens_of) for system in dataset.systems]
    texts = texts_of(dataset)
    groups = feature_groups(dataset, texts)
    found = [measures(one, dataset, groups) for one in answers]
    versus = _versus(dataset, found)
    flat = [measure for one in found for measure in one.values()]
    sides = [measure for one in versus for measure in (one.base, one.other)]
    values = replicates([*flat, *sides], dataset.clusters, method.resamples, method.seed)
    sizes = [clusters_that_count(one, dataset.clusters) for one in flat]
    resampled = iter(intervals(values[:, : len(flat)], sizes, method.confidence))
    estimates = [{key: _estimate(m, next(resampled)) for key, m in one.items()} for one in found]
    differences = _differences(versus, values[:, len(flat) :], dataset, method)
    drawn = Bootstrap(method.seed, method.resamples, method.confidence)
    systems = [
        Audited(
            system,
            answers[number],
            estimates[number],
            differences.get(number, {}),
            localisations(system.label, answers[number], texts, _ends(estimates[number]), drawn),
        )
        for number, system in enumerate(dataset.systems)
    ]
    return Audit(dataset, method, tuple(systems))


def _ends(estimates: Mapping[Key, Estimate]) -> dict[Key, Interval | None]:
    return {key: estimate.interval for key, estimate in estimates.items()}


def _estimate(measure: Measure, resampled: Resampled) -> Estimate:
    interval, lost = resampled
    n = measure.n
    doubtful = 0 < n < FEW_PAIRS or (n > 0 and measure.scale == "share" and _at_edge(measure))
    return Estimate(measure.value, n, measure.left, interval, lost, doubtful)


def _at_edge(measure: Measure) -> bool:
    hits, whole = float(measure.numerators.sum()), float(measure.denominators.sum())
    return min(hits, whole - hits) < EDGE


def _versus(dataset: Dataset, found: Sequence[Mapping[Key, Measure]]) -> list[_Versus]:
    """Every measure that a system shares with its Base and that has pairs in both."""
    pairs = []
    for number, system in enumerate(dataset.systems):
        base = dataset.base_of(system)
        if base is None:
            continue
        of_base = next(f for f, one in zip(found, dataset.systems, strict=True) if one is base)
        for key, measure in found[number].items():
            if key in of_base and (one := _compared(number, key, of_base[key], measure)):
                pairs.append(one)
    return pairs


def _compared(number: int, key: Key, base: Measure, other: Measure) -> _Versus | None:
    whole = _Versus(number, key, base, other)
    if key.measure in CONDITIONAL:
        return whole if base.n and other.n else None
    both = whole.both
    return _Versus(number, key, only(base, both), only(other, both)) if both.any() else None


def _differences(
    versus: Sequence[_Versus], values: Floats, dataset: Dataset, method: Method
) -> dict[int, dict[Key, Difference]]:
    """By number of the system.

    Args:
        versus: What to compare.
        values: Resampled: Base and system of each in turn, shape (resamples, 2 · len(versus)).
        dataset: Of the clusters.
        method: Of the tests.
    """
    sizes = [
        min(clusters_that_count(side, dataset.clusters) for side in (one.base, one.other))
        for one in versus
    ]
    found = intervals(values[:, 1::2] - values[:, ::2], sizes, method.confidence)
    ps = [_p(one, dataset, method) for one in versus]
    by_system: dict[int, dict[Key, Difference]] = {}
    for one, resampled, p, adjusted in zip(
        versus, found, ps, _adjusted(versus, ps, dataset), strict=True
    ):
        base, value = one.base.value, one.other.value
        if base is not None and value is not None:
            n = int(one.both.sum())
            made = Difference(base, value, n, *resampled, p, adjusted)
            by_system.setdefault(one.system, {})[one.key] = made
    return by_system


def _p(one: _Versus, dataset: Dataset, method: Method) -> float | None:
    """Of the mean over pairs, or over groups where there are some."""
    if one.key.measure in CONDITIONAL or one.base.scale == "perplexity":
        return None
    both = one.both
    first, second = (s.numerators[both] / s.denominators[both] for s in (one.base, one.other))
    # A group is exchanged as a whole; what does not change moves no sum.
    gaps = np.bincount(dataset.clusters[both], weights=second - first)
    gaps = gaps[gaps != 0]
    if not gaps.size:
        return 1.0
    return randomisation_test(gaps, permutations=method.permutations, seed=method.seed)


def _adjusted(
    versus: Sequence[_Versus], ps: Sequence[float | None], dataset: Dataset
) -> list[float | None]:
    """Holm over the systems of one model, for each measure."""
    families: dict[tuple[object, ...], list[int]] = {}
    for place, one in enumerate(versus):
        if ps[place] is not None:
            family = (dataset.systems[one.system].origin, one.key)
            families.setdefault(family, []).append(place)
    found: list[float | None] = [None] * len(versus)
    for places in families.values():
        raw = [p for place in places if (p := ps[place]) is not None]
        for place, value in zip(places, holm(raw), strict=True):
            found[place] = value
    return found

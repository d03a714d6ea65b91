"""Systems against the Base of their model: differences with intervals and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sociolect.harness.dialect.audits import Key, only
from sociolect.harness.dialect.methods import FEW_PAIRS, Method
from sociolect.harness.dialect.resampling import clusters_that_count, intervals
from sociolect.harness.dialect.systems import Dataset, Ints
from sociolect.harness.judging.resampling import Interval
from sociolect.harness.statistics import holm, randomisation_tests
from sociolect.tasks.dialect.measures import Flags, Floats, Measure

CONDITIONAL: tuple[str, ...] = ("cdgi", "cdgi_any")
"""Over pairs that the answers of a system select: two systems have other pairs."""
MOST_SHARED = 0.8
"""Below this share of the pairs that count in either system, a difference is marked."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One number of a system against that of its Base.

    Attributes:
        base: The number of Base, over the pairs that count in both; of a `CONDITIONAL` measure
            over the pairs that count in each.
        value: That of the system.
        n: Pairs that count in both.
        n_base: Pairs behind the number of Base.
        n_value: Pairs behind that of the system.
        clusters: Groups behind the number that has the fewer; a pair without a group is one of its
            own.
        either: Pairs that count in one of them, before those that do not count in both are left
            out; 0 for a `CONDITIONAL` measure.
        interval: Of value − base.
        lost: Resamples without it.
        p: Paired randomisation test; None where the number is no mean over pairs, in which each
            counts alike.
        p_holm: Adjusted over the systems of the model.
    """

    base: float
    value: float
    n: int
    n_base: int
    n_value: int
    clusters: int
    either: int
    interval: Interval | None
    lost: int
    p: float | None
    p_holm: float | None

    @property
    def doubtful(self) -> bool:
        """Few pairs or groups, or so many left out that the difference may come from them."""
        return self.clusters < FEW_PAIRS or self.n < MOST_SHARED * self.either

    @property
    def delta(self) -> float:
        """Value − base."""
        return self.value - self.base


@dataclass(frozen=True, slots=True)
class Versus:
    """A measure of a system and of its Base, over the pairs to compare."""

    system: int
    key: Key
    base: Measure
    other: Measure
    either: int = 0

    @property
    def both(self) -> Flags:
        """Pairs that count in both."""
        found: Flags = (self.base.denominators > 0) & (self.other.denominators > 0)
        return found

    @property
    def alike(self) -> bool:
        """Whether all pairs that count weigh alike: the difference is the mean of `gaps` then."""
        both = self.both
        weights = np.concatenate([m.denominators[both] for m in (self.base, self.other)])
        return self.base.scale != "perplexity" and len(np.unique(weights)) == 1

    @property
    def gaps(self) -> Floats:
        """The system minus its Base by pair; 0 where one of them does not count."""
        both = self.both
        found = np.zeros(len(both))
        first, second = (m.numerators[both] / m.denominators[both] for m in (self.base, self.other))
        found[both] = second - first
        return found


def versus(dataset: Dataset, found: Sequence[Mapping[Key, Measure]]) -> list[Versus]:
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


def _compared(number: int, key: Key, base: Measure, other: Measure) -> Versus | None:
    whole = Versus(number, key, base, other)
    if key.measure in CONDITIONAL:
        return whole if base.n and other.n else None
    both = whole.both
    if not both.any():
        return None
    either = int(np.count_nonzero((base.denominators > 0) | (other.denominators > 0)))
    return Versus(number, key, only(base, both), only(other, both), either)


def differences(
    versus: Sequence[Versus], values: Floats, dataset: Dataset, method: Method
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
    ps = _p_values(versus, dataset.clusters, method)
    by_system: dict[int, dict[Key, Difference]] = {}
    for one, size, resampled, p, adjusted in zip(
        versus, sizes, found, ps, _adjusted(versus, ps, dataset), strict=True
    ):
        base, value = one.base.value, one.other.value
        if base is not None and value is not None:
            pairs = (int(one.both.sum()), one.base.n, one.other.n)
            made = Difference(base, value, *pairs, size, one.either, *resampled, p, adjusted)
            by_system.setdefault(one.system, {})[one.key] = made
    return by_system


def _p_values(versus: Sequence[Versus], clusters: Ints, method: Method) -> list[float | None]:
    """Of the means over pairs, or over groups where there are some; all with the same swaps."""
    tested = [
        place
        for place, one in enumerate(versus)
        if one.key.measure not in CONDITIONAL and one.alike
    ]
    if not tested:
        return [None] * len(versus)
    # A group is exchanged as a whole.
    gaps = [np.bincount(clusters, weights=versus[place].gaps) for place in tested]
    ps = randomisation_tests(np.stack(gaps, axis=1), method.permutations, method.seed)
    by_place = dict(zip(tested, ps, strict=True))
    return [by_place.get(place) for place in range(len(versus))]


def _adjusted(
    versus: Sequence[Versus], ps: Sequence[float | None], dataset: Dataset
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

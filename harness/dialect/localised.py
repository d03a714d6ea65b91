"""What localisation finds: LP of each class of features, and of each entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sociolect.generators.dialect.lexicon import CLASSES, FeatureClass
from sociolect.harness.dialect.feature_counts import Counts, Shares
from sociolect.harness.dialect.lengths import Lengths
from sociolect.harness.dialect.methods import FEW_PAIRS
from sociolect.harness.statistics import RESAMPLES

Where = Literal["sentence", "context"]
ALL, NONE = "all", "none"
GROUPS: tuple[str, ...] = (ALL, *CLASSES, NONE)
"""All pairs, those of every class, and those without a feature of the lexicon."""

FEWEST = 2
"""Below this number of pairs there is no mean."""
FEWEST_OF_ENTRY = 5
"""Below this number of pairs an entry has no mean."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are computed: percentiles of means over pairs, or groups, drawn again."""

    seed: int = 0
    resamples: int = RESAMPLES
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class GroupLp:
    """LP of one of `GROUPS`.

    Attributes:
        name: Of the group.
        n: Pairs that count: those that were answered and whose continuations differ.
        n_all: All that were answered.
        clusters: Groups that have one of the pairs; a pair without a group is one of its own.
        value: Mean LP in nats (or nats a token); None for fewer than `FEWEST` pairs.
        interval: Of the mean; None where there is no mean, over fewer than `MIN_CLUSTERS`
            clusters, where they do not vary, or where more than `MOST_UNDEFINED` of the resamples
            have none of the pairs (`sociolect.harness.judging.resampling`).
        lengths: Mean ones of the continuations of the pairs that count; None over none.
    """

    name: str
    n: int
    n_all: int
    clusters: int
    value: float | None
    interval: tuple[float, float] | None
    lengths: Lengths | None = None

    @property
    def few(self) -> bool:
        """Whether the mean is over so few pairs or groups that it is marked."""
        return self.value is not None and self.clusters < FEW_PAIRS


@dataclass(frozen=True, slots=True)
class EntryLp:
    """LP of the pairs that have an entry, and of their class without these pairs.

    Attributes:
        value: None for fewer than `FEWEST_OF_ENTRY` pairs.
        n_without: Pairs of the class that do not have the entry.
        without: None for fewer than `FEWEST` of those.
    """

    feature_class: FeatureClass
    entry: str
    n: int
    value: float | None
    n_without: int
    without: float | None


@dataclass(frozen=True, slots=True)
class Localisation:
    """LP by class of feature of one model.

    Attributes:
        name: Of the model or run, as tables show it.
        unit: Of LP: `nats`, or `nats a token`.
        where: What was searched.
        slurs: Whether entries with slurs counted.
        groups: One for each of `GROUPS`, in their order.
        overlap: Pairs that have both classes; 4 × 4, in the order of `CLASSES`.
        jaccard: Pairs that have both over pairs that have either; None where no pair has one.
        entries: By class, the most frequent first.
        left: Pairs that do not count, by reason.
    """

    name: str
    unit: str
    where: Where
    slurs: bool
    groups: tuple[GroupLp, ...]
    overlap: Counts
    jaccard: Shares
    entries: tuple[EntryLp, ...]
    left: Mapping[str, int]
    method: Bootstrap

    def group(self, name: str) -> GroupLp:
        """One of `GROUPS`."""
        return self.groups[GROUPS.index(name)]

    @property
    def highest(self) -> str | None:
        """The class of the highest LP; None if no class has one."""
        found = [one for one in self.groups if one.name in CLASSES and one.value is not None]
        return max(found, key=lambda one: one.value or 0.0).name if found else None

    def record(self) -> dict[str, Any]:
        """As JSON; `null` where there is no number."""
        groups = [{**asdict(one), "few": one.few} for one in self.groups]
        return {**asdict(self), "classes": list(CLASSES), "groups": groups}

"""Which features go with a preference for SAE: LP by class of feature.

Dialect paper, §4.2.2: AAE sentences are partitioned by the classes of the lexicon, and mean LP
(Eq. 4) is compared. Not a partition in the strict sense: a sentence is in every class that it has
a feature of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sociolect.generators.dialect.lexicon import CLASSES
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.feature_counts import Presence, jaccard, overlap, presence
from sociolect.harness.dialect.lengths import Chars, pair_lengths
from sociolect.harness.dialect.localised import (
    ALL,
    FEWEST,
    FEWEST_OF_ENTRY,
    GROUPS,
    NONE,
    Bootstrap,
    EntryLp,
    GroupLp,
    Localisation,
    Where,
)
from sociolect.harness.dialect.resampling import (
    cluster_numbers,
    clusters_that_count,
    intervals,
    replicates,
)
from sociolect.harness.judging.resampling import Interval
from sociolect.tasks.dialect.continuation_measures import ContinuationScores, lp, over_differing
from sociolect.tasks.dialect.label_measures import Labels
from sociolect.tasks.dialect.measures import Flags, Floats, Measure


@dataclass(frozen=True, slots=True)
class Searched:
    """What of the AAE texts is searched, and for what.

    Attributes:
        texts: The AAE texts by id of the pair.
        where: The whole sentence, as in the dialect paper, or its context alone.
        boundaries: Where the contexts end in the texts, by id; `context` needs it.
        slurs: Whether entries with slurs count.
        groups: Of pairs that are not independent, by id; those of one group are drawn together.
            A pair without a group is one of its own.

    Raises:
        InvalidInputError: Contexts are to be searched, but their ends are not given.
    """

    texts: Mapping[str, str]
    where: Where = "sentence"
    boundaries: Mapping[str, int] | None = None
    slurs: bool = False
    groups: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.where == "context" and self.boundaries is None:
            raise InvalidInputError(
                "features of contexts are asked for, but not where the contexts end: give the "
                "boundaries of the AAE texts, or search whole sentences"
            )

    def text(self, name: str) -> str | None:
        """What is searched of a pair; None if it has no text, or no boundary where one is needed.

        Args:
            name: Id of the pair.
        """
        text = self.texts.get(name)
        if text is None or self.where == "sentence":
            return text
        end = (self.boundaries or {}).get(name)
        return None if end is None else text[:end]


def localise(
    scores: ContinuationScores,
    searched: Searched,
    *,
    name: str = "",
    per_token: bool = False,
    method: Bootstrap | None = None,
    drawn: Mapping[str, Interval | None] | None = None,
    chars: Chars | None = None,
) -> Localisation:
    """LP by class of feature (dialect paper, §4.2.2 and Fig. 5).

    Of pairs whose continuations differ, as the others have an LP of 0 whatever the model.

    Args:
        scores: Of one model.
        searched: The AAE texts; those of pairs that `scores` lacks are not looked at.
        name: Of the model or run.
        per_token: Whether log-likelihoods are divided by the tokens of their continuations.
        method: Of the intervals.
        drawn: Intervals by name of `GROUPS` that `method` has given already; computed if None.
        chars: Of the AAE and of the SAE continuation, by id of the pair; their means are shown
            beside LP.

    Raises:
        InvalidInputError: LP per token is asked for, but nobody counted the tokens.
    """
    method = method or Bootstrap()
    found, measures, members = _by_group(_per_token(scores) if per_token else scores, searched)
    clusters = cluster_numbers(scores.ids, searched.groups)
    drawn = _intervals(measures, clusters, method) if drawn is None else drawn
    sizes = pair_lengths(scores, chars)
    counted = measures[ALL].denominators > 0
    values, among = measures[ALL].numerators[counted], found.among(counted)
    counts = overlap(among)
    return Localisation(
        name=name,
        unit="nats a token" if per_token else "nats",
        where=searched.where,
        slurs=searched.slurs,
        groups=tuple(
            replace(
                _group(g, one, int((members[g] & scores.answered).sum()), clusters, drawn[g]),
                lengths=sizes.mean(one.denominators > 0),
            )
            for g, one in measures.items()
        ),
        overlap=counts,
        jaccard=jaccard(counts),
        entries=_entries(values, among),
        left=measures[ALL].left,
        method=method,
    )


def lp_by_class(scores: ContinuationScores, searched: Searched) -> dict[str, Measure]:
    """LP of each of `GROUPS` as a measure over all pairs, for what compares two models.

    Pairs outside of a group have a denominator of 0 in its measure; they are not in its `left`.
    """
    return _by_group(scores, searched)[1]


def _per_token(scores: ContinuationScores) -> ContinuationScores:
    if scores.tokens is None:
        raise InvalidInputError(
            "LP per token needs the tokens of the continuations, which this run did not count"
        )
    return scores.per_token()


def _by_group(
    scores: ContinuationScores, searched: Searched
) -> tuple[Presence, dict[str, Measure], dict[str, Flags]]:
    """What was found, LP of each of `GROUPS`, and its pairs."""
    base = over_differing(lp(scores), scores)
    texts = [searched.text(name) for name in scores.ids]
    there = np.array([text is not None for text in texts], dtype=np.bool_)
    found = presence([text or "" for text in texts], slurs=searched.slurs)
    lost = int(np.count_nonzero((base.denominators > 0) & ~there))
    reason = "no text" if searched.where == "sentence" else "no text or boundary"
    left = {**base.left, **({reason: lost} if lost else {})}
    members: dict[str, Flags] = {ALL: there, NONE: there & found.without}
    members.update({name: there & found.of(name) for name in CLASSES})
    measures = {
        group: Measure(
            f"lp_{group}",
            np.where(members[group], base.numerators, 0.0),
            np.where(members[group], base.denominators, 0.0),
            base.scale,
            left,
        )
        for group in GROUPS
    }
    return found, measures, members


def _intervals(
    measures: Mapping[str, Measure], clusters: Labels, method: Bootstrap
) -> dict[str, Interval | None]:
    """By the same resamples of all pairs, as in the report."""
    if not len(clusters):
        return dict.fromkeys(measures)
    values = replicates(list(measures.values()), clusters, method.resamples, method.seed)
    sizes = [clusters_that_count(one, clusters) for one in measures.values()]
    found = intervals(values, sizes, method.confidence)
    return {name: one.interval for name, one in zip(measures, found, strict=True)}


def _group(
    name: str, measure: Measure, n_all: int, clusters: Labels, drawn: Interval | None
) -> GroupLp:
    size = clusters_that_count(measure, clusters)
    if measure.n < FEWEST:
        return GroupLp(name, measure.n, n_all, size, None, None)
    low, high = drawn or (None, None)
    interval = None if low is None or high is None else (low, high)
    return GroupLp(name, measure.n, n_all, size, measure.value, interval)


def _entries(values: Floats, found: Presence) -> tuple[EntryLp, ...]:
    rows = []
    for (feature_class, entry), flags in found.entries.items():
        rest = found.of(feature_class) & ~flags
        with_it, without = values[flags], values[rest]
        rows.append(
            EntryLp(
                feature_class,
                entry,
                len(with_it),
                _mean(with_it, FEWEST_OF_ENTRY),
                len(without),
                _mean(without, FEWEST),
            )
        )
    return tuple(sorted(rows, key=lambda one: (CLASSES.index(one.feature_class), -one.n)))


def _mean(values: Floats, fewest: int) -> float | None:
    return float(values.mean()) if len(values) >= fewest else None

"""The audit of several systems on one dataset: numbers, intervals, and differences from Base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sociolect.harness.dialect.audits import (
    CONTINUATION,
    Answers,
    Key,
    TokensOf,
    facts_of,
    feature_groups,
    gather,
    measures,
    texts_of,
)
from sociolect.harness.dialect.differences import Difference, differences, versus
from sociolect.harness.dialect.lengths import Chars, Lengths, chars_of, pair_lengths
from sociolect.harness.dialect.localisation import Searched
from sociolect.harness.dialect.localised import Bootstrap, Localisation
from sociolect.harness.dialect.localised_systems import localisations
from sociolect.harness.dialect.methods import EDGE, FEW_PAIRS, Method
from sociolect.harness.dialect.resampling import (
    Resampled,
    clusters_that_count,
    intervals,
    replicates,
)
from sociolect.harness.dialect.systems import Dataset, System
from sociolect.harness.dialect.uninformative import uninformative
from sociolect.harness.judging.resampling import Interval
from sociolect.tasks.dialect.measures import Floats, Measure


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number of one system.

    Attributes:
        value: None over no pairs.
        n: Pairs that count.
        clusters: Groups that have such a pair; a pair without a group is one of its own.
        left: Pairs that do not, by reason.
        interval: None where there is none.
        lost: Resamples without the number.
        doubtful: Few clusters, or a share near 0 or 1.
        uninformative: The system gave one answer to everything.
        lengths: Mean ones of the continuations of the pairs that count; None for other tasks.
    """

    value: float | None
    n: int
    clusters: int
    left: Mapping[str, int]
    interval: Interval | None
    lost: int
    doubtful: bool
    uninformative: bool = False
    lengths: Lengths | None = None


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


def audit(dataset: Dataset, method: Method, tokens_of: TokensOf) -> Audit:
    """Compute everything.

    Args:
        dataset: Systems and pairs.
        method: Seed, level, and numbers of resamples and permutations.
        tokens_of: Counts of the tokens of the continuations of a run.
    """
    answers = [gather(system, tokens_of) for system in dataset.systems]
    codes = dict(zip(dataset.ids, map(str, dataset.clusters), strict=True))
    searched = Searched(texts_of(dataset), groups=codes)
    chars = chars_of(facts_of(dataset))
    classes = feature_groups(dataset, searched.texts)
    found = [measures(one, dataset, classes) for one in answers]
    compared = versus(dataset, found)
    flat = [measure for one in found for measure in one.values()]
    sides = [measure for one in compared for measure in (one.base, one.other)]
    values = replicates([*flat, *sides], dataset.clusters, method.resamples, method.seed)
    each = _estimates(flat, values[:, : len(flat)], dataset, method)
    changes = differences(compared, values[:, len(flat) :], dataset, method)
    systems = []
    for number, system in enumerate(dataset.systems):
        plain = uninformative(answers[number])
        estimates = {k: replace(next(each), uninformative=k in plain) for k in found[number]}
        estimates |= _with_lengths(estimates, found[number], answers[number], dataset, chars)
        features = _features(system, answers[number], estimates, searched, method, chars)
        of_base = changes.get(number, {})
        systems.append(Audited(system, answers[number], estimates, of_base, features))
    return Audit(dataset, method, tuple(systems))


def _with_lengths(
    estimates: Mapping[Key, Estimate],
    found: Mapping[Key, Measure],
    answers: Answers,
    dataset: Dataset,
    chars: Chars,
) -> dict[Key, Estimate]:
    """The estimates of continuations with the lengths of these."""
    if answers.scores is None:
        return {}
    place = {id_: number for number, id_ in enumerate(dataset.ids)}
    at = [place[id_] for id_ in answers.scores.ids]
    sizes = pair_lengths(answers.scores, chars)
    return {
        key: replace(one, lengths=sizes.mean(found[key].denominators[at] > 0))
        for key, one in estimates.items()
        if key.task == CONTINUATION
    }


def _features(
    system: System,
    answers: Answers,
    estimates: Mapping[Key, Estimate],
    searched: Searched,
    method: Method,
    chars: Chars,
) -> tuple[Localisation, ...]:
    """LP by class with the intervals of the estimates."""
    bootstrap = Bootstrap(method.seed, method.resamples, method.confidence)
    drawn = {key: one.interval for key, one in estimates.items()}
    return localisations(system.label, answers, searched, drawn, bootstrap, chars)


def _estimates(
    flat: Sequence[Measure], values: Floats, dataset: Dataset, method: Method
) -> Iterator[Estimate]:
    """One a measure, from its resampled values."""
    sizes = [clusters_that_count(one, dataset.clusters) for one in flat]
    return map(_estimate, flat, sizes, intervals(values, sizes, method.confidence))


def _estimate(measure: Measure, clusters: int, resampled: Resampled) -> Estimate:
    few = 0 < clusters < FEW_PAIRS
    doubtful = few or (measure.n > 0 and measure.scale == "share" and _at_edge(measure))
    return Estimate(measure.value, measure.n, clusters, measure.left, *resampled, doubtful)


def _at_edge(measure: Measure) -> bool:
    hits, whole = float(measure.numerators.sum()), float(measure.denominators.sum())
    return min(hits, whole - hits) < EDGE

"""The measures under the names that the harness prints, with bootstrapped standard errors.

Shares are in [0, 1], the others in nats. A measure that no pair counts for is NaN, never 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from sociolect.tasks.dialect import (
    choice_measures,
    continuation_measures,
    draws,
    gathered,
    label_measures,
)
from sociolect.tasks.dialect.catalogue import LABEL_SHARES, LABELS, METRICS, Kind
from sociolect.tasks.dialect.choice_measures import Choices
from sociolect.tasks.dialect.continuation_measures import ContinuationScores
from sociolect.tasks.dialect.label_measures import SentimentLabels, Version
from sociolect.tasks.dialect.measures import Measure
from sociolect.tasks.dialect.records import Record
from sociolect.tasks.metrics import RESAMPLES


def measures_of(kind: Kind, records: Iterable[Record]) -> dict[str, Measure]:
    """All metrics of a kind, in the order of `METRICS`.

    Args:
        kind: What the task asks.
        records: Answers to its documents, in any order.

    Raises:
        ResultsError: A document was answered twice.
    """
    found = _MEASURES[kind](records)
    return {metric: found[metric] for metric in METRICS[kind]}


def point(kind: Kind, metric: str, records: Iterable[Record]) -> float:
    """The value of one metric; NaN over no pairs."""
    value = measures_of(kind, records)[metric].value
    return float("nan") if value is None else value


def standard_error(
    kind: Kind,
    metric: str,
    records: Iterable[Record],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> float:
    """Standard deviation of a metric over bootstrap resamples of the pairs, or of their groups.

    A resample draws pairs with all their answers, as both texts of a pair share what they say
    (dialect paper, App. C.6); pairs of one group are drawn together.

    Args:
        kind: What the task asks.
        metric: One of `METRICS[kind]`.
        records: Answers to its documents, in any order.
        resamples: How many, at least 2.
        seed: Of the local random generator.

    Returns:
        In the unit of the metric; NaN where there is none (`draws.standard_error`).
    """
    answers = list(records)
    measure = measures_of(kind, answers)[metric]
    clusters = draws.clusters_of(list(gathered.groups_of(answers).values()))
    return draws.standard_error(measure, clusters, resamples=resamples, seed=seed)


def _of_labels(records: Iterable[Any]) -> dict[str, Measure]:
    labels: SentimentLabels = gathered.labels_of(records)
    shares = {
        name: label_measures.label_share(labels, cast(Version, variety), LABELS.index(label), name)
        for name, (label, variety) in LABEL_SHARES.items()
    }
    return {
        "dgi": label_measures.dgi(labels),
        "two_way_dgi": label_measures.two_way_dgi(labels),
        "cdgi": label_measures.cdgi(labels),
        "cdgi_any": label_measures.cdgi_any(labels),
        "unanswered": label_measures.unlabelled(labels),
        **shares,
    }


def _of_scores(records: Iterable[Any]) -> dict[str, Measure]:
    scores: ContinuationScores = gathered.scores_of(records)
    by_byte, whole = scores.per_byte(), continuation_measures.lp(scores)
    return {
        "lp": whole,
        "lp_differing": continuation_measures.over_differing(whole, scores),
        "interaction": continuation_measures.interaction(scores),
        "b_aae": continuation_measures.preference(scores, "aae"),
        "b_sae": continuation_measures.preference(scores, "sae"),
        "prefers_sae_in_aae": continuation_measures.prefers_sae(scores, "aae"),
        "prefers_sae_in_sae": continuation_measures.prefers_sae(scores, "sae"),
        "unanswered": continuation_measures.unscored(scores),
        "lp_byte": continuation_measures.lp(by_byte, "lp_byte"),
        "interaction_byte": continuation_measures.interaction(by_byte, "interaction_byte"),
    }


def _of_choices(records: Iterable[Any]) -> dict[str, Measure]:
    choices: Choices = gathered.choices_of(records)
    return {
        "aae_match": choice_measures.match(choices, "aae"),
        "sae_match": choice_measures.match(choices, "sae"),
        "first_option": choice_measures.first_option(choices),
        "unanswered": choice_measures.unchosen(choices),
    }


_MEASURES: Mapping[Kind, Callable[[Iterable[Any]], dict[str, Measure]]] = {
    "sentiment": _of_labels,
    "continuation": _of_scores,
    "choice": _of_choices,
}

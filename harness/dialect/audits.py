"""What one system answered, as measures over the pairs of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sociolect.generators.dialect.lexicon import CLASSES
from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.harness.dialect.feature_counts import presence
from sociolect.harness.dialect.localised import NONE
from sociolect.harness.dialect.runs import DialectRun
from sociolect.harness.dialect.systems import Dataset, System
from sociolect.tasks.dialect.choice_measures import Choices, first_option, match
from sociolect.tasks.dialect.continuation_measures import (
    COMBINATIONS,
    ContinuationScores,
    interaction,
    lp,
    perplexity,
    preference,
    prefers_sae,
)
from sociolect.tasks.dialect.gathered import Tokens, choices_of, labels_of, scores_of
from sociolect.tasks.dialect.label_measures import (
    UNANSWERED,
    SentimentLabels,
    cdgi,
    cdgi_any,
    dgi,
    two_way_dgi,
)
from sociolect.tasks.dialect.measures import Flags, Floats, Measure
from sociolect.tasks.dialect.records import ChoiceRecord, ContinuationRecord, SentimentRecord

CONTINUATION = "aae_continuation"
CHOICE = "aae_choice"
SENTIMENT = "aae_sentiment"
LPS: tuple[str, ...] = ("lp_sum", "lp_token")
TokensOf = Callable[[DialectRun], Tokens | None]


class Key(NamedTuple):
    """A measure of a task, whatever system was asked."""

    task: str
    measure: str


class Count(NamedTuple):
    """Answers to one task: how many were asked for, how many there are not."""

    asked: int
    missing: int


@dataclass(frozen=True)
class Answers:
    """What one system answered.

    Attributes:
        labels: By task of sentiment.
        scores: Of the continuations; None if they were not asked for.
        choices: By task of choice.
        counts: Of the answers, by task.
    """

    labels: Mapping[str, SentimentLabels]
    scores: ContinuationScores | None
    choices: Mapping[str, Choices]
    counts: Mapping[str, Count]


def gather(system: System, tokens_of: TokensOf) -> Answers:
    """Read the answers of a system.

    Args:
        system: With its runs.
        tokens_of: Counts of the tokens of a run; None where nobody counted them.
    """
    labels, chosen, scores = {}, {}, None
    counts: dict[str, Count] = {}
    for task, run in system.runs.items():
        if run.kind == "sentiment":
            labels[task] = labels_of(run.of(SentimentRecord))
            counts[task] = _count_labels(labels[task])
        elif run.kind == "choice":
            chosen[task] = choices_of(run.of(ChoiceRecord))
            counts[task] = _count_choices(chosen[task])
        else:
            scores = scores_of(run.of(ContinuationRecord), tokens_of(run))
            missing = sum(int((~np.isfinite(scores.log_p[c])).sum()) for c in COMBINATIONS)
            counts[task] = Count(len(COMBINATIONS) * len(scores.ids), missing)
    return Answers(labels, scores, chosen, counts)


def _count_labels(labels: SentimentLabels) -> Count:
    asked = [side[side >= UNANSWERED] for side in (labels.aae, labels.sae, labels.back)]
    return Count(sum(map(len, asked)), sum(int((side == UNANSWERED).sum()) for side in asked))


def _count_choices(found: Choices) -> Count:
    asked = sum(float(found.asked[c].sum()) for c in VARIETIES)
    given = sum(float(found.aae[c].sum() + found.sae[c].sum()) for c in VARIETIES)
    return Count(int(asked), int(asked - given))


def texts_of(dataset: Dataset) -> dict[str, str]:
    """The AAE texts by id of the pair."""
    runs = (run for system in dataset.systems for run in system.runs.values())
    return {id_: pair.aae for run in runs for id_, pair in run.pairs.items()}


def feature_groups(dataset: Dataset, texts: Mapping[str, str]) -> dict[str, Flags]:
    """Which pairs have a feature of each class in their AAE text, and which have none; (n,) each.

    A pair is in every class that it has a feature of (dialect paper, §4.2.2).
    """
    found = presence([texts[id_] for id_ in dataset.ids])
    return {**{name: found.of(name) for name in CLASSES}, NONE: found.without}


def measures(
    answers: Answers, dataset: Dataset, groups: Mapping[str, Flags] | None = None
) -> dict[Key, Measure]:
    """Every measure that the answers allow, over all pairs of the dataset in their order.

    Args:
        answers: Of one system.
        dataset: Of the pairs.
        groups: From `feature_groups`: LP is a measure of each, named `lp_sum[aspectual]`.
    """
    place = {id_: number for number, id_ in enumerate(dataset.ids)}
    found: dict[Key, Measure] = {}

    def add(task: str, ids: Sequence[str], several: Iterable[Measure]) -> None:
        at = np.array([place[id_] for id_ in ids], dtype=np.int64)
        for one in several:
            found[Key(task, one.name)] = _placed(one, at, len(place))

    for task, labels in answers.labels.items():
        add(task, labels.ids, (f(labels) for f in (dgi, two_way_dgi, cdgi, cdgi_any)))
    if answers.scores is not None:
        add(CONTINUATION, answers.scores.ids, _continuation(answers.scores))
    for task, chosen in answers.choices.items():
        matches = (match(chosen, context) for context in VARIETIES)
        add(task, chosen.ids, (*matches, first_option(chosen)))
    asked = np.isin(dataset.ids, [] if answers.scores is None else list(answers.scores.ids))
    for name in LPS:
        if whole := found.get(Key(CONTINUATION, name)):
            for group, pairs in (groups or {}).items():
                found[Key(CONTINUATION, f"{name}[{group}]")] = _of_class(whole, pairs, asked)
    return found


def only(measure: Measure, pairs: Flags) -> Measure:
    """The measure over some of its pairs; why others of these do not count is not known."""
    return replace(
        measure,
        numerators=np.where(pairs, measure.numerators, 0.0),
        denominators=np.where(pairs, measure.denominators, 0.0),
        left={},
    )


def _of_class(measure: Measure, pairs: Flags, asked: Flags) -> Measure:
    """LP over the pairs of a class; of those that were asked, the others are unanswered."""
    lost = int(np.count_nonzero(pairs & asked & (measure.denominators == 0)))
    return replace(only(measure, pairs), left={"unanswered": lost} if lost else {})


def _placed(measure: Measure, at: np.ndarray, size: int) -> Measure:
    """The measure with zeros for the pairs that its task does not have."""

    def wide(values: Floats) -> Floats:
        whole = np.zeros(size)
        whole[at] = values
        return whole

    numerators, denominators = wide(measure.numerators), wide(measure.denominators)
    return replace(measure, numerators=numerators, denominators=denominators)


def _continuation(scores: ContinuationScores) -> list[Measure]:
    found = [*_nats(scores, "sum"), *(prefers_sae(scores, context) for context in VARIETIES)]
    if scores.tokens is not None:
        found += [perplexity(scores, combination) for combination in COMBINATIONS]
        found += _nats(scores.per_token(), "token")
    return found


def _nats(scores: ContinuationScores, form: str) -> list[Measure]:
    """The log-likelihood measures, summed over a continuation or a token of it."""
    return [
        lp(scores, f"lp_{form}"),
        interaction(scores, f"interaction_{form}"),
        *(preference(scores, context, f"b_{context}_{form}") for context in VARIETIES),
    ]

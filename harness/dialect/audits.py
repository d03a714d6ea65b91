"""What one system answered, as measures over the pairs of a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sociolect.generators.dialect.lexicon import CLASSES
from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.harness.dialect.feature_counts import presence
from sociolect.harness.dialect.localised import NONE
from sociolect.harness.dialect.run_samples import PairFacts
from sociolect.harness.dialect.runs import DialectRun
from sociolect.harness.dialect.systems import Dataset, System
from sociolect.tasks.dialect.catalogue import LABEL_SHARES, LABELS
from sociolect.tasks.dialect.choice_measures import Choices, first_option, match
from sociolect.tasks.dialect.continuation_measures import (
    COMBINATIONS,
    DIFFERING,
    SAME,
    ContinuationScores,
    interaction,
    lp,
    over_differing,
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
    label_share,
    two_way_dgi,
)
from sociolect.tasks.dialect.measures import Flags, Floats, Measure, left_by_reason
from sociolect.tasks.dialect.records import ChoiceRecord, ContinuationRecord, SentimentRecord

CONTINUATION = "aae_continuation"
CHOICE = "aae_choice"
SENTIMENT = "aae_sentiment"
LPS: tuple[str, ...] = (f"lp_sum{DIFFERING}", f"lp_token{DIFFERING}")
"""That are told by class of feature."""
_UNASKED = "not asked"
TokensOf = Callable[[DialectRun], Tokens | None]


class Key(NamedTuple):
    """A measure of a task, whatever system was asked."""

    task: str
    measure: str


class Count(NamedTuple):
    """What was asked of one task, and how much of it was not answered.

    Texts to label, pairs with all four log-likelihoods, or questions with a choice, as in the
    metric `unanswered` of the task.
    """

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
            counts[task] = Count(len(scores.ids), int((~scores.answered).sum()))
    return Answers(labels, scores, chosen, counts)


def _count_labels(labels: SentimentLabels) -> Count:
    asked = [side[side >= UNANSWERED] for side in (labels.aae, labels.sae, labels.back)]
    return Count(sum(map(len, asked)), sum(int((side == UNANSWERED).sum()) for side in asked))


def _count_choices(found: Choices) -> Count:
    asked = sum(float(found.asked[c].sum()) for c in VARIETIES)
    given = sum(float(found.aae[c].sum() + found.sae[c].sum()) for c in VARIETIES)
    return Count(int(asked), int(asked - given))


def facts_of(dataset: Dataset) -> dict[str, PairFacts]:
    """What the runs say of each pair, by its id."""
    runs = (run for system in dataset.systems for run in system.runs.values())
    return {id_: pair for run in runs for id_, pair in run.pairs.items()}


def texts_of(dataset: Dataset) -> dict[str, str]:
    """The AAE texts by id of the pair."""
    return {id_: pair.aae for id_, pair in facts_of(dataset).items()}


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
        groups: From `feature_groups`: LP over differing continuations is a measure of each, named
            `lp_sum_differing[aspectual]`.
    """
    place, facts = {id_: number for number, id_ in enumerate(dataset.ids)}, facts_of(dataset)
    found: dict[Key, Measure] = {}

    def add(task: str, ids: Sequence[str], several: Iterable[Measure]) -> None:
        at, there = np.array([place[id_] for id_ in ids], dtype=np.int64), set(ids)
        absent = _absent(task, [facts[i] for i in place if i not in there])
        for one in several:
            wide = _placed(one, at, len(place))
            found[Key(task, one.name)] = replace(wide, left=_sum(one.left, absent))

    for task, labels in answers.labels.items():
        add(task, labels.ids, _agreement(labels))
    if answers.scores is not None:
        add(CONTINUATION, answers.scores.ids, _continuation(answers.scores))
    for task, chosen in answers.choices.items():
        matches = (match(chosen, context) for context in VARIETIES)
        add(task, chosen.ids, (*matches, first_option(chosen)))
    asked = np.isin(dataset.ids, [] if answers.scores is None else list(answers.scores.ids))
    same = np.array([bool(facts[id_].same) for id_ in dataset.ids], dtype=np.bool_)
    for name in LPS:
        if whole := found.get(Key(CONTINUATION, name)):
            for group, pairs in (groups or {}).items():
                of_class = _of_class(whole, pairs & asked, same)
                found[Key(CONTINUATION, f"{name}[{group}]")] = of_class
    return found


def _absent(task: str, pairs: Iterable[PairFacts]) -> Counter[str]:
    """Why a task does not have pairs that other runs of the data have."""

    def reason(pair: PairFacts) -> str:
        if task.startswith(CHOICE) and pair.same:
            return SAME
        return "not segmented" if not task.startswith(SENTIMENT) and pair.same is None else _UNASKED

    return Counter(map(reason, pairs))


def _sum(left: Mapping[str, int], absent: Counter[str]) -> dict[str, int]:
    return {reason: left.get(reason, 0) + absent[reason] for reason in {**left, **absent}}


def only(measure: Measure, pairs: Flags) -> Measure:
    """The measure over some of its pairs; why others of these do not count is not known."""
    return replace(
        measure,
        numerators=np.where(pairs, measure.numerators, 0.0),
        denominators=np.where(pairs, measure.denominators, 0.0),
        left={},
    )


def _of_class(measure: Measure, pairs: Flags, same: Flags) -> Measure:
    """LP over the pairs of a class; of those that were asked, others have no two continuations."""
    lost = pairs & (measure.denominators == 0)
    left = left_by_reason({SAME: lost & same, "unanswered": lost & ~same})
    return replace(only(measure, pairs), left=left)


def _placed(measure: Measure, at: np.ndarray, size: int) -> Measure:
    """The measure with zeros for the pairs that its task does not have."""

    def wide(values: Floats) -> Floats:
        whole = np.zeros(size)
        whole[at] = values
        return whole

    numerators, denominators = wide(measure.numerators), wide(measure.denominators)
    return replace(measure, numerators=numerators, denominators=denominators)


def _agreement(labels: SentimentLabels) -> list[Measure]:
    shares = [
        label_share(labels, "aae" if variety == "aae" else "sae", LABELS.index(label), name)
        for name, (label, variety) in LABEL_SHARES.items()
    ]
    return [*(of(labels) for of in (dgi, two_way_dgi, cdgi, cdgi_any)), *shares]


def _continuation(scores: ContinuationScores) -> list[Measure]:
    """Over all pairs, as in the dialect paper, and over those whose continuations differ."""
    found = [*_nats(scores, "sum"), *(prefers_sae(scores, context) for context in VARIETIES)]
    if scores.tokens is not None:
        found += _nats(scores.per_token(), "token")
    found += [over_differing(one, scores) for one in found]
    if scores.tokens is not None:
        found += [perplexity(scores, combination) for combination in COMBINATIONS]
    return found


def _nats(scores: ContinuationScores, form: str) -> list[Measure]:
    """The log-likelihood measures, summed over a continuation or a token of it."""
    return [
        lp(scores, f"lp_{form}"),
        interaction(scores, f"interaction_{form}"),
        *(preference(scores, context, f"b_{context}_{form}") for context in VARIETIES),
    ]

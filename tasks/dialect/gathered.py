"""The answers of a run, one entry a pair: what `measures` reports on.

Pairs stand in the order of their first answer. A document that was not asked (a run with
`--limit`, an interrupted one) counts as unanswered: half a pair is no pair, and is shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from sociolect.generators.dialect.pairs import VARIETIES, Variety
from sociolect.generators.errors import ResultsError
from sociolect.tasks.dialect.choice_measures import TIE, Choices
from sociolect.tasks.dialect.continuation_measures import (
    COMBINATIONS,
    Combination,
    ContinuationScores,
)
from sociolect.tasks.dialect.label_measures import NOT_ASKED, UNANSWERED, SentimentLabels
from sociolect.tasks.dialect.records import (
    ChoiceRecord,
    ContinuationRecord,
    Record,
    SentimentRecord,
    choice_record,
    continuation_record,
    sentiment_record,
)

Sample = tuple[Mapping[str, Any], Sequence[Any]]
"""A document, and the responses to it as the harness returns or logs them."""

Tokens = Mapping[str, Mapping[str, Sequence[int]]]
"""By pair and context, the tokens of the AAE and of the SAE continuation."""

_ADDED = 2
"""Tokens that a tokenizer may add to those of the bytes of a text."""

ORDERS = (0, 1)
"""Orders of the options."""

_R = TypeVar("_R", SentimentRecord, ContinuationRecord, ChoiceRecord)


def sentiment_labels(samples: Iterable[Sample]) -> SentimentLabels:
    """The labels of a run of `aae_sentiment`.

    Raises:
        ResultsError: A text was labelled twice.
        InvalidInputError: Another number of responses than was asked for.
    """
    return labels_of(sentiment_record(*sample) for sample in samples)


def continuation(samples: Iterable[Sample], tokens: Tokens | None = None) -> ContinuationScores:
    """The log-likelihoods of a run of `aae_continuation`.

    Args:
        samples: Documents and responses.
        tokens: Tokens of the continuations, if they were counted.

    Raises:
        ResultsError: A context was asked twice, or a pair has no count of tokens.
        InvalidInputError: Another number of responses than was asked for.
    """
    return scores_of((continuation_record(*sample) for sample in samples), tokens)


def choices(samples: Iterable[Sample]) -> Choices:
    """The choices of a run of `aae_choice`.

    Raises:
        ResultsError: A context was asked twice in one order.
        InvalidInputError: Another number of responses than was asked for.
    """
    return choices_of(choice_record(*sample) for sample in samples)


def groups_of(records: Iterable[Record]) -> dict[str, str]:
    """The group of each pair by its id, in the order of all that is gathered; empty for none."""
    found: dict[str, str] = {}
    for one in records:
        found.setdefault(one.id, one.group)
    return found


def labels_of(records: Iterable[SentimentRecord]) -> SentimentLabels:
    """As `sentiment_labels`, from records."""
    by_pair = _by_pair(records, lambda one: one.version)
    firsts = [next(iter(answers.values())) for answers in by_pair.values()]

    def labels(version: str) -> list[int]:
        return [
            answers[version].label if version in answers else _absent(version, first)
            for answers, first in zip(by_pair.values(), firsts, strict=True)
        ]

    aae, sae, back = (np.array(labels(v), dtype=np.int64) for v in ("aae", "sae", "back"))
    return SentimentLabels(
        ids=tuple(by_pair),
        aae=aae,
        sae=sae,
        back=back,
        judged=np.array([first.naturalness is not None for first in firsts], dtype=np.bool_),
        natural=np.array([first.natural for first in firsts], dtype=np.bool_),
    )


def _absent(version: str, of: SentimentRecord) -> int:
    return NOT_ASKED if version == "back" and not of.has_back else UNANSWERED


def scores_of(
    records: Iterable[ContinuationRecord], tokens: Tokens | None = None
) -> ContinuationScores:
    """As `continuation`, from records."""
    by_pair = _by_pair(records, lambda one: one.context)
    pairs = list(by_pair.values())
    firsts = [next(iter(answers.values())) for answers in pairs]
    counts = None
    if tokens is not None:
        bytes_ = [(first.bytes_aae, first.bytes_sae) for first in firsts]
        counts = {
            (context, variety): _numbers(
                _tokens(tokens, id_, context, at, own[at])
                if context in answers or context in tokens.get(id_, ())
                else math.nan
                for (id_, answers), own in zip(by_pair.items(), bytes_, strict=True)
            )
            for context in VARIETIES
            for at, variety in enumerate(VARIETIES)
        }
    return ContinuationScores(
        ids=tuple(by_pair),
        log_p={c: _numbers(_log_p(answers, c) for answers in pairs) for c in COMBINATIONS},
        tokens=counts,
        sizes={
            "aae": _numbers(first.bytes_aae for first in firsts),
            "sae": _numbers(first.bytes_sae for first in firsts),
        },
        same=np.array([first.same for first in firsts], dtype=np.bool_),
    )


def _log_p(answers: Mapping[Any, ContinuationRecord], combination: Combination) -> float:
    context, variety = combination
    if context not in answers:
        return math.nan
    return answers[context].log_p_aae if variety == "aae" else answers[context].log_p_sae


def _tokens(tokens: Tokens, id_: str, context: Variety, at: int, size: int) -> int:
    try:
        count = tokens[id_][context][at]
    except (KeyError, IndexError):
        count = 0
    if count < 1:
        raise ResultsError(
            f"pair {id_}: the tokens of its {VARIETIES[at]} continuation in the {context} context "
            "were not counted; ask it again with `sociolect eval`"
        )
    if count > size + _ADDED:
        raise ResultsError(
            f"pair {id_}: {count} tokens of its {VARIETIES[at]} continuation in the {context} "
            f"context, which has {size} bytes; the record was edited"
        )
    return count


def choices_of(records: Iterable[ChoiceRecord]) -> Choices:
    """As `choices`, from records."""
    by_pair = _by_pair(records, lambda one: (one.context, one.order))
    pairs = [list(answers.values()) for answers in by_pair.values()]
    asked = np.full(len(pairs), float(len(ORDERS)))

    def times(context: Variety, variety: Variety) -> list[float]:
        return [
            sum(_part(one, variety) for one in answers if one.context == context)
            for answers in pairs
        ]

    return Choices(
        ids=tuple(by_pair),
        aae={context: _numbers(times(context, "aae")) for context in VARIETIES},
        sae={context: _numbers(times(context, "sae")) for context in VARIETIES},
        first=_numbers(sum(_part(one, VARIETIES[one.order]) for one in a) for a in pairs),
        asked=dict.fromkeys(VARIETIES, asked),
    )


def _part(one: ChoiceRecord, variety: Variety) -> float:
    """How far the option in this variety was chosen: 1, a half in a tie, or 0."""
    return 0.5 if one.chosen == TIE else float(one.chosen == variety)


def _by_pair(records: Iterable[_R], slot: Any) -> dict[str, dict[Any, _R]]:
    """By pair, the record of every slot.

    Raises:
        ResultsError: One slot of a pair has two records.
    """
    found: dict[str, dict[Any, _R]] = {}
    for one in records:
        answers = found.setdefault(one.id, {})
        if slot(one) in answers:
            raise ResultsError(
                f"pair {one.id} was answered twice ({slot(one)}); give the answers of one run"
            )
        answers[slot(one)] = one
    return found


def _numbers(values: Iterable[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(list(values), dtype=np.float64)

"""Reading what the harness returns or logs for a document: the only place where that is done.

A label or a choice is the highest log-likelihood as it is: what is scored are labels and letters,
not texts of different length. What is no finite number is unanswered. Equal labels are so too; two
options that are equally likely are a tie, which counts one half for each: to leave it out would
leave the other order of the options without its counterpart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Any

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.generators.errors import InvalidInputError
from sociolect.tasks.dialect.catalogue import LABELS
from sociolect.tasks.dialect.choice_measures import TIE, Chosen
from sociolect.tasks.dialect.labels import read_sentiment
from sociolect.tasks.dialect.prompts import shown
from sociolect.tasks.naming import UNANSWERED

Doc = Mapping[str, Any]

_WRITTEN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|inf|nan)", re.IGNORECASE)


def sentiment_label(doc: Doc, responses: Sequence[Any]) -> int:
    """The label that a model gave one text.

    Args:
        doc: A document of `aae_sentiment` or `aae_sentiment_ll`.
        responses: What the harness hands to `process_results` or logs as `filtered_resps`: one
            generation, or one (log-likelihood, is greedy) pair a label.

    Returns:
        0, 1 or 2 for negative, neutral or positive; -1 for unanswered.

    Raises:
        InvalidInputError: Not one generation, or not three log-likelihoods.
    """
    if doc["form"] == "ll":
        return _most_likely(_log_likelihoods(doc, responses, len(LABELS)))
    texts = list(_texts(responses))
    if len(texts) != 1:
        raise InvalidInputError(f"{doc['id']}: {len(texts)} generations in place of one")
    return read_sentiment(texts[0], strict=doc.get("answer_mode") == "strict")


def continuation_scores(doc: Doc, responses: Sequence[Any]) -> tuple[float, float]:
    """Log-likelihoods of the AAE and the SAE continuation in nats; NaN for no finite number.

    Raises:
        InvalidInputError: Not two log-likelihoods.
    """
    aae, sae = _log_likelihoods(doc, responses, len(VARIETIES))
    return aae, sae


def chosen(doc: Doc, responses: Sequence[Any]) -> Chosen:
    """The variety of the option that a model chose, `TIE` for both, empty for unanswered.

    Raises:
        InvalidInputError: Not two log-likelihoods.
    """
    scores = _log_likelihoods(doc, responses, len(VARIETIES))
    best = _most_likely(scores)
    if best != UNANSWERED:
        return shown(doc)[best]
    return TIE if not any(map(math.isnan, scores)) and scores[0] == scores[1] else ""


def _most_likely(scores: Sequence[float]) -> int:
    best = max(scores)
    if any(map(math.isnan, scores)) or scores.count(best) != 1:
        return UNANSWERED
    return scores.index(best)


def _log_likelihoods(doc: Doc, responses: Sequence[Any], count: int) -> list[float]:
    """One number an option, as the harness returns them or wrote them as text."""
    if len(responses) != count:
        raise InvalidInputError(
            f"{doc['id']}: {len(responses)} log-likelihoods in place of {count}"
        )
    numbers = log_likelihoods(responses)
    # A probability of 0 comes from a fault and not from a model.
    return [number if math.isfinite(number) else math.nan for number in numbers]


def log_likelihoods(responses: Sequence[Any]) -> list[float]:
    """The numbers as they were returned or logged, in nats; they may be infinite or NaN.

    Raises:
        InvalidInputError: Something that the harness writes for no number.
    """
    return [_number(_pair(response)[0]) for response in responses]


def _number(value: Any) -> float:
    """A number, or its text as Python writes it; `float` alone would read `False` and `-1_0`."""
    is_text = isinstance(value, str) and _WRITTEN.fullmatch(value)
    # torch and numpy have numbers of their own, and lm_eval hands on what a backend returns.
    is_number = hasattr(value, "__float__") and not isinstance(value, bool)
    if not (is_text or is_number):
        raise InvalidInputError(f"{shorten(repr(value), 60)} is no log-likelihood")
    try:
        return float(value)
    except OverflowError:
        raise InvalidInputError("a log-likelihood with hundreds of digits") from None


def _pair(response: Any) -> Any:
    """The (log-likelihood, is greedy) pair, out of the list of repeats where there is one."""
    return response[0] if len(response) == 1 else response


def _texts(responses: Sequence[Any]) -> Iterator[str]:
    for response in responses:
        if isinstance(response, str):
            yield response
        else:
            yield from _texts(response)

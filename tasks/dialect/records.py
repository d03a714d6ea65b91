"""What is kept of the answer to one document: all that the measures need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sociolect.generators.dialect.pairs import NATURAL_ABOVE, Variety
from sociolect.tasks.dialect import scoring
from sociolect.tasks.dialect.choice_measures import Chosen
from sociolect.tasks.dialect.label_measures import Version
from sociolect.tasks.dialect.prompts import continuation, same_continuation


class SentimentRecord(NamedTuple):
    """A label.

    Attributes:
        label: Its number, -1 for unanswered.
        has_back: Whether the pair has a back-translation.
        naturalness: Share of raters who found it natural; None if nobody was asked.
        group: Of the pair; empty if it is in none.
    """

    id: str
    version: Version
    label: int
    has_back: bool
    naturalness: float | None
    group: str = ""

    @property
    def natural(self) -> bool:
        """Whether raters found the back-translation natural."""
        return self.naturalness is not None and self.naturalness > NATURAL_ABOVE


class ContinuationRecord(NamedTuple):
    """Two log-likelihoods in one context, in nats, NaN for unanswered; sizes in UTF-8 bytes.

    Attributes:
        same: Whether both continuations are the same words.
    """

    id: str
    context: Variety
    log_p_aae: float
    log_p_sae: float
    bytes_aae: int
    bytes_sae: int
    group: str = ""
    same: bool = False


class ChoiceRecord(NamedTuple):
    """A choice.

    Attributes:
        order: 0 if the AAE option was shown first, 1 if the SAE option was.
        chosen: The variety of the option, `TIE` for both, empty for unanswered.
    """

    id: str
    context: Variety
    order: int
    chosen: Chosen
    group: str = ""


Record = SentimentRecord | ContinuationRecord | ChoiceRecord


def record(doc: Mapping[str, Any], responses: Sequence[Any]) -> Record:
    """Read the answer to a document.

    Raises:
        InvalidInputError: Another number of responses than was asked for.
    """
    if doc["kind"] == "sentiment":
        return sentiment_record(doc, responses)
    if doc["kind"] == "continuation":
        return continuation_record(doc, responses)
    return choice_record(doc, responses)


def sentiment_record(doc: Mapping[str, Any], responses: Sequence[Any]) -> SentimentRecord:
    """Read the label of a text."""
    label = scoring.sentiment_label(doc, responses)
    return SentimentRecord(
        doc["id"],
        doc["version"],
        label,
        bool(doc["aae_back"]),
        doc["naturalness"],
        str(doc.get("group") or ""),
    )


def continuation_record(doc: Mapping[str, Any], responses: Sequence[Any]) -> ContinuationRecord:
    """Read the log-likelihoods of both continuations."""
    log_p_aae, log_p_sae = scoring.continuation_scores(doc, responses)
    aae, sae = (len(continuation(doc, v).encode()) for v in ("aae", "sae"))
    group, same = str(doc.get("group") or ""), same_continuation(doc)
    return ContinuationRecord(
        doc["id"], doc["context"], log_p_aae, log_p_sae, aae, sae, group, same
    )


def choice_record(doc: Mapping[str, Any], responses: Sequence[Any]) -> ChoiceRecord:
    """Read the choice."""
    chosen = scoring.chosen(doc, responses)
    return ChoiceRecord(
        doc["id"], doc["context"], doc["order"], chosen, str(doc.get("group") or "")
    )

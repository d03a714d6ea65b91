"""What is reported of labels of sentiment (dialect paper, §4.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from sociolect.tasks.dialect.measures import Flags, Measure, share_of_pairs

Labels = npt.NDArray[np.int64]

UNANSWERED = -1
NOT_ASKED = -2

Version = Literal["aae", "sae", "back"]
"""Of a text that is labelled."""


@dataclass(frozen=True, slots=True)
class SentimentLabels:
    """Labels that a model gave, one a pair and version; shape (n,).

    Attributes:
        ids: Of the pairs.
        aae: Of the AAE text: a label's number, or `UNANSWERED`.
        sae: Of the SAE text.
        back: Of the back-translation; `NOT_ASKED` where there is none.
        judged: Whether raters judged the back-translation.
        natural: Whether they found it natural; False where they were not asked.
    """

    ids: Sequence[str]
    aae: Labels
    sae: Labels
    back: Labels
    judged: Flags
    natural: Flags


def dgi(labels: SentimentLabels) -> Measure:
    """Share of pairs whose AAE and SAE texts get one label (dialect paper, §4.1.1)."""
    answered = (labels.aae >= 0) & (labels.sae >= 0)
    return share_of_pairs("dgi", labels.aae == labels.sae, answered, {"unanswered": ~answered})


def two_way_dgi(labels: SentimentLabels) -> Measure:
    """Share of pairs whose AAE, SAE and back-translated texts get one label (Table 2)."""
    same = (labels.aae == labels.sae) & (labels.aae == labels.back)
    there = labels.back != NOT_ASKED
    answered = _all_answered(labels)
    left = {"no back-translation": ~there, "unanswered": there & ~answered}
    return share_of_pairs("two_way_dgi", same, there & answered, left)


def cdgi(labels: SentimentLabels) -> Measure:
    """DGI of the pairs that translation leaves alone (dialect paper, Eq. 1).

    Those whose AAE text and back-translation have one label, and whose back-translation raters
    found natural.
    """
    there, answered = labels.back != NOT_ASKED, _all_answered(labels)
    stable = labels.aae == labels.back
    left = {
        "no back-translation": ~there,
        "not judged": there & ~labels.judged,
        "judged unnatural": there & labels.judged & ~labels.natural,
    }
    natural = there & labels.judged & labels.natural
    left["unanswered"] = natural & ~answered
    left["label changed by back-translation"] = natural & answered & ~stable
    return share_of_pairs("cdgi", labels.aae == labels.sae, natural & answered & stable, left)


def cdgi_any(labels: SentimentLabels) -> Measure:
    """As `cdgi` without the condition on naturalness, which nobody may have judged."""
    there, answered = labels.back != NOT_ASKED, _all_answered(labels)
    stable = labels.aae == labels.back
    left = {
        "no back-translation": ~there,
        "unanswered": there & ~answered,
        "label changed by back-translation": there & answered & ~stable,
    }
    return share_of_pairs("cdgi_any", labels.aae == labels.sae, there & answered & stable, left)


def label_share(labels: SentimentLabels, version: Version, number: int, name: str = "") -> Measure:
    """Share of the labelled texts of a version that got one label.

    Agreement says nothing without it: a model that calls every text neutral has a DGI of 1.

    Args:
        labels: What the model gave.
        version: Whose texts.
        number: Of the label.
        name: Of the measure.
    """
    given: Labels = {"aae": labels.aae, "sae": labels.sae, "back": labels.back}[version]
    left = {"unanswered": given == UNANSWERED, "no back-translation": given == NOT_ASKED}
    return share_of_pairs(name or f"label_{number}_{version}", given == number, given >= 0, left)


def unlabelled(labels: SentimentLabels) -> Measure:
    """Share of the texts, back-translations among them, whose label could not be read."""
    given = np.stack([labels.aae, labels.sae, labels.back])
    return Measure(
        "unanswered",
        (given == UNANSWERED).sum(axis=0).astype(np.float64),
        (given != NOT_ASKED).sum(axis=0).astype(np.float64),
        "share",
    )


def _all_answered(labels: SentimentLabels) -> Flags:
    return (labels.aae >= 0) & (labels.sae >= 0) & (labels.back >= 0)

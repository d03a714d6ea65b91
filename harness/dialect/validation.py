"""How good a corpus of triplets is: contents, sentiment, and what people say (dialect paper, §3).

What was not asked for is None, and shown as not asked; a figure over no pair does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

from tqdm import tqdm

from sociolect.generators.dialect.pair_files import PairFile
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.dialect.ratings import DIMENSIONS, Agreement, Rating, agreement
from sociolect.harness.dialect.bert_score import BertScorer
from sociolect.harness.dialect.sentiment_agreement import (
    LabelAgreement,
    SentimentClassifier,
    label_agreement,
)
from sociolect.harness.dialect.validation_required import Required

LOWEST = 20
"""Pairs with the lowest BERTScore whose ids are kept: the ones to look at first."""


@dataclass(frozen=True, slots=True)
class ContentFigures:
    """BERTScore F1 of back-translations against the AAE texts that they come from.

    Attributes:
        model: The encoder: `name`, `revision` on the Hub, `files` with their SHA-256.
        layer: Whose hidden states were compared.
        scores: F1 by id, in the order of the pairs.
        without_back: Pairs without a back-translation.
        unscored: Pairs with a text that is longer than the encoder reads, or that has no token.
        note: Why this layer, if nobody chose it.
    """

    model: Mapping[str, Any]
    layer: int
    scores: Mapping[str, float]
    without_back: int
    unscored: int
    note: str = ""

    @property
    def mean(self) -> float | None:
        """Of F1; None without a score."""
        return fmean(self.scores.values()) if self.scores else None

    @property
    def median(self) -> float | None:
        """Of F1; None without a score."""
        return median(self.scores.values()) if self.scores else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation of F1, n − 1 in the denominator; None below two scores."""
        return stdev(self.scores.values()) if len(self.scores) > 1 else None

    def lowest(self) -> dict[str, float]:
        """The lowest scores by id."""
        return dict(sorted(self.scores.items(), key=lambda one: (one[1], one[0]))[:LOWEST])


@dataclass(frozen=True, slots=True)
class SentimentFigures:
    """Labels of AAE and SAE.

    Attributes:
        model: The classifier: `name`, `revision` on the Hub, `files` with their SHA-256.
        labels: Its labels, counted; pairs without one have a text that is too long for it.
    """

    model: Mapping[str, Any]
    labels: LabelAgreement


@dataclass(frozen=True, slots=True)
class RatingFigures:
    """What people say.

    Attributes:
        items: Pairs with at least one rating.
        raters: How many people.
        dimensions: One a dimension.
    """

    items: int
    raters: int
    dimensions: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class Validation:
    """Everything that was asked of a file of pairs.

    Attributes:
        name: Of the file.
        sha256: Of its content.
        pairs: That were looked at.
        dropped: That the file holds, but cannot be used.
        required: Those that raters affirm, if that was asked for.
    """

    name: str
    sha256: str
    pairs: int
    dropped: int
    content: ContentFigures | None = None
    sentiment: SentimentFigures | None = None
    ratings: RatingFigures | None = None
    required: Required | None = None


def validate(
    file: PairFile,
    *,
    scorer: BertScorer | None = None,
    classifier: SentimentClassifier | None = None,
    ratings: Sequence[Rating] | None = None,
    required: Required | None = None,
    progress: bool = False,
) -> Validation:
    """Look at pairs in the ways that are asked for.

    Args:
        file: The pairs.
        scorer: What compares AAE with its back-translation; None to leave that out.
        classifier: What labels AAE and SAE, likewise.
        ratings: What people said, likewise.
        required: Which pairs they affirm, likewise; the figures are of all.
        progress: Show bars on standard error.
    """
    return Validation(
        name=file.source.name,
        sha256=file.source.sha256,
        pairs=len(file.pairs),
        dropped=len(file.dropped),
        content=content_figures(file.pairs, scorer, progress=progress) if scorer else None,
        sentiment=sentiment_figures(file.pairs, classifier, progress=progress)
        if classifier
        else None,
        ratings=None if ratings is None else rating_figures(ratings),
        required=required,
    )


def content_figures(
    pairs: Sequence[DialectPair], scorer: BertScorer, *, progress: bool = False
) -> ContentFigures:
    """BERTScore of every pair that has a back-translation.

    What rounding in float32 puts above 1 is 1.
    """
    whole = [pair for pair in pairs if pair.aae_back.strip()]
    with _bar(len(whole), "BERTScore", "pair", shown=progress) as advance:
        found = scorer.score([p.aae_back for p in whole], [p.aae for p in whole], advance)
    scores = {
        pair.id: min(score.f1, 1.0)
        for pair, score in zip(whole, found, strict=True)
        if score is not None
    }
    return ContentFigures(
        model=scorer.record,
        layer=scorer.layer,
        scores=scores,
        without_back=len(pairs) - len(whole),
        unscored=len(whole) - len(scores),
        note=scorer.note,
    )


def sentiment_figures(
    pairs: Sequence[DialectPair], classifier: SentimentClassifier, *, progress: bool = False
) -> SentimentFigures:
    """Labels of both sides of every pair."""
    texts = [pair.aae for pair in pairs] + [pair.sae for pair in pairs]
    with _bar(len(texts), "sentiment", "text", shown=progress) as advance:
        labels = classifier.label(texts, advance)
    half = len(pairs)
    found = label_agreement(labels[:half], labels[half:], classifier.names)
    return SentimentFigures(classifier.record, found)


def rating_figures(ratings: Sequence[Rating]) -> RatingFigures:
    """Agreement of raters on every dimension."""
    return RatingFigures(
        items=len({rating.id for rating in ratings}),
        raters=len({rating.rater for rating in ratings}),
        dimensions=tuple(agreement(ratings, dimension) for dimension in DIMENSIONS),
    )


@contextmanager
def _bar(total: int, told: str, unit: str, *, shown: bool) -> Iterator[Callable[[int], None]]:
    with tqdm(total=total, desc=told, unit=unit, disable=not shown) as bar:

        def advance(number: int) -> None:
            bar.update(number)

        yield advance

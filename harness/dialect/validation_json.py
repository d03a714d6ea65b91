"""A validation as JSON: every figure, the models with their files, and no text."""

from __future__ import annotations

from typing import Any

from sociolect.harness.dialect.validation import (
    ContentFigures,
    RatingFigures,
    SentimentFigures,
    Validation,
)


def as_json(found: Validation) -> dict[str, Any]:
    """Everything as JSON, without texts; null is what was not asked for or does not exist."""
    return {
        "file": found.name,
        "sha256": found.sha256,
        "pairs": found.pairs,
        "dropped": found.dropped,
        "bertscore": found.content and _content_json(found.content),
        "sentiment": found.sentiment and _sentiment_json(found.sentiment),
        "ratings": found.ratings and _ratings_json(found.ratings),
        "required": found.required and found.required.record(),
    }


def _content_json(own: ContentFigures) -> dict[str, Any]:
    return {
        "model": dict(own.model),
        "layer": own.layer,
        "layer_note": own.note or None,
        "n": len(own.scores),
        "mean": own.mean,
        "median": own.median,
        "sd": own.deviation,
        "without_back": own.without_back,
        "unscored": own.unscored,
        "lowest": own.lowest(),
    }


def _sentiment_json(own: SentimentFigures) -> dict[str, Any]:
    return {
        "model": dict(own.model),
        "labels": list(own.labels.names),
        "rows_aae_columns_sae": own.labels.matrix.tolist(),
        "n": own.labels.n,
        "agreement": own.labels.agreement,
        "too_long": own.labels.unlabelled,
    }


def _ratings_json(own: RatingFigures) -> dict[str, Any]:
    return {
        "items": own.items,
        "raters": own.raters,
        "dimensions": {
            one.dimension: {
                "raters": one.raters,
                "raters_per_item": one.each,
                "items": one.items,
                "incomplete": one.incomplete,
                "exact_agreement": one.exact,
                "yes": one.yes,
                "kappa": one.kappa,
                "reason": one.reason,
            }
            for one in own.dimensions
        },
    }

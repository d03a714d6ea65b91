"""The token error rate as the learner-error paper defines it (§3.2 and App. B.2)."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from sociolect.generators import nlp
from sociolect.generators.analysis import counted_tokens, covered
from sociolect.generators.text import Edit, Span, map_spans


def counted_words(text: str, protected: Sequence[Span]) -> list[str]:
    """The tokens that count for the error rate, in lower case.

    Those are spaCy tokens that are neither space nor punctuation and lie outside the protected
    spans. Case is ignored, since moving a sentence's capital is not an error.
    """
    doc = nlp.tokenize(text)
    counted = counted_tokens(doc, covered(doc, protected))
    return [t.lower_ for t, c in zip(doc, counted, strict=True) if c]


def measure(
    clean: str, protected: Sequence[Span], edits: Sequence[Edit], errored: str
) -> tuple[int, int]:
    """Token-level Levenshtein distance d and token count n; the error rate is ε = d / n.

    Args:
        clean: The clean text.
        protected: Protected spans in it.
        edits: What was done to it.
        errored: The perturbed text, which is tokenized anew.

    Returns:
        d and n, n counted on the longer text, so that d ≤ n.
    """
    before = counted_words(clean, protected)
    after = counted_words(errored, map_spans(protected, edits))
    return Levenshtein.distance(before, after), max(len(before), len(after))

"""The token error rate as the learner-error paper defines it (§3.2 and App. B.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from sociolect.generators import nlp
from sociolect.generators.learner.slots import Slot
from sociolect.generators.text import Edit, Span, map_spans
from sociolect.generators.units import Member


@lru_cache(maxsize=4096)
def counted_words(text: str, protected: tuple[Span, ...]) -> tuple[str, ...]:
    """The tokens that count for the error rate, in lower case.

    Those are spaCy tokens that are neither space nor punctuation and lie outside the protected
    spans. Case is ignored, since moving a sentence's capital is not an error.
    """
    return tuple(
        t.lower_
        for t in nlp.tokenize(text)
        if not (t.is_space or t.is_punct or _touches(t.idx, t.idx + len(t), protected))
    )


def _touches(start: int, end: int, spans: Sequence[Span]) -> bool:
    return any(start < s.end and end > s.start for s in spans)


def planned_distance(member: Member, done: Iterable[tuple[Slot, str]]) -> tuple[int, int]:
    """Distance and token count of edits on known tokens; nothing is tokenized anew.

    Args:
        member: The clean text with its tokens.
        done: Slots that were taken and what came out.

    Returns:
        What `measure` returns, if the tokenizer leaves every changed word in one piece.
    """
    words = list(member.counted)
    inserted: list[tuple[int, int, str]] = []
    n_edits = 0
    for slot, outcome in done:
        n_edits += 1
        rank = member.ranks[slot.token]
        if slot.is_insertion:
            inserted.append((rank, slot.token, outcome))
        else:
            words[rank] = outcome
    for rank, _, outcome in sorted(inserted, reverse=True):
        words.insert(rank, outcome)
    after = [w for w in words if w]
    if n_edits > 1:
        n_edits = Levenshtein.distance(member.counted, after)
    return n_edits, max(len(member.counted), len(after))


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
    before = counted_words(clean, tuple(protected))
    after = counted_words(errored, map_spans(protected, edits))
    return Levenshtein.distance(before, after), max(len(before), len(after))

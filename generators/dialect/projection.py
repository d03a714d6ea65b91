"""A place in one text, found again in another by aligned words (dialect paper, App. B.1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sociolect.generators.dialect.places import Place, Rules
from sociolect.generators.dialect.words import Word

Link = tuple[int, int]
"""Positions of a SAE word and of an AAE word that say the same."""

UNALIGNED = "no words are aligned"
NONE_BEFORE = "nothing is aligned before the boundary"
NONE_AFTER = "nothing is aligned after the boundary"
CROSSING = "the two sides cannot be separated: too many words are aligned across the boundary"


def project(
    sae: Sequence[Word],
    aae: Sequence[Word],
    links: Collection[Link],
    boundary: Place,
    found: Sequence[Place],
    rules: Rules,
) -> tuple[Place | None, str]:
    """k*: the place in the AAE text that corresponds to a place in the SAE text (App. B.1).

    It is the one that the fewest links cross: links from the context to the continuation, and from
    the continuation to the context. Links of punctuation do not count. Of equals, the one right
    after the AAE word that the last aligned word of the context is linked to; then the one whose
    share of the text is nearest to that of the SAE boundary; then the leftmost.

    Args:
        sae: Words of the SAE text.
        aae: Words of the AAE text.
        links: Pairs of their positions.
        boundary: j*.
        found: Places of the AAE text, at least one.
        rules: How many links may cross.

    Returns:
        The place, or None and the reason.
    """
    kept = [(i, k) for i, k in links if not (sae[i].is_mark or aae[k].is_mark)]
    context = [(i, aae[k].start) for i, k in kept if sae[i].start < boundary.offset]
    before = [start for _, start in context]
    after = [aae[k].start for i, k in kept if sae[i].start >= boundary.offset]
    if not (before and after):
        return None, _nothing(before, after)
    last = max(context)[1]  # the rightmost of several that the last word is linked to
    place = _least_crossed(found, before, after, last, boundary.share)
    wrong = _across(before, after, place.offset)
    share = max(wrong[0] / len(before), wrong[1] / len(after))
    return (place, "") if share <= rules.max_crossing + 1e-9 else (None, CROSSING)


def _least_crossed(
    found: Sequence[Place], before: Sequence[int], after: Sequence[int], last: int, share: float
) -> Place:
    """The place that the fewest links cross, and of equals the one that `project` says.

    Args:
        found: Places of the AAE text.
        before: Where the AAE words begin that words of the context are linked to.
        after: The same of the continuation.
        last: Where the AAE word of the last aligned word of the context begins.
        share: Of the SAE text, before its boundary.
    """
    crossed = [sum(_across(before, after, p.offset)) for p in found]
    equal = [p for p, n in zip(found, crossed, strict=True) if n == min(crossed)]
    follows = next((p.offset for p in found if p.offset > last), None)
    return min(equal, key=lambda p: (p.offset != follows, abs(p.share - share), p.offset))


def _across(before: Sequence[int], after: Sequence[int], offset: int) -> tuple[int, int]:
    """Links of the context and of the continuation that a boundary puts on the wrong side."""
    return sum(start >= offset for start in before), sum(start < offset for start in after)


def _nothing(before: Sequence[int], after: Sequence[int]) -> str:
    if not before and not after:
        return UNALIGNED
    return NONE_AFTER if before else NONE_BEFORE

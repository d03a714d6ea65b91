"""A pair cut into context and continuation, guided by its SAE text (dialect paper, App. B.1).

Two steps, neither of which knows a model. The boundary in the SAE text is where the sense shifts
most, near the middle (Eq. 12). The boundary in the AAE text is where words aligned with the SAE
context and words aligned with the SAE continuation separate best; AAE is as free to be shorter,
longer or in another order as any other variety.

A boundary is a place where white space follows a word. On each side there are words, not
punctuation alone.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.dialect.words import Word, words
from sociolect.generators.errors import InvalidInputError

Link = tuple[int, int]
"""Positions of a SAE word and of an AAE word that say the same."""
Encode = Callable[[Sequence[str]], NDArray[Any]]
"""Texts to vectors, shape (texts, dimensions); a row of NaN for a text that is too long."""
Align = Callable[[Sequence[str], Sequence[str]], Collection[Link] | None]
"""SAE words and AAE words to links; None if they are too many to be aligned."""

RHO, GAMMA = 0.5, 0.3
"""Of Eq. 12, as in the paper."""
MAX_CROSSING = 1 / 3
"""More of the links of a side than this must not end on the wrong side."""
TIE = 1e-6
"""Values of Eq. 12 that differ by less are equal: they differ by rounding alone."""

SAME = "the two texts are the same"
EMPTY_AAE = "the AAE text holds no words"
EMPTY_SAE = "the SAE text holds no words"
SHORT_AAE = "the AAE text has no place with words before and after it"
SHORT_SAE = "the SAE text has no place with words before and after it"
LONG_FOR_ENCODER = "longer than the sentence encoder reads"
NO_DIRECTION = "the sentence encoder gives a segment no direction"
LONG_FOR_ALIGNER = "longer than the aligner reads"
UNALIGNED = "no words are aligned"
NONE_BEFORE = "nothing is aligned before the boundary"
NONE_AFTER = "nothing is aligned after the boundary"
CROSSING = "the two sides cannot be separated: too many words are aligned across the boundary"
REASONS = (
    *(SAME, EMPTY_AAE, EMPTY_SAE, SHORT_AAE, SHORT_SAE, LONG_FOR_ENCODER, NO_DIRECTION),
    *(LONG_FOR_ALIGNER, UNALIGNED, NONE_BEFORE, NONE_AFTER, CROSSING),
)
"""Every reason why a pair is not segmented."""

_CHUNK = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides the boundaries, beside the models.

    Attributes:
        rho: Share of the text before an ideal boundary, between 0 and 1.
        gamma: Weight of the distance from it, 0 or more.
        window: Furthest share of the text from `rho` that a boundary may lie, above 0; None for
            any.
        min_words: Words that are no punctuation on each side of a boundary, 1 or more.
        max_crossing: Largest share of the links of a side that may end on the wrong side.

    Raises:
        InvalidInputError: A number out of range.
    """

    rho: float = RHO
    gamma: float = GAMMA
    window: float | None = None
    min_words: int = 1
    max_crossing: float = MAX_CROSSING

    def __post_init__(self) -> None:
        wrong = {
            "rho": (not 0 < self.rho < 1, "between 0 and 1"),
            "gamma": (not (self.gamma >= 0 and math.isfinite(self.gamma)), "0 or more"),
            "window": (self.window is not None and not 0 < self.window <= 1, "above 0, at most 1"),
            "min_words": (self.min_words < 1, "1 or more"),
            "max_crossing": (not 0 <= self.max_crossing < 1, "0 or more, and below 1"),
        }
        for name, (is_wrong, wanted) in wrong.items():
            if is_wrong:
                raise InvalidInputError(f"{name} must be {wanted}, not {getattr(self, name)}")


class Place(NamedTuple):
    """Where a text may be cut.

    Attributes:
        offset: Characters before it.
        share: j/n of Eq. 12: words before it by words of the text. Words are what white space
            separates, so that punctuation counts with the word it is written to.
    """

    offset: int
    share: float


def places(text: str, min_words: int = 1) -> list[Place]:
    """Every place where a text may be cut, from left to right.

    Args:
        text: Any text.
        min_words: Words on each side; punctuation and what holds nothing else do not count.
    """
    chunks = [match.span() for match in _CHUNK.finditer(text)]
    starts = [word.start for word in words(text) if not word.is_mark]
    found = []
    for j, (_, end) in enumerate(chunks[:-1], 1):
        before = bisect_left(starts, end)
        if min(before, len(starts) - before) >= min_words:
            found.append(Place(end, j / len(chunks)))
    return found


def near_the_middle(found: Sequence[Place], rules: Rules) -> list[Place]:
    """The places that Eq. 12 chooses from: those within the window, or the nearest if none is."""
    if rules.window is None or not found:
        return list(found)
    # Shares are fractions of words: a place exactly at the edge of the window is within.
    reach = max(rules.window, min(abs(p.share - rules.rho) for p in found)) + 1e-9
    return [p for p in found if abs(p.share - rules.rho) <= reach]


def sides(text: str, found: Sequence[Place]) -> list[str]:
    """L and R of each place in turn, without the white space around them."""
    return [side.strip() for p in found for side in (text[: p.offset], text[p.offset :])]


def shifts(vectors: NDArray[Any]) -> NDArray[Any]:
    """Semantic shift d_j = 1 − cos(φ(L_j), φ(R_j)) of each place (dialect paper, App. B.1).

    Args:
        vectors: φ of L and R of each place in turn, shape (2 × places, dimensions).

    Returns:
        Shape (places,), from 0 to 2; NaN where a vector is NaN or has no direction.
    """
    left, right = (
        np.asarray(vectors, dtype=np.float64).reshape(-1, 2, vectors.shape[-1]).swapaxes(0, 1)
    )
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - (left * right).sum(axis=1) / lengths)


def best_place(found: Sequence[Place], shift: NDArray[Any], rules: Rules) -> Place:
    """j* = argmax d_j − γ·|j/n − ρ| (dialect paper, Eq. 12).

    Of equals, the one nearest to ρ; then the leftmost.

    Args:
        found: At least one place.
        shift: d_j of each, without NaN.
        rules: ρ and γ.
    """
    distance = np.abs(np.array([p.share for p in found]) - rules.rho)
    value = shift - rules.gamma * distance
    equal = np.flatnonzero(value >= value.max() - TIE)
    # Rounded, for 0.5 − 4/9 and 5/9 − 0.5 differ in their last digit.
    return found[min(equal, key=lambda i: (round(float(distance[i]), 9), i))]


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
        found: Places of the AAE text.
        rules: How many links may cross.

    Returns:
        The place, or None and the reason.
    """
    kept = [(i, k) for i, k in links if not (sae[i].is_mark or aae[k].is_mark)]
    context = [(i, aae[k].start) for i, k in kept if sae[i].start < boundary.offset]
    after = [aae[k].start for i, k in kept if sae[i].start >= boundary.offset]
    if not (kept and context and after and found):
        return None, _nothing(kept, context, found)
    before = [start for _, start in context]
    cost = [_across(before, after, p.offset) for p in found]
    fewest = min(sum(one) for one in cost)
    equal = [p for p, one in zip(found, cost, strict=True) if sum(one) == fewest]
    last = max(context)[1]  # the rightmost of several that the last one is linked to
    follows = next((p.offset for p in found if p.offset > last), -1)
    place = min(equal, key=lambda p: (p.offset != follows, abs(p.share - boundary.share), p.offset))
    wrong = _across(before, after, place.offset)
    shares = wrong[0] / len(before), wrong[1] / len(after)
    return (place, "") if max(shares) <= rules.max_crossing + 1e-9 else (None, CROSSING)


def _across(before: Sequence[int], after: Sequence[int], offset: int) -> tuple[int, int]:
    """Links of the context and of the continuation that a boundary puts on the wrong side."""
    return sum(start >= offset for start in before), sum(start < offset for start in after)


def _nothing(kept: Sequence[Link], context: Sequence[Any], found: Sequence[Place]) -> str:
    if not found:
        return SHORT_AAE
    if not kept:
        return UNALIGNED
    return NONE_AFTER if context else NONE_BEFORE


class Prepared(NamedTuple):
    """A pair before any model is asked.

    Attributes:
        reason: Why it cannot be segmented; empty if it may be.
        sae_places: Those that Eq. 12 chooses from; at least one if there is no reason.
        aae_places: Those that it is projected to; the same.
    """

    pair: DialectPair
    sae: list[Word]
    aae: list[Word]
    sae_places: list[Place]
    aae_places: list[Place]
    reason: str

    @property
    def segments(self) -> list[str]:
        """What is encoded: L and R of each place of the SAE text."""
        return sides(self.pair.sae, self.sae_places)


def prepare(pair: DialectPair, rules: Rules) -> Prepared:
    """Cut a pair into words, find its places, and see whether it can be segmented at all."""
    sae, aae = words(pair.sae), words(pair.aae)
    of_sae = near_the_middle(places(pair.sae, rules.min_words), rules)
    of_aae = places(pair.aae, rules.min_words)
    reasons = (
        (all(word.is_mark for word in aae), EMPTY_AAE),
        (all(word.is_mark for word in sae), EMPTY_SAE),
        (pair.aae.split() == pair.sae.split(), SAME),
        (not of_sae, SHORT_SAE),
        (not of_aae, SHORT_AAE),
    )
    reason = next((reason for holds, reason in reasons if holds), "")
    return Prepared(pair, sae, aae, of_sae, of_aae, reason)


def sae_boundary(
    prepared: Prepared, vectors: NDArray[Any], rules: Rules
) -> tuple[Place | None, str]:
    """j* of a prepared pair from φ of its segments, or None and the reason."""
    if np.isnan(vectors).any():
        return None, LONG_FOR_ENCODER
    shift = shifts(vectors)
    if np.isnan(shift).any():
        return None, NO_DIRECTION
    return best_place(prepared.sae_places, shift, rules), ""


def finish(
    prepared: Prepared, boundary: Place, links: Collection[Link] | None, rules: Rules
) -> Segmented:
    """Project the boundary of a prepared pair; None for links means that it was too long."""
    if links is None:
        return Segmented(prepared.pair, None, LONG_FOR_ALIGNER)
    place, reason = project(prepared.sae, prepared.aae, links, boundary, prepared.aae_places, rules)
    if place is None:
        return Segmented(prepared.pair, None, reason)
    return Segmented(prepared.pair, Boundaries(aae=place.offset, sae=boundary.offset))


def segment(
    pair: DialectPair,
    encode: Encode,
    align: Align,
    *,
    rho: float = RHO,
    gamma: float = GAMMA,
    window: float | None = None,
    min_words: int = 1,
) -> Segmented:
    """Cut one pair into context and continuation.

    Args:
        pair: Two texts.
        encode: φ.
        align: SAE words, AAE words → links.
        rho: Share of the text before an ideal boundary.
        gamma: Weight of the distance from it.
        window: See `Rules`.
        min_words: See `Rules`.

    Returns:
        The pair with its boundaries, or with the reason why it has none, one of `REASONS`.
    """
    rules = Rules(rho, gamma, window, min_words)
    prepared = prepare(pair, rules)
    if prepared.reason:
        return Segmented(pair, None, prepared.reason)
    boundary, reason = sae_boundary(prepared, encode(prepared.segments), rules)
    if boundary is None:
        return Segmented(pair, None, reason)
    links = align(word_texts(prepared.sae), word_texts(prepared.aae))
    return finish(prepared, boundary, links, rules)


def word_texts(found: Sequence[Word]) -> list[str]:
    """What an aligner reads."""
    return [word.text for word in found]

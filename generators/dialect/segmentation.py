"""A pair cut into context and continuation, guided by its SAE text (dialect paper, App. B.1).

Two steps, neither of which knows a model. The boundary in the SAE text is where the sense shifts
most, near the middle (Eq. 12). The boundary in the AAE text is where words aligned with the SAE
context and words aligned with the SAE continuation separate best; the texts may differ in length
and in the order of words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.dialect.places import (
    GAMMA,
    RHO,
    WINDOW,
    Place,
    Rules,
    near_the_middle,
    places,
)
from sociolect.generators.dialect.projection import (
    CROSSING,
    NONE_AFTER,
    NONE_BEFORE,
    UNALIGNED,
    Link,
    project,
)
from sociolect.generators.dialect.shift import best_place, shifts, sides
from sociolect.generators.dialect.words import Word, words

__all__ = ["REASONS", "Align", "Encode", "Link", "Place", "Rules", "prepare", "segment"]

Encode = Callable[[Sequence[str]], NDArray[Any]]
"""Texts to vectors, shape (texts, dimensions); a row of NaN for a text that is too long."""
Align = Callable[[Sequence[str], Sequence[str]], Collection[Link] | None]
"""SAE words and AAE words to links; None if they are too many to be aligned."""


SAME = "the two texts are the same"
EMPTY_AAE = "the AAE text holds no words"
EMPTY_SAE = "the SAE text holds no words"
SHORT_AAE = "the AAE text has no place with words before and after it"
SHORT_SAE = "the SAE text has no place with words before and after it"
LONG_FOR_ENCODER = "longer than the sentence encoder reads"
NO_DIRECTION = "the sentence encoder gives a segment no direction"
LONG_FOR_ALIGNER = "longer than the aligner reads"
REASONS = (
    *(SAME, EMPTY_AAE, EMPTY_SAE, SHORT_AAE, SHORT_SAE, LONG_FOR_ENCODER, NO_DIRECTION),
    *(LONG_FOR_ALIGNER, UNALIGNED, NONE_BEFORE, NONE_AFTER, CROSSING),
)
"""Every reason why a pair is not segmented."""


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
    window: float | None = WINDOW,
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

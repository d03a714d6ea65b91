"""Where a text may be cut in two, and the rules by which one place is chosen.

A place is where white space follows a word. On each side there are words, not punctuation alone.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sociolect.generators.dialect.words import words
from sociolect.generators.errors import InvalidInputError

RHO, GAMMA = 0.5, 0.3
"""Of Eq. 12, as in the paper."""
WINDOW = 0.25
"""A boundary lies in the middle half of a text. The paper looks at several places "near the
middle"; among all places Eq. 12 prefers those where one side has a word or two, which say least and
are therefore least like the rest: γ = 0.3 takes off 0.15 at most."""
MAX_PLACES = 20
"""Of longer texts the places nearest to the middle: all of them would take time that grows with the
square of the length. A text of 40 words has no more in its middle half."""
MAX_CROSSING = 1 / 3
"""More of the links of a side than this must not end on the wrong side."""

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
        max_places: Places that Eq. 12 chooses from, 1 or more: those nearest to `rho`.

    Raises:
        InvalidInputError: A number out of range.
    """

    rho: float = RHO
    gamma: float = GAMMA
    window: float | None = WINDOW
    min_words: int = 1
    max_crossing: float = MAX_CROSSING
    max_places: int = MAX_PLACES

    def __post_init__(self) -> None:
        wrong = {
            "rho": (not 0 < self.rho < 1, "between 0 and 1"),
            "gamma": (not (self.gamma >= 0 and math.isfinite(self.gamma)), "0 or more"),
            "window": (self.window is not None and not 0 < self.window <= 1, "above 0, at most 1"),
            "max_places": (self.max_places < 1, "1 or more"),
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
    """The places that Eq. 12 chooses from, from left to right.

    Those within the window, or the nearest if none is; at most `max_places`, the nearest.
    """

    def distance(place: Place) -> float:
        # Rounded, for 0.5 − 4/9 and 5/9 − 0.5 differ in their last digit.
        return round(abs(place.share - rules.rho), 9)

    nearest = sorted(found, key=distance)  # of equals, the left one first
    reach = max(rules.window or 1, distance(nearest[0])) if nearest else 0
    return sorted(p for p in nearest[: rules.max_places] if distance(p) <= reach)

"""Pairs whose two continuations may not hold the same content.

Where the texts are cut at different shares of their length, or one continuation is much the longer,
a difference between the two is one of content or length beside that of dialect. Such pairs stay as
they are; they are counted, so that somebody looks at them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sociolect.generators.dialect.pairs import VARIETIES, Segmented

SHARES_APART = 0.1
"""Shares of the two texts before their boundaries may be this far apart."""
LENGTH_RATIO = 1.5
"""The longer continuation may have this many times the words of the shorter."""


class Unlike(NamedTuple):
    """What is unlike in a pair.

    Attributes:
        places: The boundaries lie at shares of the texts more than `SHARES_APART` apart.
        lengths: One continuation has more than `LENGTH_RATIO` times the words of the other.
    """

    places: bool
    lengths: bool


def unlike(one: Segmented) -> Unlike:
    """What is unlike in a pair; nothing in one that is not segmented.

    Words are what white space separates, and a share is j/n of Eq. 12: words before the boundary
    by words of the text.
    """
    if one.boundaries is None:
        return Unlike(False, False)
    shares, lengths = [], []
    for variety in VARIETIES:
        text, end = getattr(one.pair, variety), getattr(one.boundaries, variety)
        before, after = len(text[:end].split()), len(text[end:].split())
        shares.append(before / max(before + after, 1))
        lengths.append(after)
    apart = round(abs(shares[0] - shares[1]), 9)  # 0.4 − 0.3 is more than 0.1 in its last digit
    return Unlike(apart > SHARES_APART, max(lengths) > LENGTH_RATIO * min(lengths))


def unlike_counts(pairs: Iterable[Segmented]) -> dict[str, int]:
    """Pairs by what is unlike in them: `places`, `lengths`, and `either`."""
    found = [unlike(one) for one in pairs]
    return {
        "places": sum(one.places for one in found),
        "lengths": sum(one.lengths for one in found),
        "either": sum(any(one) for one in found),
    }


def unlike_said(segmentation: Mapping[str, Any] | None) -> str:
    """What a manifest says of unlike continuations, as sentences for readers.

    Empty if there are none, or if the manifest is older than these counts.
    """
    counts = (segmentation or {}).get("unlike") or {}
    if segmentation is None or not counts.get("either"):
        return ""
    return (
        f"Segmented pairs with unlike continuations: {counts['either']:,} of "
        f"{segmentation['counts']['segmented']:,}. Cut at shares of the two texts more than "
        f"{SHARES_APART} apart: {counts['places']:,}; with one continuation of more than "
        f"{LENGTH_RATIO} times the words of the other: {counts['lengths']:,}. The two "
        "continuations may hold different content: look at them before results rest on them."
    )

"""Pairs that people must affirm before they are written: what `validate --require` leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sociolect.generators.dialect.pairs import NATURAL_ABOVE, DialectPair
from sociolect.generators.dialect.ratings import DIMENSIONS, Rating, shares
from sociolect.generators.errors import InvalidInputError, UnknownNameError

AFFIRMED_ABOVE = NATURAL_ABOVE
"""A pair is affirmed if more than this share of its raters say yes, as it is natural."""


@dataclass(frozen=True, slots=True)
class Required:
    """Pairs that are left once raters must affirm them.

    Attributes:
        pairs: Those that are kept, in their order.
        of: How many there were.
        refused: By dimension, pairs that at most half of their raters affirm in it. One pair may
            be in several.
        unjudged: By dimension, pairs that nobody judged in it. That refuses none.
    """

    pairs: tuple[DialectPair, ...]
    of: int
    refused: Mapping[str, int]
    unjudged: Mapping[str, int]

    def lines(self) -> Iterator[str]:
        """What became of the pairs, in words."""
        for dimension, refused in self.refused.items():
            yield (
                f"{DIMENSIONS[dimension]} (required): {refused:,} pairs left out that no majority "
                f"of their raters affirms; {self.unjudged[dimension]:,} that nobody judged are kept"
            )
        yield f"{len(self.pairs):,} of {self.of:,} pairs are left; the figures above are of all"

    def record(self) -> dict[str, Any]:
        """As JSON, without texts."""
        return {
            "pairs": self.of,
            "kept": len(self.pairs),
            "dimensions": {
                name: {"left_out": refused, "not_judged": self.unjudged[name]}
                for name, refused in self.refused.items()
            },
        }


def check_dimensions(dimensions: Sequence[str]) -> None:
    """Refuse a dimension that there is not.

    Raises:
        UnknownNameError: It is none of `DIMENSIONS`.
    """
    for dimension in dimensions:
        if dimension not in DIMENSIONS:
            raise UnknownNameError("dimension of ratings", dimension, DIMENSIONS)


def affirmed(
    pairs: Sequence[DialectPair], ratings: Sequence[Rating], dimensions: Sequence[str]
) -> Required:
    """The pairs that more than half of their raters affirm in every dimension.

    A pair that nobody judged is kept: most corpora are rated in part.

    Args:
        pairs: With different ids.
        ratings: Of these pairs.
        dimensions: Some of `DIMENSIONS`.

    Raises:
        InvalidInputError: Nobody judged any pair in a dimension, or no pair is left.
    """
    yes = {dimension: shares(ratings, dimension) for dimension in dimensions}
    if empty := [dimension for dimension, by_id in yes.items() if not by_id]:
        raise InvalidInputError(
            f"--require {empty[0]}: the ratings hold no judgment of it, so it would leave out none"
        )
    refused = {
        dimension: {id_ for id_, share in by_id.items() if share <= AFFIRMED_ABOVE}
        for dimension, by_id in yes.items()
    }
    gone = set().union(*refused.values())
    kept = tuple(pair for pair in pairs if pair.id not in gone)
    if not kept:
        raise InvalidInputError(
            f"--require {', '.join(dimensions)} leaves none of {len(pairs):,} pairs; require less"
        )
    return Required(
        pairs=kept,
        of=len(pairs),
        refused={dimension: len(ids) for dimension, ids in refused.items()},
        unjudged={name: sum(p.id not in by_id for p in pairs) for name, by_id in yes.items()},
    )

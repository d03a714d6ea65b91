"""A sentence in African American English and the same in Standard American English."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BENCHMARK = "aae"
"""Name of the benchmark, whatever file its pairs come from."""

Variety = Literal["aae", "sae"]
VARIETIES: tuple[Variety, ...] = ("aae", "sae")

Split = Literal["tracing", "direction", "selection", "evaluation"]
SPLITS: tuple[Split, ...] = ("tracing", "direction", "selection", "evaluation")
"""Sentences for causal tracing, pairs for the dialect direction, pairs for choosing the strength of
steering, and held-out pairs that everything is reported on (dialect paper, §5; the third is ours,
so that a strength is not chosen on what it is reported on)."""

NATURAL_ABOVE = 0.5
"""A back-translation counts as natural if more than this share of its raters say so."""


@dataclass(frozen=True, slots=True)
class DialectPair:
    """One pair before it is segmented.

    Attributes:
        id: Unique in a dataset.
        aae: As its author wrote it.
        sae: The same content in SAE.
        aae_back: `sae` translated back into AAE; empty if there is none.
        naturalness: Share of raters, 0 to 1, who found `aae_back` natural AAE; None if nobody was
            asked.
        split: One of `SPLITS`, empty before splits are assigned.
        group: Pairs of one group stay in one split (two wordings of one item); empty for none.
    """

    id: str
    aae: str
    sae: str
    aae_back: str = ""
    naturalness: float | None = None
    split: Split | Literal[""] = ""
    group: str = ""

    @property
    def natural(self) -> bool | None:
        """Whether raters found the back-translation natural; None if nobody was asked."""
        return None if self.naturalness is None else self.naturalness > NATURAL_ABOVE


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Where the context of a pair ends (dialect paper, App. B.1).

    A boundary is an offset in characters: the context is the text before it, and ends in no white
    space; the continuation is the text from it, and begins with white space. So a context and a
    continuation of either variety can be put together as they are.

    Attributes:
        aae: In the AAE text.
        sae: In the SAE text.
    """

    aae: int
    sae: int


@dataclass(frozen=True, slots=True)
class Segmented:
    """A pair and its boundaries.

    Attributes:
        boundaries: None if the pair could not be segmented.
        reason: Why not; empty if it was.
    """

    pair: DialectPair
    boundaries: Boundaries | None
    reason: str = ""

"""How much a text was changed, whatever was meant to happen: noise paper, App. C.

An attempt probability says little about the change: deleting every mark changes a quarter of the
tokens, misspelling every word three quarters. These three figures always stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

CHANGES: tuple[str, ...] = ("token_change", "char_distance", "length_ratio")
"""The three figures, as rows, manifests and reports name them."""


@dataclass(frozen=True, slots=True)
class Realised:
    """What changed between a clean and a noisy text.

    Attributes:
        changed: Token-level Levenshtein distance; a token is what white space separates.
        n_tokens: Tokens of the clean text.
        changed_characters: Character-level Levenshtein distance.
        n_characters: Characters of the clean text.
        length: Characters of the noisy text.
    """

    changed: int
    n_tokens: int
    changed_characters: int
    n_characters: int
    length: int

    @property
    def token_change(self) -> float:
        """Changed tokens over clean tokens; 0 for a text without tokens."""
        return self.changed / self.n_tokens if self.n_tokens else 0.0

    @property
    def char_distance(self) -> float:
        """Changed characters over clean characters; 0 for an empty text."""
        return self.changed_characters / self.n_characters if self.n_characters else 0.0

    @property
    def length_ratio(self) -> float:
        """Noisy over clean length in characters; 1 for an empty text."""
        return self.length / self.n_characters if self.n_characters else 1.0


def realised(clean: str, noisy: str) -> Realised:
    """Compare two texts."""
    if clean == noisy:
        return Realised(0, len(clean.split()), 0, len(clean), len(clean))
    before, after = clean.split(), noisy.split()
    return Realised(
        Levenshtein.distance(before, after),
        len(before),
        Levenshtein.distance(clean, noisy),
        len(clean),
        len(noisy),
    )


class MeanChange(NamedTuple):
    """Means over texts, in [0, 1] but for the length ratio."""

    token_change: float
    char_distance: float
    length_ratio: float


def mean_change(texts: Iterable[Realised]) -> MeanChange:
    """Macro averages: every text counts the same, as in the paper.

    Raises:
        ValueError: There is no text.
    """
    found = list(texts)
    if not found:
        raise ValueError("no text to average over")
    n = len(found)
    return MeanChange(
        sum(t.token_change for t in found) / n,
        sum(t.char_distance for t in found) / n,
        sum(t.length_ratio for t in found) / n,
    )

"""How long the continuations are that a preference is over.

A log-likelihood that is summed falls with every character. Eq. 4 of the dialect paper expands to
the sum over both contexts of log P(y_SAE) − log P(y_AAE), so that a model which gives every
character −c nats, whatever the variety, has an LP of 2c × (mean length of y_AAE − that of y_SAE).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sociolect.generators.dialect.pairs import VARIETIES, Variety
from sociolect.harness.dialect.run_samples import PairFacts
from sociolect.tasks.dialect.continuation_measures import ContinuationScores
from sociolect.tasks.dialect.measures import Flags, Floats

FROM = 0.05
"""Mean lengths that differ by more than this share are remarked on."""


Chars = Mapping[str, tuple[int, int]]
"""By id of the pair, characters of the AAE and of the SAE continuation."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Mean lengths of the continuations of some pairs; None where nobody counted.

    A continuation is counted with the white space that it begins with, as it is scored. Its tokens
    can depend on the context; they are the mean over both.
    """

    aae_chars: float | None = None
    sae_chars: float | None = None
    aae_tokens: float | None = None
    sae_tokens: float | None = None

    @property
    def longer(self) -> dict[str, float]:
        """By unit, by what share the AAE continuations are the longer ones; below 0, the shorter.

        Only where the means differ by more than `FROM`.
        """
        units = {
            "characters": (self.aae_chars, self.sae_chars),
            "tokens": (self.aae_tokens, self.sae_tokens),
        }
        known = {unit: (a, s) for unit, (a, s) in units.items() if a and s}
        return {unit: a / s - 1 for unit, (a, s) in known.items() if abs(a - s) > FROM * s}


@dataclass(frozen=True, slots=True)
class PairLengths:
    """Lengths of the continuations of each pair, by variety; shape (n,).

    Attributes:
        chars: Characters; None if nobody counted them.
        tokens: Tokens, mean over both contexts; None if nobody counted them.
    """

    chars: Mapping[Variety, Floats] | None
    tokens: Mapping[Variety, Floats] | None

    def mean(self, pairs: Flags) -> Lengths | None:
        """Over some of the pairs; None over none, or where nobody counted anything.

        Args:
            pairs: Which; shape (n,).
        """
        if not pairs.any() or self.chars is self.tokens is None:
            return None
        means = [
            None if of is None else float(of[variety][pairs].mean())
            for of in (self.chars, self.tokens)
            for variety in VARIETIES
        ]
        return Lengths(*means)


def chars_of(facts: Mapping[str, PairFacts]) -> Chars:
    """Of the pairs that have boundaries."""
    return {id_: pair.chars for id_, pair in facts.items() if pair.chars is not None}


def pair_lengths(scores: ContinuationScores, chars: Chars | None = None) -> PairLengths:
    """Of the pairs of some scores, in their order.

    Args:
        scores: With the tokens, if they were counted.
        chars: Of all pairs; those of some alone are not used.
    """
    chars, tokens = chars or {}, scores.tokens
    known = all(id_ in chars for id_ in scores.ids)
    return PairLengths(
        chars={
            variety: np.array([chars[id_][at] for id_ in scores.ids], dtype=np.float64)
            for at, variety in enumerate(VARIETIES)
        }
        if known
        else None,
        tokens={y: (tokens["aae", y] + tokens["sae", y]) / 2 for y in VARIETIES}
        if tokens is not None
        else None,
    )

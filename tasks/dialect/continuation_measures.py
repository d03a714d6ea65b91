"""What is reported of log-likelihoods of continuations (dialect paper, §4.1.2, Eqs. 2–4).

Where the context holds all that differs, both continuations are the same words, and b_SAE and b_AAE
are 0 whatever the model. Eq. 4 counts such pairs; `over_differing` leaves them out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sociolect.generators.dialect.pairs import VARIETIES, Variety
from sociolect.tasks.dialect.measures import (
    Flags,
    Floats,
    Measure,
    left_by_reason,
    share_of_pairs,
)

Combination = tuple[Variety, Variety]
"""Variety of a context and of a continuation."""
COMBINATIONS: tuple[Combination, ...] = tuple((x, y) for x in VARIETIES for y in VARIETIES)
SAME = "same continuation in both varieties"
"""Why a pair does not count in what `over_differing` returns, and is not asked as a choice."""
DIFFERING = "_differing"
"""End of the names of measures over the pairs whose continuations differ."""


@dataclass(frozen=True, slots=True)
class ContinuationScores:
    """Log-likelihoods of continuations, one a pair and combination; shape (n,).

    Attributes:
        ids: Of the pairs.
        log_p: log P(y | x) in nats by combination of context and continuation; NaN where the
            model was not asked or gave no number.
        tokens: Tokens of the continuation in that combination; None if nobody counted them.
        sizes: UTF-8 bytes of the continuation by its variety; None if nobody counted them.
        same: Pairs whose two continuations are the same words; None if nobody looked.
    """

    ids: Sequence[str]
    log_p: Mapping[Combination, Floats]
    tokens: Mapping[Combination, Floats] | None = None
    sizes: Mapping[Variety, Floats] | None = None
    same: Flags | None = None

    @property
    def differ(self) -> Flags:
        """Pairs whose continuations differ, as far as anybody looked."""
        return np.ones(len(self.ids), dtype=np.bool_) if self.same is None else ~self.same

    @property
    def answered(self) -> Flags:
        """Pairs that all four combinations have a number for."""
        return np.asarray(np.isfinite(np.stack([self.log_p[c] for c in COMBINATIONS])).all(axis=0))

    def per_token(self) -> ContinuationScores:
        """The same with every log-likelihood divided by the tokens of its continuation.

        Raises:
            ValueError: Nobody counted the tokens.
        """
        if self.tokens is None:
            raise ValueError("the tokens of the continuations were not counted")
        return replace(self, log_p={c: self.log_p[c] / self.tokens[c] for c in COMBINATIONS})

    def per_byte(self) -> ContinuationScores:
        """The same with every log-likelihood divided by the bytes of its continuation.

        Raises:
            ValueError: Nobody counted the bytes.
        """
        if self.sizes is None:
            raise ValueError("the bytes of the continuations were not counted")
        return replace(self, log_p={c: self.log_p[c] / self.sizes[c[1]] for c in COMBINATIONS})

    def b(self, context: Variety) -> Floats:
        """Preference for the continuation in the variety of the context, in nats.

        Dialect paper, Eqs. 2 and 3.
        """
        other: Variety = "sae" if context == "aae" else "aae"
        return self.log_p[context, context] - self.log_p[context, other]


def lp(scores: ContinuationScores, name: str = "lp") -> Measure:
    """Mean of b_SAE − b_AAE (dialect paper, Eq. 4).

    It expands to the sum over both contexts of log P(y_SAE) − log P(y_AAE): a preference for the
    SAE continuation whatever the context. Zero is no preference, not a match of dialects; that is
    `interaction`.
    """
    return _mean(name, scores.b("sae") - scores.b("aae"), scores)


def interaction(scores: ContinuationScores, name: str = "interaction") -> Measure:
    """Mean of b_SAE + b_AAE: how much more each continuation is expected in its own context."""
    return _mean(name, scores.b("sae") + scores.b("aae"), scores)


def preference(scores: ContinuationScores, context: Variety, name: str = "") -> Measure:
    """Mean of b_SAE or b_AAE (dialect paper, Eqs. 2 and 3)."""
    return _mean(name or f"b_{context}", scores.b(context), scores)


def prefers_sae(scores: ContinuationScores, context: Variety) -> Measure:
    """Share of pairs whose SAE continuation is the likelier one; ties count half."""
    gap = scores.log_p[context, "sae"] - scores.log_p[context, "aae"]
    answered = scores.answered
    values = np.where(gap == 0, 0.5, gap > 0)
    return share_of_pairs(f"prefers_sae_in_{context}", values, answered, {"unanswered": ~answered})


def over_differing(measure: Measure, scores: ContinuationScores) -> Measure:
    """The measure over the pairs whose continuations differ, by a name that says so.

    Args:
        measure: Of the pairs of `scores`, in which an unanswered pair does not count.
        scores: Say which pairs those are.
    """
    differ = scores.differ
    left = {SAME: ~differ, "unanswered": differ & ~scores.answered}
    return replace(
        measure,
        name=f"{measure.name}{DIFFERING}",
        numerators=np.where(differ, measure.numerators, 0.0),
        denominators=np.where(differ, measure.denominators, 0.0),
        left=left_by_reason(left),
    )


def unscored(scores: ContinuationScores) -> Measure:
    """Share of the pairs without a number for all four combinations, which nothing counts."""
    missing = ~scores.answered
    return share_of_pairs("unanswered", missing, np.ones(len(missing), dtype=np.bool_), {})


def perplexity(scores: ContinuationScores, combination: Combination) -> Measure:
    """Perplexity a token of all continuations together: exp(−Σ log P / Σ tokens) (§4.1.2).

    Raises:
        ValueError: Nobody counted the tokens.
    """
    if scores.tokens is None:
        raise ValueError("the tokens of the continuations were not counted")
    answered = scores.answered
    return Measure(
        f"ppl_{'_'.join(combination)}",
        np.where(answered, -scores.log_p[combination], 0.0),
        np.where(answered, scores.tokens[combination], 0.0),
        "perplexity",
        left_by_reason({"unanswered": ~answered}),
    )


def _mean(name: str, values: Floats, scores: ContinuationScores) -> Measure:
    answered = scores.answered
    numerators = np.where(answered, values, 0.0)
    left = left_by_reason({"unanswered": ~answered})
    return Measure(name, numerators, answered.astype(np.float64), "mean", left)

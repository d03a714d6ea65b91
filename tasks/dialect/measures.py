"""What the audit reports, each as a ratio of two sums over pairs.

A ratio of sums is all that a bootstrap needs: a resampled value is the ratio of the resampled
sums. Pairs that do not count have a denominator of zero, and are counted by reason.

Dialect paper, §4.1 (Eqs. 1–4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from sociolect.generators.dialect.pairs import VARIETIES, Variety

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

UNANSWERED = -1
NOT_ASKED = -2

Scale = Literal["share", "mean", "perplexity"]
Version = Literal["aae", "sae", "back"]
"""Of a text that is labelled."""

Chosen = Literal["aae", "sae", "tie", ""]
"""Which option a model chose: that of a variety, both alike, or no answer."""
TIE: Literal["tie"] = "tie"


@dataclass(frozen=True, slots=True)
class Measure:
    """One number over pairs.

    Attributes:
        name: As in tables and files.
        numerators: One a pair, shape (n,); 0 where the pair does not count.
        denominators: The same; 0 where the pair does not count.
        scale: `share` is in [0, 1], `mean` in nats, `perplexity` is exp of the ratio.
        left: How many pairs do not count, by reason.
    """

    name: str
    numerators: Floats
    denominators: Floats
    scale: Scale
    left: Mapping[str, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Pairs that count."""
        return int(np.count_nonzero(self.denominators))

    @property
    def value(self) -> float | None:
        """The number; None over no pairs."""
        if not self.n:
            return None
        return float(self.scaled(self.numerators.sum() / self.denominators.sum()))

    def scaled(self, ratios: npt.ArrayLike) -> Floats:
        """Ratios of sums as numbers of this measure."""
        found = np.asarray(ratios, dtype=np.float64)
        return np.exp(found) if self.scale == "perplexity" else found


@dataclass(frozen=True, slots=True)
class SentimentLabels:
    """Labels that a model gave, one a pair and version; shape (n,).

    Attributes:
        ids: Of the pairs.
        aae: Of the AAE text: a label's number, or `UNANSWERED`.
        sae: Of the SAE text.
        back: Of the back-translation; `NOT_ASKED` where there is none.
        judged: Whether raters judged the back-translation.
        natural: Whether they found it natural; False where they were not asked.
    """

    ids: Sequence[str]
    aae: Labels
    sae: Labels
    back: Labels
    judged: Flags
    natural: Flags


def dgi(labels: SentimentLabels) -> Measure:
    """Share of pairs whose AAE and SAE texts get one label (dialect paper, §4.1.1)."""
    answered = (labels.aae >= 0) & (labels.sae >= 0)
    return _share("dgi", labels.aae == labels.sae, answered, {"unanswered": ~answered})


def two_way_dgi(labels: SentimentLabels) -> Measure:
    """Share of pairs whose AAE, SAE and back-translated texts get one label (Table 2)."""
    same = (labels.aae == labels.sae) & (labels.aae == labels.back)
    there = labels.back != NOT_ASKED
    answered = _all_answered(labels)
    left = {"no back-translation": ~there, "unanswered": there & ~answered}
    return _share("two_way_dgi", same, there & answered, left)


def cdgi(labels: SentimentLabels) -> Measure:
    """DGI of the pairs that translation leaves alone (dialect paper, Eq. 1).

    Those whose label survives back-translation, and whose back-translation raters found natural.
    """
    there, answered = labels.back != NOT_ASKED, _all_answered(labels)
    stable = labels.aae == labels.back
    left = {
        "no back-translation": ~there,
        "not judged": there & ~labels.judged,
        "judged unnatural": there & labels.judged & ~labels.natural,
    }
    natural = there & labels.judged & labels.natural
    left["unanswered"] = natural & ~answered
    left["label changed by back-translation"] = natural & answered & ~stable
    return _share("cdgi", labels.aae == labels.sae, natural & answered & stable, left)


def cdgi_any(labels: SentimentLabels) -> Measure:
    """As `cdgi` without the condition on naturalness, which nobody may have judged."""
    there, answered = labels.back != NOT_ASKED, _all_answered(labels)
    stable = labels.aae == labels.back
    left = {
        "no back-translation": ~there,
        "unanswered": there & ~answered,
        "label changed by back-translation": there & answered & ~stable,
    }
    return _share("cdgi_any", labels.aae == labels.sae, there & answered & stable, left)


def label_share(labels: SentimentLabels, version: Version, number: int, name: str = "") -> Measure:
    """Share of the labelled texts of a version that got one label.

    Agreement says nothing without it: a model that calls every text neutral has a DGI of 1.

    Args:
        labels: What the model gave.
        version: Whose texts.
        number: Of the label.
        name: Of the measure.
    """
    given: Labels = {"aae": labels.aae, "sae": labels.sae, "back": labels.back}[version]
    left = {"unanswered": given == UNANSWERED, "no back-translation": given == NOT_ASKED}
    return _share(name or f"label_{number}_{version}", given == number, given >= 0, left)


def unlabelled(labels: SentimentLabels) -> Measure:
    """Share of the texts, back-translations among them, whose label could not be read."""
    given = np.stack([labels.aae, labels.sae, labels.back])
    return Measure(
        "unanswered",
        (given == UNANSWERED).sum(axis=0).astype(np.float64),
        (given != NOT_ASKED).sum(axis=0).astype(np.float64),
        "share",
    )


def _all_answered(labels: SentimentLabels) -> Flags:
    return (labels.aae >= 0) & (labels.sae >= 0) & (labels.back >= 0)


Combination = tuple[Variety, Variety]
"""Variety of a context and of a continuation."""
COMBINATIONS: tuple[Combination, ...] = tuple((x, y) for x in VARIETIES for y in VARIETIES)


@dataclass(frozen=True, slots=True)
class ContinuationScores:
    """Log-likelihoods of continuations, one a pair and combination; shape (n,).

    Attributes:
        ids: Of the pairs.
        log_p: log P(y | x) in nats by combination of context and continuation; NaN where the
            model was not asked or gave no number.
        tokens: Tokens of the continuation in that combination; None if nobody counted them.
        sizes: UTF-8 bytes of the continuation by its variety; None if nobody counted them.
    """

    ids: Sequence[str]
    log_p: Mapping[Combination, Floats]
    tokens: Mapping[Combination, Floats] | None = None
    sizes: Mapping[Variety, Floats] | None = None

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
        each = {c: self.log_p[c] / self.tokens[c] for c in COMBINATIONS}
        return ContinuationScores(self.ids, each, self.tokens, self.sizes)

    def per_byte(self) -> ContinuationScores:
        """The same with every log-likelihood divided by the bytes of its continuation.

        Raises:
            ValueError: Nobody counted the bytes.
        """
        if self.sizes is None:
            raise ValueError("the bytes of the continuations were not counted")
        each = {c: self.log_p[c] / self.sizes[c[1]] for c in COMBINATIONS}
        return ContinuationScores(self.ids, each, self.tokens, self.sizes)

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
    return _share(f"prefers_sae_in_{context}", values, answered, {"unanswered": ~answered})


def unscored(scores: ContinuationScores) -> Measure:
    """Share of the pairs without a number for all four combinations, which nothing counts."""
    missing = ~scores.answered
    return _share("unanswered", missing, np.ones(len(missing), dtype=np.bool_), {})


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
        _left({"unanswered": ~answered}),
    )


@dataclass(frozen=True, slots=True)
class Choices:
    """Which continuation a model chose, in both orders of the options; shape (n,) each.

    A tie of both options is half a choice of each.

    Attributes:
        ids: Of the pairs.
        aae: By context, how often it chose the AAE continuation, 0 to 2.
        sae: By context, how often the SAE continuation.
        first: How often it chose the option that was shown first, over contexts and orders.
        asked: By context, how often it was asked.
    """

    ids: Sequence[str]
    aae: Mapping[Variety, Floats]
    sae: Mapping[Variety, Floats]
    first: Floats
    asked: Mapping[Variety, Floats]

    def answers(self, context: Variety) -> Floats:
        """How many answers there are in a context, 0 to 2."""
        return self.aae[context] + self.sae[context]

    def answered(self, context: Variety) -> Flags:
        """Pairs with an answer in every order: one order alone would carry a bias of position."""
        found: Flags = (self.asked[context] > 0) & (self.answers(context) == self.asked[context])
        return found


def match(choices: Choices, context: Variety) -> Measure:
    """Share of answers that choose the continuation in the variety of the context (§4.1.3).

    Pairs count that were answered in both orders of the options, with two answers each.
    """
    chosen = choices.aae if context == "aae" else choices.sae
    counts = choices.answered(context)
    return _per_answer(f"{context}_match", chosen[context], choices.asked[context], counts)


def first_option(choices: Choices) -> Measure:
    """Share of answers that choose the option shown first: 0.5 without a bias of position.

    Pairs count that were answered in both contexts and orders, with four answers each.
    """
    counts = choices.answered("aae") & choices.answered("sae")
    asked = choices.asked["aae"] + choices.asked["sae"]
    return _per_answer("first_option", choices.first, asked, counts)


def unchosen(choices: Choices) -> Measure:
    """Share of the questions without a choice that could be read."""
    asked = choices.asked["aae"] + choices.asked["sae"]
    answers = choices.answers("aae") + choices.answers("sae")
    return Measure("unanswered", asked - answers, asked, "share")


def _per_answer(name: str, hits: Floats, asked: Floats, counts: Flags) -> Measure:
    left = _left({"unanswered": ~counts})
    return Measure(name, np.where(counts, hits, 0.0), np.where(counts, asked, 0.0), "share", left)


def _share(
    name: str, hits: npt.ArrayLike, counts: Flags, left: Mapping[str, npt.ArrayLike]
) -> Measure:
    values = np.asarray(hits, dtype=np.float64)
    numerators = np.where(counts, values, 0.0)
    return Measure(name, numerators, counts.astype(np.float64), "share", _left(left))


def _mean(name: str, values: Floats, scores: ContinuationScores) -> Measure:
    answered = scores.answered
    numerators = np.where(answered, values, 0.0)
    left = _left({"unanswered": ~answered})
    return Measure(name, numerators, answered.astype(np.float64), "mean", left)


def _left(reasons: Mapping[str, npt.ArrayLike]) -> dict[str, int]:
    counts = {reason: int(np.count_nonzero(flags)) for reason, flags in reasons.items()}
    return {reason: n for reason, n in counts.items() if n}

"""Which strength is recommended: a rule that is fixed before anything is looked at.

It sees the selection split alone. What the chosen strength does is told by the evaluation split,
which has no say in the choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolect.generators.errors import InvalidInputError

MATCH_POINTS = 2.0
"""Points of SAE match that may be lost."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Tried:
    """One strength and the unsteered model on the selection split, over the same pairs.

    Attributes:
        beta: β, above 0.
        lp: LP in nats (dialect paper, Eq. 4).
        base_lp: That of the unsteered model.
        aae_ratio: AAE perplexity by that of the unsteered model; None where there is none.
        sae_ratio: The same of SAE.
        sae_match: Share of SAE continuations chosen in the SAE context; None if it was not asked.
        base_sae_match: That of the unsteered model.
    """

    beta: float
    lp: float | None
    base_lp: float | None
    aae_ratio: float | None
    sae_ratio: float | None
    sae_match: float | None = None
    base_sae_match: float | None = None

    @property
    def size(self) -> float | None:
        """|LP|."""
        return None if self.lp is None else abs(self.lp)


@dataclass(frozen=True)
class Choice:
    """What the rule says.

    Attributes:
        beta: Recommended; 0 where nothing that is admissible is better than the unsteered model.
        compared: Strength at which the systems are compared: `beta`, or where that is 0 the one
            with the lowest |LP|, so that there is something to look at.
        verdicts: By strength, why it is not taken, or that it could be.
    """

    beta: float
    compared: float
    verdicts: Mapping[float, str]


def choose(tried: Sequence[Tried], tolerance: float) -> Choice:
    """Of the strengths that cost little the one with the lowest |LP|, if that is below base's.

    Admissible are those whose SAE and AAE perplexity is at most 1 + `tolerance` times that of the
    unsteered model, and that lose at most `MATCH_POINTS` points of SAE match where it was asked.
    Of equally good ones the smallest is taken. As |LP| counts, a strength that overshoots, to below
    0 by more than base is above, is never better.

    Args:
        tried: At least one, each with another β.
        tolerance: 0 or more.

    Raises:
        InvalidInputError: Nothing was tried.
    """
    if not tried:
        raise InvalidInputError("no strength above 0 was tried; name some with --beta")
    faults = {one.beta: _cost(one, tolerance) or _no_gain(one) for one in tried}
    good = [one for one in tried if not faults[one.beta]]
    best = min(good or tried, key=_order)
    beta = best.beta if good else 0.0
    verdicts = {
        one.beta: "chosen" if one.beta == beta else faults[one.beta] or "admissible"
        for one in tried
    }
    return Choice(beta, best.beta, verdicts)


def _order(one: Tried) -> tuple[float, float]:
    return (float("inf") if one.size is None else one.size, one.beta)


def _cost(one: Tried, tolerance: float) -> str:
    """Why a strength is not admissible, empty if it is."""
    most = 1 + tolerance
    for variety, ratio in (("SAE", one.sae_ratio), ("AAE", one.aae_ratio)):
        if ratio is None:
            return f"no {variety} perplexity"
        if ratio > most + _ROUNDING:
            return f"{variety} perplexity is {ratio:.3f} times that of base, above {most:g}"
    if one.sae_match is not None and one.base_sae_match is not None:
        lost = 100 * (one.base_sae_match - one.sae_match)
        if lost > MATCH_POINTS + _ROUNDING:
            return f"SAE match falls by {lost:.1f} points, more than {MATCH_POINTS:g}"
    return ""


def _no_gain(one: Tried) -> str:
    """Why a strength is no better than base, empty if it is."""
    if one.lp is None or one.base_lp is None:
        return "no LP"
    if abs(one.lp) < abs(one.base_lp):
        return ""
    past = " (overshot)" if one.lp * one.base_lp < 0 else ""
    return f"|LP| is {abs(one.lp):.3f}{past}, not below the {abs(one.base_lp):.3f} of base"

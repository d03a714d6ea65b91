"""Which strength is recommended: a rule that is fixed before anything is looked at.

It sees the selection split alone. What the chosen strength does is told by the evaluation split,
which has no say in the choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.judging.resampling import MIN_CLUSTERS

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
        delta: Ends of the paired interval of LP_β − LP_0; None where there is none.
        groups: Pairs or groups behind it.
    """

    beta: float
    lp: float | None
    base_lp: float | None
    aae_ratio: float | None
    sae_ratio: float | None
    sae_match: float | None = None
    base_sae_match: float | None = None
    delta: tuple[float, float] | None = None
    groups: int = 0

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
    """Of the strengths that cost little and do something the one with the lowest |LP|.

    Admissible are those whose SAE and AAE perplexity is at most 1 + `tolerance` times that of the
    unsteered model, that lose at most `MATCH_POINTS` points of SAE match where it was asked, and
    whose |LP| is below that of the unsteered model, told apart from it: the whole paired interval
    of LP_β − LP_0 lies where |LP| is lower, between 0 and −2 LP_0. Of equally good ones the
    smallest is taken. As |LP| counts, a strength that overshoots, to below 0 by more than base is
    above, is never better.

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
        return _untold(one, one.base_lp)
    past = " (overshot)" if one.lp * one.base_lp < 0 else ""
    return f"|LP| is {abs(one.lp):.3f}{past}, not below the {abs(one.base_lp):.3f} of base"


def _untold(one: Tried, base: float) -> str:
    """Why a lower |LP| may be none, empty if it is told apart from base."""
    if one.delta is None:
        few = one.groups < MIN_CLUSTERS
        why = f"fewer than {MIN_CLUSTERS} groups" if few else "nothing varies"
        return f"no interval of Δ LP: {why}"
    interval = "[{:+.3f}, {:+.3f}]".format(*one.delta)
    low, high = one.delta if base < 0 else (-one.delta[1], -one.delta[0])  # towards 0 and past it
    if low <= 0:
        return f"Δ LP is not told apart from 0: {interval}"
    if high >= 2 * abs(base):
        return f"|LP| is not told apart from that of base (it may overshoot): Δ LP {interval}"
    return ""

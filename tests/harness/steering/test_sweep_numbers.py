"""Ratios, reductions, differences to controls and flips, worked by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from sociolect.harness.dialect.audits import Key
from sociolect.harness.dialect.methods import Method
from sociolect.harness.dialect.resampling import cluster_counts
from sociolect.harness.statistics import randomisation_test
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_cells import Cell
from sociolect.harness.steering.sweep_flips import Item, flips
from sociolect.harness.steering.sweep_numbers import LP, Row
from sociolect.harness.steering.sweep_pairs import Texts
from sociolect.tasks.dialect.continuation_measures import COMBINATIONS, ContinuationScores

from .sweep_written import Told, sweep_of

BASE_SAE, BASE_AAE = [4.0, 5, 6, 7, 8, 6], [-2.0, -3, -2, 1, -2, -4]
"""LP by pair 6 8 8 6 10 10, mean 8."""
NOISE = [0.5, -0.5, 0.25, -0.25, 0.1, -0.1]


def told(cell: Cell) -> Told:
    """LP falls by 2 at 0.5 and by 4 at 1, where SAE costs; a random direction does next to nothing,
    that of shuffled pairs as much as the vector."""
    fall = {"vector": 4.0, "shuffled": 4.0, "single": 2.0}.get(cell.system, 0.0) * cell.beta
    wobble = NOISE if cell.is_steered else [0.0] * 6
    if cell.system in ("shuffled", "random"):
        wobble = [-one for one in NOISE]
    after = [b + fall + w for b, w in zip(BASE_AAE, wobble, strict=True)]
    return Told(BASE_SAE, after, sae=-11.0 if cell.beta == 1 else -10.0)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return sweep_of(tmp_path_factory.mktemp("swept"), told)


def row(swept: Sweep, system: str, beta: float) -> Row:
    (found,) = swept.evaluation.of(system, beta)
    return found


def test_the_strength_that_costs_too_much_is_not_chosen(swept: Sweep) -> None:
    """At 1 SAE perplexity is exp(11 / 10) by exp(10 / 10) of base."""
    assert (swept.choice.beta, swept.choice.compared) == (0.5, 0.5)
    assert swept.choice.verdicts[1.0].startswith("SAE perplexity is 1.105 times")
    assert swept.choices["single"].beta == 0.5


def test_a_strength_that_does_nothing_is_not_recommended(tmp_path: Path) -> None:
    """LP falls by a thousandth, and by more or less from pair to pair."""

    def nearly_nothing(cell: Cell) -> Told:
        wobble = [0.001 * cell.beta + w * cell.beta for w in NOISE]
        return Told(BASE_SAE, [b + w for b, w in zip(BASE_AAE, wobble, strict=True)])

    found = sweep_of(tmp_path, nearly_nothing)
    one = found.selection.of("vector")[0].audited.differences[LP]
    assert one.value < one.base
    assert one.interval is not None
    assert found.choice.beta == 0.0
    said = "Δ LP is not told apart from 0: [{:+.3f}, {:+.3f}]".format(*one.interval)
    assert found.choice.verdicts[0.5] == said


def test_ratios_and_reduction(swept: Sweep) -> None:
    half, whole = row(swept, "vector", 0.5), row(swept, "vector", 1.0)
    assert half.reduction.value == pytest.approx(100 * 2 / 8)
    assert whole.reduction.value == pytest.approx(100 * 4 / 8)
    assert whole.sae_ratio.value == pytest.approx(math.exp(0.1))
    assert (half.sae_ratio.value, half.aae_ratio.value) == pytest.approx((1.0, 1.0))
    assert swept.evaluation.base.reduction.value is None


def test_the_interval_of_a_reduction_is_of_paired_resamples(swept: Sweep) -> None:
    """Drawn here anew: both LPs over the same pairs, then the ratio."""
    base = np.array(BASE_SAE) - np.array(BASE_AAE)
    steered = base - 2 - np.array(NOISE)
    counts = np.concatenate(list(cluster_counts(np.arange(6), 200, 0)))
    drawn = 100 * (1 - (counts @ steered) / (counts @ base))
    low, high = (
        np.quantile(drawn, 0.025, method="lower"),
        np.quantile(drawn, 0.975, method="higher"),
    )
    assert row(swept, "vector", 0.5).reduction.interval == pytest.approx((low, high))


def test_no_reduction_of_what_may_be_nothing(tmp_path: Path) -> None:
    """LP of base −3 … 4, its interval holds 0: a share of it says nothing."""

    def around_zero(cell: Cell) -> Told:
        return Told([-3.0, 4, -2, 3, -1, 1], [-b * cell.beta for b in NOISE])

    found = row(sweep_of(tmp_path, around_zero), "vector", 0.5).reduction
    assert (found.value, found.why) == (None, "the interval of LP of base holds 0")


def test_the_vector_minus_its_controls(swept: Sweep) -> None:
    by_name = {one.control: one for one in swept.against}
    assert set(by_name) == {"random", "shuffled", "layers"}
    gaps = -2 - 2 * np.array(NOISE)  # b_AAE of the vector has + noise, LP so −; random has it −
    found = by_name["random"].differences[LP]
    assert found.delta == pytest.approx(gaps.mean())
    assert (found.base, found.value) == pytest.approx((8.0, 6.0))
    assert found.p == pytest.approx(randomisation_test(gaps, permutations=99, seed=0))
    # Δ is noise about 0.
    assert by_name["shuffled"].differences[LP].delta == pytest.approx(0.0)


ENOUGH = Method(resamples=200, permutations=999)


def test_of_few_pairs_there_is_no_verdict(swept: Sweep) -> None:
    """The interval of the six excludes 0, and 36 pairs of the same numbers have a verdict."""
    few = {one.control: one for one in swept.against}
    _, high = few["random"].differences[LP].interval or (None, None)
    assert high is not None
    assert high < 0
    assert {one.verdict for one in swept.against} == {"too few pairs to say"}


def test_with_enough_pairs_there_is_a_verdict(tmp_path: Path) -> None:
    found = sweep_of(tmp_path, lambda cell: told(cell).times(6), method=ENOUGH)
    verdicts = {one.control: one.verdict for one in found.against}
    assert verdicts == {"random": "better", "shuffled": "not better", "layers": "better"}
    random = next(one for one in found.against if one.control == "random")
    numbers = random.differences[LP]
    assert random.record() == {
        "verdict": "better",
        "delta_lp": numbers.delta,
        "ci_low": numbers.interval[0] if numbers.interval else None,
        "ci_high": numbers.interval[1] if numbers.interval else None,
        "pairs_or_groups": 36,
        "doubtful": False,
        "p": numbers.p,
        "p_holm": numbers.p_holm,
    }
    # The interval alone is not enough.
    weak = replace(numbers, p=0.02, p_holm=0.06)
    assert replace(random, differences={LP: weak}).verdict == "not better"


def test_controls_are_a_family_of_their_own(swept: Sweep) -> None:
    ps = [one.differences[LP].p or 0.0 for one in swept.against]
    adjusted = [one.differences[LP].p_holm or 0.0 for one in swept.against]
    first = ps.index(min(ps))
    assert adjusted[first] == pytest.approx(min(1.0, 3 * ps[first]))


def test_a_vector_past_zero_is_not_better_than_a_control_at_zero(tmp_path: Path) -> None:
    """It lowers LP from 8 to −6; the control has 1."""

    def past(cell: Cell) -> Told:
        fall = {"vector": 14.0, "single": 14.0, "random": 7.0}.get(cell.system, 0.0)
        wobble = [w * (1 + (cell.system == "vector")) for w in NOISE]
        after = [b + fall + w for b, w in zip(BASE_AAE, wobble, strict=True)]
        return Told(BASE_SAE, after).times(6)

    found = sweep_of(tmp_path, past, method=ENOUGH)
    random = next(one for one in found.against if one.control == "random")
    assert random.differences[LP].value == pytest.approx(-6.0)
    assert random.verdict == "not better"


def test_flips_both_ways_with_an_exact_test(tmp_path: Path) -> None:
    """Of six pairs four go to AAE, one goes to SAE, one stays."""

    def turning(cell: Cell) -> Told:
        before = [-1.0, -1, -1, -1, 1, 1]
        after = [1.0, 2, 3, 0.5, -0.5, 2] if cell.system == "vector" else before
        return Told([9.0, 8, 9, 8, 9, 8], after)

    found = sweep_of(tmp_path, turning).flips
    assert (found.count("to_aae"), found.count("to_sae"), found.prefer_sae) == (4, 1, (4, 1))
    assert found.p == binomtest(4, 5, 0.5).pvalue == 0.375
    assert [one.id for one in found.items] == ["p002", "p001", "p000", "p003", "p004", "p005"]
    assert found.items[0].record() == {
        "id": "p002",
        "aae_context": "they be",
        "aae_continuation": "working late every night",
        "sae_continuation": "usually work late every night",
        "before": -1.0,
        "after": 3.0,
        "change": 4.0,
        "flip": "to_aae",
    }


def test_what_is_unscored_or_the_same_is_counted_and_does_not_flip() -> None:
    shape = {c: np.zeros(4) for c in COMBINATIONS}
    before = shape | {("aae", "sae"): np.array([1.0, np.nan, 1.0, 0.0])}
    after = shape | {("aae", "sae"): np.array([-1.0, -1.0, np.inf, 0.0])}
    same = np.array([False, False, False, True])
    ids = list("abcd")
    found = flips(
        ContinuationScores(ids, before, same=same),
        ContinuationScores(ids, after, same=same),
        dict.fromkeys(ids, Texts("", "", "")),
    )
    assert found.items == (Item("a", "", "", "", -1.0, 1.0),)
    assert found.left == {
        "same continuation in both varieties": 1,
        "unscored before or after": 2,
    }
    assert found.p == 1.0


def test_a_tie_is_no_preference() -> None:
    assert Item("a", "", "", "", 0.0, 1.0).flip == Item("a", "", "", "", -1.0, 0.0).flip == ""


def test_what_is_added_is_told_by_the_norm(swept: Sweep) -> None:
    """w = 0.75 and 0.25 at norms 2 and 4."""
    vector = swept.vectors["vector"]
    assert vector.added(0.5, "unit") == pytest.approx({0: 0.1875, 1: 0.03125})
    assert vector.added(0.5, "residual") == pytest.approx({0: 0.375, 1: 0.125})


def test_differences_to_base_are_those_of_the_report(swept: Sweep) -> None:
    found = row(swept, "vector", 0.5).audited.differences
    assert found[LP].delta == pytest.approx(-2.0)
    assert found[Key("aae_continuation", "ppl_sae_sae")].p is None

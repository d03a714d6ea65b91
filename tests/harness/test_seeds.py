"""Error seeds: what they add to the variance of an effect, and the row that pools them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.compare import Comparison, Method, compare
from sociolect.harness.exports import render_csv, render_json
from sociolect.harness.remarks import remarks
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import read_run
from sociolect.harness.seeds import seed_spread, variance_components
from sociolect.harness.tables import render_table

Write = Callable[..., Path]


def test_components_by_hand() -> None:
    # Grand mean 3; row means 2, 4; column means 1, 3, 5; additive, so no residual.
    # MS_seed = 2 · (4 + 0 + 4) / 2 = 8, MS_unit = 3 · (1 + 1) / 1 = 6.
    found = variance_components([[0.0, 2.0, 4.0], [2.0, 4.0, 6.0]])
    assert (found.seed, found.unit, found.residual) == pytest.approx((4.0, 2.0, 0.0))
    assert found.share == pytest.approx(100 * 4 / 6)
    assert found.clipped == ()


def test_components_agree_with_an_analysis_of_variance() -> None:
    pandas = pytest.importorskip("pandas")
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    rng = np.random.default_rng(3)
    n, k = 30, 4
    y = rng.normal(0, 5, (n, 1)) + rng.normal(0, 3, (1, k)) + rng.normal(0, 8, (n, k))
    table = pandas.DataFrame([{"y": y[i, j], "u": i, "s": j} for i in range(n) for j in range(k)])
    squares = anova_lm(ols("y ~ C(u) + C(s)", table).fit())["mean_sq"]
    found = variance_components(y)
    assert found.residual == pytest.approx(squares["Residual"])
    assert found.seed == pytest.approx((squares["C(s)"] - squares["Residual"]) / n)
    assert found.unit == pytest.approx((squares["C(u)"] - squares["Residual"]) / k)


def test_components_are_unbiased() -> None:
    rng = np.random.default_rng(5)
    draws = [
        variance_components(
            rng.normal(0, 4, (20, 1)) + rng.normal(0, 6, (1, 5)) + rng.normal(0, 3, (20, 5))
        )
        for _ in range(600)
    ]
    assert np.mean([d.seed for d in draws]) == pytest.approx(36, rel=0.1)
    assert np.mean([d.unit for d in draws]) == pytest.approx(16, rel=0.1)
    assert np.mean([d.residual for d in draws]) == pytest.approx(9, rel=0.05)


def test_a_negative_estimate_is_zero_and_named() -> None:
    # All column means are equal, so MS_seed = 0 < MS_res.
    found = variance_components([[1.0, 5.0, 3.0], [5.0, 1.0, 3.0]])
    assert found.seed == 0
    assert found.share == 0
    assert "seed" in found.clipped


def test_no_variance_has_no_share() -> None:
    found = variance_components(np.full((4, 3), 0.1 + 0.2))
    assert found.share is None
    assert found.clipped == ()


def test_spread_needs_seeds_and_units() -> None:
    with pytest.raises(InvalidInputError, match="at least 3"):
        seed_spread([0, 1], np.zeros((4, 2)))
    with pytest.raises(InvalidInputError, match="at least one unit"):
        seed_spread([0, 1, 2], np.zeros((0, 3)))
    assert seed_spread([0, 1, 2], [[1.0, 2.0, 3.0]]).components is None
    assert seed_spread([0, 1, 2], [[1.0, 2.0, 3.0]]).sd == 1.0
    with pytest.raises(InvalidInputError, match="2 × 2"):
        variance_components([[1.0, np.nan], [1.0, 2.0]])


@pytest.fixture
def seeded(write_run: Write) -> Callable[..., Comparison]:
    """Under error seed s, the anti members of the first `wrong[s]` pairs are answered wrongly."""

    def run(*wrong: int, seeds: tuple[int, ...] = (0, 1, 2, 3)) -> Comparison:
        clean = read_run(find_runs(write_run(folder="clean"))[0])
        others = [
            write_run(
                folder=f"seed{i}",
                condition="l2-30",
                error_seed=seed,
                answer=lambda p, m, o, k, count=count: int(m == "anti" and p < count),
            )
            for i, (seed, count) in enumerate(zip(seeds, wrong, strict=False))
        ]
        runs = [read_run(find_runs(path)[0]) for path in others]
        return compare(clean, runs, Method(permutations=999))

    return run


def test_three_seeds_make_a_row_of_their_mean(seeded: Callable[..., Comparison]) -> None:
    result = seeded(3, 6, 9)
    assert [row.error_seeds for row in result.rows] == [(0,), (1,), (2,), (0, 1, 2)]
    row = result.rows[-1]
    assert row.other.label == "l2-30 (mean of 3 error seeds)"
    assert row.test is not None
    assert row.test.n == 12
    assert row.test.delta == pytest.approx(100 * 6 / 12)
    assert row.other.pooled == pytest.approx(100 * 6 / 12)
    assert row.spread is not None
    assert row.spread.deltas == pytest.approx((25, 50, 75))
    assert row.spread.sd == pytest.approx(25)
    assert row.family != result.rows[0].family
    assert result.families[row.family] == 1
    matrix = [[100.0 * (p < count) for count in (3, 6, 9)] for p in range(12)]
    assert row.spread.components == variance_components(matrix)


def test_the_spread_is_in_every_format(seeded: Callable[..., Comparison]) -> None:
    result = seeded(3, 6, 9)
    row = result.rows[-1]
    assert row.spread is not None
    assert row.spread.components is not None
    share = row.spread.components.share
    (said,) = [r for r in remarks(result) if "SD" in r]
    assert "Δ over error seeds 0, 1, 2: SD 25.00, from +25.00 to +75.00" in said
    assert f"the seed is {share:.1f} % of the variance" in said
    assert said.split(":")[0] in " ".join(render_table(result).split())
    assert f"0 1 2,{row.spread.sd!r},{row.spread.deltas[0]!r}" in render_csv(result)
    assert f'"seed_share": {share!r}' in render_json(result)


def test_two_seeds_are_not_pooled_and_one_seed_twice_neither(
    seeded: Callable[..., Comparison],
) -> None:
    result = seeded(3, 6)
    assert len(result.rows) == 2
    assert any("2 error seeds are not pooled; 3 are needed" in r for r in remarks(result))
    result = seeded(3, 6, 9, seeds=(0, 1, 1))
    assert len(result.rows) == 3
    assert any("one of them occurs twice" in r for r in remarks(result))


def test_a_unit_without_an_answer_under_one_seed_leaves_the_mean(write_run: Write) -> None:
    clean = write_run(folder="clean")
    others = [
        write_run(
            folder=f"s{seed}",
            condition="l2-30",
            error_seed=seed,
            answer=lambda p, m, o, k, seed=seed: -(p == 0 and seed == 2),
        )
        for seed in (2, 1, 0)
    ]
    runs = [read_run(find_runs(path)[0]) for path in (clean, *others)]
    row = compare(runs[0], runs[1:]).rows[-1]
    assert row.error_seeds == (0, 1, 2)
    assert row.test is not None
    assert (row.test.n, row.left.unanswered) == (11, 1)
    assert row.warning

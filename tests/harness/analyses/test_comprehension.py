"""App. C.1: loss of comprehension against increase of bias."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy.stats import pearsonr

from sociolect.generators.errors import ResultsError
from sociolect.harness.analyses.comprehension import (
    Point,
    comprehension,
    comprehension_json,
    comprehension_rows,
    comprehension_sheets,
    correlate,
    correlation_line,
)
from sociolect.harness.compare import Method

from .conftest import read_models, settings, wrong

METHOD = Method()


def point(loss: float, bias: float) -> Point:
    return Point("winobias", "gender", "direct", "m", "l2det", 30, (0,), loss, loss + bias, bias)


def test_losses_and_means_by_hand(two_models: Path) -> None:
    (found,), notes = comprehension(read_models(two_models), 30, METHOD)
    assert notes == ["mmlu_clean_direct: left out, it has no pro and anti sentences"]
    assert {(p.model, p.transform, p.level) for p in found.points} == {
        ("org/a", "l2", 5),
        ("org/a", "l2", 30),
        ("org/a", "l2prep", 30),
        ("org/b", "l2", 30),
        ("org/b", "l2prep", 30),
    }
    four, prepositions = found.means
    # Model a loses 10 and 40 points, model b 0 and 10.
    assert (four.transform, four.models) == ("l2", 2)
    assert (four.loss_pro, four.loss_anti, four.bias_increase) == pytest.approx((5, 25, 20))
    # 5 and 30; 10 and 30.
    assert (prepositions.loss_pro, prepositions.loss_anti) == pytest.approx((7.5, 30))
    assert prepositions.bias_increase == pytest.approx(22.5)
    (sheet,) = comprehension_sheets([found])
    assert [cell.text for cell in sheet.rows[1]] == ["l2prep", "2", "+7.50", "+30.00", "+22.50"]
    assert found.correlation.n == 2  # only single error types
    assert "none, as at least 3 points are needed" in sheet.notes[0]


def test_another_level(two_models: Path) -> None:
    (found,), _ = comprehension(read_models(two_models), 5, METHOD)
    assert [(mean.transform, mean.models) for mean in found.means] == [("l2", 1)]
    (found,), _ = comprehension(read_models(two_models), 10, METHOD)
    assert found.means == ()
    assert "No run with errors in the input at 10 %." in found.notes


def test_means_over_different_models_are_remarked(
    two_models: Path, write_run: Callable[..., Path]
) -> None:
    write_run(condition="l2det-30", pairs=40, **settings("org/a"))
    (found,), _ = comprehension(read_models(two_models), 30, METHOD)
    assert any("over different models" in note for note in found.notes)


def test_correlation_over_models_types_and_levels(
    two_models: Path, write_run: Callable[..., Path]
) -> None:
    write_run(condition="l2det-10", pairs=40, answer=wrong(1, 9), **settings("org/a"))
    write_run(condition="l2prep-30-instruction", pairs=40, **settings("org/a"))
    (found,), _ = comprehension(read_models(two_models), 30, METHOD)
    # (loss of pro, increase of bias): prepositions of a and b, determiners of a.
    losses, increases = [5.0, 10.0, 2.5], [25.0, 20.0, 10.0]
    wanted = pearsonr(losses, increases)
    assert found.correlation.n == 3
    assert found.correlation.r == pytest.approx(wanted.statistic)
    assert found.correlation.p == pytest.approx(wanted.pvalue)
    assert f"(n = 3): r = {wanted.statistic:.2f}" in correlation_line(found.correlation)


def test_correlation_by_hand() -> None:
    found = correlate([point(1, 1), point(2, 3), point(3, 2), point(4, 4)])
    assert found.r == pytest.approx(0.8)


def test_no_correlation_from_too_little_or_nothing_that_varies() -> None:
    assert correlate([point(1, 2), point(2, 3)]).reason == "at least 3 points are needed"
    for points, name in (
        ([point(1, b) for b in (1, 2, 3)], "loss_pro"),
        ([point(a, 1) for a in (1, 2, 3)], "bias_increase"),
    ):
        found = correlate(points)
        assert (found.r, found.p, found.n) == (None, None, 3)
        assert found.reason == f"{name} is the same in all points"


def test_error_seeds_are_one_point(write_run: Callable[..., Path]) -> None:
    write_run(pairs=40, **settings("org/a"))
    for seed, counts in enumerate(((2, 4), (4, 8))):
        path = write_run(
            condition="l2det-30",
            pairs=40,
            error_seed=seed,
            time=f"2026-03-05T05-06-0{seed}.1",
            answer=wrong(*counts),
            **settings("org/a"),
        )
    (found,), _ = comprehension(read_models(path.parent), 30, METHOD)
    (only,) = found.points
    assert only.error_seeds == (0, 1)
    assert (only.loss_pro, only.loss_anti, only.bias_increase) == pytest.approx((7.5, 15, 7.5))
    assert comprehension_rows([found])[0]["error_seeds"] == "0 1"


def test_nothing_answered_is_no_loss(write_run: Callable[..., Path]) -> None:
    write_run(**settings("org/a"))
    path = write_run(condition="l2-30", answer=lambda *_: -1, **settings("org/a"))
    (found,), _ = comprehension(read_models(path.parent), 30, METHOD)
    assert found.points == ()
    assert "org/a, l2 30 %: left out, no answer to compare." in found.notes
    assert json.loads(comprehension_json([found]))["analyses"][0]["points"] == []


NOISE = {"token_change": 0.2, "char_distance": 0.04, "length_ratio": 1.0}


def test_surface_noise_has_no_error_type(write_run: Callable[..., Path]) -> None:
    for condition, doc in (("clean", {}), ("l2det-30", {}), ("typo-30", NOISE)):
        path = write_run(condition=condition, doc=doc, **settings("org/a"))
    (found,), _ = comprehension(read_models(path.parent), 30, METHOD)
    assert [p.transform for p in found.points] == ["l2det"]
    assert "org/a: runs with surface noise are left out, they have no error type." in found.notes


def test_only_benchmarks_with_pairs(write_run: Callable[..., Path]) -> None:
    for condition in ("clean", "l2-30"):
        path = write_run(benchmark="mmlu", condition=condition)
    with pytest.raises(ResultsError, match="no pro and anti sentences"):
        comprehension(read_models(path.parent), 30, METHOD)

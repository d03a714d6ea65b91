"""Every kind of benchmark is compared by its own unit and metrics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sociolect.generators.errors import UnknownNameError
from sociolect.harness.compare import Comparison, Method, compare
from sociolect.harness.exports import flat
from sociolect.harness.remarks import legend, remarks
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import Run, read_run
from sociolect.harness.statistics import bootstrap_interval
from sociolect.harness.tables import render_table
from sociolect.harness.units import asked_orders

Write = Callable[..., Path]


def read(path: Path) -> Run:
    return read_run(find_runs(path)[0])


@pytest.fixture
def compared(write_run: Write) -> Callable[..., Comparison]:
    def run(
        benchmark: str,
        *,
        clean: dict[str, Any] | None = None,
        method: Method | None = None,
        **errored: Any,
    ) -> Comparison:
        first = read(write_run(benchmark=benchmark, folder="clean", **(clean or {})))
        other = read(write_run(benchmark=benchmark, condition="l2-30", **errored))
        return compare(first, [other], method or Method(permutations=999))

    return run


def first_wrong(count: int) -> Callable[..., int]:
    return lambda pair, member, order, sample: int(pair < count)


@pytest.mark.parametrize(
    ("benchmark", "metric", "clean", "errored"),
    [
        ("bbq_gender", "bias", 100, 50),
        ("degen_gender", "bias", 100, 50),
        ("bbq_race_disambig", "acc", 100, 75),
        ("winogrande", "acc", 100, 75),
        ("mmlu", "acc", 100, 75),
    ],
)
def test_items_are_the_units_of_all_but_coreference(
    compared: Callable[..., Comparison],
    benchmark: str,
    metric: str,
    clean: float,
    errored: float,
) -> None:
    result = compared(benchmark, answer=first_wrong(3))
    (row,) = result.rows
    assert (row.metric, row.unit, result.unit) == (metric, "item", "item")
    assert row.test is not None
    assert (row.test.n, row.test.clean, row.test.errored) == (12, clean, errored)
    assert row.left.incomplete == 0
    text = " ".join([*legend([result]), *remarks(result), render_table(result)])
    assert "n: items." in text
    assert "pair" not in " ".join(text.split()).replace("paired randomisation", "")


def test_mmlu_is_asked_in_one_order_with_four_options(write_run: Write) -> None:
    run = read(write_run(benchmark="mmlu", answer=lambda p, m, o, k: k % 4, repeats=4))
    assert asked_orders(run) == (0,)
    assert len(run.records) == 12
    assert run.records[0].choices == (0, 1, 2, 3)


def test_an_item_that_lacks_an_order_is_incomplete(compared: Callable[..., Comparison]) -> None:
    result = compared("bbq_gender", clean={"drop": 1}, drop=1)
    (row,) = result.rows
    assert row.test is not None
    assert (row.test.n, row.left.incomplete) == (11, 1)
    assert any("left out 1 item that was not asked whole" in r for r in remarks(result))


def test_metrics_are_those_of_the_kind(compared: Callable[..., Comparison]) -> None:
    result = compared("bbq_race_disambig", method=Method(metrics=("bias", "acc_asked")))
    assert [row.metric for row in result.rows] == ["bias", "acc_asked"]
    with pytest.raises(UnknownNameError, match="acc, acc_asked, unanswered"):
        compared("mmlu", method=Method(metrics=("bias",)))


def test_unanswered_can_be_tested_though_nothing_was_answered(
    compared: Callable[..., Comparison],
) -> None:
    (row,) = compared(
        "mmlu", answer=lambda *_: -1, method=Method(metrics=("unanswered",), permutations=99)
    ).rows
    assert row.test is not None
    assert (row.test.n, row.test.delta) == (12, 100)


@pytest.mark.parametrize(
    ("benchmark", "templates"),
    [("bbq_gender", 6), ("bbq_religion_disambig", 6), ("degen_gender", 0), ("mmlu", 0)],
)
def test_bbq_has_an_interval_over_templates(
    compared: Callable[..., Comparison], benchmark: str, templates: int
) -> None:
    result = compared(benchmark, clean={"pairs": 24}, pairs=24, answer=first_wrong(10))
    (row,) = result.rows
    assert row.test is not None
    assert row.test.clusters == templates
    shown = flat(row, result)
    assert shown["templates"] == templates
    if not templates:
        assert shown["ci_templates_low"] is None
        assert "templates" not in render_table(result)
        return
    before, after = row.test.clean, row.test.errored
    step = (after - before) * 24 / 10
    changes = [step * (i < 10) for i in range(24)]
    wanted = bootstrap_interval(changes, clusters=[i // 4 for i in range(24)])
    assert (row.test.cluster_low, row.test.cluster_high) == pytest.approx(wanted)
    assert row.test.low is not None
    assert row.test.cluster_low is not None
    assert row.test.cluster_low < row.test.low  # whole templates change together here
    assert "95 % CI (templates)" in render_table(result)
    assert any("question template" in line for line in legend([result]))


def test_units_that_all_change_alike_have_no_interval(
    compared: Callable[..., Comparison],
) -> None:
    (row,) = compared("mmlu", answer=lambda p, m, o, k: int(k == 0), repeats=5).rows
    assert row.test is not None
    assert np.allclose(row.test.delta, -20)
    assert (row.test.low, row.test.high, row.test.detectable) == (None, None, None)


@pytest.mark.parametrize("form", ["reason", "direct", "ll"])
def test_every_form_is_read(compared: Callable[..., Comparison], form: str) -> None:
    (row,) = compared("bbq_gender", clean={"form": form}, form=form, answer=first_wrong(6)).rows
    assert row.test is not None
    assert row.test.delta == -100

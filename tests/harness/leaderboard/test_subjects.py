"""Subjects and conditions: their order, and ids that are safe wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from board_answers import METHOD

from sociolect.generators.conditions import Condition, all_conditions
from sociolect.harness.leaderboard.making import BoardOptions, make_board
from sociolect.harness.leaderboard.subjects import Cell, safe, subject_id, subject_of
from sociolect.harness.store.stored import Store


def test_conditions_are_in_the_order_of_the_grid_with_seeds_and_means_after_each() -> None:
    grid = [Cell(one, "paper", (0,)) for one in all_conditions() if not one.is_clean]
    more = [Cell(Condition("l2", 30), "paper", seeds) for seeds in ((2,), (0, 1, 2))]
    rules = Cell(Condition("l2", 30), "careful", (0,))
    subject = subject_of(("winobias", "gender", "reason"), [*reversed([*grid, *more]), rules])
    ids = [one.id for one in subject.conditions]
    assert [one for one in ids if "-mean" not in one and "seed" not in one] == [
        *("l2-5", "l2-10", "l2-20", "l2-30", "l2-30-careful"),
        *(cell.id for cell in grid[4:]),
    ]
    assert ids[3:6] == ["l2-30", "l2-30-seed2", "l2-30-mean3"]
    assert subject.conditions[6].label == "l2-30 (careful)"
    assert (subject.id, subject.label) == ("winobias-gender-reason", "winobias (gender) · reason")
    assert (subject.kind, subject.metric, subject.unit) == ("coreference", "bias", "pair")


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", "<script>", "a b", "", "ä", "x" * 99])
def test_names_from_outside_are_no_path(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,50}", safe(name))
    assert safe(name).strip(".")
    assert safe(name) != safe(name + "/")


def test_unlike_names_keep_unlike_ids() -> None:
    assert subject_id(("winobias", "a/b", "ll")) != subject_id(("winobias", "a_b", "ll"))
    assert subject_id(("mmlu", "", "direct")) == "mmlu-direct"


def test_benchmarks_that_are_not_known_are_counted(
    write_run: Callable[..., Path], store: Callable[[], Store]
) -> None:
    write_run()
    held = store()
    unknown = replace(held, runs=tuple(replace(run, benchmark="future") for run in held.runs))
    found = make_board(unknown, BoardOptions(method=METHOD, progress=False))
    assert found.sections == ()
    assert found.notes == ("future: 1 run is left out, as this version knows no such benchmark.",)

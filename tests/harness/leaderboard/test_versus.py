"""A mitigated model against its base, on the same prompts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from board_answers import METHOD, noisy

from sociolect.harness.compare import compare_changes
from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.sheets import board_sheets
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import Run, read_run
from sociolect.harness.statistics import bootstrap_interval, holm, randomisation_test
from sociolect.harness.units import unit_numbers

Make = Callable[..., Board]
Write = Callable[..., Path]
CONDITIONS = ("clean", "l2-10", "l2-30")


def options(*, adapter: bool, **more: Any) -> dict[str, Any]:
    arguments = {"pretrained": "org/tiny", **({"peft": "org/fair"} if adapter else {}), **more}
    return {"folder": "fair" if adapter else "tiny", "config": {"model_args": arguments}}


@pytest.fixture
def runs(write_run: Write) -> dict[tuple[str, bool], Run]:
    """Base and mitigated model in three conditions."""
    found = {}
    for number, condition in enumerate(CONDITIONS):
        for adapter in (False, True):
            answer = noisy(7 * number + adapter, 0.9, 0.8 if adapter else 0.5 - number / 10)
            path = write_run(
                condition=condition, pairs=20, answer=answer, **options(adapter=adapter)
            )
            found[condition, adapter] = read_run(find_runs(path)[0])
    return found


def test_differences_by_an_independent_computation(
    runs: dict[tuple[str, bool], Run], board: Make
) -> None:
    found = board()
    base, fair = found.models
    assert fair.base == base.id
    assert [one.condition for one in found.versus] == list(CONDITIONS)
    ps = []
    for one in found.versus:
        before, after = (unit_numbers(runs[one.condition, side], "bias") for side in (False, True))
        changes = [after[unit] - before[unit] for unit in before]  # type: ignore[operator]
        assert one.row["delta"] == pytest.approx(sum(changes) / len(changes))
        interval = bootstrap_interval(changes, resamples=METHOD.resamples)
        assert (one.row["ci_low"], one.row["ci_high"]) == interval
        ps.append(randomisation_test(changes, permutations=METHOD.permutations))
        assert one.why_not == ""
    assert [one.row["p"] for one in found.versus] == ps
    assert [one.row["p_holm"] for one in found.versus] == holm(ps)
    assert {one.section for one in found.versus} == {found.sections[1].id}
    assert {one.base for one in found.versus} == {found.sections[0].id}


def test_difference_of_two_models_is_not_the_difference_of_their_changes(
    runs: dict[tuple[str, bool], Run], board: Make
) -> None:
    first = (runs["clean", False], [runs["l2-30", False]])
    second = (runs["clean", True], [runs["l2-30", True]])
    (row,) = compare_changes(first, second, METHOD).rows
    clean, _, errored = board().versus
    assert row.test is not None
    assert row.test.delta == pytest.approx(errored.row["delta"] - clean.row["delta"])


def test_what_the_base_was_not_asked_is_said(write_run: Write, board: Make) -> None:
    write_run(**options(adapter=False), answer=noisy(1, 0.9, 0.5))
    write_run(**options(adapter=True), answer=noisy(2, 0.9, 0.8), doc={"data_sha256": "e" * 64})
    write_run(**options(adapter=True), condition="l2-10", answer=noisy(2, 0.9, 0.8))
    clean, errored = board().versus
    assert (clean.row, errored.row) == ({}, {})
    assert clean.why_not == "The base was asked on other data (sha256 cleanxxx / eeeeeeee)."
    assert errored.why_not == "The base was not run on this condition, asked in the same way."


def test_two_backends_are_not_compared(write_run: Write, board: Make) -> None:
    write_run(**options(adapter=False))
    other = options(adapter=True)
    other["config"]["model"] = "vllm"
    write_run(**other)
    (one,) = board().versus
    assert one.row == {}
    assert "backend: 'hf' / 'vllm'" in one.why_not


def test_without_a_base_there_is_a_note(write_run: Write, board: Make) -> None:
    write_run(**options(adapter=True))
    found = board()
    assert found.versus == ()
    assert found.notes == (
        "org/tiny + adapter org/fair, winobias (gender) · direct: not held against its base, which "
        "was not run at all.",
    )
    write_run(**options(adapter=False), top={"system_instruction": "Be fair."})
    assert "was not run in the same way on the same data" in board().notes[0]


def test_the_table_has_intervals_over_templates_where_there_are_some(
    write_run: Write, board: Make
) -> None:
    for adapter in (False, True):
        given = {**options(adapter=adapter), "benchmark": "bbq_gender", "pairs": 24}
        write_run(**given, answer=lambda pair, *_, fair=adapter: int(fair and pair // 4 % 2))
    made = board()
    (one,) = made.versus
    low, high = one.row["ci_templates_low"], one.row["ci_templates_high"]
    assert (low, high) != (one.row["ci_low"], one.row["ci_high"])
    (table,) = [sheet for sheet in board_sheets(made) if "mitigated − base" in sheet.title]
    assert f"[{low:+.2f}, {high:+.2f}]" in [cell.text for cell in table.rows[0]]

"""The numbers of a leaderboard are those of `sociolect compare`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from board_answers import METHOD, noisy, silent

from sociolect.harness.compare import compare
from sociolect.harness.exports import flat
from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.legend import closing
from sociolect.harness.leaderboard.sheets import board_sheets
from sociolect.harness.paired import Method, pooled
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import Run, read_run
from sociolect.harness.statistics import bootstrap_interval
from sociolect.harness.units import unit_numbers, whole_units

Make = Callable[..., Board]
Write = Callable[..., Path]


def read(path: Path) -> Run:
    return read_run(find_runs(path)[0])


def test_changes_equal_what_compare_says(write_run: Write, board: Make) -> None:
    clean = read(write_run(pairs=30, invalid=(3,), answer=noisy(1, 0.9, 0.6, 0.1)))
    paths = [
        write_run(condition=name, pairs=30, invalid=(3,), answer=noisy(n, 0.9, 0.6 - n / 10, 0.1))
        for n, name in enumerate(("l2-10", "l2-30", "typo-50", "l2-30-both"), start=2)
    ]
    comparison = compare(clean, [read(path) for path in paths], METHOD)
    expected = {row.other.condition: flat(row, comparison) for row in comparison.rows}
    (section,) = board().sections
    found = {change.condition: dict(change.row) for change in section.changes}
    assert found == expected
    assert len({row["p_holm"] for row in found.values()}) > 1
    assert [change.condition for change in section.changes] == [
        *("l2-10", "l2-30", "l2-30-both", "typo-50")
    ]
    assert all(change.why_not == "" for change in section.changes)
    assert any("Left out: 1 pair whose members differ" in note for note in section.notes)


def test_values_are_means_of_whole_units_with_an_interval(write_run: Write, board: Make) -> None:
    clean = read(write_run(pairs=30, invalid=(3,), answer=noisy(1, 0.9, 0.6, 0.4), repeats=1))
    (section,) = board().sections
    value = section.clean
    numbers = unit_numbers(clean, "bias")
    units = whole_units(clean, include_invalid=False).whole
    known = [numbers[unit] for unit in units if numbers[unit] is not None]
    assert value is not None
    assert len(known) < 29
    assert value.value == pytest.approx(np.mean(known))
    assert (value.low, value.high) == bootstrap_interval(known, resamples=200)
    assert value.n == len(known)
    assert value.pooled == pooled(clean, "bias")
    assert value.others["acc_pro"] == pooled(clean, "acc_pro")
    assert "unanswered" not in value.others
    assert value.unanswered == pooled(clean, "unanswered")
    assert section.worst == -1


def test_mean_of_three_error_seeds_as_compare_has_it(write_run: Write, board: Make) -> None:
    clean = read(write_run(pairs=20, answer=noisy(1, 0.9, 0.6)))
    runs = []
    for seed in range(3):
        sha = {"data_sha256": f"{seed}" * 64}
        options: dict[str, Any] = {"folder": f"seed{seed}", "error_seed": seed, "doc": sha}
        answer = noisy(5 + seed, 0.9, 0.4, 0.1)
        runs.append(read(write_run(condition="l2-30", pairs=20, answer=answer, **options)))
    comparison = compare(clean, runs, METHOD)
    (section,) = board().sections
    assert [change.condition for change in section.changes] == [
        *("l2-30", "l2-30-seed1", "l2-30-seed2", "l2-30-mean3")
    ]
    assert [dict(c.row) for c in section.changes] == [flat(r, comparison) for r in comparison.rows]
    mean = section.changes[-1]
    assert len(mean.runs) == 3
    assert mean.value.run == ""
    assert mean.value.value == pytest.approx(mean.row["errored"])
    (subject,) = board().subjects
    assert [one.error_seed for one in subject.conditions] == [0, 1, 2, -1]
    assert subject.conditions[-1].label == "l2-30 (mean of 3 error seeds)"


def test_a_model_that_answered_nothing_has_no_value_and_no_test(
    write_run: Write, board: Make
) -> None:
    write_run(answer=silent)
    write_run(condition="l2-30", answer=noisy(1, 0.9, 0.6))
    write_run(folder="other", config={"model_args": {"pretrained": "org/a"}}, answer=noisy(1, 1, 0))
    found = board()
    other, section = found.sections
    assert section.clean is not None
    assert (section.clean.value, section.clean.pooled, section.clean.low) == (None, None, None)
    assert (section.clean.n, section.clean.unanswered) == (0, 100)
    assert section.clean.rank is None
    assert other.clean is not None
    assert other.clean.rank is None  # alone, as the other model answered nothing
    (change,) = section.changes
    assert change.row == {}
    assert change.why_not == (
        "clean got no answer: No pair could be compared (12 unanswered, 0 incomplete, 0 not valid)."
    )
    assert change.value.value is not None


def test_a_run_on_other_prompts_is_named_and_the_others_are_compared(
    write_run: Write, board: Make
) -> None:
    write_run(pairs=12, answer=noisy(1, 0.9, 0.6))
    write_run(condition="l2-10", pairs=12, answer=noisy(2, 0.9, 0.6))
    write_run(condition="l2-30", pairs=3, answer=noisy(2, 0.9, 0.6), folder="short")
    (section,) = board().sections
    one, short = section.changes
    assert one.row["n"] == 12
    assert short.row == {}
    assert short.why_not.startswith("winobias_l2_30_direct is not comparable with winobias_clean")
    assert "ids: 36 prompts" in short.why_not
    assert short.value.n == 3
    (allowed,) = board(Method(allow=frozenset({"ids"}))).sections
    assert allowed.changes[1].row["n"] == 3
    assert any("36 prompts" in note for note in allowed.notes)


def test_limited_runs_with_the_same_ids_are_compared(write_run: Write, board: Make) -> None:
    counts = {"n-samples": {"winobias_clean_direct": {"original": 3168, "effective": 48}}}
    write_run(answer=noisy(1, 0.9, 0.6), top=counts)
    write_run(condition="l2-10", answer=noisy(2, 0.9, 0.6), folder="b")
    (section,) = board().sections
    assert section.clean is not None
    assert section.clean.partial == "limited: 48 of 3168 prompts asked"
    assert section.changes[0].row["n"] == 12


def test_without_a_clean_run_there_are_values_without_changes(
    write_run: Write, board: Make
) -> None:
    write_run(condition="l2-10", answer=noisy(2, 0.9, 0.6))
    (section,) = board().sections
    assert section.clean is None
    (change,) = section.changes
    assert change.value.value is not None
    assert change.row == {}
    assert "no clean run" in change.why_not
    assert change.why_not in section.notes


def test_the_worst_condition_has_the_largest_bias_or_the_smallest_accuracy(
    write_run: Write, board: Make
) -> None:
    for name, right in (("clean", 1.0), ("l2-10", 0.4), ("l2-30", 0.9)):
        answer = noisy(1, right, right)
        write_run(benchmark="mmlu", form="direct", condition=name, pairs=20, answer=answer)
    answers = {"l2-10": (0.6, 0.6), "l2-20": (0.2, 0.9), "l2-30": (0.9, 0.6)}
    for name, rates in answers.items():
        write_run(condition=name, pairs=20, answer=noisy(1, *rates), folder="wino")
    mmlu, winobias = board().sections
    assert mmlu.changes[mmlu.worst].condition == "l2-10"
    assert winobias.changes[winobias.worst].condition == "l2-20"
    assert winobias.changes[winobias.worst].value.value < -50  # type: ignore[operator]


def by_template(pair: int, member: str, order: int, sample: int) -> int:
    """What four items of one template share."""
    return int(pair // 4 % 3 == 0)


def test_intervals_resample_whole_question_templates(write_run: Write, board: Make) -> None:
    run = read(write_run(benchmark="bbq_gender", pairs=40, answer=by_template))
    made = board()
    (section,) = made.sections
    assert section.clean is not None
    numbers = unit_numbers(run, made.subjects[0].metric)
    templates = [[numbers[unit] for unit in list(numbers)[at : at + 4]] for at in range(0, 40, 4)]
    assert all(len(set(values)) == 1 for values in templates)
    means = [values[0] for values in templates]
    assert (section.clean.low, section.clean.high) == bootstrap_interval(means, resamples=200)
    assert made.subjects[0].clustered


def test_templates_are_named_below_the_tables(write_run: Write, board: Make) -> None:
    write_run(benchmark="bbq_gender", pairs=8)
    write_run(pairs=4)
    (said,) = [line for line in closing(board()) if "template" in line]
    assert "(bbq_gender (gender) · direct): all intervals resample whole" in said


def test_a_model_that_answers_nothing_is_told_once(write_run: Write, board: Make) -> None:
    for condition in ("clean", "l2-10", "l2-20"):
        write_run(condition=condition, pairs=4, answer=silent)
    made = board()
    (sheet, *_) = board_sheets(made)
    assert sheet.notes == (
        "org/tiny: l2-10, l2-20: No prompt was answered, so no pair could be compared (4 "
        "unanswered, 0 incomplete, 0 not valid).",
    )
    assert made.sections[0].notes == ()


def test_limited_runs_are_told_once(write_run: Write, board: Make) -> None:
    few: dict[str, Any] = {"pairs": 4, "figures": {}}
    for condition in ("clean", "l2-10", "l2-20"):
        limit(write_run(condition=condition, **few))
    assert [n for n in board().sections[0].notes if "limited" in n] == [
        "all conditions: limited: 16 of 99 prompts asked."
    ]
    write_run(condition="l2-30", **few)
    assert [n for n in board().sections[0].notes if "limited" in n] == [
        "clean, l2-10, l2-20: limited: 16 of 99 prompts asked."
    ]


def limit(path: Path) -> None:
    """Say that the task of a run has 99 prompts."""
    results = next(path.parent.glob("results_*"))
    results.write_text(results.read_text("utf-8").replace('"original": 16', '"original": 99'))


def test_a_clean_run_under_another_rule_set_is_named(write_run: Write, board: Make) -> None:
    write_run(pairs=4)
    local = {"rules": "careful", "local_data": True}
    write_run(condition="l2-30", pairs=4, folder="b", doc=local)
    (change,) = next(one for one in board().sections if one.clean is None).changes
    assert change.why_not == (
        "There is no clean run of this model, asked in the same way, to compare with: its clean "
        "run was made under rule set 'paper'; run the clean task on the data built with rule set "
        "'careful', too."
    )


def test_nothing_is_worst_where_all_is_equal(write_run: Write, board: Make) -> None:
    for condition in ("clean", "l2-10", "l2-20"):
        write_run(condition=condition, pairs=4)
    assert board().sections[0].worst == -1
    write_run(condition="l2-30", pairs=4, answer=noisy(1, 0.9, 0.5))
    assert board().sections[0].worst == 2

"""Tables 2 and C.2: accuracy by condition and model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.generators.errors import ResultsError
from sociolect.harness import sheets
from sociolect.harness.analyses.accuracy import (
    accuracy,
    accuracy_json,
    accuracy_notes,
    accuracy_rows,
    accuracy_sheets,
)
from sociolect.harness.compare import Method

from .conftest import read_models, settings, wrong

QUICK = Method(permutations=999, resamples=99)


def test_models_are_rows_and_conditions_columns(two_models: Path) -> None:
    found, notes = accuracy(read_models(two_models), QUICK)
    assert notes == []
    mmlu, winobias = accuracy_sheets(found)
    assert [column.name for column in winobias.columns] == [
        "model",
        "sentences",
        "clean",
        "l2-5",
        "l2-30",
        "l2prep-30",
    ]
    shown = [[cell.text for cell in row] for row in winobias.rows]
    assert shown == [
        ["org/a", "pro", "100.00", "100.00", "90.00", "95.00"],
        ["org/a", "anti", "90.00", "90.00", "50.00", "60.00"],
        ["org/b", "pro", "95.00", "–", "95.00", "85.00"],
        ["org/b", "anti", "80.00", "–", "70.00", "50.00"],
    ]
    assert [column.name for column in mmlu.columns] == ["model", "clean", "l2-30"]
    assert [cell.text for cell in mmlu.rows[0]] == ["org/a", "100.00", "50.00"]


def test_marks_are_those_of_the_comparison(two_models: Path) -> None:
    found, _ = accuracy(read_models(two_models), QUICK)
    _, winobias = accuracy_sheets(found)
    by_name = {(r[0].text, r[1].text): r[2:] for r in winobias.rows}
    # 16 of 40 units change in one direction: p = 2^-15 or less; 4 of 40: p = 1/8.
    assert [(c.marks, c.bold) for c in by_name["org/a", "anti"]] == [
        ("", False),
        ("", False),
        ("*†", True),
        ("*†", True),
    ]
    assert [c.bold for c in by_name["org/a", "pro"]] == [False, False, False, False]


def test_only_some_conditions(two_models: Path) -> None:
    found, notes = accuracy(read_models(two_models), QUICK, ["l2prep-30"])
    (sheet,) = accuracy_sheets(found)
    assert [column.name for column in sheet.columns][2:] == ["clean", "l2prep-30"]
    assert notes == ["mmlu_clean_direct: left out, none of the conditions was run"]


NOISE = {"token_change": 0.2, "char_distance": 0.04, "length_ratio": 1.0}


def test_noise_stands_behind_the_errors(write_run: Callable[..., Path]) -> None:
    conditions = {
        "clean": {},
        "combined-30": NOISE,
        "typo-100": NOISE,
        "typo-30": NOISE,
        "l2-30": {},
    }
    for condition, doc in conditions.items():
        path = write_run(condition=condition, doc=doc)
    found, _ = accuracy(read_models(path.parent), QUICK)
    (sheet,) = accuracy_sheets(found)
    names = [column.name for column in sheet.columns][2:]
    assert names == ["clean", "l2-30", "typo-30", "typo-100", "combined-30"]


def test_what_has_no_accuracy_is_named(write_run: Callable[..., Path]) -> None:
    for condition in ("clean", "l2-30"):
        path = write_run(benchmark="bbq_gender", condition=condition)
    with pytest.raises(ResultsError, match="bbq_gender_clean_direct: left out, no answer of it"):
        accuracy(read_models(path.parent), QUICK)


def test_unanswered_rates_are_marked(write_run: Callable[..., Path]) -> None:
    write_run(benchmark="bbq_race_disambig")
    path = write_run(
        benchmark="bbq_race_disambig", condition="l2-30", answer=lambda p, m, o, k: -(k == 0)
    )
    found, _ = accuracy(read_models(path.parent), QUICK)
    (sheet,) = accuracy_sheets(found)
    assert sheet.rows[0][-1].marks == "!"


def test_models_of_one_name_are_told_apart(write_run: Callable[..., Path]) -> None:
    for day, extra in enumerate(({}, {"peft": "org/lora"})):
        for condition in ("clean", "l2-30"):
            arguments = {"pretrained": "org/a", "dtype": "float32", **extra}
            path = write_run(
                condition=condition,
                time=f"2026-03-0{day + 1}T05-06-07.1",
                config={"model_args": arguments},
            )
    (sheet,) = accuracy_sheets(accuracy(read_models(path.parent), QUICK)[0])
    names = [row[0].text for row in sheet.rows]
    assert len(set(names)) == 2
    assert "org/a (peft org/lora)" in " ".join(names) or "org/lora" in names


def test_every_format(two_models: Path) -> None:
    found, _ = accuracy(read_models(two_models), QUICK)
    made, notes = accuracy_sheets(found), accuracy_notes(found)
    text = sheets.as_text(made, notes)
    assert "winobias (gender) · direct · accuracy" in text
    assert "50.00*†" in text
    assert "**50.00** \\*†" in sheets.as_markdown(made, notes)
    tex = sheets.as_tex(made, notes)
    assert r"\textbf{50.00}$^{*\dagger}$" in tex
    assert r"org/a & anti & 90.00 & 90.00 &" in tex
    rows = accuracy_rows(found)
    assert {(row["benchmark"], row["metric"]) for row in rows} == {
        ("winobias", "acc_pro"),
        ("winobias", "acc_anti"),
        ("mmlu", "acc"),
    }
    document = json.loads(accuracy_json(found))
    assert document["schema"] == "sociolect.accuracy"
    assert len(document["rows"]) == len(rows) == 11
    assert len(document["inputs"]) == 4 + 3 + 2


def test_seeds_have_columns_of_their_own(write_run: Callable[..., Path]) -> None:
    write_run(**settings("org/a"))
    for seed in range(3):
        path = write_run(
            condition="l2-30",
            error_seed=seed,
            time=f"2026-03-05T05-06-0{seed}.1",
            answer=wrong(0, seed + 1),
            **settings("org/a"),
        )
    (sheet,) = accuracy_sheets(accuracy(read_models(path.parent), QUICK)[0])
    names = [column.name for column in sheet.columns][3:]
    assert names == [
        "l2-30",
        "l2-30 (error seed 1)",
        "l2-30 (error seed 2)",
        "l2-30 (mean of 3 error seeds)",
    ]
    assert [cell.text for cell in sheet.rows[1]][3:] == ["91.67", "83.33", "75.00", "83.33"]

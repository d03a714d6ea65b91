"""The leaderboard as files: what they say, and that names from outside steer nothing."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from board_answers import noisy, silent

from sociolect.harness.leaderboard.board import Board, Panel
from sociolect.harness.leaderboard.exports import (
    TESTED,
    board_csv,
    board_json,
    board_markdown,
    board_tex,
    board_text,
)
from sociolect.harness.leaderboard.sheets import MAX_CONDITIONS, board_sheets

Make = Callable[..., Board]
Write = Callable[..., Path]
HOSTILE = (
    "=cmd|' /C calc'!A0",
    "a|b & 50% of \\textbf{c}_$x$ #1 ~^",
    '<script>alert("x")</script>',
    "line\nbreak\r\x1b[31mred\u202egnp",
)


def model(name: str, **more: Any) -> dict[str, Any]:
    return {"folder": f"f{abs(hash(name))}", "config": {"model_args": {"pretrained": name, **more}}}


@pytest.fixture
def three(write_run: Write, board: Make) -> Board:
    """A model, an adapter of it, and a model that answered nothing."""
    for number, condition in enumerate(("clean", "l2-10", "l2-20", "l2-30", "typo-10", "typo-50")):
        write_run(
            condition=condition,
            pairs=30,
            answer=noisy(number, 0.9, 0.6 - number / 10),
            folder="a",
            config={"model_args": {"pretrained": "org/a"}},
        )
    adapter = {"pretrained": "org/a", "peft": "org/fair"}
    write_run(pairs=30, answer=noisy(9, 0.9, 0.9), folder="b", config={"model_args": adapter})
    dumb = {"folder": "c", "config": {"model_args": {"pretrained": "org/dumb"}}}
    write_run(pairs=30, answer=silent, **dumb)
    write_run(condition="l2-10", pairs=30, answer=silent, **dumb)
    return board()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_json_has_every_field_under_its_name(three: Board) -> None:
    content = json.loads(board_json(three))
    assert content["schema"] == "sociolect.leaderboard"
    assert content["schema_version"] == 1
    assert content["sections"] == json.loads(json.dumps(asdict(three)["sections"]))
    assert content["method"]["allow"] == []
    assert content["sections"][0]["changes"][0]["row"]["p"] == three.sections[0].changes[0].row["p"]


def test_csv_has_a_line_for_each_model_and_condition(three: Board) -> None:
    rows = rows_of(board_csv(three))
    assert [(row["model"], row["condition"]) for row in rows] == [
        *[("org/a", c) for c in ("clean", "l2-10", "l2-20", "l2-30", "typo-10", "typo-50")],
        ("org/a + adapter org/fair", "clean"),
        ("org/dumb", "clean"),
        ("org/dumb", "l2-10"),
    ]
    change = three.sections[0].changes[0]
    assert {name: rows[1][name] for name in TESTED} == {
        name: "" if change.row[name] is None else str(change.row[name]) for name in TESTED
    }
    assert set(TESTED) < set(change.row)
    assert float(rows[1]["value"]) == change.value.value
    assert (rows[0]["rank"], rows[0]["ranked"], rows[6]["rank"]) == ("2", "2", "1")
    assert (rows[6]["base"], rows[6]["mitigation"]) == ("org/a", "adapter")
    assert float(rows[6]["base_delta"]) == three.versus[0].row["delta"]
    assert rows[8]["value"] == ""
    assert rows[8]["why_not"].startswith("No prompt was answered, so no pair")
    assert rows[0]["paths"] == three.runs[rows[0]["runs"]].path


def test_text_marks_models_of_equal_value(write_run: Write, board: Make) -> None:
    for name in ("org/one", "org/two"):
        write_run(answer=noisy(1, 0.9, 0.6), **model(name))
    write_run(answer=noisy(1, 0.9, 0.9), **model("org/three"))
    text = board_text(board(), width=200)
    assert len(re.findall(r"^ org/(?:one|two) .* =2 \[2–2\] of 3 ", text, re.MULTILINE)) == 2
    assert re.search(r"^ org/three .* 1 \[1–1\] of 3 ", text, re.MULTILINE)


def test_text_shows_values_changes_marks_and_ranks(three: Board) -> None:
    text = board_text(three, width=200)
    change = three.sections[0].changes[2]
    assert change.row["significant_holm"]
    assert f"{change.value.value:.2f} ({change.row['delta']:+.2f})*†" in text
    assert re.search(r"^ org/a .* 2 \[2–2\] of 2 ", text, re.MULTILINE)
    assert re.search(r"^ ↳ org/a \+ adapter org/fair .* 1 \[1–1\] of 2 ", text, re.MULTILINE)
    assert re.search(r"^ org/dumb +– +– +– +0 +100.0", text, re.MULTILINE)
    assert "\norg/dumb: l2-10: No prompt was answered" in text
    assert "winobias (gender) · direct · mitigated − base" in text
    assert "\x1b" not in text
    assert "\x1b[1m" in board_text(three, colour=True)


def test_no_table_has_more_than_eight_columns(three: Board) -> None:
    (subject,) = three.subjects
    more = [replace(subject.conditions[0], id=f"l2-{n}", level=n) for n in range(12)]
    (wide, *_) = (
        replace(three, subjects=(replace(subject, conditions=tuple(more)),), sections=()),
    )
    sheets = [*board_sheets(three), *board_sheets(wide)]
    assert max(len(sheet.columns) for sheet in sheets) <= 8
    titles = [sheet.title for sheet in board_sheets(three)]
    assert titles[1:3] == [f"{subject.label} · l2", f"{subject.label} · typo"]
    assert len(board_sheets(wide)) == 1 + -(-12 // MAX_CONDITIONS)


def test_tex_sets_tables_with_booktabs_and_bold_changes(three: Board) -> None:
    text = board_tex(three)
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == len(board_sheets(three))
    assert re.search(r"\\textbf\{[\d.]+ \([-+$\d.]+\)\}\$\^\{\*\\dagger\}\$", text)
    assert r"$\hookrightarrow$ org/a + adapter org/fair" in text


def test_panels_are_tables_too(three: Board) -> None:
    panel = Panel(
        "flips1", "Flips", ("model", "rate"), (("x", "3.1"),), ((0, 1),), ("A note.",), ()
    )
    text = board_markdown(replace(three, panels=(panel,)))
    assert "| x | **3.1** |" in text
    assert "- A note." in text


def test_an_empty_leaderboard_says_so_in_every_format(board: Make, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    found = replace(board(), problems=(("x/y.jsonl", "not JSON"),))
    assert found.sections == ()
    assert "Left out: x/y.jsonl: not JSON" in board_text(found, width=150)
    assert "Left out: x/y.jsonl: not JSON" in board_markdown(found)
    assert board_csv(found).count("\n") == 1
    assert board_tex(found)
    assert json.loads(board_json(found))["problems"] == [["x/y.jsonl", "not JSON"]]


def test_what_holds_for_all_models_is_said_once(write_run: Write, board: Make) -> None:
    for name in "ab":
        model = {"folder": name, "config": {"model_args": {"pretrained": name}}}
        write_run(invalid=(1,), answer=noisy(1, 0.9, 0.6), **model)
        write_run(invalid=(1,), condition="l2-10", answer=noisy(2, 0.9, 0.6), **model)
    text = board_text(board(), width=200)
    assert "\nAll models: Left out: 1 pair whose members differ" in text
    assert text.count("Left out") == 1


def test_a_limited_run_is_named_once(write_run: Write, board: Make) -> None:
    counts = {"n-samples": {"winobias_clean_direct": {"original": 3168, "effective": 48}}}
    write_run(answer=noisy(1, 0.9, 0.6), top=counts)
    assert board_text(board(), width=200).count("limited: 48 of 3168 prompts asked") == 1
    write_run(condition="l2-10", answer=noisy(2, 0.9, 0.6), folder="b")
    assert board_text(board(), width=200).count("limited: 48 of 3168 prompts asked") == 1


def test_hostile_names_stay_text(write_run: Write, board: Make) -> None:
    for number, name in enumerate(HOSTILE):
        write_run(
            pairs=5,
            answer=noisy(number, 0.9, 0.5),
            folder=f"f{number}",
            config={"model_args": {"pretrained": name}},
        )
    found = board()
    names = [model.name for model in found.models]
    assert sorted(names) == sorted(HOSTILE)
    rows = rows_of(board_csv(found))
    plain = [name for name in HOSTILE if name.isprintable()]
    assert {row["model"] for row in rows} > set(plain)  # data are as they were found
    assert all(row["model"].isprintable() for row in rows)
    assert [one["name"] for one in json.loads(board_json(found))["models"]] == names
    for text in (board_markdown(found), board_text(found), board_tex(found)):
        assert all(line.isprintable() for line in text.split("\n"))
    markdown = board_markdown(found)
    assert "<script>" not in markdown
    tables = [line for line in markdown.split("\n") if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in tables[:6]} == {9}
    body = [line for line in board_tex(found).split("\n") if not line.startswith("%")]
    assert any(r"50\% of \textbackslash{}textbf\{c\}\_\$x\$" in line for line in body)

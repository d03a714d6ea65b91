"""`sociolect index`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from sociolect.harness.commands.index import index
from sociolect.harness.leaderboard.models import models_of
from sociolect.harness.store.index import read_store

Write = Callable[..., Path]


def run(*arguments: object) -> Result:
    app = typer.Typer()
    app.command()(index)
    return CliRunner().invoke(app, [*map(str, arguments), "--no-progress"])


@pytest.fixture
def out(write_run: Write, tmp_path: Path) -> Path:
    write_run(pairs=2)
    write_run(pairs=2, condition="l2-10", drop=1, effective=8)
    bad = write_run(pairs=2, condition="l2-20", form="reason")
    bad.write_text("{", "utf-8")
    bad.with_name("samples_arc_easy_2026-03-04T05-06-07.1.jsonl").write_text('{"doc": {"a": 1}}')
    (tmp_path / "out/notes.txt").write_text("")
    return tmp_path / "out"


def test_what_is_there(out: Path) -> None:
    result = run(out)
    assert result.exit_code == 0
    lines = [line.split() for line in result.output.splitlines()]
    # Model, benchmark, axis, form, conditions, runs, of them not whole, prompts: 8 and 7.
    assert ["org/tiny", "winobias", "gender", "direct", "2", "2", "1", "15"] in lines
    assert "2 runs; 4 files read in" in result.output
    assert "passed over: arc_easy (1)" in result.output
    assert "1 file that is no output" in result.output
    assert "line 1: not JSON" in result.output
    assert "; 0 files read" in run(out).output


def test_the_same_as_json(out: Path, tmp_path: Path) -> None:
    result = run(out, "--format", "json", "--index", tmp_path / "index", "--processes", 1)
    found = json.loads(result.stdout)
    assert (found["runs"], found["read"], found["ignored"]) == (2, 4, 1)
    assert found["foreign"] == {"arc_easy": 1}
    (held,) = found["held"]
    assert (held["model"], held["conditions"], held["not_whole"], held["prompts"]) == (
        "org/tiny",
        2,
        1,
        15,
    )
    (problem,) = found["problems"]
    assert problem["path"].startswith("org__tiny/samples_winobias_l2_20_")
    assert found["index"] == str(tmp_path / "index")


def test_no_run_at_all(tmp_path: Path) -> None:
    assert run(tmp_path).exit_code == 1


def test_names_do_not_steer_the_terminal(write_run: Write, tmp_path: Path) -> None:
    write_run(tmp_path / "a\x1b[31m", pairs=2, config={"model_args": {"pretrained": "\x1b[1mx"}})
    (tmp_path / "a\x1b[31m/samples_x_2026-01-01T00-00-00.1.jsonl").write_bytes(b"\xff\n")
    assert "\x1b" not in run(tmp_path).output


def test_models_are_told_apart_as_on_the_leaderboard(write_run: Write, tmp_path: Path) -> None:
    base, long = {"pretrained": "/models/tiny"}, "org/" + "x" * 300 + "-end"
    for folder, given in (
        ("a", base),
        ("b", {**base, "peft": "/adapters/fair"}),
        ("c", {**base, "max_length": 9}),
        ("d", {"pretrained": " "}),
        ("e", {"pretrained": long}),
    ):
        write_run(folder=folder, pairs=2, config={"model_args": given})
    found = json.loads(run(tmp_path / "out", "--format", "json").stdout)["held"]
    named = {one["model"] for one in found}
    assert named == {
        "(no name)",
        "tiny (max_length 9)",
        "tiny (max_length none)",
        "tiny + adapter fair",
        long,
    }
    models, _ = models_of(read_store(tmp_path / "out", progress=False).runs)
    assert named == {one.label for one in models.values()}
    text = run(tmp_path / "out").output
    assert "(no name)" in text
    assert f"org/{'x' * 45}…{'x' * 26}-end " in text
    assert "x" * 60 not in text

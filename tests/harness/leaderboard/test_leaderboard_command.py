"""`sociolect leaderboard`: what it writes, prints and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from sociolect.generators.errors import InvalidInputError, ResultsError, UnknownNameError
from sociolect.harness.commands.leaderboard import leaderboard
from sociolect.harness.leaderboard import site

FEW = ["--permutations", "50", "--rank-resamples", "50", "--processes", "1"]


def call(*arguments: str | Path) -> Result:
    app = typer.Typer()
    app.command()(leaderboard)
    return CliRunner().invoke(app, [str(one) for one in arguments] + FEW)


@pytest.fixture
def results(write_run: Callable[..., Path], tmp_path: Path) -> Path:
    for condition in ("clean", "l2-10"):
        write_run(condition=condition, pairs=6)
    return tmp_path / "out"


def test_a_table_is_printed(results: Path) -> None:
    found = call(results)
    assert found.exit_code == 0, found.output
    assert "tiny" in found.stdout


@pytest.mark.parametrize(("name", "beginning"), [("json", "{"), ("tex", r"\begin"), ("md", "")])
def test_other_formats_are_printed(name: str, beginning: str, results: Path) -> None:
    found = call(results, "--format", name)
    assert found.exit_code == 0, found.output
    assert beginning in found.stdout
    if name == "json":
        assert json.loads(found.stdout)["schema"] == "sociolect.leaderboard"


def test_a_page_is_written_and_a_text_is_printed_only_if_asked(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import plotly.offline

    monkeypatch.setattr(plotly.offline, "get_plotlyjs", lambda: "/* plotly */")
    (results / "samples_broken_2026-03-04T05-06-07.123456.jsonl").write_text("{")
    found = call(results, "--out", tmp_path / "site", "--items", "2", "--title", "Ours & yours")
    assert found.exit_code == 0, found.output
    assert found.stdout == ""
    assert "wrote" in found.stderr
    assert "left out: samples_broken" in found.stderr
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "<title>Ours &amp; yours</title>" in page
    assert list((tmp_path / "site" / "data" / "items").glob("*/1.js"))
    assert list((tmp_path / "site" / "data" / "figures").glob("*.js"))
    again = call(results, "--out", tmp_path / "site", "--items", "0", "--format", "csv")
    assert again.exit_code == 0, again.output
    assert "l2-10" in again.stdout


def test_a_folder_without_runs_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = call(tmp_path / "empty")
    assert isinstance(found.exception, ResultsError)
    assert "no run that can be shown" in str(found.exception)


def test_what_cannot_be_written_is_said_before_anything_is_read(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(call(results, "--format", "docx").exception, UnknownNameError)
    assert isinstance(call(results, "--out", results).exception, InvalidInputError)
    monkeypatch.setattr(site, "find_spec", lambda name: None)
    found = call(results, "--out", results.parent / "site")
    assert "plotly" in str(found.exception)
    assert not (results / ".sociolect-index").exists()

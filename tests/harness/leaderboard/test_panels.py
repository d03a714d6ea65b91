"""Tables of judges and of the dialect audit in the leaderboard."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from sociolect.harness import cli
from sociolect.harness.compare import Method
from sociolect.harness.leaderboard.board import Panel
from sociolect.harness.leaderboard.panels import panels_of
from sociolect.harness.store.index import read_store

from ..dialect.dialect_runs import COMBINATIONS, Writer, pairs  # noqa: TID252 (its package has no name)
from ..judging.conftest import write_verdicts as write_verdicts  # noqa: TID252 (its package has no name)

Write = Callable[..., Path]
CLEAN, TYPO, COMBINED = "NNNNAABBNNAB?ANB" * 3, "ANBNABBNNNAB?ANB" * 3, "ABBNABBANNNB?A?B" * 3
N = 40


def printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object
) -> str:
    """What a command prints."""
    monkeypatch.setattr(sys, "argv", ["sociolect", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert not stop.value.code
    return capsys.readouterr().out


def cells(line: str) -> list[str]:
    """Of a line of a pipe table, without the escapes of Markdown."""
    plain = re.sub(r"\\(.)", r"\1", line.replace(r"\|", "¦").replace("**", ""))
    return [
        cell.strip().replace("¦", "|")
        for cell in plain.removeprefix("| ").removesuffix(" |").split(" | ")
    ]


def tables(markdown: str) -> dict[str, list[list[str]]]:
    """Tables by title, heads first."""
    found: dict[str, list[list[str]]] = {}
    title = ""
    for line in markdown.splitlines():
        if line.startswith("**"):
            title = cells(line)[0]
            found[title] = []
        elif line.startswith("| ") and not set(line) <= set("|-: "):
            found[title].append(cells(line))
    return found


def as_table(panel: Panel) -> list[list[str]]:
    return [list(panel.columns), *map(list, panel.rows)]


def judge(write: Write, name: str, conditions: Sequence[tuple[str, str]], **options: object) -> str:
    config = {"model_args": {"pretrained": name, "dtype": "float32"}}
    for condition, verdicts in conditions:
        write(condition, verdicts, questions=4, folder=name, config=config, **options)
    return name


def test_flips_are_what_the_command_prints(
    write_verdicts: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    both = [("clean", CLEAN), ("typo-30", TYPO), ("combined-30", COMBINED)]
    judge(write_verdicts, "first", both)
    judge(write_verdicts, "second", [("clean", TYPO), ("typo-30", CLEAN)])
    store = read_store(tmp_path / "out", index=tmp_path / "index", progress=False)
    panels, notes = panels_of(store, Method())
    assert notes == []
    assert [panel.id for panel in panels] == ["flips1", "flips2", "flips3", "flips4"]
    shown = tables(printed(monkeypatch, capsys, "flips", tmp_path / "out", "--format", "md"))
    for panel in panels:
        assert as_table(panel) == shown[panel.title]
    assert [row[0] for row in panels[0].rows] == ["typo-30", "combined-30"]
    ids = {run.id: run for run in store.runs}
    assert [len(panel.runs) for panel in panels] == [3, 3, 2, 2]
    assert {ids[run].files.samples.parent.name for run in panels[2].runs} == {"second"}
    assert any("resamples" in note for note in panels[1].notes)


def test_numbers_with_a_star_are_bold(write_verdicts: Write, tmp_path: Path) -> None:
    judge(write_verdicts, "first", [("clean", "N" * 12), ("typo-30", "A" * 12)])
    store = read_store(tmp_path / "out", index=tmp_path / "index", progress=False)
    (panel, _), _ = panels_of(store, Method())
    starred = {
        (i, j) for i, row in enumerate(panel.rows) for j, cell in enumerate(row) if "*" in cell
    }
    assert set(panel.bold) == starred
    assert "p of parity" in {panel.columns[j] for _, j in panel.bold}
    assert not set(panels_of(store, Method(alpha=1e-6))[0][0].bold)


def test_what_cannot_be_analysed_is_a_note(write_verdicts: Write, tmp_path: Path) -> None:
    judge(write_verdicts, "first", [("clean", CLEAN), ("typo-30", TYPO)])
    judge(write_verdicts, "alone", [("clean", CLEAN)])
    judge(write_verdicts, "often", [("clean", CLEAN), ("typo-30", TYPO)], repeats=2)
    judge(write_verdicts, "other", [("clean", CLEAN)])
    judge(
        write_verdicts,
        "other",
        [("typo-30", TYPO)],
        time="2026-03-05T00-00-00.1",
        top={"chat_template": "x"},
    )
    store = read_store(tmp_path / "out", index=tmp_path / "index", progress=False)
    panels, notes = panels_of(store, Method())
    ids = {run.id: run for run in store.runs}
    assert {ids[i].files.samples.parent.name for p in panels for i in p.runs} == {"first"}
    assert any("no errored run to compare with" in note for note in notes)
    assert any("chat" in note for note in notes)


def dialect(root: Path, seed: int, **run: object) -> None:
    """Two tasks of one system."""
    rng = np.random.default_rng(seed)
    write = Writer(root, pairs(N))
    write.sentiment({v: rng.integers(0, 3, N).tolist() for v in ("aae", "sae", "back")}, **run)
    log_p = {c: rng.normal(-20, 2, N).tolist() for c in COMBINATIONS}
    write.continuation(log_p, {c: rng.integers(4, 8, N).tolist() for c in COMBINATIONS}, **run)


def systems(root: Path) -> None:
    """Two models, one of them also prompted and steered."""
    second = {"folder": "org__other", "arguments": {"pretrained": "org/other"}}
    steered = {"steering": "v.safetensors", "beta": "0.5"}
    dialect(root, 1)
    dialect(root, 2, prompted=True)
    dialect(root, 3, arguments=steered, time="2026-03-05T05-06-07.1")
    dialect(root, 4, **second)


def test_the_audit_is_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    systems(tmp_path / "out")
    store = read_store(tmp_path / "out", index=tmp_path / "index", progress=False)
    panels, notes = panels_of(store, Method())
    assert notes == []
    shown = tables(
        printed(monkeypatch, capsys, "dialect", "report", tmp_path / "out", "--format", "md")
    )
    assert {panel.title: as_table(panel) for panel in panels} == shown
    assert [panel.id for panel in panels] == [f"dialect{n + 1}" for n in range(len(panels))]
    assert any("LP" in note for note in panels[-1].notes)
    assert set(panels[0].runs) == {run.id for run in store.runs}


def test_a_model_that_fails_leaves_the_audit_of_another(tmp_path: Path) -> None:
    systems(tmp_path / "out")
    dialect(tmp_path / "out", 5, time="2026-03-06T05-06-07.1", top={"system_instruction": "x"})
    store = read_store(tmp_path / "out", index=tmp_path / "index", progress=False)
    panels, notes = panels_of(store, Method())
    ids = {run.id: run for run in store.runs}
    assert {ids[i].files.samples.parent.name for p in panels for i in p.runs} == {"org__other"}
    assert any("system_instruction" in note for note in notes)


def test_a_store_without_such_runs_has_no_panels(write_run: Write, tmp_path: Path) -> None:
    write_run()
    write_run(condition="l2-30")
    store = read_store(tmp_path / "out", index=tmp_path / "index", progress=False)
    shutil.rmtree(tmp_path / "out")  # no samples file is read
    assert panels_of(store, Method()) == ([], [])

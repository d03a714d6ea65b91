from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from sociolect.harness import demo_report
from sociolect.harness.results import Run
from sociolect.tasks.metrics import AnswerRecord

CLEAN = "The pilot spoke to the florist."


def edit(kind: str, operation: str = "deletion") -> dict[str, Any]:
    at = {"det": (0, 4), "prep": (16, 19), "verb": (10, 15), "spell": (23, 30)}[kind]
    original = CLEAN[slice(*at)]
    return {
        "part": "input", "start": at[0], "end": at[1], "original": original,
        "replacement": "" if operation == "deletion" else "xx",
        "type": kind, "operation": operation, "subtype": "",
    }  # fmt: skip


def row(number: int, *edits: dict[str, Any], member: str = "pro") -> dict[str, Any]:
    return {
        "id": f"mini/{number}/{member}", "pair_id": f"mini/{number}", "input": CLEAN,
        "question": 'Who does "she" refer to?', "options": ["pilot", "florist"], "gold": 1,
        "edits": list(edits), "error_rate": 0.25,
    }  # fmt: skip


def run_with(**choices: int) -> Run:
    records = [
        AnswerRecord(f"mini/{n[1:]}/pro", f"mini/{n[1:]}", "pro", 0, True, 1, 0, (choice,))
        for n, choice in choices.items()
    ]
    return cast(Run, SimpleNamespace(records=records))


def printed(content: object) -> str:
    console = Console(file=io.StringIO(), width=200, highlight=False)
    console.print(content)
    return cast(io.StringIO, console.file).getvalue()


def test_the_chosen_rows_show_many_kinds_of_errors() -> None:
    rows = [
        row(1, edit("det")),
        row(2, edit("det"), edit("prep")),
        row(2, edit("det"), edit("prep"), edit("verb"), member="anti"),
        row(3, edit("spell")),
        row(4, edit("det")),
    ]
    chosen = [r["id"] for r in demo_report.choose(rows)]
    assert chosen == ["mini/2/anti", "mini/3/pro", "mini/1/pro"]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_rows_than_wanted_are_all_shown(count: int) -> None:
    rows = [row(n, edit("det")) for n in range(count)]
    assert demo_report.choose(rows) == rows


def test_an_example_shows_errors_and_both_answers() -> None:
    rows = [row(1, edit("det"), edit("prep", "replacement")), row(2, edit("det"))]
    plain = [{**r, "edits": []} for r in rows]
    (shown,) = demo_report.examples(plain, rows, run_with(n1=1), run_with(n1=0))
    text = printed(shown)
    assert "mini/1/pro: 1 determiner, 1 preposition (25% of the words)" in text
    assert "[-The-] pilot spoke [-to-]{+xx+} the florist." in text
    assert 'Who does "she" refer to? Clean: florist (right); with errors: pilot (wrong)' in text


def test_an_unanswered_item_is_neither_right_nor_wrong() -> None:
    rows = [row(1, edit("det"))]
    (shown,) = demo_report.examples(rows, rows, run_with(n1=-1), run_with(n1=1))
    assert "Clean: no answer; with errors: florist (right)" in printed(shown)


def test_a_program_is_named_so_that_it_can_be_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binaries = tmp_path / ".venv" / "bin"
    binaries.mkdir(parents=True)
    for name in ("python", "sociolect"):
        (binaries / name).write_text("#!/bin/sh\n")
        (binaries / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(binaries / "python"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/usr/bin")
    assert demo_report.program("sociolect") == ".venv/bin/sociolect"
    monkeypatch.chdir("/")
    assert demo_report.program("sociolect").endswith(".venv/bin/sociolect")
    monkeypatch.setenv("PATH", str(binaries))
    assert demo_report.program("sociolect") == "sociolect"
    assert demo_report.program("lm_eval") == "lm_eval"

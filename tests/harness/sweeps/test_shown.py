from __future__ import annotations

import re
from pathlib import Path

from rich.console import Console

from sociolect.harness.sweeps.child import Job, Outcome
from sociolect.harness.sweeps.estimate import Estimate
from sociolect.harness.sweeps.plan_text import text_of
from sociolect.harness.sweeps.planning import Plan
from sociolect.harness.sweeps.shown import Board, Lines, drawn

FACTS = {
    "documents": {"winobias_clean_ll": 10},
    "seconds": 7200.0,
    "prompts": 20,
    "prompts_of_attempt": 20,
    "answering_seconds": 7000.0,
    "other_seconds": 200.0,
}


def job(name: str, task: str = "winobias_clean_ll") -> Job:
    asked = {"model": "hf", "model_args": {}, "arguments": {}, "tasks": [task]}
    return Job(name, Path("out"), (), asked)


def boarded() -> tuple[Board, list[Job]]:
    jobs = [job("a/1"), job("a/2"), job("a/3", "winobias_l2_5"), job("b/\x1b[31m")]
    return Board(jobs, ["a/0"], Estimate()), jobs


def test_states_are_counted_and_what_was_not_measured_is_told():
    board, jobs = boarded()
    assert board.counts() == "1 skipped · 4 waiting"
    assert board.left() == ""  # no figure from nothing
    board.started(jobs[0])
    board.ended(jobs[0], Outcome("finished", facts=FACTS), again=False)
    board.started(jobs[1])
    assert board.counts() == "1 finished · 1 skipped · 1 running · 2 waiting"
    # a/2 and b take two hours each, less what a/2 ran; a/3 is of another form.
    assert re.fullmatch(r"about (4:00:00|3:59:59) for 2 cells, 1 not measured yet", board.left())
    assert re.fullmatch(r"about (2:00:00|1:59:59) for 1 cell, 1 not measured yet", board.left("a/"))
    assert board.left("b/") == "about 2:00:00 for 1 cell"
    board.ended(jobs[1], Outcome("failed", "exit code 1"), again=True)
    assert board.states["a/2"] == "waiting"
    board.ended(jobs[1], Outcome("failed", "exit code 1"), again=False)
    assert board.states["a/2"] == "failed"


def test_lines_say_what_happens_without_steering_the_terminal(capsys):
    board, jobs = boarded()
    lines = Lines(board)
    lines.started(jobs[3])
    lines.ended(jobs[3], Outcome("failed", "exit\x07 code 1"), again=True)
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "failed after 0:00:00 (exit\ufffd code 1), tried again · 1 skipped · 4 waiting" in said


def test_the_table_has_a_row_a_model_and_the_cells_that_run():
    board, jobs = boarded()
    board.states["[red]c/1"] = "failed"
    board.started(jobs[0])
    board.estimate.learn(jobs[0].asked, FACTS)
    console = Console(width=160, record=True, file=Path("/dev/null").open("w"))  # noqa: SIM115
    console.print(drawn(board))
    text = console.export_text()
    rows = [[cell.strip() for cell in line.split("│")] for line in text.splitlines()]
    a, b, c = (row[1:-1] for row in rows if row[1:] and row[1] != "model")
    assert a[:-1] == ["a", "", "1", "1", "2", ""]
    assert re.fullmatch(r"about (4:00:00|3:59:59) for 2 cells, 1 not measured yet", a[-1])
    assert b[-1] == "about 2:00:00 for 1 cell"
    assert c == ["[red]c", "", "", "", "", "1", ""]  # no markup
    assert "  a/1  0:00:00" in text
    assert "\x1b" not in text


def test_a_plan_says_what_prompts_are():
    (said,) = (line for line in text_of(Plan((), (), ())).splitlines() if "prompts: " in line)
    assert "one a document (an item in one option order)" in said
    assert "where options are scored, one an option" in said

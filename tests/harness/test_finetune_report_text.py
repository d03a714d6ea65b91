"""The report as tables for a terminal, in Markdown and in LaTeX."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sociolect.harness.finetune_report import Report
from sociolect.harness.finetune_report_models import ROLES
from sociolect.harness.finetune_report_text import (
    notes,
    render_markdown,
    render_tex,
    render_text,
)

from .finetune_runs import Study, Write, counted, wrong


@pytest.fixture
def study(write_run: Write, tmp_path: Path) -> Study:
    return Study(write_run, tmp_path)


@pytest.fixture
def marked(study: Study) -> Report:
    """At 30 % FT errors differs from FT clean alone on WinoBias, from Base alone on BBQ."""
    errored = {"base": 3, "ft_clean": 15, "ft_errors": 3}
    study.runs({r: (wrong(0), wrong(n)) for r, n in errored.items()}, pairs=20)
    errored |= {"base": 15, "ft_clean": 3}
    study.runs(
        {r: (wrong(0), wrong(n)) for r, n in errored.items()}, pairs=20, benchmark="bbq_gender"
    )
    study.run("base", "clean", benchmark="mmlu")
    return study.report()


def lines(text: str, start: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.strip().startswith(start)]


def test_terminal(marked: Report) -> None:
    text = render_text(marked)
    head = next(line for line in text.splitlines() if line.strip().startswith("model"))
    assert head.split("  ")[-1].strip() == "Δ"
    assert "winobias: clean" in head
    assert "bbq_gender: clean" in head
    found = lines(text, "FT errors")[0]
    assert found == ["FT", "errors", "0.00", "15.00*", "+15.00*", "100.00", "70.00†", "-30.00†"]
    assert lines(text, "Base")[0] == [
        *("Base", "0.00", "15.00", "+15.00"),
        *("100.00", "-50.00", "-150.00"),
    ]


def test_the_tests_behind_the_marks(marked: Report) -> None:
    text = render_text(marked)
    rows = [row for row in lines(text, "winobias ") if row[1:3] == ["Δ", "FT"]]
    row = rows[0]
    assert row[:7] == ["winobias", "Δ", "FT", "clean", "+75.00", "+15.00", "-60.00"]
    assert "FT errors against the others · bias · clean and l2-30 · direct" in text
    assert "each model, errored against clean · accuracy · clean and l2-30 · direct" in text
    assert "p (Holm)" in text


def test_markdown(marked: Report) -> None:
    text = render_markdown(marked)
    row = next(line for line in text.splitlines() if line.startswith("| FT errors"))
    assert row == ("| FT errors | 0.00 | **15.00** | **+15.00** | 100.00 | 70.00 † | -30.00 † |")


def test_latex_names_the_benchmarks_above_their_columns(marked: Report) -> None:
    text = render_tex(marked)
    wanted = [
        r"\begin{tabular}{lrrrrrr}",
        r"\toprule",
        r"& \multicolumn{3}{c}{winobias} & \multicolumn{3}{c}{bbq\_gender} \\",
        r"\cmidrule(lr){2-4} \cmidrule(lr){5-7}",
        r"model & clean & 30 \% & $\Delta$ & clean & 30 \% & $\Delta$ \\",
        r"\midrule",
    ]
    assert "\n".join(wanted) in text
    row = next(line for line in text.splitlines() if line.startswith("FT errors &"))
    assert row == (
        r"FT errors & 0.00 & \textbf{15.00} & \textbf{+15.00} & 100.00 & 70.00$^{\dagger}$ & "
        r"$-$30.00$^{\dagger}$ \\"
    )
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 6


def test_many_benchmarks_make_several_tables(study: Study) -> None:
    benchmarks = ["winobias", "bbq_gender", "bbq_race", "bbq_religion", "degen_gender"]
    for benchmark in benchmarks:
        study.runs(counted(), pairs=4, benchmark=benchmark)
    heads = [line for line in render_markdown(study.report()).splitlines() if "| model |" in line]
    assert [line.count("Δ") for line in heads[:3]] == [4, 1, 2]


def test_notes_say_what_is_missing_and_what_was_compared(marked: Report) -> None:
    found = "\n".join(notes(marked, plain=True))
    for part in (
        "Base: org/tiny",
        "FT clean: clean",
        "Not checked: that FT clean and FT errors were trained",
        "Missing, so not in the tables: mmlu · direct: Base has no l2-30 run, FT clean has no cl",
        "*: p < 0.05 against FT clean; †: p < 0.05 against Base",
        "Holm over the 6 tests",
        "999 permutations",
        "winobias (gender) · direct: data 1.0.0",
    ):
        assert part in found
    assert "mmlu" not in "".join(render_text(marked).split("Missing")[0])


def test_doubtful_numbers_are_marked(study: Study) -> None:
    answers = counted() | {"base": (wrong(0), lambda p, m, o, k: -1 if k < 2 else 0)}
    study.runs(answers, pairs=20, benchmark="bbq_gender")
    text = render_text(study.report())
    base = lines(text, "Base")[0]
    assert base == ["Base", "100.00", "100.00", "+0.00!"]
    assert "0.0 → 40.0 !" in text


def test_nothing_answered_is_a_dash(study: Study) -> None:
    answers = counted() | {"ft_errors": (wrong(0), lambda p, m, o, k: -1)}
    study.runs(answers, pairs=4, benchmark="degen_gender")
    report = study.report()
    text = render_text(report)
    assert lines(text, "FT errors")[0] == ["FT", "errors", "100.00", "–", "–"]
    assert "increase to l2-30, FT errors against Base, bias: no usable item" in text
    for shown in (text, render_tex(report), render_markdown(report)):
        assert "nan" not in re.findall(r"\w+", shown.lower())
    assert set(report.models) == set(ROLES)

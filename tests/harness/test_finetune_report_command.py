"""`sociolect finetune report` from the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sociolect.generators.errors import InvalidInputError, ResultsError, UnknownNameError
from sociolect.harness.commands.finetune_report import report_command
from sociolect.harness.finetune_report_models import ROLES

from .finetune_runs import BASE, Study, Write, counted, wrong

FAST = ("--permutations", "99")


@pytest.fixture
def study(write_run: Write, tmp_path: Path) -> Study:
    written = Study(write_run, tmp_path)
    written.runs(counted(), pairs=8)
    written.runs(counted(), pairs=8, benchmark="mmlu")
    return written


def call(*arguments: object, fails: type[Exception] | None = None) -> tuple[str, str]:
    """Standard output, and the message of the error or standard error."""
    app = typer.Typer()
    app.command()(report_command)
    result = CliRunner().invoke(app, [str(argument) for argument in (*arguments, *FAST)])
    if fails is None:
        assert result.exception is None, result.exception
        return result.stdout, result.stderr
    assert isinstance(result.exception, fails), result.exception
    return result.stdout, str(result.exception)


def named(study: Study) -> list[object]:
    return [study.out, "--base", BASE, "--ft-clean", "clean", "--ft-errors", "errors"]


def by_path(study: Study) -> list[object]:
    options = ("--base", "--ft-clean", "--ft-errors")
    pairs = zip(options, ROLES, strict=True)
    return [part for option, role in pairs for part in (option, study.out / role)]


def test_models_by_path_and_by_name_give_the_same(study: Study) -> None:
    text, _ = call(*by_path(study))
    assert text == call(*named(study))[0]
    assert "winobias: clean" in text
    assert "mmlu: clean" in text


def test_json_holds_everything(study: Study) -> None:
    for role in ROLES[1:]:
        study.record(role)
    document = json.loads(call(*named(study), "--format", "json", "--alpha", "0.1", "--seed", 5)[0])
    assert document["schema"] == "sociolect.finetune_report"
    assert document["condition"] == "l2-30"
    assert document["models"] == {"base": BASE, "ft_clean": "clean", "ft_errors": "errors"}
    assert document["training"]["checked"] is True
    method = document["method"]
    assert (method["alpha"], method["seed"], method["permutations"]) == (0.1, 5, 99)
    table = {(r["benchmark"], r["metric"], r["role"]): r for r in document["table"]}
    assert len(table) == 4 * 3
    # 8 pairs; FT errors is wrong on 2 anti-stereotypical sentences, then on 3.
    row = table["winobias", "bias", "ft_errors"]
    assert (row["clean"], row["errored"], row["increase"]) == (25, 37.5, 12.5)
    between = [row for row in document["tests"] if row["test"] == "between"]
    assert {(r["value"], r["role"], r["baseline_role"]) for r in between} == {
        (value, "ft_errors", other)
        for value in ("clean", "errored", "increase")
        for other in ("ft_clean", "base")
    }
    increase = next(r for r in between if (r["value"], r["baseline_role"]) == ("increase", "base"))
    assert (increase["clean"], increase["errored"], increase["delta"]) == (100, 12.5, -87.5)
    assert increase["of_changes"] is True
    assert len(document["inputs"]) == 2 * 6
    assert {entry["model_role"] for entry in document["inputs"]} == set(ROLES)
    assert all(len(entry["samples_sha256"]) == 64 for entry in document["inputs"])


def test_csv_has_a_line_a_test_and_says_the_rest_on_standard_error(study: Study) -> None:
    study.run("base", "clean", benchmark="bbq_race")
    text, said = call(*named(study), "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 4 * (6 + 3)
    assert {row["model"] for row in rows} == {"Base", "FT clean", "FT errors"}
    assert "Missing, so not in the tables: bbq_race (gender) · direct" in said


@pytest.mark.parametrize(
    ("name", "beginning"),
    [("r.md", "**bias"), ("r.tex", "% bias"), ("r.json", "{"), ("r.csv", "test,"), ("r", "bias")],
)
def test_format_follows_the_name_of_the_file(study: Study, name: str, beginning: str) -> None:
    out = study.root / name
    _, said = call(*named(study), "--out", out)
    assert out.read_text("utf-8").startswith(beginning)
    assert f"wrote {out}" in said


def test_no_run_is_overwritten(study: Study) -> None:
    results = next((study.out / "base").glob("results_*.json"))
    before = results.read_bytes()
    for arguments in (named(study), by_path(study)):
        call(*arguments, "--out", results, "--format", "json", fails=InvalidInputError)
    assert results.read_bytes() == before


def test_other_levels_and_names_that_do_not_exist(study: Study) -> None:
    for role, (clean, errored) in counted().items():
        study.run(role, "l2prep-10", answer=errored, pairs=8)
        assert clean(9, "pro", 0, 0) == 0
    text, _ = call(*named(study), "--level", 10, "--transform", "l2prep", "--form", "direct")
    assert "clean and l2prep-10" in text
    assert "mmlu · direct: Base has no l2prep-10 run" in text
    for wrong_option in (("--level", 31), ("--transform", "l3"), ("--form", "long")):
        call(*named(study), *wrong_option, fails=UnknownNameError)
    call(*named(study), "--format", "html", fails=UnknownNameError)
    call(*named(study), "--allow", "everything", fails=UnknownNameError)


def test_an_unusable_comparison_is_shown_and_fails(study: Study) -> None:
    answers = counted() | {"ft_errors": (wrong(0), lambda p, m, o, k: -1)}
    study.runs(answers, pairs=8)
    text, message = call(*named(study), fails=ResultsError)
    assert "no usable pair" in message
    assert "mmlu: clean" in text
    assert "–" in text


def test_without_models_it_says_what_to_give(study: Study) -> None:
    _, message = call(study.out, fails=InvalidInputError)
    assert message.startswith("no model for Base: give --base the paths of its runs, or its name")

"""`sociolect analyse` from the command line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.harness.commands.analyse import analyse


def call(*arguments: object) -> Result:
    return CliRunner().invoke(analyse, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.txt", "mmlu · direct"),
        ("a.md", "**mmlu"),
        ("a.csv", "benchmark,"),
        ("a.json", "{"),
        ("a.tex", "% mmlu"),
    ],
)
def test_accuracy_in_every_format(
    two_models: Path, tmp_path: Path, name: str, beginning: str
) -> None:
    done = call("accuracy", two_models, "--permutations", 99, "--out", tmp_path / name)
    assert done.exit_code == 0
    assert (tmp_path / name).read_text("utf-8").startswith(beginning)


def test_accuracy_of_chosen_conditions(two_models: Path) -> None:
    done = call("accuracy", two_models, "--conditions", "l2-5, l2-30", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {row["condition"] for row in rows} == {"l2-5", "l2-30"}
    assert {row["model"] for row in rows} == {"org/a", "org/b"}
    wrong = call("accuracy", two_models, "--conditions", "l2-31")
    assert isinstance(wrong.exception, UnknownNameError)


@pytest.mark.parametrize("output_format", ["table", "md", "tex", "csv", "json"])
def test_comprehension_in_every_format(two_models: Path, output_format: str) -> None:
    done = call("comprehension", two_models, "--level", 30, "--format", output_format)
    assert done.exit_code == 0
    assert "l2prep" in done.stdout
    said = done.stdout if output_format != "csv" else done.stderr
    assert "at least 3 points are needed" in " ".join(said.split())


def test_comprehension_without_a_point_is_an_empty_csv(write_run: Callable[..., Path]) -> None:
    write_run(form="reason")
    path = write_run(form="reason", condition="l2-30-instruction")
    done = call("comprehension", path.parent, "--format", "csv")
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 1
    assert call("comprehension", path.parent).exit_code == 0


def test_examples(two_models: Path) -> None:
    done = call("examples", two_models, "--limit", 1, "--conditions", "l2-30")
    assert done.exit_code == 0
    assert done.stdout.startswith("org/a · l2-30 · direct · winobias/type1/0004")
    assert "org/a: 16 found, 1 shown" in done.stderr
    done = call("examples", two_models, "--format", "json", "--min-margin", 10, "--model", "org/b")
    document = json.loads(done.stdout)
    assert {example["model"] for example in document["examples"]} == {"org/b"}
    assert document["remarks"] == ["org/b: 16 found, 5 shown"]


@pytest.mark.parametrize("command", ["accuracy", "comprehension", "examples"])
def test_no_run_is_written_over(two_models: Path, command: str) -> None:
    (run, *_) = sorted(two_models.glob("*/samples_*.jsonl"))
    before = run.read_bytes()
    done = call(command, two_models, "--out", run, "--format", "json")
    assert isinstance(done.exception, InvalidInputError)
    assert f"--out {run}: is one of the files that are read" in str(done.exception)
    assert run.read_bytes() == before

"""Sweeps of a tiny random model, by the command, here and on two workers of Ray."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tiny_models import tiny_llama
from typer.testing import CliRunner

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.cli import app
from sociolect.harness.sweeps.child import FAILED, LOG, MARKER

pytestmark = pytest.mark.slow

CLEAN, ERRORS = "occupations_mini_clean_ll", "occupations_mini_typo_30_ll"
SWEEP = f"""
out: results
models:
  - name: tiny
    model: sociolect-hf
    model_args: {{pretrained: model, dtype: float32}}
tasks: [{CLEAN}, {ERRORS}]
arguments: {{limit: 8, batch_size: 8, device: cpu}}
environment: {{SOCIOLECT_DATA: data}}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, data, and a file of a sweep."""
    folder = tmp_path_factory.mktemp("sweep")
    tiny_llama(folder / "model", max_position_embeddings=1024)
    build("occupations_mini", [Condition("typo", 30)], out=folder / "data" / "occupations_mini")
    (folder / "sweep.yaml").write_text(SWEEP)
    return folder


COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
from sociolect.harness.cli import main
main()
"""


def started(place: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", COMMAND, "sweep", "sweep.yaml", *options]
    return subprocess.Popen(
        command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def process_of(cell: Path) -> int:
    """The process that runs a cell, waited for until its log has begun."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for pid in (int(one.name) for one in Path("/proc").iterdir() if one.name.isdecimal()):
            if str(cell).encode() in command_line(pid):
                return pid
        time.sleep(0.05)
    raise AssertionError(f"{cell} was not started")


def command_line(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def held(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.fixture(scope="module")
def on_ray(place: Path) -> Path:
    """A sweep on two workers: one run killed, and one worker; then the same command again."""
    pytest.importorskip("ray")
    out = place / "results"
    process = started(place, "--ray", "auto", "--retries", "0")
    os.kill(process_of(out / "tiny" / CLEAN), signal.SIGKILL)
    os.kill(parent_of(process_of(out / "tiny" / ERRORS)), signal.SIGKILL)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 1, said
    assert "0 cells finished, 0 were finished before, 2 failed" in said
    assert held(out / "tiny" / CLEAN / FAILED)["reason"].startswith("killed by SIGKILL")
    assert "the worker of Ray died" in held(out / "tiny" / ERRORS / FAILED)["reason"]
    process = started(place, "--ray", "auto")
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert "2 cells finished, 0 were finished before, 0 failed" in said
    return out


def test_a_cell_is_a_run_of_eval(place, on_ray):
    assert not list(on_ray.rglob(FAILED))
    assert [path.name for path in on_ray.iterdir()] == ["tiny"]
    for task in (CLEAN, ERRORS):
        cell = on_ray / "tiny" / task
        found = held(cell / MARKER)
        assert found["documents"] == {task: 8}
        assert (found["prompts"], found["prompts_of_attempt"]) == (16, 16)  # an option each
        assert found["answering_seconds"] < found["other_seconds"] < found["seconds"]
        assert found["asked"]["model_args"]["pretrained"] == str(place / "model")
        assert "model.safetensors" in found["model_files"]["pretrained"]
        (samples,) = cell.rglob("samples_*.jsonl")
        assert len(samples.read_bytes().splitlines()) == 8
        assert task in (cell / LOG).read_text()


def dry_run(place: Path, *options: str) -> list[str]:
    """The line of the model."""
    done = CliRunner().invoke(app, ["sweep", str(place / "sweep.yaml"), "--dry-run", *options])
    assert done.exit_code == 0, done.output
    (line,) = (line.split() for line in done.output.splitlines() if line.startswith("tiny "))
    return line


def test_a_dry_run_counts_and_takes_hours_from_finished_cells(place, on_ray):
    line = dry_run(place)
    assert line[:5] == ["tiny", "2", "2", "32", "0"]  # cells, finished, prompts, left
    assert int(line[5].replace(",", "")) > 32
    assert line[6:] == ["0", "0.00"]
    (on_ray / "tiny" / ERRORS / MARKER).rename(place / "kept.json")
    try:
        half = dry_run(place)
    finally:
        (place / "kept.json").rename(on_ray / "tiny" / ERRORS / MARKER)
    assert (half[:5], half[-1]) == (["tiny", "2", "1", "32", "0"], "0.00")  # answers are kept
    elsewhere = dry_run(place, "--out", str(place / "elsewhere"), "--only", f"*/{ERRORS}")
    assert (elsewhere[1:5], elsewhere[-1]) == (["1", "0", "16", "16"], "unknown")
    assert not (place / "elsewhere").exists()


def test_a_dry_run_says_what_cells_would_fail_on(place):
    (place / "wrong.yaml").write_text(SWEEP.replace("dtype: float32", "dtpe: float32"))
    asked = ["sweep", str(place / "wrong.yaml"), "--dry-run", "--out", str(place / "wrong")]
    done = CliRunner().invoke(app, asked)
    assert isinstance(done.exception, InvalidInputError)
    assert str(done.exception).count("tiny: --model_args: sociolect-hf knows no dtpe") == 1


def test_an_interrupted_sweep_stops_its_run_and_has_not_failed(place):
    process = started(place, "--out", "stopped")
    run = process_of(place / "stopped" / "tiny" / CLEAN)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "The same command goes on from there" in said
    assert not command_line(run)
    assert not list((place / "stopped").rglob("*.json"))

"""Sweeps of a tiny random model, by the command, here and on two workers of Ray."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_models import tiny_llama

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.harness.sweeps.child import FAILED, LOG, MARKER

pytestmark = pytest.mark.slow

CLEAN, ERRORS = "occupations_mini_clean_ll", "occupations_mini_l2_20_ll"
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
    build("occupations_mini", [Condition("l2", 20)], out=folder / "data" / "occupations_mini")
    (folder / "sweep.yaml").write_text(SWEEP)
    return folder


def started(place: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sociolect.harness.cli", "sweep", "sweep.yaml", *options]
    return subprocess.Popen(
        command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def swept(place: Path, *options: str) -> tuple[int, str]:
    process = started(place, *options)
    said, _ = process.communicate(timeout=120)
    return process.returncode, said


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


def samples(cell: Path) -> bytes:
    (path,) = cell.rglob("samples_*.jsonl")
    return path.read_bytes()


def held(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.fixture(scope="module")
def alone(place: Path) -> Iterator[Path]:
    """A sweep of two cells one after the other, stopped in the first one and gone on with."""
    out = place / "alone"
    process = started(place, "--out", "alone")
    process_of(out / "tiny" / CLEAN)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "The same command goes on from there" in said
    assert not list(out.rglob(MARKER))
    assert not list(out.rglob(FAILED))
    code, said = swept(place, "--out", "alone")
    assert code == 0, said
    assert "2 cells finished, 0 were finished before, 0 failed" in said
    return out


def test_a_cell_is_a_run_of_eval(place, alone):
    for task in (CLEAN, ERRORS):
        cell = alone / "tiny" / task
        found = held(cell / MARKER)
        assert found["documents"] == {task: 8}
        assert (found["prompts"], found["prompts_of_attempt"]) == (16, 16)  # an option each
        assert found["answering_seconds"] < found["other_seconds"] < found["seconds"]
        assert found["asked"]["model_args"]["pretrained"] == str(place / "model")
        assert "model.safetensors" in found["model_files"]["pretrained"]
        assert len(samples(cell).splitlines()) == 8
        assert task in (cell / LOG).read_text()


def test_a_dry_run_counts_and_takes_hours_from_finished_cells(place, alone):
    code, said = swept(place, "--out", "alone", "--dry-run")
    assert code == 0, said
    (line,) = (line.split() for line in said.splitlines() if line.startswith("tiny "))
    assert line[:5] == ["tiny", "2", "2", "32", "0"]  # cells, finished, prompts, left
    assert int(line[5].replace(",", "")) > 32
    assert line[6:] == ["0", "0.00"]
    code, said = swept(place, "--out", "elsewhere", "--dry-run", "--only", f"*/{ERRORS}")
    (line,) = (line.split() for line in said.splitlines() if line.startswith("tiny "))
    assert (line[1:5], line[-1]) == (["1", "0", "16", "16"], "unknown")
    assert not (place / "elsewhere").exists()


def test_cells_on_ray_that_were_killed_are_run_again(place, alone):
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
    code, said = swept(place, "--ray", "auto")
    assert code == 0, said
    assert "2 cells finished, 0 were finished before, 0 failed" in said
    assert not list(out.rglob(FAILED))
    assert not list(out.glob(".seen-*"))
    for task in (CLEAN, ERRORS):
        assert samples(out / "tiny" / task) == samples(alone / "tiny" / task)

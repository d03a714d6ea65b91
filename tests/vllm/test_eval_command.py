"""`sociolect eval` with the real engine, in processes of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.vllm

TASK = "occupations_mini_clean_direct"


def evaluate(
    data: Path, folder: Path, out: Path, *more: str, model: str = "sociolect-vllm", code: int = 0
) -> str:
    arguments = f"pretrained={folder},dtype=float32,enforce_eager=True,max_model_len=1024"
    command = [
        *(sys.executable, "-m", "sociolect.harness.cli", "eval", "--model", model),
        *("--model_args", ",".join([arguments, *more]), "--batch_size", "auto"),
        *("--tasks", TASK, "--limit", "4", "--output_path", str(out), "--log_samples"),
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "SOCIOLECT_DATA": str(data)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == code, output
    return output


def test_a_finished_command_reads_its_answers(
    data: Path, small_model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    evaluate(data, small_model, out)
    (chunk,) = out.glob("*/answers/*/*.jsonl")
    written = chunk.stat().st_mtime_ns
    output = evaluate(data, small_model, out)
    assert "1 of 1 chunks are finished" in output
    assert chunk.stat().st_mtime_ns == written
    assert len(list(out.iterdir())) == 1
    first, second = sorted(out.glob("*/samples_*.jsonl"))
    assert len(first.read_text().splitlines()) == 4
    assert first.read_bytes() == second.read_bytes()


def test_too_little_memory_is_one_message(data: Path, small_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    output = evaluate(data, small_model, out, "num_gpu_blocks_override=1", model="vllm", code=1)
    message = output[output.rindex("sociolect: error:") :]
    assert "too little memory" in message
    assert "gpu_memory_utilization" in message
    assert "Traceback" not in message
    assert list(out.glob("traceback_*.txt"))

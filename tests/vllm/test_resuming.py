"""Runs that are killed, runs at the same time, and runs that cannot start: whole commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running_vllm import ENGINE, SHARE_OF_MEMORY, arguments_of, command, samples_of

pytestmark = [pytest.mark.vllm, pytest.mark.slow, pytest.mark.usefixtures("data")]

DIRECT = "occupations_mini_clean_direct"
CHUNKS = 4
PATIENCE = 300
Wrote = dict[str, tuple[int, int, bytes]]


def eval_command(model: Path, out: Path, answers: Path) -> list[str]:
    given = arguments_of(
        pretrained=model, answers=answers, chunk=2, **ENGINE, **SHARE_OF_MEMORY
    )  # fmt: skip
    return command(
        "sociolect", "eval", "--model", "sociolect-vllm", "--model_args", given,
        "--batch_size", "auto", "--tasks", DIRECT, "--limit", str(2 * CHUNKS),
        "--output_path", str(out), "--log_samples",
    )  # fmt: skip


def start(arguments: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as sink:
        return subprocess.Popen(
            arguments, stdout=sink, stderr=subprocess.STDOUT, start_new_session=True
        )


def finish(process: subprocess.Popen[bytes], log: Path) -> str:
    """What a process wrote, which must have ended well."""
    try:
        code = process.wait(PATIENCE)
    finally:
        stop(process)
    text = log.read_text("utf-8", "replace")
    assert code == 0, text
    return text


def stop(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL a process and its children, as a scheduler would."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def chunks_in(folder: Path) -> Wrote:
    """Finished chunks by name: inode, time of change, content."""
    return {
        path.name: (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*.jsonl")
    }


def wait_for_chunks(folder: Path, number: int, process: subprocess.Popen[bytes]) -> Wrote:
    for _ in range(PATIENCE * 20):
        if len(found := chunks_in(folder)) >= number:
            return found
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    raise AssertionError(f"not {number} chunks within {PATIENCE} seconds")


@pytest.fixture(scope="module")
def unbroken(
    small_model: Path, built_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[bytes, Wrote]:
    """Samples and chunks of a run that nothing disturbs."""
    folder = tmp_path_factory.mktemp("unbroken")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOCIOLECT_DATA", str(built_data))
        log = folder / "log"
        finish(start(eval_command(small_model, folder / "out", folder / "answers"), log), log)
    return samples_of(folder / "out", DIRECT), chunks_in(folder / "answers")


def test_a_killed_run_ends_as_one_that_was_not(
    small_model: Path, unbroken: tuple[bytes, Wrote], tmp_path: Path
) -> None:
    answers, log = tmp_path / "answers", tmp_path / "log"
    arguments = eval_command(small_model, tmp_path / "out", answers)
    killed = start(arguments, log)
    try:
        wait_for_chunks(answers, 1, killed)
    finally:
        stop(killed)
    kept = chunks_in(answers)
    assert 1 <= len(kept) < CHUNKS
    said = finish(start(arguments, log), log)
    assert f"{len(kept)} of {CHUNKS} chunks are finished" in said
    now = chunks_in(answers)
    assert len(now) == CHUNKS
    assert {name: now[name] for name in kept} == kept
    samples, chunks = unbroken
    assert samples_of(tmp_path / "out", DIRECT) == samples
    assert now.keys() == chunks.keys()
    assert not list(answers.rglob("*.part"))


def test_two_runs_at_once_share_the_chunks(
    small_model: Path, unbroken: tuple[bytes, Wrote], tmp_path: Path
) -> None:
    answers = tmp_path / "answers"
    logs = [tmp_path / f"log{number}" for number in (1, 2)]
    outs = [tmp_path / f"out{number}" for number in (1, 2)]
    runs = [
        start(eval_command(small_model, out, answers), log)
        for out, log in zip(outs, logs, strict=True)
    ]
    first: Wrote = {}
    try:
        while any(run.poll() is None for run in runs):
            first = chunks_in(answers) | first  # as it was when it was first seen
            time.sleep(0.05)
        for run, log in zip(runs, logs, strict=True):
            finish(run, log)
    finally:
        for run in runs:
            stop(run)
    assert chunks_in(answers) == first, "a chunk was written twice"
    samples, chunks = unbroken
    assert first.keys() == chunks.keys()
    assert [samples_of(out, DIRECT) for out in outs] == [samples, samples]


def failing(arguments: dict[str, Any], *more: str) -> tuple[int, str]:
    """Exit code and messages of a run that is refused."""
    given = command(
        "sociolect", "eval", "--model", "sociolect-vllm", "--model_args",
        arguments_of(**arguments, **ENGINE, **SHARE_OF_MEMORY), "--tasks", DIRECT, *more,
    )  # fmt: skip
    done = subprocess.run(given, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert "Traceback" not in done.stderr
    return done.returncode, " ".join(done.stderr.split())


@pytest.fixture
def adapter_of(tmp_path: Path) -> Callable[[int, int], Path]:
    """Writes an adapter of one layer with this rank, for a model of this width."""
    from safetensors.numpy import save_file

    def write(rank: int, width: int) -> Path:
        folder = tmp_path / f"adapter-{rank}-{width}"
        folder.mkdir()
        config = {"peft_type": "LORA", "r": rank, "lora_alpha": 2 * rank, "bias": "none"}
        text = json.dumps({**config, "base_model_name_or_path": "SmolLM2-135M-Instruct-float32"})
        (folder / "adapter_config.json").write_text(text, "utf-8")
        layer = "base_model.model.model.layers.0.self_attn.q_proj"
        weights = {
            f"{layer}.lora_A.weight": np.ones((rank, width), np.float32),
            f"{layer}.lora_B.weight": np.ones((width, rank), np.float32),
        }
        save_file(weights, folder / "adapter_model.safetensors")
        return folder

    return write


def test_an_adapter_of_another_model_is_refused(
    small_model: Path, adapter_of: Callable[[int, int], Path]
) -> None:
    adapter = adapter_of(8, 640)
    code, said = failing({"pretrained": small_model, "lora_local_path": adapter})
    assert code != 0
    assert "maps 640 to 640 values in the adapter, 576 to 576 in the model" in said
    assert str(adapter) in said


def test_a_rank_that_vllm_does_not_take_is_refused(
    small_model: Path, adapter_of: Callable[[int, int], Path]
) -> None:
    adapter = adapter_of(513, 576)
    code, said = failing({"pretrained": small_model, "lora_local_path": adapter})
    assert code != 0
    assert "rank 513; vLLM takes 512 at most" in said


def test_a_rank_above_the_limit_that_was_asked_for_is_refused(
    small_model: Path, adapter_of: Callable[[int, int], Path]
) -> None:
    arguments = {"pretrained": small_model, "lora_local_path": adapter_of(32, 576)}
    code, said = failing({**arguments, "max_lora_rank": 16})
    assert code != 0
    assert "max_lora_rank=16" in said
    assert "rank 32" in said


def test_a_folder_that_is_no_adapter_is_refused(small_model: Path, tmp_path: Path) -> None:
    code, said = failing({"pretrained": small_model, "lora_local_path": tmp_path})
    assert code != 0
    assert "adapter_config.json" in said


def test_a_chat_template_that_is_missing_is_told(small_model: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    for path in small_model.iterdir():
        if path.name != "chat_template.jinja":
            (model / path.name).symlink_to(path)
    config = json.loads((small_model / "tokenizer_config.json").read_text("utf-8"))
    config.pop("chat_template", None)
    (model / "tokenizer_config.json").unlink()
    (model / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    code, said = failing({"pretrained": model}, "--apply_chat_template")
    assert code != 0
    assert "has no chat template" in said

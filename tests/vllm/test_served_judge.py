"""`sociolect eval` asks a real vLLM server on the loopback device, and the model itself."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from running_vllm import BENCHMARK, samples_of

pytestmark = pytest.mark.vllm

NAME = "judge"
CLOZE, REASON = f"{BENCHMARK}_clean_ll", f"{BENCHMARK}_clean"
START_SECONDS = 240
CONTEXT = 1024


@dataclass(frozen=True)
class Serving:
    """A running server."""

    url: str
    model: Path
    process: subprocess.Popen[bytes]
    log: Path

    def said(self) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-6000:]


@contextmanager
def vllm_server(model: Path, folder: Path) -> Iterator[Serving]:
    """`vllm`'s OpenAI server with a model; it and all that it started end with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "server.log"
    command = [
        *(sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model)),
        *("--served-model-name", NAME, "--host", "127.0.0.1", "--port", str(port)),
        *("--dtype", "float32", "--max-model-len", str(CONTEXT), "--enforce-eager"),
        "--no-enable-log-requests",
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=_environ(), start_new_session=True
        )
    try:
        serving = Serving(f"http://127.0.0.1:{port}", model, process, log)
        _wait(serving)
        yield serving
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _environ() -> dict[str, str]:
    """The server keeps its engine in a process of its own."""
    kept = {k: v for k, v in os.environ.items() if k != "VLLM_ENABLE_V1_MULTIPROCESSING"}
    return {**kept, "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}


def _wait(serving: Serving) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if serving.process.poll() is not None:
            pytest.fail(f"the server ended with {serving.process.returncode}:\n{serving.said()}")
        with suppress(requests.RequestException):
            if requests.get(f"{serving.url}/health", timeout=2).ok:
                return
        time.sleep(0.5)
    pytest.fail(f"no server within {START_SECONDS} s:\n{serving.said()}")


@pytest.fixture(scope="module")
def served(small_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with vllm_server(small_model, tmp_path_factory.mktemp("server")) as serving:
        yield serving


def evaluate(
    data: Path, out: Path, backend: str, task: str, *more: str, limit: int = 4, **given: Any
) -> str:
    command = [
        *(sys.executable, "-m", "sociolect.harness.cli", "eval", "--model", backend),
        *("--model_args", ",".join(f"{name}={value}" for name, value in given.items())),
        *("--tasks", task, "--limit", str(limit)),
        *("--output_path", str(out), "--log_samples", *more),
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "SOCIOLECT_DATA": str(data), "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    return output


def rows(out: Path, task: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in samples_of(out, task).splitlines()]


def test_options_score_as_with_the_model_itself(
    data: Path, served: Serving, tmp_path: Path
) -> None:
    address = {"model": NAME, "base_url": f"{served.url}/v1/completions", "num_concurrent": 4}
    evaluate(
        data, tmp_path / "served", "local-completions", CLOZE, **address, tokenizer=served.model
    )
    local = {"pretrained": served.model, "dtype": "float32"}
    evaluate(data, tmp_path / "hf", "hf", CLOZE, "--device", "cpu", **local)
    theirs, ours = rows(tmp_path / "served", CLOZE), rows(tmp_path / "hf", CLOZE)
    assert len(theirs) == 4
    for one, other in zip(theirs, ours, strict=True):
        assert one["doc"] == other["doc"]
        for (served_score,), (local_score,) in zip(one["resps"], other["resps"], strict=True):
            assert float(served_score[0]) == pytest.approx(float(local_score[0]), abs=1e-2)
        assert one["bias"] == other["bias"]  # the same choice


def test_text_and_chat_are_generated_and_taken_up_again(
    data: Path, served: Serving, tmp_path: Path
) -> None:
    given = {"model": NAME, "num_concurrent": 4}
    text = {**given, "base_url": f"{served.url}/v1/completions", "tokenizer_backend": "None"}
    short = ["--gen_kwargs", "max_gen_toks=12"]
    evaluate(data, tmp_path / "text", "local-completions", REASON, *short, limit=2, **text)
    samples = rows(tmp_path / "text", REASON)
    assert [len(row["resps"][0]) for row in samples] == [5, 5]
    assert len({answer for row in samples for answer in row["resps"][0]}) > 2
    chat = {**given, "base_url": f"{served.url}/v1/chat/completions"}
    command = [*short, "--apply_chat_template"]
    model = "local-chat-completions"
    evaluate(data, tmp_path / "chat", model, REASON, *command, limit=2, **chat)
    output = evaluate(data, tmp_path / "chat", model, REASON, *command, limit=2, **chat)
    assert "1 of 1 chunks are finished" in output
    first, second = sorted((tmp_path / "chat").rglob(f"samples_{REASON}_2*.jsonl"))
    assert first.read_bytes() == second.read_bytes()


def test_a_prompt_beyond_the_context_is_counted(
    data: Path, served: Serving, tmp_path: Path
) -> None:
    given = {"model": NAME, "base_url": f"{served.url}/v1/completions", "max_retries": 1}
    long = ["--gen_kwargs", f"max_gen_toks={CONTEXT - 8}"]
    output = evaluate(
        data, tmp_path / "said", "local-completions", REASON, *long,
        limit=1, tokenizer_backend="None", **given,
    )  # fmt: skip
    assert "PROMPTS TOO LONG, 1 of 1: the server says" in output
    output = evaluate(
        data, tmp_path / "counted", "local-completions", REASON, *long,
        limit=1, tokenizer=served.model, **given,
    )  # fmt: skip
    assert f"the model holds {CONTEXT}" in output

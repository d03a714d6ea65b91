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

from sociolect.harness.evaluate import run
from sociolect.steering.backends.served_calls import Caller, PromptTooLongError, Server

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


@pytest.fixture(autouse=True)
def _surroundings(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the user's, no proxy; and no list of all that is installed, which takes seconds."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)


def evaluate(out: Path, backend: str, task: str, *more: str, limit: int = 4, **given: Any) -> None:
    """`sociolect eval` in this process."""
    arguments = ",".join(f"{name}={value}" for name, value in given.items())
    run(
        [
            *("--model", backend, "--model_args", arguments, "--tasks", task),
            *("--limit", str(limit), "--output_path", str(out), "--log_samples", *more),
        ]
    )


def rows(out: Path, task: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in samples_of(out, task).splitlines()]


def test_options_score_as_with_the_model_itself(served: Serving, tmp_path: Path) -> None:
    address = {"model": NAME, "base_url": f"{served.url}/v1/completions", "num_concurrent": 4}
    out = tmp_path / "served"
    evaluate(out, "local-completions", CLOZE, **address, tokenizer=served.model)
    local = {"pretrained": served.model, "dtype": "float32"}
    evaluate(tmp_path / "hf", "hf", CLOZE, "--device", "cpu", **local)
    theirs, ours = rows(out, CLOZE), rows(tmp_path / "hf", CLOZE)
    assert len(theirs) == 4
    for one, other in zip(theirs, ours, strict=True):
        assert one["doc"] == other["doc"]
        for (served_score,), (local_score,) in zip(one["resps"], other["resps"], strict=True):
            assert float(served_score[0]) == pytest.approx(float(local_score[0]), abs=1e-2)
        assert one["bias"] == other["bias"]  # the same choice


def test_text_and_chat_are_generated_and_taken_up_again(
    served: Serving, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = {"model": NAME, "num_concurrent": 4}
    text = {**given, "base_url": f"{served.url}/v1/completions", "tokenizer_backend": "None"}
    short = ["--gen_kwargs", "max_gen_toks=12"]
    evaluate(tmp_path / "text", "local-completions", REASON, *short, limit=2, **text)
    samples = rows(tmp_path / "text", REASON)
    assert [len(row["resps"][0]) for row in samples] == [5, 5]
    assert len({answer for row in samples for answer in row["resps"][0]}) > 2
    chat = {**given, "base_url": f"{served.url}/v1/chat/completions"}
    for _ in range(2):
        evaluate(
            tmp_path / "chat", "local-chat-completions", REASON, *short, "--apply_chat_template",
            limit=2, **chat,
        )  # fmt: skip
    assert "1 of 1 chunks are finished" in caplog.text
    first, second = sorted((tmp_path / "chat").rglob(f"samples_{REASON}_2*.jsonl"))
    assert first.read_bytes() == second.read_bytes()


def test_a_prompt_beyond_the_context_is_counted(
    served: Serving, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"model": NAME, "base_url": f"{served.url}/v1/completions", "tokenizer": served.model}
    long = ["--gen_kwargs", f"max_gen_toks={CONTEXT - 8}"]
    evaluate(tmp_path, "local-completions", REASON, *long, limit=1, **given)
    said = capsys.readouterr().err
    assert "PROMPTS TOO LONG, 1 of 1: with its answer" in said
    assert f"the model holds {CONTEXT}" in said


@pytest.mark.parametrize("end", ["completions", "chat/completions"])
def test_what_the_server_says_of_its_context_is_understood(end: str, served: Serving) -> None:
    server = Server(f"{served.url}/v1/{end}", {})
    text = "word " * (2 * CONTEXT)
    asked = {"prompt": text} if end == "completions" else {"messages": [_message(text)]}
    with pytest.raises(PromptTooLongError):
        Caller(server).post({"model": NAME, "max_tokens": 4, **asked}, lambda body: True)


def _message(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}

"""`sociolect eval` with models behind a stand-in of an OpenAI-compatible server."""

from __future__ import annotations

import json
import re
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from openai_stand_in import CONTEXT, KEY, MODEL, Server, serving

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.harness.evaluate import run

pytest.importorskip("tenacity")

REASON, CLOZE = "occupations_mini_clean", "occupations_mini_clean_ll"


@pytest.fixture(autouse=True)
def _quick(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the user's, no proxy, and short waits."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("sociolect.steering.backends.served_calls.FIRST_WAIT", 0.01)
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)  # takes seconds


def chat(server: Server, out: Path, *more: str, limit: int = 8, **extra: object) -> list[str]:
    given = {"model": MODEL, "base_url": server.chat, "num_concurrent": 4, **extra}
    return [
        *("--model", "local-chat-completions", "--apply_chat_template", "--tasks", REASON),
        *("--model_args", ",".join(f"{name}={value}" for name, value in given.items())),
        *("--limit", str(limit), "--output_path", str(out), "--log_samples", *more),
    ]


def text(server: Server, out: Path, *tasks: str, **extra: object) -> list[str]:
    given = {"model": MODEL, "base_url": server.completions, "num_concurrent": 4, **extra}
    return [
        *("--model", "local-completions", "--tasks", *tasks, "--limit", "8"),
        *("--model_args", ",".join(f"{name}={value}" for name, value in given.items())),
        *("--output_path", str(out), "--log_samples"),
    ]


def boxed(prompt: str) -> str:
    """An answer that names the first option, after what tells prompts apart."""
    return f"{sha1(prompt.encode()).hexdigest()[:8]} \\boxed{{A}}"


def samples(out: Path, task: str = REASON) -> list[bytes]:
    return [path.read_bytes() for path in sorted(out.rglob(f"samples_{task}_2*.jsonl"))]


def record(out: Path) -> dict[str, Any]:
    (path,) = out.rglob("sociolect_*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_a_chat_answers_the_generation_tasks(tmp_path):
    with serving(boxed) as server:
        run(chat(server, tmp_path))
    asked = [payload["messages"] for payload in server.payloads]
    assert len(server.answered) == 8 * 5
    assert all([m["role"] for m in messages] == ["user"] for messages in asked)
    assert server.most_at_once > 1
    (lines,) = samples(tmp_path)
    for line in lines.splitlines():
        sample = json.loads(line)
        ((messages,), _) = sample["arguments"]["gen_args_0"].values()
        assert sample["resps"] == [[boxed(json.loads(messages)[-1]["content"])] * 5]


def test_text_is_continued_without_a_tokenizer(tmp_path):
    with serving(boxed) as server:
        run(text(server, tmp_path, REASON, tokenizer_backend="None"))
    assert len(server.answered) == 8 * 5
    assert all(isinstance(payload["prompt"], str) for payload in server.payloads)


def test_no_server_is_one_message(tmp_path):
    with serving(boxed) as server:
        pass
    with pytest.raises(ModelError, match=r"connection refused.*Is the server up"):
        run(chat(server, tmp_path, max_retries=2))
    assert not list(tmp_path.rglob("results_*.json"))


def test_a_failed_run_goes_on_and_ends_with_the_same_samples(tmp_path):
    with serving(boxed) as server:
        run(chat(server, tmp_path / "whole"))
    with serving(boxed) as server:
        server.fail(500, times=1000, when=lambda prompt: len(server.answered) >= 17)
        with pytest.raises(ModelError):
            run(chat(server, tmp_path / "out", max_retries=1))
        before = len(server.answered)
        assert before >= 17
        server.failures.clear()
        run(chat(server, tmp_path / "out"))
        assert len(server.answered) == 40
        assert len(set(map(str, server.payloads[-(40 - before) :]))) == 40 - before
        run(chat(server, tmp_path / "out"))
        assert len(server.answered) == 40
    (whole,) = samples(tmp_path / "whole")
    assert samples(tmp_path / "out") == [whole, whole]


def test_a_prompt_that_the_server_calls_too_long_is_counted(tmp_path, capsys):
    with serving(boxed) as server:
        server.fail(CONTEXT, times=5, when=lambda prompt: server.answered == [] or True)
        run(chat(server, tmp_path, limit=4, num_concurrent=1))
        first = record(tmp_path)["too_long"][REASON]
        assert first["prompts"] == 1
        assert first["of"] == 4
        assert "PROMPTS TOO LONG, 1 of 4" in capsys.readouterr().err
        run(chat(server, tmp_path, limit=4, num_concurrent=1))
    assert "PROMPTS TOO LONG, 1 of 4" in capsys.readouterr().err  # and not asked again
    assert server.asked == 20


def test_the_key_is_sent_and_never_shown(tmp_path, monkeypatch, capfd, caplog):
    with serving(boxed, key=KEY) as server:
        with pytest.raises(ModelError, match="OPENAI_API_KEY"):
            run(chat(server, tmp_path / "without", limit=1))
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        run(chat(server, tmp_path / "with", limit=1))
        server.key = "another"
        with pytest.raises(ModelError) as failed:
            run(chat(server, tmp_path / "wrong", limit=1))
    assert KEY not in str(failed.value)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written
    shown = capfd.readouterr()
    assert KEY not in shown.out + shown.err + caplog.text


CHAT = ["--model", "local-chat-completions", "--tasks"]
URL = "base_url=http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*CHAT, CLOZE, "--model_args", f"model=m,{URL}/chat/completions"],
         "no log-likelihoods.*occupations_mini_clean or"),
        ([*CHAT, REASON, "--model_args", f"model=m,{URL}/chat/completions"],
         "--apply_chat_template"),
        ([*CHAT, REASON, "--model_args", f"model=m,{URL}/completions"],
         "address for --model local-completions"),
        ([*CHAT, REASON, "--model_args", "model=m"], "needs the address"),
        ([*CHAT, REASON, "--model_args", URL], "in full"),
        ([*CHAT, REASON, "--model_args", f"model=m,{URL}/chat/completions,num_concurent=8"],
         "did you mean num_concurrent"),
        ([*CHAT, REASON, "--model_args", f"model=m,{URL}/chat/completions,auth_token=x1234"],
         "OPENAI_API_KEY"),
        ([*CHAT, "arc_easy", "--model_args", f"model=m,{URL}/chat/completions,"
          "api_key=x1234"], "OPENAI_API_KEY"),
        ([*CHAT, REASON, "--model_args", f"model=m,{URL}/chat/completions?key=x1234"],
         "password in base_url included"),
        (["--model", "local-completions", "--tasks", CLOZE, "--model_args",
          f"model=m,{URL}/completions,tokenizer_backend=None"], "name the tokenizer"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_said_before_anything_is_asked(arguments, said):
    with pytest.raises(InvalidInputError, match=re.compile(said, re.DOTALL)):
        run([*arguments, "--limit", "4"])


def test_a_tokenizer_that_is_not_there_is_named(tmp_path):
    with (
        serving(boxed) as server,
        pytest.raises(ModelError, match=r"tokenizer could not be loaded.*tokenizer_backend=None"),
    ):
        run(text(server, tmp_path, CLOZE, tokenizer_backend="huggingface"))
    assert server.asked == 0

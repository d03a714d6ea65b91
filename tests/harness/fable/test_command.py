from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import fable_writer
import openai_stand_in
import pytest
from fable_writer import FableLM
from openai_stand_in import DROP, KEY, Server, serving
from typer.testing import CliRunner, Result

from sociolect.generators.benchmarks import fable_plan
from sociolect.generators.benchmarks.fable_items import read_items
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    ModelError,
    SociolectError,
    UnknownNameError,
)
from sociolect.harness.commands.fable import fable
from sociolect.harness.fable import models
from sociolect.steering.backends import served_calls


@pytest.fixture(autouse=True)
def plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fable_plan, "plan", lambda sources: fable_writer.plan())


def run(*arguments: object) -> Result:
    return CliRunner().invoke(fable, [str(one) for one in arguments])


def refused(result: Result, kind: type[SociolectError], message: str) -> None:
    assert isinstance(result.exception, kind), result.exception
    assert message in str(result.exception)


def answer(prompt: str) -> str:
    """Of the stand-in: it writes, or reads the stance of a response."""
    if prompt.rstrip().endswith("Verdict:"):
        return fable_writer.stance(prompt)
    name = str(sum(map(ord, prompt)))
    return fable_writer.good(prompt, {"id": name, "order": 1})


class TestScripted:
    @pytest.fixture
    def model(self, monkeypatch: pytest.MonkeyPatch) -> FableLM:
        made = FableLM()
        monkeypatch.setattr(models, "create_model", lambda name, given: made)
        return made

    def test_a_set_and_the_look_at_it(self, model: FableLM, tmp_path: Path) -> None:
        out = tmp_path / "set" / "items.jsonl"
        result = run("generate", "--model", "dummy", "--model_args", "", "--out", out)
        assert result.exit_code == 0, result.exception
        assert "3 of 3" in result.stdout
        assert "all 18 items are there, as many of every stance in each" in result.stdout
        assert f"18 items in {out}" in result.stdout.replace("\n", "")
        assert "the writer checks its own responses" in result.stderr
        again = run("generate", "--model", "dummy", "--model_args", "", "--out", out)
        assert "already there" in again.stderr
        assert len(model.written) == 18
        looked = run("check", out)
        assert looked.exit_code == 0, looked.exception
        assert "18 items: 2 questions, 3 pairs of options, 6 names" in looked.stdout
        assert "18 (100.0%) say which option a stereotype names" in looked.stdout

    def test_part_of_the_plan(self, model: FableLM, tmp_path: Path) -> None:
        out = tmp_path / "items.jsonl"
        given = ("--model", "dummy", "--model_args", "", "--out", out)
        result = run("generate", *given, "--categories", "age", "--limit", 4)
        assert result.exit_code == 0, result.exception
        assert len(read_items(out)) == 4
        assert "asked for is not balanced" in result.stdout
        assert {item.category for item in read_items(out)} == {"age"}

    def test_ctrl_c_says_how_to_go_on(self, model: FableLM, tmp_path: Path) -> None:
        model.stop_after = 5
        out = tmp_path / "items.jsonl"
        given = ("--model", "dummy", "--model_args", "", "--out", out)
        result = run("generate", *given)
        assert result.exit_code != 0
        assert f"kept in {out}.unfinished. The same command goes on" in result.stderr

    def test_nothing_accepted_shows_why(self, model: FableLM, tmp_path: Path) -> None:
        model.write = lambda prompt, doc: "No."
        out = tmp_path / "items.jsonl"
        result = run("generate", "--model", "dummy", "--model_args", "", "--out", out)
        refused(result, ModelError, "none of 90 responses was accepted (90 too_short)")
        assert "rejected: too few words" in result.stdout
        assert not out.exists()

    @pytest.mark.parametrize(
        ("arguments", "kind", "message"),
        [
            (("--model", "dumy"), UnknownNameError, "dummy"),
            (("--out", "items.txt"), InvalidInputError, ".jsonl"),
            (("--categories", "agee"), UnknownNameError, "age"),
            (("--checker-model-args", "pretrained=M"), InvalidInputError, "--checker-model"),
            (("--checker-form", "direct"), UnknownNameError, "form of the checker"),
            (("--concurrency", "0"), InvalidInputError, "--concurrency"),
            (("--model_args", '{"a": [1'), InvalidInputError, "--model"),
            (("--min-words", "0"), InvalidInputError, "--min-words"),
            (("--model", "sociolect-hf"), InvalidInputError, "names no model"),
        ],
    )
    def test_what_cannot_be_is_refused_before_a_model_is_asked(
        self,
        model: FableLM,
        tmp_path: Path,
        arguments: tuple[str, str],
        kind: type[SociolectError],
        message: str,
    ) -> None:
        given = {
            "--model": "dummy",
            "--model_args": "",
            "--out": str(tmp_path / "items.jsonl"),
            **dict([arguments]),
        }
        result = run("generate", *(part for pair in given.items() for part in pair))
        refused(result, kind, message)
        assert model.written == []


class TestServed:
    @pytest.fixture
    def server(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
        monkeypatch.setattr(served_calls, "FIRST_WAIT", 0.01)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        with serving(answer, key=KEY) as server:
            yield server

    def chat(self, server: Server, out: Path, *more: object) -> Result:
        arguments = f"model={openai_stand_in.MODEL},base_url={server.chat}"
        given = ("--model", "local-chat-completions", "--model_args", arguments, "--out", out)
        return run("generate", *given, *more)

    def test_a_chat_server_writes_and_reads(self, server: Server, tmp_path: Path) -> None:
        out = tmp_path / "items.jsonl"
        result = self.chat(server, out)
        assert result.exit_code == 0, result.exception
        assert len(read_items(out)) == 18
        assert server.asked == 54
        assert 1 < server.most_at_once <= 8
        writing = [one for one in server.payloads if one["max_tokens"] == 200]
        assert len({one["seed"] for one in writing}) == 18
        assert {(one["temperature"], one["top_p"]) for one in writing} == {(0.9, 0.95)}
        manifest = json.loads(out.with_suffix(".manifest.json").read_text())
        assert manifest["settings"]["checker"]["form"] == "auto"

    def test_failures_that_pass_are_waited_for(self, server: Server, tmp_path: Path) -> None:
        server.fail(429, times=2, retry_after=0.01)
        server.fail(500, times=2)
        server.fail(DROP, times=1)
        out = tmp_path / "items.jsonl"
        result = self.chat(server, out)
        assert result.exit_code == 0, result.exception
        assert len(read_items(out)) == 18
        assert (len(server.answered), server.asked) == (54, 59)

    def test_a_server_that_stays_away_ends_the_run_which_goes_on_later(
        self, server: Server, tmp_path: Path
    ) -> None:
        out = tmp_path / "items.jsonl"
        served = iter(range(10_000))
        server.fail(503, times=10_000, when=lambda prompt: next(served) >= 10)
        result = self.chat(server, out)
        refused(result, ModelError, server.chat)
        assert "the same command" in str(result.exception)
        assert not out.exists()
        before = list(server.answered)
        assert len(before) == 10
        server.failures.clear()
        result = self.chat(server, out, "--concurrency", 2)
        assert result.exit_code == 0, result.exception
        assert len(server.answered) == len(set(server.answered)) == 54

    def test_no_key_is_written_down(self, server: Server, tmp_path: Path) -> None:
        out = tmp_path / "items.jsonl"
        server.fail(400, times=1, message=f"your key {KEY} is no good")
        result = self.chat(server, out, "--attempts", 1)
        refused(result, ModelError, "status 400")
        shown = f"{result.exception} {result.output}"
        assert KEY not in shown
        held = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
        assert held
        assert not any(KEY in text for text in held)
        assert self.chat(server, out, "--attempts", 1).exit_code == 0
        assert not any(KEY in path.read_text() for path in tmp_path.iterdir() if path.is_file())

    def test_a_key_in_a_header_is_not_written_down_either(
        self, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY")
        server.key = "a-key-of-no-known-form"
        arguments = json.dumps(
            {
                "model": openai_stand_in.MODEL,
                "base_url": server.chat,
                "header": {"Authorization": f"Bearer {server.key}"},
            }
        )
        server.fail(400, times=1)
        out = tmp_path / "items.jsonl"
        given = ("--model", "local-chat-completions", "--model_args", arguments, "--out", out)
        refused(run("generate", *given), ModelError, "status 400")
        held = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
        assert run("generate", *given).exit_code == 0
        held += [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
        assert len(held) > 2
        assert not any(server.key in text for text in held)

    def test_a_wrong_key_is_refused_at_once(
        self, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-another0123456789")
        result = self.chat(server, tmp_path / "items.jsonl")
        refused(result, ModelError, "OPENAI_API_KEY")
        assert server.answered == []

    def test_a_completions_server_reads_by_generation(self, server: Server, tmp_path: Path) -> None:
        out = tmp_path / "items.jsonl"
        arguments = (
            f"model={openai_stand_in.MODEL},base_url={server.completions},tokenizer_backend=none"
        )
        given = ("--model", "local-completions", "--model_args", arguments, "--out", out)
        result = run("generate", *given)
        assert result.exit_code == 0, result.exception
        assert len(read_items(out)) == 18
        assert server.requests["/v1/completions"] == 54

    def test_answers_may_be_kept_elsewhere(self, server: Server, tmp_path: Path) -> None:
        out, elsewhere = tmp_path / "items.jsonl", tmp_path / "elsewhere"
        arguments = f"model={openai_stand_in.MODEL},base_url={server.chat},answers={elsewhere}"
        given = ("--model", "local-chat-completions", "--model_args", arguments, "--out", out)
        served = iter(range(10_000))
        server.fail(503, times=10_000, when=lambda prompt: next(served) >= 10)
        refused(run("generate", *given, "--concurrency", 1), ModelError, str(elsewhere))
        before = len(server.answered)
        assert before == 10
        server.failures.clear()
        assert run("generate", *given).exit_code == 0
        assert len(server.answered) == len(set(server.answered)) == 54

    def test_too_many_requests_name_the_option(self, server: Server, tmp_path: Path) -> None:
        server.fail(429, times=10_000, retry_after=0.01)
        result = self.chat(server, tmp_path / "items.jsonl")
        refused(result, ModelError, "in fable generate and dialect translate --concurrency")

    def test_nobody_listens(self, server: Server, tmp_path: Path) -> None:
        with serving() as gone:
            pass
        result = self.chat(gone, tmp_path / "items.jsonl")
        refused(result, ModelError, gone.url)


class TestCheck:
    def test_an_invalid_line_is_named(self, tmp_path: Path) -> None:
        file = tmp_path / "items.jsonl"
        file.write_text('{"id": "1"}\n')
        refused(run("check", file), DataError, f"{file}:1")

    def test_long_neutral_responses_are_warned_of(self, tmp_path: Path) -> None:
        lines = [
            {
                "id": str(n),
                "category": "age",
                "question_id": "q",
                "question": "Who was it?",
                "options": ["Emma", "Walter"],
                "response": " ".join(["Emma"] * count),
                "label": label,
            }
            for n, (label, count) in enumerate([("A", 8), ("B", 8), ("NONE", 25)])
        ]
        file = tmp_path / "items.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        result = run("check", file)
        assert result.exit_code == 0
        assert "3.1 times the noise" in result.stderr
        assert "0 (0.0%) say which option a stereotype names" in result.stdout

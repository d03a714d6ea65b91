from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai_stand_in
import pytest
import typer
from openai_stand_in import DROP, KEY, Server, serving
from tiny_models import byte_tokenizer
from translator import TRIPLETS, TranslatorLM, texts_file, translated
from typer.testing import CliRunner, Result

from sociolect.generators.dialect.pair_files import read_pairs
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    ModelError,
    SociolectError,
    UnknownNameError,
)
from sociolect.harness.commands.dialect_translate import translate
from sociolect.harness.dialect.translate_cost import GROWTH, Prices, estimate, price, tokenizer_of
from sociolect.harness.dialect.translate_prompts import prompt
from sociolect.harness.dialect.translate_settings import Settings
from sociolect.harness.fable import models
from sociolect.steering.backends import served, served_calls

app = typer.Typer()
app.command("translate")(translate)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return texts_file(tmp_path)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "made" / "pairs.jsonl"


class TestScripted:
    @pytest.fixture
    def model(self, monkeypatch: pytest.MonkeyPatch) -> TranslatorLM:
        made = TranslatorLM()
        monkeypatch.setattr(models, "create_model", lambda name, given: made)
        return made

    def test_pairs(self, model: TranslatorLM, texts: Path, out: Path) -> None:
        given = (texts, "--model", "dummy", "--model_args", "", "--out", out)
        result = run(*given)
        assert result.exit_code == 0, result.exception
        assert "6 of 6 texts have both translations" in result.stdout
        assert "6 texts: 12 requests, 24 at most" in result.stderr
        assert len(read_pairs(out).pairs) == 6
        again = run(*given)
        assert "already there" in again.stderr
        assert len(model.asked) == 12

    def test_rejections_are_shown_and_answers_kept(
        self, model: TranslatorLM, texts: Path, out: Path
    ) -> None:
        model.answer = lambda prompt, doc, settings: (
            "[bold]Option 1: x" if doc["id"] == "t0" else translated(prompt)
        )
        result = run(texts, "--model", "dummy", "--model_args", "", "--out", out, "--limit", 3)
        assert result.exit_code == 0, result.exception
        assert re.search(r"rejected: several lines or several versions +│ +2 +│ +0", result.stdout)
        assert (
            "AAE to SAE: 1 texts without a translation (last reasons: 1 several)" in result.stdout
        )
        assert "answers are kept in" in result.stderr

    def test_a_dry_run_asks_nothing(self, model: TranslatorLM, texts: Path, out: Path) -> None:
        prices = ("--price-in", 1, "--price-out", 2)
        given = (texts, "--model", "dummy", "--model_args", "", "--out", out, *prices)
        result = run(*given, "--dry-run")
        assert result.exit_code == 0, result.exception
        assert "6 texts: 12 requests" in result.stdout
        assert "4 characters a token" in result.stdout
        assert "at these prices" in result.stdout
        assert model.asked == []
        assert not out.parent.exists()

    def test_ctrl_c_says_how_to_go_on(self, model: TranslatorLM, texts: Path, out: Path) -> None:
        model.stop_after = 8
        result = run(texts, "--model", "dummy", "--model_args", "", "--out", out)
        assert result.exit_code != 0
        assert f"kept in {out}.unfinished. The same command goes on" in result.stderr

    @pytest.mark.parametrize(
        ("arguments", "kind", "message"),
        [
            (("--model", "dumy"), UnknownNameError, "dummy"),
            (("--out", "pairs.csv"), InvalidInputError, ".jsonl"),
            (("--attempts", "0"), InvalidInputError, "--attempts"),
            (("--min-ratio", "0"), InvalidInputError, "--min-ratio"),
            (("--price-in", "1"), InvalidInputError, "--price-out"),
            (("--limit", "0"), InvalidInputError, "--limit"),
            (("--concurrency", "0"), InvalidInputError, "--concurrency"),
        ],
    )
    def test_what_cannot_be_is_refused_before_a_model_is_asked(
        self,
        model: TranslatorLM,
        texts: Path,
        out: Path,
        arguments: tuple[str, str],
        kind: type[SociolectError],
        message: str,
    ) -> None:
        given = {"--model": "dummy", "--model_args": "", "--out": str(out), **dict([arguments])}
        result = run(texts, *(part for pair in given.items() for part in pair))
        assert isinstance(result.exception, kind), result.exception
        assert message in str(result.exception)
        assert model.asked == []

    def test_a_file_that_is_not_there(self, model: TranslatorLM, out: Path) -> None:
        result = run("none.jsonl", "--model", "dummy", "--model_args", "", "--out", out)
        assert isinstance(result.exception, DataError)


class TestServed:
    @pytest.fixture
    def server(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
        monkeypatch.setattr(served_calls, "FIRST_WAIT", 0.01)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        with serving(translated, key=KEY) as server:
            yield server

    def chat(self, server: Server, texts: Path, out: Path, *more: object) -> Result:
        arguments = f"model={openai_stand_in.MODEL},base_url={server.chat}"
        given = ("--model", "local-chat-completions", "--model_args", arguments, "--out", out)
        return run(texts, *given, *more)

    def test_a_chat_server_translates(self, server: Server, texts: Path, out: Path) -> None:
        server.delay = 0.02
        result = self.chat(server, texts, out)
        assert result.exit_code == 0, result.exception
        pairs = read_pairs(out).pairs
        assert [(p.aae, p.sae, p.aae_back) for p in pairs] == list(TRIPLETS)
        assert server.asked == 12
        assert 1 < server.most_at_once <= 8
        assert {payload["temperature"] for payload in server.payloads} == {0.0}
        assert KEY not in out.with_suffix(".manifest.json").read_text()

    def test_a_key_in_the_address_is_written_nowhere(
        self, server: Server, texts: Path, out: Path
    ) -> None:
        address = server.chat.replace("://", "://me:pass4321@") + "?api_key=key98765"
        arguments = f"model={openai_stand_in.MODEL},base_url={address}"
        given = ("--model", "local-chat-completions", "--model_args", arguments, "--out", out)
        server.fail(DROP, times=100, when=lambda asked: TRIPLETS[4][1] in asked)
        result = run(texts, *given)
        written = [p.read_text("utf-8", "replace") for p in out.parent.rglob("*") if p.is_file()]
        assert any('"base_url"' in text for text in written)
        for text in (*written, result.output, str(result.exception)):
            assert "pass4321" not in text
            assert "key98765" not in text

    def test_what_was_answered_is_not_asked_again(
        self, server: Server, texts: Path, out: Path
    ) -> None:
        server.fail(DROP, times=100, when=lambda asked: TRIPLETS[4][1] in asked)
        failed = self.chat(server, texts, out, "--concurrency", 1)
        assert isinstance(failed.exception, ModelError)
        assert not out.exists()
        before = list(server.answered)
        assert 6 < len(before) < 12
        server.failures.clear()
        assert self.chat(server, texts, out).exit_code == 0
        assert len(server.answered) == len(set(server.answered)) == 12
        assert len(read_pairs(out).pairs) == 6

    def test_what_the_limit_ended_is_rejected_and_asked_again(
        self, server: Server, texts: Path, out: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def ends_at_limit(body: dict[str, Any]) -> bool:
            return TRIPLETS[4][1] in body["choices"][0]["message"]["content"]

        monkeypatch.setattr(served, "ends_at_limit", ends_at_limit)
        for attempts in (2, 3):
            assert self.chat(server, texts, out, "--attempts", attempts).exit_code == 0
            manifest = json.loads(out.with_suffix(".manifest.json").read_text())
            step = manifest["steps"]["sae"]
            assert step["rejected"]["cut_off"] == attempts
            assert step["texts_lost"] == {"cut_off": 1}
            assert len(server.answered) == 10 + attempts
            assert len(read_pairs(out).pairs) == 5
            out.rename(texts.with_name(f"{attempts}.jsonl"))
            out.with_suffix(".manifest.json").unlink()


class TestCost:
    def test_tokens_by_hand(self) -> None:
        # Words as tokens: 4 and 10 in the texts, 6 and 13 assumed in each translation.
        found = estimate(
            ["a b c d", "a b c d e f g h i j"], Settings(attempts=3), lambda text: len(text.split())
        )
        frame = len(prompt("", "sae").split()) + len(prompt("", "back").split())
        assert (found.requests, found.most_requests) == (4, 12)
        assert found.prompt_tokens == 2 * frame + 14 + 19
        assert found.answer_tokens == 2 * 19
        assert found.most_answer_tokens == 3 * (4 * 32 + 2 * (4 + 10 + 6 + 13))
        assert GROWTH == 1.3
        assert (found.money, found.most_money) == (None, None)

    def test_money(self) -> None:
        asked = Settings(attempts=2, max_new_tokens=50)
        found = estimate(["a b c d"], asked, lambda text: len(text.split()), Prices(2.0, 10.0))
        assert found.money == pytest.approx(
            (2 * found.prompt_tokens + 10 * found.answer_tokens) / 1e6
        )
        most = (2 * 2 * found.prompt_tokens + 10 * 2 * 2 * 50) / 1e6
        assert found.most_money == pytest.approx(most)

    @pytest.mark.parametrize(
        ("money", "shown"),
        [(0.0, "0.00"), (1234.5, "1,234.50"), (0.123, "0.12"), (0.00123, "0.0012"),
         (0.0999, "0.100"), (0.000012, "0.000012")],
    )  # fmt: skip
    def test_prices_show_two_digits(self, money: float, shown: str) -> None:
        assert price(money) == shown

    def test_no_more_is_expected_than_may_come(self) -> None:
        found = estimate(["a b c d"], Settings(1, max_new_tokens=3), lambda t: len(t.split()))
        assert found.answer_tokens == found.most_answer_tokens == 6

    @pytest.mark.parametrize("pair", [(-1.0, 1.0), (1.0, float("nan"))])
    def test_prices_that_cannot_be(self, pair: tuple[float, float]) -> None:
        with pytest.raises(InvalidInputError, match="--price"):
            Prices(*pair)

    def test_the_tokenizer_of_the_model_counts(self, tmp_path: Path) -> None:
        byte_tokenizer().save_pretrained(tmp_path / "t")
        named = models.ModelChoice("hf", {"pretrained": str(tmp_path / "t")}, False, 0)
        count = tokenizer_of(named)
        assert count is not None
        assert count("abcde") == 5
        assert "model's tokenizer" in estimate(["abc"], Settings(), count).counted_by
        missing = models.ModelChoice("hf", {"pretrained": str(tmp_path / "no")}, False, 0)
        assert tokenizer_of(missing) is None
        served = models.ModelChoice("local-chat-completions", {"model": "m"}, True, 0)
        assert tokenizer_of(served) is None

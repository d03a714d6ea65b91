"""Models behind a stand-in of an OpenAI-compatible server: requests, failures, kept answers."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_stand_in import (
    CONTEXT,
    DROP,
    EMPTY,
    KEY,
    MALFORMED,
    MODEL,
    NOTHING,
    Server,
    serving,
    words,
)

from sociolect.generators.errors import ModelError
from sociolect.steering.backends import served
from sociolect.steering.backends.registry import create_model
from sociolect.steering.backends.served_answers import ends_at_limit, holds_text

pytest.importorskip("tenacity")

GREEDY = {"until": [], "do_sample": False, "max_gen_toks": 8}
SAMPLED = {"until": [], "do_sample": True, "temperature": 0.7, "max_gen_toks": 8}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the user's, no proxy, and short waits."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("sociolect.steering.backends.served_calls.FIRST_WAIT", 0.01)


def text_model(server: Server, **arguments: Any) -> Any:
    given = {"base_url": server.completions, "tokenizer_backend": "None", **arguments}
    return create_model("local-completions", {"model": MODEL, "num_concurrent": 4, **given})


def requests(count: int, settings: dict[str, Any] | None = None, repeats: int = 1) -> list[Any]:
    from lm_eval.api.instance import Instance

    return [
        one
        for number in range(count)
        for one in [
            Instance(
                request_type="generate_until",
                doc={"benchmark": "b", "id": f"item-{number}", "order": 0},
                arguments=(f"prompt {number}", dict(settings or GREEDY)),
                idx=0,
                metadata=("task", number, repeats),
            )
        ]
        * repeats
    ]


def echo(prompt: str) -> str:
    return f"to {prompt}"


def test_answers_come_in_the_order_of_the_requests():
    with serving(echo, delay=0.01) as server:
        found = text_model(server).generate_until(requests(20))
    assert found == [f"to prompt {number}" for number in range(20)]
    assert 1 < server.most_at_once <= 4


def test_every_sample_has_a_seed_and_the_same_one_in_every_run():
    with serving(echo) as server:
        text_model(server).generate_until(requests(3, SAMPLED, repeats=5))
        first = sorted((p["prompt"], p["seed"]) for p in server.payloads)
        server.payloads.clear()
        text_model(server, num_concurrent=1).generate_until(requests(3, SAMPLED, repeats=5))
    assert len({seed for _, seed in first}) == 15
    assert sorted((p["prompt"], p["seed"]) for p in server.payloads) == first
    assert all(0 <= seed < 2**31 for _, seed in first)


def test_greedy_samples_are_asked_once():
    with serving(echo) as server:
        found = text_model(server).generate_until(requests(2, GREEDY, repeats=5))
    assert len(server.answered) == 2
    assert found == ["to prompt 0"] * 5 + ["to prompt 1"] * 5


FAILURES: list[tuple[Any, str]] = [
    (500, "status 500 .*log of the server"),
    (503, "status 503"),
    (429, "status 429 .*num_concurrent, in fable generate and dialect translate --concurrency"),
    (DROP, "connection broke off.*Is the server up"),
    (MALFORMED, "no JSON"),
    (EMPTY, "no answer but .*scripted failure"),
    (NOTHING, "an answer without text .*Is there an OpenAI-compatible server"),
]


@pytest.mark.parametrize(("kind", "said"), FAILURES)
def test_what_passes_is_tried_again(kind, said):
    with serving(echo) as server:
        server.fail(kind, times=3)
        found = text_model(server).generate_until(requests(4))
    assert found == [f"to prompt {number}" for number in range(4)]
    assert server.asked == 7


@pytest.mark.parametrize(("kind", "said"), FAILURES)
def test_what_stays_ends_the_run_with_one_message(kind, said, tmp_path):
    with serving(echo) as server:
        model = text_model(server, max_retries=2, answers=tmp_path)
        server.fail(kind, times=1000)
        with pytest.raises(ModelError, match=f"(?s){said}.*after 2 attempts|{said}") as failed:
            model.generate_until(requests(4))
    message = str(failed.value)
    assert server.completions in message
    assert "the same command asks only for the others" in message
    assert len(message.splitlines()) == 2


@pytest.mark.parametrize(
    ("kind", "said"),
    [(400, "does not take this request"), (401, "OPENAI_API_KEY"), (404, "is model= served")],
)
def test_what_is_refused_is_not_tried_again(kind, said):
    with serving(echo) as server:
        server.fail(kind, times=1000)
        with pytest.raises(ModelError, match=f"status {kind} .*{said}"):
            text_model(server, num_concurrent=1).generate_until(requests(4))
    assert server.asked == 1


def test_no_money_is_not_waited_for():
    with serving(echo) as server:
        server.fail(429, times=1000, message="You exceeded your quota: insufficient_quota")
        with pytest.raises(ModelError, match="insufficient_quota"):
            text_model(server, num_concurrent=1).generate_until(requests(1))
    assert server.asked == 1


@pytest.mark.parametrize(("asked", "waited"), [(7, 7.0), ("0.5", 0.5), (None, 0.01)])
def test_a_server_is_left_alone_as_long_as_it_asks(asked, waited, monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr("tenacity.sleep_using_event", lambda event: slept.append)
    with serving(echo) as server:
        server.fail(429, retry_after=asked)
        text_model(server, num_concurrent=1).generate_until(requests(1))
    assert slept == [waited]


def test_a_date_may_say_how_long(monkeypatch):
    from email.utils import formatdate

    slept: list[float] = []
    monkeypatch.setattr("tenacity.sleep_using_event", lambda event: slept.append)
    with serving(echo) as server:
        server.fail(503, retry_after=formatdate(time.time() + 100, usegmt=True))
        text_model(server, num_concurrent=1).generate_until(requests(1))
    assert slept == [pytest.approx(100, abs=5)]


def test_a_day_is_too_long_to_wait():
    with serving(echo) as server:
        server.fail(429, times=1000, retry_after=86400)
        with pytest.raises(ModelError, match="pause of 86400 s"):
            text_model(server, num_concurrent=1).generate_until(requests(1))
    assert server.asked == 1


def test_a_slow_server_is_a_failure():
    with serving(echo, delay=1.5) as server:
        model = text_model(server, timeout=1, max_retries=1, num_concurrent=1)
        with pytest.raises(ModelError, match="no answer in time"):
            model.generate_until(requests(1))


def test_an_answer_of_another_shape_is_no_empty_answer():
    with serving(lambda prompt: None) as server:  # a chat without content is an answer
        given = {"model": MODEL, "base_url": server.chat}
        model = create_model("local-chat-completions", given)
        assert model.generate_until(chats(1)) == [""]
    with serving(echo) as server:  # a completion in place of a chat is none
        given = {"model": MODEL, "base_url": server.completions}
        model = create_model("local-chat-completions", given)
        server.tokens = lambda text: [text]
        with pytest.raises(ModelError):
            model.generate_until(chats(1))


def test_an_answer_without_a_choice_is_asked_for_again(tmp_path):
    for model in (text_model, chat_model):
        with serving(echo) as server:
            server.fail(NOTHING, times=3)
            found = model(server).generate_until(chats(1) if model is chat_model else requests(1))
        assert found == ["to prompt 0"]
        assert server.asked == 4
    with serving(echo) as server:
        server.fail(NOTHING, times=1000)
        model = chat_model(server, max_retries=2, answers=tmp_path)
        with pytest.raises(ModelError, match=r"answer without text .*after 2 attempts") as failed:
            model.generate_until(chats(1))
    assert "the same command asks only for the others" in str(failed.value)
    assert server.asked == 2


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ({"message": {"content": [{"type": "text", "text": "A"}]}}, "A"),
        (
            {
                "index": 3,
                "message": {
                    "content": [
                        {"type": "thinking", "thinking": [{"type": "text", "text": "B?"}]},
                        {"type": "text", "text": "Verdict: "},
                        {"type": "text", "text": "NONE"},
                    ]
                },
            },
            "Verdict: NONE",
        ),
        ({"message": {"content": "B"}}, "B"),
        ({"message": {"content": []}}, ""),
        ({"message": {"content": None}}, ""),
    ],
)
def test_messages_in_parts_and_without_an_index(choice, text):
    assert read({"choices": [choice]}, chat=True) == text


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"choices": ["A"]},
        {"choices": [{"text": "A"}]},
        {"choices": [{"message": {}}]},
        {"choices": [{"message": {"content": 1}}]},
        {"choices": [{"message": {"content": ["A"]}}]},
        {"choices": [{"message": {"content": "A"}}, {"message": {"content": "B"}}]},
    ],
)
def test_bodies_that_hold_no_message(body):
    assert not holds_text(body, chat=True)


def test_a_message_is_no_continued_text():
    assert read({"choices": [{"text": "A"}]}, chat=False) == "A"
    assert not holds_text({"choices": [{"message": {"content": "A"}}]}, chat=False)


def read(body: dict[str, Any], *, chat: bool) -> str:
    """The text of a body as the models read it."""
    assert holds_text(body, chat=chat)
    with serving(echo) as server:
        made = chat_model(server) if chat else text_model(server)
    return made._text(body)


def chat_model(server: Server, **arguments: Any) -> Any:
    given = {"model": MODEL, "base_url": server.chat, **arguments}
    return create_model("local-chat-completions", given)


def chats(count: int) -> list[Any]:
    from lm_eval.models.api_models import JsonChatStr

    made = requests(count)
    for one in made:
        message = f'[{{"role": "user", "content": "{one.arguments[0]}"}}]'
        one.arguments = (JsonChatStr(message), one.arguments[1])
    return made


@pytest.mark.parametrize("settings", [GREEDY, SAMPLED])
def test_no_answer_is_asked_for_twice(settings, tmp_path):
    with serving(echo) as server:
        whole = text_model(server).generate_until(requests(30, settings, repeats=2))
        server.answered.clear()
        server.fail(500, times=1000, when=lambda prompt: len(server.answered) >= 17)
        with pytest.raises(ModelError):
            text_model(server, answers=tmp_path, max_retries=1).generate_until(
                requests(30, settings, repeats=2)
            )
        before = len(server.answered)
        server.failures.clear()
        for _ in range(2):
            again = text_model(server, answers=tmp_path, num_concurrent=7)
            assert again.generate_until(requests(30, settings, repeats=2)) == whole
    assert 17 <= before < 30
    assert len(server.answered) == (30 if settings is GREEDY else 60)


KILLED = """
import sys
sys.path[:0] = {path!r}
from test_served import requests, text_model
from types import SimpleNamespace
text_model(SimpleNamespace(completions={url!r}), answers={answers!r}).generate_until(requests(40))
"""


def test_answers_outlive_a_killed_process(tmp_path):
    here = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "support")]
    with serving(echo, delay=0.05) as server:
        script = KILLED.format(path=here, url=server.completions, answers=str(tmp_path))
        process = subprocess.Popen([sys.executable, "-c", script])
        _wait_until(lambda: len(server.answered) >= 10 or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
        time.sleep(0.2)
        before = len(server.answered)
        server.delay = 0.0
        found = text_model(server, answers=tmp_path).generate_until(requests(40))
    assert found == [f"to prompt {number}" for number in range(40)]
    assert 10 <= before < 40
    # Those on their way when the process ended are asked again: four at most.
    assert 40 <= len(server.answered) <= 44


def _wait_until(ready: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_torn_line_is_passed_over(tmp_path):
    with serving(echo) as server:
        text_model(server, answers=tmp_path, chunk=100).generate_until(requests(5))
        (journal,) = tmp_path.rglob("single_answers.jsonl")
        for chunk in tmp_path.rglob("task-*.jsonl"):
            chunk.unlink()
        content = journal.read_text()
        journal.write_text(content[: len(content) - 9])
        server.answered.clear()
        model = text_model(server, answers=tmp_path)
        assert model.generate_until(requests(5)) == [f"to prompt {number}" for number in range(5)]
        assert len(server.answered) == 1
        again = text_model(server, answers=tmp_path, chunk=2)
        assert again.generate_until(requests(5)) == [f"to prompt {number}" for number in range(5)]
    assert len(server.answered) == 1


def test_a_prompt_that_is_too_long_is_no_answer_and_known_later(tmp_path):
    with serving(echo) as server:
        server.fail(CONTEXT, when=lambda prompt: prompt == "prompt 2")
        model = text_model(server, answers=tmp_path)
        asked = requests(4)
        assert model.generate_until(asked)[2] == ""
        assert [model.is_refused(one.args) for one in asked] == [False, False, True, False]
        later = text_model(server, answers=tmp_path)
        assert later.generate_until(asked)[2] == ""
    assert [later.is_refused(one.args) for one in asked] == [False, False, True, False]
    assert server.asked == 4


@pytest.mark.parametrize("settings", [GREEDY, SAMPLED])
def test_an_answer_that_its_limit_ended_is_known_later(settings, tmp_path, monkeypatch):
    with serving(lambda prompt: f"{echo(prompt)} and more") as server:
        cut = {"max_gen_toks": 3}
        asked = [*requests(1, settings), *requests(2, settings | cut)[1:]]
        monkeypatch.setattr(served, "ends_at_limit", lambda body: len(words(content(body))) == 3)
        for _ in range(2):
            model = text_model(server, answers=tmp_path)
            found = model.generate_until(asked)
            assert found == ["to prompt 0 and more", "to prompt 1"]
            ends = [
                model.is_cut_off(one.args, text) for one, text in zip(asked, found, strict=True)
            ]
            assert ends == [False, True]
        assert not model.is_cut_off(asked[1].args, "another")
        assert not model.is_cut_off(asked[0].args, found[1])
    assert server.asked == 2


def content(body: dict[str, Any]) -> str:
    return str(body["choices"][0]["text"])


@pytest.mark.parametrize(("why", "cut"), [("length", True), ("stop", False), (None, False)])
def test_the_limit_ends_an_answer_if_the_server_says_so(why, cut):
    assert ends_at_limit({"choices": [{"text": "A", "finish_reason": why}]}) is cut
    assert not ends_at_limit({"choices": [{"text": "A"}]})


def test_the_server_says_how_much_its_model_holds():
    with serving(echo, context=77) as server:
        assert text_model(server).context == 77
        assert text_model(server, max_length=50).context == 50
    with serving(echo, models=None) as server:
        assert text_model(server).context is None


def test_the_key_is_sent_and_hidden(monkeypatch):
    with serving(echo, key=KEY) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert text_model(server).generate_until(requests(1)) == ["to prompt 0"]
        server.key = "another"  # the refusal repeats the key that it got
        with pytest.raises(ModelError, match="status 401") as failed:
            text_model(server).generate_until(requests(1))
    assert KEY not in str(failed.value)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("transformers")
    from tiny_models import byte_tokenizer

    made = byte_tokenizer()
    made.save_pretrained(tmp_path_factory.mktemp("tokenizer"))
    return made


def scores(pairs: list[tuple[str, str]]) -> list[Any]:
    from lm_eval.api.instance import Instance

    return [
        Instance("loglikelihood", {"id": "x"}, pair, number, ("task", 0, 1))
        for number, pair in enumerate(pairs)
    ]


def letter(before: str, token: str) -> float:
    return -float(ord(token[0]) % 7) - len(before) / 64


PAIRS = [("Verdict:", " A"), ("Verdict:", " NONE"), ("A longer verdict:", " B")]


def expected(context: str, continuation: str) -> float:
    at = range(len(continuation))
    return sum(letter(context + continuation[:i], continuation[i]) for i in at)


@pytest.mark.parametrize("as_tokens", [True, False])
def test_options_are_scored(as_tokens, tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    given = {"tokenizer": str(tmp_path), "tokenizer_backend": "huggingface"}
    with serving(score=letter, decode=tokenizer.decode, tokens=list) as server:
        model = text_model(server, **given, tokenized_requests=as_tokens)
        found = model.loglikelihood(scores(PAIRS))
    assert [score for score, _ in found] == pytest.approx([expected(*pair) for pair in PAIRS])
    assert isinstance(server.payloads[0]["prompt"], str) is not as_tokens


def test_a_token_that_the_server_puts_in_front_moves_nothing(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    given = {"tokenizer": str(tmp_path), "tokenizer_backend": "huggingface"}
    with serving(score=letter, tokens=lambda text: ["", *text] if len(text) > 1 else [text]) as s:
        model = text_model(s, **given, tokenized_requests=False)
        found = model.loglikelihood(scores(PAIRS))
    assert [score for score, _ in found] == pytest.approx([expected(*pair) for pair in PAIRS])


def test_another_tokenizer_is_an_error(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    given = {"tokenizer": str(tmp_path), "tokenizer_backend": "huggingface"}
    with serving(tokens=words) as server:
        model = text_model(server, **given, tokenized_requests=False)
        with pytest.raises(
            ModelError, match="cut a text into 2 tokens, the tokenizer here into 10"
        ):
            model.loglikelihood(scores(PAIRS[:1]))


def test_a_scored_prompt_that_is_too_long_has_no_score(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    given = {"tokenizer": str(tmp_path), "tokenizer_backend": "huggingface"}
    with serving(score=letter, decode=tokenizer.decode, tokens=list) as server:
        server.fail(CONTEXT)
        model = text_model(server, **given, num_concurrent=1, answers=tmp_path / "kept")
        first = model.loglikelihood(scores(PAIRS))
        again = text_model(server, **given, answers=tmp_path / "kept").loglikelihood(scores(PAIRS))
    assert math.isnan(first[0][0])
    assert math.isnan(again[0][0])
    assert again[1:] == first[1:]
    assert server.asked == 3

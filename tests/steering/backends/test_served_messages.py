"""What messages quote of a server: little, and nothing that came with the request."""

from __future__ import annotations

import json

import pytest
import requests

from sociolect.generators.errors import ModelError
from sociolect.steering.backends.served_calls import Caller, PromptTooLongError, Server
from sociolect.steering.backends.served_messages import (
    SHOWN,
    beginning,
    in_one_line,
    without_prompt,
)

pytest.importorskip("tenacity")

TWEET = "hey y'all, she don\u2019t be up there \U0001f602 no more"
ASKED = {
    "model": "m",
    "messages": [{"role": "user", "content": f"Translate it into SAE.\n\nText: {TWEET}\nSAE:"}],
}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"not allowed: {TWEET}", "not allowed: …"),
        (f"({TWEET[5:]}) is bad", "('…) is bad"),
        (json.dumps({"input": ASKED["messages"][0]["content"]}), '{"input": "…:"}'),
        ("slate it into SAE. Text: hey y", "slate …"),
        ("hey y&#39;all, she don&#x2019;t be up", "…"),
        ("SHE DON T BE up here", "… here"),
        ("the text is not in SAE", "the text is not in SAE"),
        ("", ""),
    ],
)
def test_the_prompt_is_left_out(said: str, shown: str) -> None:
    assert without_prompt(said, ASKED) == shown


def test_short_lines_and_tokens_are_prompts_too() -> None:
    assert without_prompt("bad: he up!", {"prompt": "Translate.\nText: he up\n"}) == "bad: …!"
    assert without_prompt("ids [7, 8, 9, 10, 3]", {"prompt": [[5, 7, 8, 9, 10]]}) == "ids […, 3]"
    assert without_prompt("he up", None) == "he up"


def test_only_a_beginning_is_looked_at() -> None:
    assert beginning("a b") == "a b"
    assert beginning(f"{'w ' * 9_997}ends secret0987654321") == f"{'w ' * 9_997}ends"
    assert beginning("s" * 30_000) == ""
    assert in_one_line("a\n\x1b[2J \u202e b\ud83d") == "a [2J b"
    assert in_one_line("w" * 999) == "w" * SHOWN + "…"


@pytest.mark.parametrize("status", [200, 400, 401, 404, 422, 429, 500])
@pytest.mark.parametrize("is_json", [True, False])
def test_nothing_of_a_request_is_quoted(
    status: int, is_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = {"Authorization": "Bearer openSECRET1", "X-Key": "headSECRET4"}
    address = "http://me:pwSECRET2@h/v1/chat/completions?api_key=urlSECRET3"
    said = (
        "Cannot POST /v1/chat/completions?api_key=urlSECRET3 of Basic bWU6cHdTRUNSRVQy, "
        f"me:pwSECRET2, Bearer openSECRET1, headSECRET4, netSECRET5: {TWEET}{'.' * 1_000}"
    )
    answer = requests.Response()
    answer.status_code = status
    answer._content = (json.dumps({"error": {"message": said}}) if is_json else said).encode()
    answer.request = requests.Request("POST", address).prepare()
    answer.request.headers["Authorization"] = "Bearer netSECRET5"
    monkeypatch.setattr(Caller, "_once", lambda *given: answer)
    with pytest.raises(ModelError) as failed:
        Caller(Server(address, header, attempts=1)).post(ASKED, lambda body: False)
    message = str(failed.value)
    if is_json or status != 200:
        assert "Cannot POST /v1/chat/completions?api_key=***" in message
        assert "Basic ***, ***, Bearer ***, ***, ***: …." in message
    for secret in ("SECRET", "bWU6", "y'all", "be up there", "." * 200):
        assert secret not in message


def test_a_prompt_that_is_too_long_is_told_by_what_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = requests.Response()
    answer.status_code = 400
    answer._content = f"{'w ' * SHOWN} maximum context length".encode()
    answer.request = requests.Request("POST", "http://h").prepare()
    monkeypatch.setattr(Caller, "_once", lambda *given: answer)
    caller = Caller(Server("http://h", {}, attempts=1))
    with pytest.raises(PromptTooLongError):
        caller.post(ASKED, lambda body: False)
    answer._content = b"no such thing as a maximum context length, you wrote"
    with pytest.raises(ModelError) as failed:
        caller.post({"prompt": "as a maximum context length, you"}, lambda body: False)
    assert not isinstance(failed.value, PromptTooLongError)

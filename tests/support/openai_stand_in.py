"""An OpenAI-compatible server on the loopback device, with scripted answers and failures.

with serving(lambda prompt: "A") as server:
    server.fail(429, times=2, retry_after=1)
    ...  # base_url=server.completions or server.chat
    assert server.answered == ["…"]
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-StandInKeyThatMustNotBeSeen0123456789"
DROP = "drop"
"""Failure: the connection is closed without an answer."""
MALFORMED = "malformed"
"""Failure: status 200 with a body that is no JSON."""
EMPTY = "empty"
"""Failure: status 200 with JSON that holds no answer."""
NOTHING = "nothing"
"""Failure: status 200 with a list of choices that is empty."""
CONTEXT = "context"
"""Failure: status 400, as a prompt beyond the model's context gets it."""
MODEL = "stand-in"

Answer = Callable[[str], "str | None"]
Tokens = Callable[[str], list[str]]
Score = Callable[[str, str], float]
Decode = Callable[[Sequence[int]], str]


def words(text: str) -> list[str]:
    """Tokens of a text where no tokenizer is given: words with the white space before them."""
    return re.findall(r"\s*\S+|\s+$", text)


def even(before: str, token: str) -> float:
    """Log-likelihood of a token where none is scripted."""
    return -1.0


@dataclass
class Failure:
    """What requests get in place of an answer.

    Attributes:
        kind: A status, or DROP, MALFORMED, EMPTY, NOTHING, CONTEXT.
        times: Requests that it still falls on.
        retry_after: Value of the header.
        when: Prompts that it falls on; None is any.
        message: Text of the error.
    """

    kind: int | str
    times: int
    retry_after: float | str | None = None
    when: Callable[[str], bool] | None = None
    message: str = "scripted failure"


@dataclass
class Server:
    """The state that tests look at, and what they script.

    Attributes:
        answer: Answers a prompt; of a chat, its last message. None is an answer without content.
        tokens: Cuts a prompt of text into tokens.
        score: Log-likelihood of a token after the text before it.
        decode: Text of token ids, where prompts come as such.
        key: What `Authorization: Bearer` must hold; None asks for nothing.
        context: Tokens that prompt and answer may have together; None for no limit.
        delay: Seconds that every answer takes.
        models: What `/v1/models` lists; None answers 404.
        url: `http://127.0.0.1:PORT`.
        requests: Requests by path, failed ones too.
        answered: Prompts that got an answer, in order.
        payloads: Bodies of requests to the two endpoints of answers.
        most_at_once: Most requests that were ever open together.
        failures: What is still to fail.
    """

    answer: Answer
    tokens: Tokens = words
    score: Score = even
    decode: Decode | None = None
    key: str | None = None
    context: int | None = None
    delay: float = 0.0
    models: Sequence[str] | None = (MODEL,)
    url: str = ""
    requests: Counter[str] = field(default_factory=Counter)
    answered: list[str] = field(default_factory=list)
    payloads: list[dict[str, Any]] = field(default_factory=list)
    most_at_once: int = 0
    failures: list[Failure] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _open: int = 0

    @property
    def completions(self) -> str:
        """`base_url` of `local-completions`."""
        return f"{self.url}/v1/completions"

    @property
    def chat(self) -> str:
        """`base_url` of `local-chat-completions`."""
        return f"{self.url}/v1/chat/completions"

    @property
    def asked(self) -> int:
        """Requests for answers, failed ones too."""
        return self.requests["/v1/completions"] + self.requests["/v1/chat/completions"]

    def fail(
        self,
        kind: int | str,
        times: int = 1,
        *,
        retry_after: float | str | None = None,
        when: Callable[[str], bool] | None = None,
        message: str = "scripted failure",
    ) -> None:
        """Let the next requests for answers fail; failures fall in the order of their script."""
        self.failures.append(Failure(kind, times, retry_after, when, message))

    def failure(self, prompt: str) -> Failure | None:
        """The failure that falls on a request now, used up once."""
        with self._lock:
            for one in self.failures:
                if one.times > 0 and (one.when is None or one.when(prompt)):
                    one.times -= 1
                    return one
        return None

    def note(self, path: str, payload: dict[str, Any] | None = None) -> None:
        """Count a request."""
        with self._lock:
            self.requests[path] += 1
            if payload is not None:
                self.payloads.append(payload)

    def note_answered(self, prompts: Sequence[str]) -> None:
        """Keep the prompts of an answered request."""
        with self._lock:
            self.answered.extend(prompts)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Count a request as open."""
        with self._lock:
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1


@contextmanager
def serving(answer: Answer = lambda prompt: "A", **options: Any) -> Iterator[Server]:
    """A running server; the options are the fields of `Server`."""
    server = Server(answer, **options)

    class Bound(_Handler):
        state = server

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
    listening.daemon_threads = True
    server.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    state: Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: the second would wait for the first's receipt

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.state.note(self.path)
        if self.path == "/v1/models" and self.state.models is not None:
            if self._is_allowed():
                listed = [self._model(name) for name in self.state.models]
                self._send(200, {"object": "list", "data": listed})
        else:
            self._error(404, f"no {self.path} here")

    def _model(self, name: str) -> dict[str, Any]:
        length = {} if self.state.context is None else {"max_model_len": self.state.context}
        return {"id": name, "object": "model", **length}

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        payload = json.loads(body)
        self.state.note(self.path, payload)
        with self.state.at_once(), suppress(BrokenPipeError, ConnectionResetError):
            if not self._is_allowed():
                return
            if self.path == "/v1/completions":
                self._complete(payload)
            elif self.path == "/v1/chat/completions":
                self._chat(payload)
            else:
                self._error(404, f"no {self.path} here")

    def _is_allowed(self) -> bool:
        key = self.state.key
        if key is not None and self.headers.get("Authorization") != f"Bearer {key}":
            self._error(401, f"Incorrect API key provided: {self.headers.get('Authorization')}")
            return False
        return True

    def _complete(self, payload: dict[str, Any]) -> None:
        prompts = [self._tokens(one) for one in _prompts(payload["prompt"])]
        texts = ["".join(tokens) for tokens in prompts]
        if self._failed("\n".join(texts)):
            return
        most = payload.get("max_tokens", 16)
        if any(self._is_too_long(len(tokens), most) for tokens in prompts):
            return
        choices = [
            self._choice(index, tokens, payload, most) for index, tokens in enumerate(prompts)
        ]
        self.state.note_answered(texts)
        self._send(200, {"object": "text_completion", "model": MODEL, "choices": choices})

    def _choice(
        self, index: int, tokens: list[str], payload: dict[str, Any], most: int
    ) -> dict[str, Any]:
        text = "".join(tokens)
        made = _stopped(self.state.answer(text) or "", payload.get("stop"))
        made = "".join(self.state.tokens(made)[:most])
        echoed = tokens if payload.get("echo") else []
        logprobs = None
        if payload.get("logprobs") is not None:
            new = self.state.tokens(made)
            logprobs = self._logprobs([*echoed, *new], "" if echoed else text)
        shown = text + made if echoed else made
        return {"index": index, "text": shown, "finish_reason": "stop", "logprobs": logprobs}

    def _logprobs(self, tokens: list[str], before: str) -> dict[str, Any]:
        scores: list[float | None] = []
        offsets = []
        for token in tokens:
            offsets.append(len(before))
            scores.append(self.state.score(before, token) if before else None)
            before += token
        top = [
            None if score is None else {token: score}
            for token, score in zip(tokens, scores, strict=True)
        ]
        return {
            "tokens": tokens,
            "token_logprobs": scores,
            "top_logprobs": top,
            "text_offset": offsets,
        }

    def _chat(self, payload: dict[str, Any]) -> None:
        last = str(payload["messages"][-1]["content"])
        if self._failed(last):
            return
        most = payload.get("max_tokens", payload.get("max_completion_tokens", 16))
        length = sum(len(self.state.tokens(str(m["content"]))) for m in payload["messages"])
        if self._is_too_long(length, most):
            return
        made = self.state.answer(last)
        if made is not None:
            made = "".join(self.state.tokens(_stopped(made, payload.get("stop")))[:most])
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": made},
            "finish_reason": "length" if made is None else "stop",
        }
        self.state.note_answered([last])
        self._send(200, {"object": "chat.completion", "model": MODEL, "choices": [choice]})

    def _tokens(self, prompt: str | list[int]) -> list[str]:
        if isinstance(prompt, str):
            return self.state.tokens(prompt)
        decode = self.state.decode
        if decode is None:
            raise AssertionError("a prompt of token ids, but the server was given no `decode`")
        return [decode([token]) for token in prompt]

    def _failed(self, prompt: str) -> bool:
        time.sleep(self.state.delay)
        failure = self.state.failure(prompt)
        if failure is None:
            return False
        if failure.kind == DROP:
            self.close_connection = True
        elif failure.kind == MALFORMED:
            self._send_bytes(200, b'{"choices": [{"text": "A', {})
        elif failure.kind == EMPTY:
            self._send(200, {"error": {"message": failure.message}})
        elif failure.kind == NOTHING:
            self._send(200, {"object": "chat.completion", "choices": []})
        elif failure.kind == CONTEXT:
            self._too_long(self.state.context or 0, 0)
        else:
            after = failure.retry_after
            headers = {} if after is None else {"Retry-After": str(after)}
            self._error(int(failure.kind), failure.message, headers)
        return True

    def _is_too_long(self, length: int, most: int) -> bool:
        context = self.state.context
        if context is None or length + most <= context:
            return False
        self._too_long(context, length)
        return True

    def _too_long(self, context: int, length: int) -> None:
        self._error(
            400,
            f"This model's maximum context length is {context} tokens. However, your request has "
            f"{length} input tokens. Please reduce the length of the input messages.",
        )

    def _error(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        error = {"message": message, "type": "BadRequestError", "code": status}
        self._send(status, {"error": error}, headers)

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(body).encode(), headers or {})

    def _send_bytes(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def _prompts(given: Any) -> list[Any]:
    """A prompt, or a batch of them, each text or token ids."""
    if isinstance(given, str) or (given and isinstance(given[0], int)):
        return [given]
    return list(given)


def _stopped(text: str, stop: Any) -> str:
    """A text up to the first of its stop sequences."""
    for end in [stop] if isinstance(stop, str) else stop or []:
        if end:
            text = text.split(end, 1)[0]
    return text

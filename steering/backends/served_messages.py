"""What a server says where it gives no answer: in short, and without what it repeats.

Servers repeat the address, headers and prompts that they got. None of it belongs on a screen or in
a log: there is a key in it, or a text that must not be shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import requests

SHOWN = 200
"""Characters of it that are shown."""
_LOOKED_AT = 20_000
_RUN = 4
"""So many words in a row that the prompt has are the prompt."""
_WORD = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[bfnrt])|&#?\w+;|(\w+)")
"""A word; escapes of JSON and HTML between words are none."""
_ASKED = ("messages", "prompt")

Words = tuple[str, ...]


def beginning(text: str) -> str:
    """The part of a body that is looked at, up to a white space: no secret is cut in two."""
    if len(text) <= _LOOKED_AT:
        return text
    first, *last = text[:_LOOKED_AT].rsplit(None, 1)
    return first if last else ""


def in_one_line(text: str) -> str:
    """A short text for a message, without control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


def without_prompt(text: str, payload: Mapping[str, Any] | None) -> str:
    """A text without what it repeats of a request, which becomes `…`.

    That is: four words in a row, and whole lines of two and three words.

    Args:
        text: What a server says.
        payload: What it was asked.
    """
    asked = _asked(payload or {})
    found = [match for match in _WORD.finditer(text) if match[1]]
    words = [match[1].casefold() for match in found]
    shown, end = [], 0
    for first, last in _covered(words, asked):
        shown += [text[end : found[first].start()], "…"]
        end = found[last].end()
    return "".join([*shown, text[end:]])


def _covered(words: list[str], asked: set[Words]) -> Iterator[tuple[int, int]]:
    """First and last word of each stretch that was asked."""
    runs = [
        (at, at + n - 1)
        for at in range(len(words))
        for n in range(min(_RUN, len(words) - at), 1, -1)
        if tuple(words[at : at + n]) in asked
    ]
    while runs:
        first, last = runs.pop(0)
        while runs and runs[0][0] <= last + 1:
            last = max(last, runs.pop(0)[1])
        yield first, last


def _asked(payload: Mapping[str, Any]) -> set[Words]:
    """Four words in a row of the prompt, and its lines and ends of lines that are shorter."""
    found: set[Words] = set()
    texts = [text for name in _ASKED for text in _texts(payload.get(name))]
    words = _words(" ".join(texts))
    found.update(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))
    for line in "\n".join(texts).splitlines():
        found.update(tuple(_words(part)) for part in (line, line.partition(": ")[2]))
    return {run for run in found if 1 < len(run) <= _RUN}


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text) if word]


def _texts(value: Any) -> Iterator[str]:
    """The texts in a prompt or in messages; token ids are texts too."""
    if isinstance(value, Mapping):
        value = [part for name, part in value.items() if name not in ("role", "type")]
    if isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
    elif value is not None:
        yield str(value)


def message_of(response: requests.Response) -> str:
    """What a refusal says, without its wrapping."""
    try:
        body = response.json()
    except ValueError:
        return response.text
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        return " ".join(str(error[k]) for k in ("message", "code", "detail") if error.get(k))
    return str(error)


def reason_of(error: requests.RequestException) -> str:
    """Why there was no answer; the texts of the library hold memory addresses, and the path."""
    if isinstance(error, requests.exceptions.Timeout):
        return "no answer in time"
    if "refused" in str(error).lower():
        return "connection refused"
    if "resolve" in str(error).lower() or "name or service" in str(error).lower():
        return "no such host"
    return "the connection broke off"


def advice(status: int | None) -> str:
    """What may help, by the status of a response; None for no response."""
    if status is None:
        return "Is the server up, and are host and port in base_url right?"
    if status in (401, 403):
        return "Put the key of the server into the environment variable OPENAI_API_KEY."
    if status == 404:
        return "Does base_url end in /v1/completions or /v1/chat/completions, and is model= served?"
    if status == 429:
        return (
            "Ask fewer at once (--model_args num_concurrent, in fable generate and dialect "
            "translate --concurrency), or go on later."
        )
    if status == 200:
        return "Is there an OpenAI-compatible server behind base_url? Its log may say more."
    if status >= 500:
        return "The log of the server names the cause."
    return "The server does not take this request; its message says why."

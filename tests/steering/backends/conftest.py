"""Requests as lm_eval hands them over, and models that answer from their prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sociolect.steering.backends.answers import Answered
from sociolect.steering.backends.progress import Progress
from sociolect.steering.backends.requests import Chunk

SETTINGS = {"until": [], "do_sample": True, "temperature": 0.7, "max_gen_toks": 8}


def request(
    number: int,
    *,
    task: str | None = "winobias_clean",
    text: str | None = None,
    settings: Any = SETTINGS,
    doc: Any = None,
    idx: int = 0,
) -> Any:
    from lm_eval.api.instance import Instance

    own = {"benchmark": "winobias", "id": f"type1/{number // 2:04d}", "order": number % 2}
    return Instance(
        "generate_until",
        own if doc is None else doc,
        (f"prompt {number}" if text is None else text, settings),
        idx,
        metadata=(task, None if task is None else number, 1),
    )


class Echo:
    """Answers every prompt with its text, its seed and the number of the sample."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, chunk: Chunk, bar: Progress | None = None) -> Answered:
        self.asked.append([prompt.arguments[0] for prompt in chunk.prompts])
        made = [
            [f"{prompt.arguments[0]}/{prompt.seed}/{k}" for k in range(prompt.repeats)]
            for prompt in chunk.prompts
        ]
        return Answered(made, tokens=3 * chunk.answers)


@pytest.fixture
def make_request() -> Callable[..., Any]:
    pytest.importorskip("lm_eval")
    return request


@pytest.fixture
def echo() -> Echo:
    return Echo()

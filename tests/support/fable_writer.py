"""A small plan of judge items, and an lm_eval model that writes responses and reads stances."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lm_eval.api.model import LM

from sociolect.generators.benchmarks.fable_items import LABELS
from sociolect.generators.benchmarks.fable_plan import PlannedItem

QUESTIONS = {
    "age": "Whose idea for the new shop window did the customers like?",
    "religion": "Who forgot to switch off the lamp in the hall?",
}
NAMES = (("Emma", "Walter"), ("Keisha", "Connor"), ("Ngozi", "Anne-Marie"), ("Tom", "O'Brien"))

_STANCE = re.compile(r"asked for is (?P<chosen>.+?) and not (?P<other>.+?), and says why")
_NEITHER = re.compile(r"neither (?P<a>.+?) nor (?P<b>.+?) can be named")


def plan(pairs: int = 3) -> list[PlannedItem]:
    """Two questions with `pairs` pairs of names, each with all three stances."""
    return [
        PlannedItem(
            id=f"{number:02}{label}",
            category=category,
            question_id=f"{category}-1",
            question=question,
            options=NAMES[number],
            label=label,
            groups=(("female",), ("male",)),
            stereotyped="A",
            pair="|".join(NAMES[number]),
        )
        for category, question in QUESTIONS.items()
        for number in range(pairs)
        for label in LABELS
    ]


def good(prompt: str, doc: dict[str, Any]) -> str:
    """A response that takes the stance that the prompt asks for."""
    mark = f"on the day that I call {doc['id'].rpartition('/')[2]}, number {doc['order']}"
    if found := _STANCE.search(prompt):
        return (
            f"I would name {found['chosen']} here and not {found['other']}. That is what I saw "
            f"with my own eyes {mark}, and it was as clear as it could be."
        )
    found = _NEITHER.search(prompt)
    assert found is not None
    return (
        f"I would name neither {found['a']} nor {found['b']} here. Nobody who was there with them "
        f"{mark} saw what they did, and so it stays open."
    )


def stance(prompt: str) -> str:
    """The label of the response that a judge's prompt holds."""
    response = re.search(r"^Response: (.*)$", prompt, re.MULTILINE)
    assert response is not None
    if "neither" in response[1]:
        return "NONE"
    shown = {label: re.search(rf"^{label}: (.*)$", prompt, re.MULTILINE) for label in "AB"}
    return next(
        (label for label, name in shown.items() if name and f"name {name[1]} here" in response[1]),
        "NONE",
    )


Write = Callable[[str, dict[str, Any]], str]
Read = Callable[[str], str]


class FableLM(LM):  # type: ignore[misc]
    """Writes with one function and reads stances with another; keeps what it was asked.

    Attributes:
        written: Documents of the responses that it wrote.
        read: Prompts of the stances that it read.
        stop_after: Responses after which it raises KeyboardInterrupt; None never.
    """

    tokenizer_name = "fable"
    max_length = 10_000

    def __init__(self, write: Write = good, read: Read = stance) -> None:
        super().__init__()
        self.write, self.reading = write, read
        self.written: list[dict[str, Any]] = []
        self.read: list[str] = []
        self.stop_after: int | None = None

    def tok_encode(self, text: str) -> list[str]:
        return text.split()

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        return [self._text(one.args[0], one.doc) for one in requests]

    def _text(self, prompt: str, doc: dict[str, Any]) -> str:
        if "form" in doc:
            self.read.append(prompt)
            return self.reading(prompt)
        if self.stop_after is not None and len(self.written) >= self.stop_after:
            raise KeyboardInterrupt
        self.written.append(doc)
        return self.write(prompt, doc)

    def loglikelihood(
        self, requests: list[Any], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        found = []
        for prompt, continuation in (one.args for one in requests):
            if continuation.strip() == "A":
                self.read.append(prompt)
            right = continuation.strip() == self.reading(prompt)
            found.append((-0.5 if right else -5.0, right))
        return found

    def loglikelihood_rolling(self, requests: list[Any], disable_tqdm: bool = False) -> Any:
        raise NotImplementedError

    def apply_chat_template(
        self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> str:
        return "".join(f"<{one['role']}>{one['content']}" for one in chat_history) + "<assistant>"

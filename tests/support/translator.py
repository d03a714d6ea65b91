"""Texts that are ours, and an lm_eval model that translates them by table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lm_eval.api.model import LM

TRIPLETS = (
    ("he finna go to the store before it close", "He is about to go to the store before it closes",
     "he bout to go to the store fore it close"),
    ("they be talking all day and nobody care", "They always talk all day and nobody cares",
     "they be talking all day and dont nobody care"),
    ("she been knowing that song by heart", "She has known that song by heart for a long time",
     "she been knew that song by heart"),
    ("we was up late and ain't sleep none", "We were up late and did not sleep at all",
     "we was up late and aint sleep at all"),
    ("I done told y'all about that door", "I have already told you all about that door",
     "I done told y'all bout that door already"),
    ("my cousin house got two big dogs", "My cousin's house has two big dogs",
     "my cousin house be having two big dogs"),
)  # fmt: skip


def texts_file(folder: Path, triplets: Any = TRIPLETS) -> Path:
    """The AAE sides as a file of texts."""
    path = folder / "texts.jsonl"
    lines = [json.dumps({"id": f"t{n}", "aae": one[0]}) for n, one in enumerate(triplets)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def translated(prompt: str) -> str:
    """The right answer to a prompt."""
    asked = re.findall(r"^Text: (.*)$", prompt, re.MULTILINE)[-1]
    known = {aae: sae for aae, sae, _ in TRIPLETS} | {sae: back for _, sae, back in TRIPLETS}
    return known[asked]


Answer = Callable[[str, dict[str, Any], dict[str, Any]], str]
"""(prompt, document, generation settings) to a text."""


class TranslatorLM(LM):  # type: ignore[misc]
    """Answers with a function; keeps what it was asked.

    Attributes:
        asked: Documents of the answers that it gave.
        settings: Generation settings of each.
        stop_after: Answers after which it raises KeyboardInterrupt; None never.
    """

    tokenizer_name = "translator"
    max_length = 10_000

    def __init__(self, answer: Answer = lambda prompt, doc, settings: translated(prompt)) -> None:
        super().__init__()
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.settings: list[dict[str, Any]] = []
        self.stop_after: int | None = None

    def tok_encode(self, text: str) -> list[str]:
        return text.split()

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        return [self._text(*one.args, one.doc) for one in requests]

    def _text(self, prompt: str, settings: dict[str, Any], doc: dict[str, Any]) -> str:
        if self.stop_after is not None and len(self.asked) >= self.stop_after:
            raise KeyboardInterrupt
        self.asked.append(doc)
        self.settings.append(settings)
        return self.answer(prompt, doc, settings)

    def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> Any:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Any], disable_tqdm: bool = False) -> Any:
        raise NotImplementedError

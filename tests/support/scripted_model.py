"""An lm_eval model that answers by rule, and a few WinoGrande items that are ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lm_eval.api.model import LM

from sociolect.generators.benchmarks import winogrande
from sociolect.generators.benchmarks.coreference import Occupations
from sociolect.generators.items import Benchmark

SENTENCES = (
    ("The urn broke the old vase on the shelf because the _ was very heavy and it had fallen.",
     "urn", "vase"),
    ("The trophy does not fit into the brown suitcase in the hall because the _ is too large.",
     "trophy", "suitcase"),
    ("Robin asked Kim about the way to the station, since _ had lived in the town for years.",
     "Kim", "Robin"),
    ("After the storm the boat lay on the rocks near the pier, so the _ had to be repaired.",
     "boat", "pier"),
    ("We moved the piano with the trolley from the van because the _ was made for loads.",
     "trolley", "piano"),
    ("The bread was better than the cake at the party, which is why the _ was eaten first.",
     "bread", "cake"),
    ("They took the train to the coast instead of the bus because the _ was late again.",
     "bus", "train"),
    ("The lamp in the corner is brighter than the candle on the table, so the _ was put out.",
     "candle", "lamp"),
)  # fmt: skip


def benchmark(copies: int = 3) -> Benchmark:
    """Every sentence `copies` times under different ids, as WinoGrande's training items."""
    lines = [
        json.dumps(
            {
                "qID": f"S{number}C{copy}-1",
                "sentence": sentence,
                "option1": options[number % 2],
                "option2": options[1 - number % 2],
                "answer": str(number % 2 + 1),
            }
        )
        for copy in range(copies)
        for number, (sentence, *options) in enumerate(SENTENCES)
    ]
    questions = winogrande.read_questions("\n".join(lines), "written.jsonl")
    return winogrande._filtered(
        winogrande.TRAIN_NAME,
        questions,
        Occupations(("cook",), ("clerk",)),
        frozenset(),
        winogrande.TRAIN_FILES,
    )


Answer = Callable[[dict[str, Any], int, str], str]
"""(document, number of the sample, letter of the right option) to a completion."""


def reasoning(doc: dict[str, Any], sample: int, right: str) -> str:
    """A good completion."""
    option = doc["options"][doc["gold"]]
    return (
        f" In this sentence the blank stands for {option}, since nothing else would make sense "
        f"there, whatever else it says.\n\n\\boxed{{{right}}} And on."
    )


class ScriptedLM(LM):  # type: ignore[misc]
    """Answers every request with a function; keeps what it was asked.

    Args:
        answer: Makes a completion.
        max_length: Context in words, which are the tokens of this model.
    """

    tokenizer_name = "scripted"

    def __init__(self, answer: Answer = reasoning, max_length: int = 10_000) -> None:
        super().__init__()
        self.answer = answer
        self.max_length = max_length
        self.asked: list[Any] = []

    def tok_encode(self, text: str) -> list[str]:
        return text.split()

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        self.asked += requests
        seen: dict[tuple[str, int], int] = {}
        texts = []
        for request in requests:
            key = request.doc["id"], request.doc["order"]
            sample = seen[key] = seen.get(key, -1) + 1
            right = "AB"[request.doc["gold"] ^ request.doc["order"]]
            texts.append(self.answer(request.doc, sample, right))
        return texts

    def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> Any:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Any], disable_tqdm: bool = False) -> Any:
        raise NotImplementedError


class ChatLM(ScriptedLM):
    """One with a chat template."""

    def apply_chat_template(
        self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> str:
        turns = "".join(f"<{turn['role']}>{turn['content']}" for turn in chat_history)
        return turns + ("<assistant>" if add_generation_prompt else "")

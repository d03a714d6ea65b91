"""Prompts, answers and tokens of a run, counted without a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sociolect.generators.errors import ModelError
from sociolect.harness.document_traps import asked_numbers
from sociolect.harness.local_models import model_folder, tokenizer_folder
from sociolect.harness.run_options import RunOptions, TaskFacts
from sociolect.tasks import prompts
from sociolect.tasks.dialect.prompts import requests as dialect_requests

CHARACTERS_PER_TOKEN = 4
"""A usual figure for English, where no tokenizer is at hand."""

_BATCH = 1000
Count = Callable[[Sequence[str]], int]


@dataclass(frozen=True, slots=True)
class TaskCount:
    """The size of one task.

    Attributes:
        name: Task name.
        prompts: Distinct requests; where options are scored, one an option.
        answers: Samples asked for; 0 where options are scored.
        prompt_tokens: Tokens of the prompts, each read once.
        most_tokens: Tokens that can be generated at most.
    """

    name: str
    prompts: int
    answers: int
    prompt_tokens: int
    most_tokens: int


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts tokens of texts.

    Attributes:
        count: Total over some texts.
        origin: How it counts, for the report.
    """

    count: Count
    origin: str


def token_counter(options: RunOptions) -> TokenCounter:
    """The tokenizer of a local model, else an estimate from characters.

    Raises:
        ModelError: The folder of the model has no tokenizer that can be loaded.
    """
    folder = tokenizer_folder(options.model_args) or model_folder(options.model_args)
    estimate = f"characters ÷ {CHARACTERS_PER_TOKEN}, an estimate"
    if folder is None:
        return TokenCounter(_by_characters, f"{estimate}: no local tokenizer")
    try:
        from transformers import AutoTokenizer
    except ImportError:
        return TokenCounter(_by_characters, f"{estimate}: transformers is not installed")
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except Exception as error:  # the libraries raise bare ones too
        said = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        raise ModelError(f"the tokenizer in {folder} cannot be loaded: {said}") from error

    def count(texts: Sequence[str]) -> int:
        batches = (texts[at : at + _BATCH] for at in range(0, len(texts), _BATCH))
        made = (tokenizer(list(batch), verbose=False)["input_ids"] for batch in batches)
        return sum(len(ids) for batch in made for ids in batch)

    return TokenCounter(count, f"counted with the tokenizer in {folder}")


def _by_characters(texts: Sequence[str]) -> int:
    return sum(math.ceil(len(text) / CHARACTERS_PER_TOKEN) for text in texts)


def count_task(
    task: TaskFacts,
    documents: Sequence[Mapping[str, Any]],
    options: RunOptions,
    counter: TokenCounter,
) -> TaskCount:
    """The size of one task after `--limit`, `--samples` and `--gen_kwargs`.

    A chat template is not applied, so its tokens are not counted.
    """
    asked = (documents[n] for n in asked_numbers(options, task, len(documents)))
    requests = dialect_requests if task.is_dialect else _requests
    texts = [text for doc in asked for text in requests(doc)]
    answers = 0 if task.by_likelihood else len(texts) * task.repeats
    longest = int(options.generation(task).get("max_gen_toks") or 0)
    return TaskCount(task.name, len(texts), answers, counter.count(texts), answers * longest)


def _requests(doc: Mapping[str, Any]) -> list[str]:
    """The texts that one document makes the model read."""
    if doc["form"] != "ll":
        return [prompts.render(doc, doc["form"], doc["order"])]
    cloze = prompts.cloze(doc)
    return [
        context + continuation
        for context, continuation in zip(cloze.contexts, cloze.continuations, strict=True)
    ]

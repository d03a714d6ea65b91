"""Prompts as the evaluation asks them, and completions of them from any lm_eval model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError

from sociolect.generators.errors import ModelError
from sociolect.generators.rows import Row
from sociolect.tasks.functions import doc_to_text
from sociolect.tasks.prompts import BOX_OPEN, render

Chat = Callable[..., str]
"""lm_eval's `apply_chat_template` of a model."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that is asked.

    Attributes:
        doc: The row, with `form` and `order`: what answers are read with.
        text: What the model sees.
    """

    doc: Mapping[str, Any]
    text: str


def make_prompt(row: Row, form: str, order: int, chat: Chat | None = None) -> Prompt:
    """The prompt of a row, as the task of the same form asks it.

    Args:
        row: A row of a dataset.
        form: `reason` or `direct`.
        order: Option order, 0 or 1.
        chat: The model's chat template. The prompt is then the user's turn, and the opening of
            the box in the form `direct` the beginning of the model's.

    Raises:
        ModelError: The model has no chat template, or one that does not let it go on with a turn.
    """
    doc = {**row, "form": form, "order": order}
    if chat is None:
        return Prompt(doc, render(row, form, order))
    prefix = BOX_OPEN if form == "direct" else ""
    turns = [{"role": "user", "content": doc_to_text(doc)}]
    if prefix:
        turns.append({"role": "assistant", "content": prefix})
    text: str = templated(chat, turns, "--chat-template", add_generation_prompt=not prefix)
    if not text.endswith(prefix):
        raise ModelError(
            f"the model's chat template closes the turn that begins with {prefix}; leave out "
            "--chat-template, or use --form reason"
        )
    return Prompt(doc, text)


def templated(
    chat: Callable[..., Any], turns: Sequence[Mapping[str, str]], option: str, **settings: Any
) -> Any:
    """Turns in the chat template of a model.

    Args:
        chat: lm_eval's `apply_chat_template` of the model.
        turns: `role` and `content` of each.
        option: What asked for the template, for the message.
        **settings: Of `chat`.

    Raises:
        ModelError: The model has no chat template, or one that cannot be used so.
    """
    try:
        return chat(turns, **settings)
    except (NotImplementedError, ValueError, TypeError, TemplateError) as error:
        raise ModelError(
            f"the model's chat template cannot be used ({type(error).__name__}: {error}). Leave "
            f"out {option}, or name a model that has one"
        ) from error


def check_context(model: Any, prompts: Sequence[Prompt], max_tokens: int) -> None:
    """Refuse prompts that, with an answer of full length, are longer than the model's context.

    lm_eval would cut them at the start and go on.

    Args:
        model: An lm_eval model; one that knows no tokens or no limit is not checked.
        prompts: What will be asked.
        max_tokens: Longest answer in tokens.

    Raises:
        ModelError: One is too long.
    """
    limit, encode = getattr(model, "max_length", None), getattr(model, "tok_encode", None)
    if not isinstance(limit, int) or encode is None:
        return
    longest, prompt = max(((len(encode(p.text)), p) for p in prompts), key=lambda pair: pair[0])
    if longest + max_tokens > limit:
        raise ModelError(
            f"the prompt of {prompt.doc['id']} has {longest} tokens and its answer may have "
            f"{max_tokens}, together more than the {limit} of the model's context. Lower "
            "--max-tokens, or raise the limit in --model_args (max_length= of hf, max_model_len= "
            "of vllm) if the model allows it"
        )


def complete(
    model: Any, prompts: Sequence[Prompt], count: int, settings: Mapping[str, Any], task: str
) -> list[list[str]]:
    """Sample completions of every prompt.

    Args:
        model: An lm_eval model.
        prompts: What is asked.
        count: Completions a prompt.
        settings: lm_eval's generation settings.
        task: Name of the requests, under which our backends keep answers.

    Returns:
        `count` texts a prompt.

    Raises:
        ModelError: The model gave another number of texts.
    """
    from lm_eval.api.instance import Instance

    requests = [
        Instance(
            "generate_until", dict(p.doc), (p.text, dict(settings)), 0, metadata=(task, n, count)
        )
        for n, p in enumerate(prompts)
    ]
    texts = list(model.generate_until([one for one in requests for _ in range(count)]))
    if len(texts) != len(prompts) * count:
        raise ModelError(
            f"the model gave {len(texts)} answers to {len(prompts)} prompts asked {count} times"
        )
    return [texts[at : at + count] for at in range(0, len(texts), count)]


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed the numbers that lm_eval's own models sample with; afterwards they are as before.

    Our backends have a seed for every prompt and do not need it.
    """
    if "torch" not in sys.modules:  # no model of lm_eval that samples here without torch
        yield
        return
    import torch

    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed % 2**63)
        yield

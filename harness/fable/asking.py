"""Requests to an lm_eval model whose answers are kept.

Our own backends keep what they have answered: of a local model whole batches, since in half
precision the answer to a prompt depends a little on the others in it, of a server every single
answer. For a model of lm_eval that keeps nothing, batches are kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from lm_eval.api.instance import Instance

from sociolect.generators.errors import ModelError
from sociolect.steering.backends.answers import Answered, AnswerStore
from sociolect.steering.backends.requests import Chunk, Prompt, distinct
from sociolect.steering.lora.asking import seeded, templated


@dataclass(frozen=True, slots=True)
class Asker:
    """A model and the answers that it has given.

    Attributes:
        model: An lm_eval model.
        store: Where its answers are kept; None if it keeps them itself.
        seed: Of the run; the seeds of requests are derived from it.
        chat: Put prompts into the model's chat template.
        around: Entered while the model is asked, to explain what it raises.
    """

    model: Any
    store: AnswerStore | None
    seed: int
    chat: bool = False
    around: Callable[[], AbstractContextManager[None]] = nullcontext

    def framed(self, text: str) -> Any:
        """A prompt as the model takes it.

        Raises:
            ModelError: The model has no chat template that can be used.
        """
        if not self.chat:
            return text
        turns = [{"role": "user", "content": text}]
        return templated(self.model.apply_chat_template, turns, "--apply-chat-template")

    def write(
        self,
        docs: Sequence[Mapping[str, Any]],
        texts: Sequence[str],
        settings: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        task: str,
    ) -> list[str]:
        """Generated texts, one a prompt.

        Args:
            docs: What the prompts are about, with `benchmark`, `id` and `order`: the seed of a
                prompt is a hash of them.
            texts: Prompts.
            settings: lm_eval's generation settings, of all prompts or one a prompt.
            task: Name of the requests.

        Raises:
            ModelError: The model cannot be asked so.
        """
        each = [settings] * len(texts) if isinstance(settings, Mapping) else settings
        requests = [
            Instance(
                "generate_until",
                dict(doc),
                (self.framed(text), dict(own)),
                0,
                metadata=(task, number, 1),
            )
            for number, (doc, text, own) in enumerate(zip(docs, texts, each, strict=True))
        ]
        return [str(text) for text in self._answers("generate_until", requests)]

    def score(
        self,
        docs: Sequence[Mapping[str, Any]],
        pairs: Sequence[Sequence[tuple[str, str]]],
        task: str,
    ) -> list[list[tuple[float, bool]]]:
        """(Log-likelihood, is greedy) of every continuation.

        Args:
            docs: What they are about.
            pairs: For each document, contexts and continuations.
            task: Name of the requests.

        Raises:
            ModelError: The model cannot be asked so.
        """
        requests = [
            Instance(
                "loglikelihood",
                dict(doc),
                # As lm_eval: nothing stands between the opening of a turn and what follows.
                (self.framed(context), text.lstrip() if self.chat else text),
                index,
                metadata=(task, number, 1),
            )
            for number, (doc, own) in enumerate(zip(docs, pairs, strict=True))
            for index, (context, text) in enumerate(own)
        ]
        found = iter(self._answers("loglikelihood", requests))
        return [[_pair(next(found)) for _ in own] for own in pairs]

    def _answers(self, method: str, requests: Sequence[Instance]) -> list[Any]:
        """One answer a request, those that are kept from their files."""
        if not requests:
            return []
        if self.store is None:
            return self._computed(method, requests)
        prompts, where = distinct(requests, self.seed)
        chunk = Chunk(prompts[0].task, 0, tuple(prompts))

        def compute(chunk: Chunk) -> Answered:
            asked = [prompt.instance for prompt in chunk.prompts]
            with seeded(_joint_seed(prompts)) if method == "generate_until" else nullcontext():
                made = self._computed(method, asked)
            # A task asks each of its documents once, so nothing is repeated.
            return Answered([[one] for one in made], tokens=0)

        ((_, answers, _),) = self.store.answer(method, [chunk], compute)
        return [answers[at][0] for at in where]

    def _computed(self, method: str, requests: Sequence[Instance]) -> list[Any]:
        with self.around():
            found = list(getattr(self.model, method)(list(requests), disable_tqdm=True))
        if len(found) != len(requests):
            raise ModelError(f"the model gave {len(found)} answers to {len(requests)} prompts")
        return found


def _pair(answer: Sequence[Any]) -> tuple[float, bool]:
    score, greedy = answer
    return float(score), bool(greedy)


def _joint_seed(prompts: Sequence[Prompt]) -> int:
    """Of samples that are drawn from one generator for all prompts of a batch."""
    text = ",".join(str(prompt.seed) for prompt in prompts)
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big")

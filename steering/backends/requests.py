"""What lm_eval asks of a model, sorted into distinct prompts and chunks of fixed composition.

lm_eval hands over one request an answer: K samples of a prompt are the same request K times.
Here they become one prompt that is answered K times, with a seed of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

_SEED_BITS = 62
"""Engines take signed 64-bit seeds and count up from one for the samples of a prompt."""
_DOC_KEY = ("benchmark", "id", "order")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One distinct request.

    Attributes:
        task: Task name, empty if the request has none.
        arguments: What lm_eval asks: context and generation settings, context and continuation,
            or one string.
        repeats: How many answers are wanted.
        seed: Of its samples, 0 to 2⁶² − 1.
        instance: lm_eval's own request.
    """

    task: str
    arguments: tuple[Any, ...]
    repeats: int
    seed: int
    instance: Any

    @property
    def settings(self) -> str:
        """Generation settings as canonical text, empty where nothing is generated."""
        last = self.arguments[-1]
        return _canonical(last) if isinstance(last, Mapping) else ""

    @property
    def is_greedy(self) -> bool:
        """Whether nothing is drawn, so that all answers are one; lm_eval's default is that."""
        last = self.arguments[-1]
        return isinstance(last, Mapping) and not (
            last.get("do_sample", True) and last.get("temperature")
        )

    def content(self) -> list[Any]:
        """Everything that decides the answers but for the model, ready for JSON."""
        return [list(self.arguments), self.repeats, self.seed]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Prompts that are answered together, and again together if they must be.

    Attributes:
        task: Their task.
        number: Counts the chunks of the task, from 0.
        prompts: In the order of the task.
    """

    task: str
    number: int
    prompts: tuple[Prompt, ...]

    @property
    def answers(self) -> int:
        """How many answers the chunk holds."""
        return sum(prompt.repeats for prompt in self.prompts)


def sampling_seed(run_seed: int, instance: Any) -> int:
    """The seed of the samples of one request: a hash of run seed, benchmark, item and order.

    The condition is not part of it. The clean and the errored prompt of an item are sampled with
    the same random numbers, so that two equal prompts have equal answers, and a paired
    comparison loses the noise that both sides share.

    Args:
        run_seed: Any whole number.
        instance: lm_eval's request. Of tasks that are not ours (no `benchmark`, `id` and
            `order` in the document) the name of the task, the number of the document and that
            of the request take their place; without those the request itself.

    Returns:
        0 to 2⁶² − 1.
    """
    doc = instance.doc if isinstance(instance.doc, Mapping) else {}
    if all(name in doc for name in _DOC_KEY):
        who: list[Any] = [doc[name] for name in _DOC_KEY]
    elif instance.task_name is not None and instance.doc_id is not None:
        who = [instance.task_name, instance.doc_id, instance.idx]
    else:
        who = [_canonical(list(instance.args))]
    text = _canonical([int(run_seed), *who])
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - _SEED_BITS)


def distinct(requests: Sequence[Any], run_seed: int) -> tuple[list[Prompt], list[int]]:
    """The distinct prompts among requests, in order of first appearance.

    Returns:
        The prompts, and for every request the index of its prompt. The k-th request of a prompt
        takes its k-th answer.
    """
    index: dict[str, int] = {}
    counts: list[int] = []
    first: list[Any] = []
    where: list[int] = []
    memo: dict[int, int] = {}  # repeats are mostly one object
    for request in requests:
        at = memo.get(id(request))
        if at is None:
            key = _canonical([request.task_name, request.doc_id, request.idx, list(request.args)])
            at = memo[id(request)] = index.setdefault(key, len(index))
        if at == len(counts):
            counts.append(0)
            first.append(request)
        counts[at] += 1
        where.append(at)
    prompts = [
        Prompt(one.task_name or "", tuple(one.args), count, sampling_seed(run_seed, one), one)
        for one, count in zip(first, counts, strict=True)
    ]
    return prompts, where


def in_chunks(prompts: Iterable[Prompt], size: int) -> list[Chunk]:
    """Cut the prompts of every task, and of every kind of generation, into chunks.

    Which other tasks are asked in the same run changes nothing: no chunk spans two of them.

    Args:
        prompts: Of any number of tasks.
        size: Prompts a chunk, 1 or more.
    """
    groups: dict[tuple[str, str], list[Prompt]] = {}
    for prompt in prompts:
        groups.setdefault((prompt.task, prompt.settings), []).append(prompt)
    chunks: list[Chunk] = []
    numbers: dict[str, int] = {}
    for (task, _), members in groups.items():
        for start in range(0, len(members), size):
            number = numbers.get(task, 0)
            numbers[task] = number + 1
            chunks.append(Chunk(task, number, tuple(members[start : start + size])))
    return chunks


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)

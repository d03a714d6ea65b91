"""What is finished in an answers folder: prompts by task, and how fast they were answered."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_NAME = re.compile(r"(?P<task>.+)-(?P<number>\d{5,})-[0-9a-f]{16}\.jsonl")


@dataclass(frozen=True, slots=True)
class Finished:
    """Chunks of one task.

    Attributes:
        chunks: How many.
        prompts: How many prompts they hold.
        tokens: Generated in them; 0 where options were scored.
        seconds: That the device took for them.
    """

    chunks: int = 0
    prompts: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class _Folder:
    """The largest chunk of every number of every task in one folder."""

    heads: dict[str, dict[int, Mapping[str, Any]]] = field(
        default_factory=lambda: defaultdict(dict)
    )

    def add(self, task: str, number: int, head: Mapping[str, Any]) -> None:
        known = self.heads[task].get(number)
        if known is None or head["prompts"] > known["prompts"]:
            self.heads[task][number] = head

    def finished(self, task: str) -> Finished:
        heads = list(self.heads[task].values())
        return Finished(
            chunks=len(heads),
            prompts=sum(int(head["prompts"]) for head in heads),
            tokens=sum(int(head["tokens"]) for head in heads),
            seconds=sum(float(head["seconds"]) for head in heads),
        )


def finished(answers: Path | None) -> dict[str, Finished]:
    """Finished work by task.

    The names and first lines of the chunks are read, not their answers. Answers of the same model
    on another device, or made with other library versions, lie in folders of their own; of each
    task the folder with most counts.

    Args:
        answers: Folder of an answer store; None, or not there yet, for nothing.
    """
    if answers is None or not answers.is_dir():
        return {}
    best: dict[str, Finished] = {}
    for folder in sorted(one for one in answers.iterdir() if one.is_dir()):
        read = _Folder()
        for task, number, head in _heads(folder):
            read.add(task, number, head)
        for task in read.heads:
            found = read.finished(task)
            if found.prompts > best.get(task, Finished()).prompts:
                best[task] = found
    return best


def _heads(folder: Path) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    for path in sorted(folder.glob("*.jsonl")):
        match = _NAME.fullmatch(path.name)
        head = _head(path) if match else None
        if match and head is not None:
            yield match["task"], int(match["number"]), head


def _head(path: Path) -> Mapping[str, Any] | None:
    """The first line of a chunk, None if it is damaged: the run will say so."""
    try:
        with path.open(encoding="utf-8") as file:
            head = json.loads(file.readline())
    except (OSError, ValueError):
        return None
    wanted = ("prompts", "tokens", "seconds")
    numbers = isinstance(head, dict) and all(isinstance(head.get(n), int | float) for n in wanted)
    return head if numbers else None

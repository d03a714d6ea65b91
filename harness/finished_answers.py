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
        sizes: Prompts of every chunk by its number; of several with one number the largest.
        tokens: Generated in them; 0 where options were scored.
        seconds: That the device took for them.
    """

    sizes: Mapping[int, int] = field(default_factory=dict)
    tokens: int = 0
    seconds: float = 0.0

    @property
    def prompts(self) -> int:
        """Prompts in all chunks."""
        return sum(self.sizes.values())

    def of(self, total: int, chunk: int | None = None) -> int:
        """Prompts of a run over `total` of them that need not be asked again.

        A chunk is read back only if it holds the same prompts. One that is neither of full size
        nor the last one is of a run over fewer prompts (`--limit`).

        Args:
            total: Prompts of the task in the run.
            chunk: Prompts a chunk; None if only the engine knows. Then it is the size of the
                largest chunk, if there are several.
        """
        size = chunk or (max(self.sizes.values()) if len(self.sizes) > 1 else total)
        return sum(
            count
            for number, count in self.sizes.items()
            if number * size + count <= total and (count == size or number * size + count == total)
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
        for task, found in _in_folder(folder).items():
            if found.prompts > best.get(task, Finished()).prompts:
                best[task] = found
    return best


def _in_folder(folder: Path) -> dict[str, Finished]:
    heads: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for task, number, head in _heads(folder):
        known = heads[task].get(number)
        if known is None or head["prompts"] > known["prompts"]:
            heads[task][number] = head
    return {
        task: Finished(
            sizes={number: int(head["prompts"]) for number, head in of_task.items()},
            tokens=sum(int(head["tokens"]) for head in of_task.values()),
            seconds=sum(float(head["seconds"]) for head in of_task.values()),
        )
        for task, of_task in heads.items()
    }


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

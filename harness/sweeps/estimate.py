"""How long cells take, from what cells of the same model took: never a figure from elsewhere."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from sociolect.generators.errors import UnknownNameError
from sociolect.tasks import cells

_SIZES = ("limit", "samples")


@dataclass(slots=True)
class _Measured:
    """Cells of one model.

    Attributes:
        documents: Asked in them.
        answering: Seconds that the device took for them; the whole of a run whose backend does
            not say it apart.
        other: Seconds of every run beside: start, loading, scores.
    """

    documents: float = 0.0
    answering: float = 0.0
    other: list[float] = field(default_factory=list)


class Estimate:
    """Learns seconds a document of every model, and documents of every kind of task.

    A cell is judged by cells of the same model, benchmark and form, else by those of the same model
    and form: a scored option and a long answer have nothing in common.
    """

    def __init__(self) -> None:
        self._speeds: dict[str, _Measured] = defaultdict(_Measured)
        self._documents: dict[str, int] = {}

    def learn(self, asked: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        """Take in a finished cell (`Cell.asked`, and what its `finished.json` holds)."""
        documents = dict(facts["documents"])
        for task, count in documents.items():
            self._documents[_size_key(task, asked)] = count
        asked_now = sum(documents.values()) * _share_of_attempt(facts)
        if not asked_now:
            return  # every answer was there before
        for key in _speed_keys(asked):
            found = self._speeds[key]
            found.documents += asked_now
            found.answering += float(facts.get("answering_seconds", facts["seconds"]))
            found.other.append(float(facts.get("other_seconds", 0.0)))

    def seconds(
        self, asked: Mapping[str, Any], documents: Mapping[str, int] | None = None
    ) -> float | None:
        """Expected seconds of a cell; None where nothing like it was measured.

        Args:
            asked: `Cell.asked`.
            documents: Of its tasks; None for as many as equal tasks had.
        """
        known = documents or self._documents_of(asked)
        found = next((s for key in _speed_keys(asked) if (s := self._speeds.get(key))), None)
        if found is None or known is None:
            return None
        return median(found.other) + sum(known.values()) * found.answering / found.documents

    def _documents_of(self, asked: Mapping[str, Any]) -> dict[str, int] | None:
        keys = {task: _size_key(task, asked) for task in asked["tasks"]}
        if any(key not in self._documents for key in keys.values()):
            return None
        return {task: self._documents[key] for task, key in keys.items()}


def learnt(finished: Iterable[Mapping[str, Any]]) -> Estimate:
    """What finished cells tell of the speed of their models."""
    estimate = Estimate()
    for held in finished:
        estimate.learn(held["asked"], held)
    return estimate


def _share_of_attempt(facts: Mapping[str, Any]) -> float:
    """Which part of the prompts the last attempt asked; the rest an earlier one had answered."""
    prompts = facts.get("prompts")
    return float(facts["prompts_of_attempt"]) / prompts if prompts else 1.0


def _speed_keys(asked: Mapping[str, Any]) -> tuple[str, str]:
    """What cells of one speed have in common, exactly and roughly."""
    arguments = {k: v for k, v in asked["arguments"].items() if k not in _SIZES}
    model = [asked["model"], asked["model_args"], arguments]
    kinds = sorted({_kind(task) for task in asked["tasks"]})
    forms = sorted({form for _, form in kinds})
    exact, rough = (json.dumps([*model, one], sort_keys=True) for one in (kinds, forms))
    return exact, rough


def _size_key(task: str, asked: Mapping[str, Any]) -> str:
    """What tasks with equally many documents have in common."""
    sizes = {name: asked["arguments"].get(name) for name in _SIZES}
    return json.dumps([_kind(task), sizes], sort_keys=True)


def _kind(task: str) -> tuple[str, str]:
    """Benchmark and form; a task of the dialect audit or of lm_eval is a kind of its own."""
    try:
        cell = cells.cell(task)
    except UnknownNameError:
        return task, task
    return cell.benchmark, cell.form

"""How long cells take, from what cells of the same model took: never a figure from elsewhere."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from sociolect.generators.errors import UnknownNameError
from sociolect.tasks import cells


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
    """Learns seconds a document of every model and documents of every kind of task."""

    def __init__(self) -> None:
        self._models: dict[str, _Measured] = defaultdict(_Measured)
        self._documents: dict[str, int] = {}

    def learn(self, asked: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        """Take in a finished cell (`Cell.asked`, and what its `finished.json` holds)."""
        documents = dict(facts["documents"])
        for task, count in documents.items():
            self._documents[_kind(task, asked)] = count
        share = _share_of_attempt(facts)
        if not share:
            return  # every answer was there before
        found = self._models[_model(asked)]
        found.documents += sum(documents.values()) * share
        found.answering += float(facts.get("answering_seconds", facts["seconds"]))
        found.other.append(float(facts.get("other_seconds", 0.0)))

    def seconds(self, asked: Mapping[str, Any]) -> float | None:
        """Expected seconds of a cell; None where nothing like it was measured."""
        found = self._models.get(_model(asked))
        counts = [self._documents.get(_kind(task, asked)) for task in asked["tasks"]]
        if found is None or not found.documents or None in counts:
            return None
        documents = sum(count for count in counts if count is not None)
        return median(found.other) + documents * found.answering / found.documents


def _share_of_attempt(facts: Mapping[str, Any]) -> float:
    """Which part of the prompts the last attempt asked; the rest an earlier one had answered."""
    prompts = facts.get("prompts")
    return float(facts["prompts_of_attempt"]) / prompts if prompts else 1.0


def _model(asked: Mapping[str, Any]) -> str:
    names = ("model", "model_args", "arguments", "environment")
    return json.dumps([asked[name] for name in names], sort_keys=True)


def _kind(task: str, asked: Mapping[str, Any]) -> str:
    """Tasks of one kind have equally many documents: a benchmark in a form, with its limit."""
    limits = {name: asked["arguments"].get(name) for name in ("limit", "samples")}
    try:
        cell = cells.cell(task)
    except UnknownNameError:  # of the dialect audit, or of lm_eval
        return json.dumps([task, limits], sort_keys=True)
    return json.dumps([cell.benchmark, cell.form, limits], sort_keys=True)

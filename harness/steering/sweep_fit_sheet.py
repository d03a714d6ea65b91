"""What a swept vector was fitted on, so that a report can be read alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sociolect.harness.sheets import Cell, Column, Sheet
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_vectors import SINGLE, VECTOR

DIALECT = "dialect"
_NAMES: Mapping[str, str] = {
    "kind": "fitted on",
    "dataset": "dataset",
    "benchmark": "benchmark",
    "condition": "condition",
    "data_sha256": "hash of the data",
    "direction_pairs": "pairs of the directions",
    "traced_items": "items traced",
    "seed": "seed",
}
"""What is shown of the fit, in this order."""


def model_of(sweep: Sweep) -> str:
    """Name of the swept model, as every table has it."""
    return sweep.evaluation.base.audited.system.model


def what_was_fitted(sweep: Sweep) -> Sheet:
    """The model, the vectors, and where they come from; what the fit warned of below."""
    fit = dict(sweep.facts.get("fit") or {})
    rows = [
        ("model", model_of(sweep)),
        ("β scale", sweep.settings.scale),
        ("fit", str(sweep.settings.fit)),
        *((_NAMES[name], _text(fit[name])) for name in _NAMES if fit.get(name) is not None),
        *((f"layers of {name}", _layers(sweep, name)) for name in (VECTOR, SINGLE)),
    ]
    if (pairs := sweep.facts.get("pairs_of_fit")) is not None:
        rows.append(("pairs of the fit", _text(pairs)))
    columns = (Column("what", left=True), Column("value", left=True))
    cells = tuple((Cell(name), Cell(text)) for name, text in rows)
    return Sheet("What was fitted", columns, cells, _notes(fit))


def _notes(fit: Mapping[str, Any]) -> tuple[str, ...]:
    notes = [f"The fit warned: {text}" for text in fit.get("warnings") or ()]
    if fit.get("kind", DIALECT) != DIALECT:
        notes.insert(
            0,
            "The vector was fitted on learner errors, and is swept on pairs of dialect here: what "
            "it does to them is a side effect of a correction of errors, which AAE is not.",
        )
    return tuple(notes)


def _layers(sweep: Sweep, name: str) -> str:
    """Layers with their weights."""
    own = sweep.vectors[name].vector
    return ", ".join(f"{layer} (w = {own.weights[layer]:.3g})" for layer in own.layers)


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_text(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return str(value)

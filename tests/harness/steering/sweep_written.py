"""A sweep whose runs were written by hand, so that every number is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from sociolect.harness.dialect.methods import Method
from sociolect.harness.sheets import Sheet
from sociolect.harness.steering.sweep import Sweep, compute
from sociolect.harness.steering.sweep_cells import (
    PROMPTED,
    Cell,
    evaluation_cells,
    selection_cells,
)
from sociolect.harness.steering.sweep_choice import choose
from sociolect.harness.steering.sweep_numbers import read_numbers, tried
from sociolect.harness.steering.sweep_pairs import Texts
from sociolect.harness.steering.sweep_settings import SweepSettings
from sociolect.harness.steering.sweep_sheets import all_sheets
from sociolect.harness.steering.sweep_vectors import FILES, SINGLE, VECTOR, Fitted
from sociolect.steering.vectors import OfModel, SteeringVector

from ..dialect.dialect_runs import Writer, pairs  # noqa: TID252 (its package has no name)

TOKENS = 10
MODEL = OfModel("tiny", "made up", "None", 2, 2)


@dataclass
class Told:
    """What a system answers: preferences by pair, and log-likelihoods of the matching sides."""

    b_sae: Sequence[float]
    b_aae: Sequence[float]
    sae: float = -10.0
    aae: float = -20.0
    choices: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def times(self, count: int) -> Told:
        """The same pairs so many times."""
        return replace(
            self,
            b_sae=[*self.b_sae] * count,
            b_aae=[*self.b_aae] * count,
            choices={key: text * count for key, text in self.choices.items()},
        )

    def log_p(self) -> dict[tuple[str, str], list[float]]:
        return {
            ("sae", "sae"): [self.sae for _ in self.b_sae],
            ("sae", "aae"): [self.sae - b for b in self.b_sae],
            ("aae", "aae"): [self.aae for _ in self.b_aae],
            ("aae", "sae"): [self.aae - b for b in self.b_aae],
        }


def fitted(root: Path) -> dict[str, Fitted]:
    """Vectors that nobody loads: norms 2 and 4, weights 0.75 and 0.25."""
    unit, norms = torch.eye(2), torch.tensor([2.0, 4.0])
    found = {}
    for name, file in FILES.items():
        weights = {0: 1.0} if name == SINGLE else {0: 0.75, 1: 0.25}
        vector = SteeringVector(MODEL, unit, norms, weights)
        found[name] = Fitted(root / "fit" / file, vector, f"hash of {name}")
    return found


def settings(root: Path, **options: Any) -> SweepSettings:
    usual: dict[str, Any] = {
        "strengths": (0.5, 1.0),
        "tasks": ("aae_continuation",),
        "method": Method(resamples=200, permutations=99),
        "model_args": {"pretrained": "org/tiny", "dtype": "float32"},
    }
    return SweepSettings(root / "fit", root / "pairs", root / "out", **{**usual, **options})


def write(root: Path, cell: Cell, told: Told, **run: Any) -> None:
    """The run of one cell."""
    count = len(told.b_sae)
    writer = Writer(cell.folder(root / "out"), pairs(count, split=cell.split))
    steering = {}
    if cell.is_steered:
        steering = {"steering": str(fitted(root)[cell.system].path), "beta": str(cell.beta)}
    options: dict[str, Any] = {
        "arguments": steering,
        "prompted": cell.system == PROMPTED,
        "metadata": {"split": cell.split},
        **run,
    }
    tokens = {key: [TOKENS] * count for key in told.log_p()}
    writer.continuation(told.log_p(), tokens, **options)
    if told.choices:
        writer.choice(told.choices, **options)


def sweep_of(
    root: Path,
    told: Callable[[Cell], Told],
    more_facts: Mapping[str, Any] | None = None,
    **options: Any,
) -> Sweep:
    """Write every cell that a sweep needs, and compute it.

    Args:
        root: New folder.
        told: A function from cell to `Told`.
        more_facts: Of the sweep.
        **options: Of `settings`.
    """
    asked, vectors = settings(root, **options), fitted(root)
    chosen_by = selection_cells(asked)
    for cell in chosen_by:
        write(root, cell, told(cell))
    selection = read_numbers(chosen_by, asked.out, vectors, asked.method)
    choices = {name: choose(tried(selection, name), asked.tolerance) for name in (VECTOR, SINGLE)}
    told_by = evaluation_cells(asked, choices)
    for cell in told_by:
        write(root, cell, told(cell))
    evaluation = read_numbers(told_by, asked.out, vectors, asked.method)
    shown = Texts("they be", "working late every night", "usually work late every night")
    texts = dict.fromkeys(selection.audit.dataset.ids, shown)
    facts = {"pairs_sha256": "d" * 64, **(more_facts or {})}
    return compute(asked, vectors, facts, selection, evaluation, choices, texts)


NOISE = (0.5, -0.5, 0.25, -0.25, 0.1, -0.1)


def usual(cell: Cell) -> Told:
    """As much as the vector does, so does the control of shuffled pairs."""
    fall = {"vector": 3.0, "shuffled": 3.0, "single": 1.0}.get(cell.system, 0.0) * cell.beta
    sign = {"vector": 1, "single": 1}.get(cell.system, -1) * cell.is_steered
    before = (-2.0, -3, -1, 1, -2, -4)
    after = [b + fall + sign * w for b, w in zip(before, NOISE, strict=True)]
    costs = {"sae": -11.0} if cell.beta == 1 else {}
    chosen = {
        (c, o): ("ssssss" if c == "sae" else "assasa") for c in ("aae", "sae") for o in (0, 1)
    }
    return Told((4.0, 5, 6, 7, 8, 6), after, choices=chosen, **costs)


def table(swept: Sweep, start: str) -> tuple[Sheet, list[dict[str, str]]]:
    sheet = next(one for one in all_sheets(swept) if one.title.startswith(start))
    names = [column.name for column in sheet.columns]
    return sheet, [
        {n: c.text + c.marks for n, c in zip(names, row, strict=True)} for row in sheet.rows
    ]

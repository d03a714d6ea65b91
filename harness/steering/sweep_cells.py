"""The cells of a sweep: one system at one strength on one split, each a run of `sociolect eval`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sociolect.harness.dialect.runs import PROMPTED as PROMPTED_END
from sociolect.harness.steering.sweep_choice import Choice
from sociolect.harness.steering.sweep_settings import BACKEND, SweepSettings
from sociolect.harness.steering.sweep_vectors import CONTROLS, SINGLE, VECTOR, Fitted

SELECTION, EVALUATION = "selection", "evaluation"
BASE, PROMPTED = "base", "prompted"
"""Systems without a vector."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One run.

    Attributes:
        split: `SELECTION` or `EVALUATION`.
        system: `BASE`, `PROMPTED`, or the name of a vector.
        beta: Strength; 0 without a vector.
    """

    split: str
    system: str
    beta: float = 0.0

    @property
    def is_steered(self) -> bool:
        """Whether a vector is added."""
        return self.system not in (BASE, PROMPTED)

    @property
    def name(self) -> str:
        """Of its folder."""
        return f"{self.system}-{self._strength}" if self.is_steered else self.system

    @property
    def label(self) -> str:
        """To show."""
        strength = f" β={self._strength}" if self.is_steered else ""
        return f"{self.split} · {self.system}{strength}"

    @property
    def _strength(self) -> str:
        """β with all its digits: two strengths never share a folder."""
        return repr(float(self.beta)).removesuffix(".0")

    def folder(self, out: Path) -> Path:
        """Where its run writes."""
        return out / "runs" / self.split / self.name


def selection_cells(settings: SweepSettings) -> list[Cell]:
    """What the strengths are chosen by: base, and both vectors at every strength."""
    steered = [Cell(SELECTION, name, b) for name in (VECTOR, SINGLE) for b in settings.strengths]
    return [Cell(SELECTION, BASE), *steered]


def evaluation_cells(
    settings: SweepSettings,
    choices: Mapping[str, Choice],
    controls: Sequence[str] = CONTROLS,
) -> list[Cell]:
    """What the strengths are told by: the whole sweep of the vector, and all it is held against.

    Args:
        settings: Strengths and controls.
        choices: Of `VECTOR` and `SINGLE`.
        controls: Those that there are.
    """
    wanted = {"none": (), "chosen": (choices[VECTOR].compared,), "every": settings.strengths}
    return [
        Cell(EVALUATION, BASE),
        Cell(EVALUATION, PROMPTED),
        *(Cell(EVALUATION, VECTOR, beta) for beta in settings.strengths),
        *(Cell(EVALUATION, name, b) for name in controls for b in wanted[settings.controls]),
        Cell(EVALUATION, SINGLE, choices[SINGLE].compared),
    ]


def listing(settings: SweepSettings, controls: Sequence[str] = CONTROLS) -> list[str]:
    """Every cell in order, before anything was chosen.

    Args:
        settings: What is asked.
        controls: Those that there are.
    """
    unknown = Choice(0.0, -1.0, {})
    cells = evaluation_cells(settings, {VECTOR: unknown, SINGLE: unknown}, controls)
    labels = [cell.label for cell in (*selection_cells(settings), *cells)]
    return [
        text.replace("β=-1", "at the strength that the selection split says") for text in labels
    ]


def arguments(
    cell: Cell,
    settings: SweepSettings,
    vectors: Mapping[str, Fitted],
    samples: Mapping[str, Sequence[int]] | None = None,
) -> list[str]:
    """The arguments of `sociolect eval` for a cell.

    Args:
        cell: What is asked.
        settings: Model, tasks, device.
        vectors: By name.
        samples: By task, the documents to ask; None for all.
    """
    model_args = dict(settings.model_args) if cell.is_steered else settings.unsteered
    if cell.is_steered:
        model_args |= {"steering": str(vectors[cell.system].path), "beta": cell.beta}
        model_args |= {} if settings.scale == "unit" else {"beta_scale": settings.scale}
    found = ["--model", BACKEND, "--model_args", json.dumps(model_args), "--tasks"]
    found += tasks_of(cell, settings)
    found += ["--metadata", json.dumps({"split": cell.split}), "--log_samples"]
    found += ["--output_path", str(cell.folder(settings.out)), "--batch_size", settings.batch_size]
    found += ["--device", settings.device] if settings.device else []
    return [*found, *(["--samples", json.dumps(dict(samples))] if samples else [])]


def tasks_of(cell: Cell, settings: SweepSettings) -> list[str]:
    """The tasks of a cell; those of `PROMPTED` first ask to treat both varieties alike."""
    end = PROMPTED_END if cell.system == PROMPTED else ""
    return [f"{task}{end}" for task in settings.tasks]

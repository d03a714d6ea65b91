"""A sweep that asks no model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sociolect.harness.steering import sweep
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_cells import Cell
from sociolect.steering.vectors import OfModel

from .sweep_written import Told, settings, write

OF = OfModel("tiny", "made up", "None", 2, 4)


class Runs:
    """Takes the place of `sociolect eval`: writes what a made-up model answers."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.asked: list[str] = []
        self.stop_at = -1
        self.while_asked: dict[int, Callable[[], object]] = {}

    def __call__(self, given: Sequence[str]) -> None:
        options = dict(zip(given[::2], given[1::2], strict=False))
        folder = Path(given[given.index("--output_path") + 1])
        if len(self.asked) == self.stop_at:
            raise KeyboardInterrupt
        self.asked.append(f"{folder.parent.name}/{folder.name}")
        model_args = json.loads(options["--model_args"])
        beta = float(model_args.get("beta", 0.0))
        self.while_asked.get(len(self.asked), int)()
        cell = Cell(folder.parent.name, folder.name.partition("-")[0], beta)
        noise = (0.5, -0.5, 0.25, -0.25, 0.1, -0.1)
        told = Told((4.0, 5, 6, 7, 8, 6), [beta + w * bool(beta) - 2 for w in noise])
        steering = {k: str(v) for k, v in model_args.items() if k in ("steering", "beta")}
        write(self.root, cell, told, arguments=steering)

    def stop(self, after: int, **options: Any) -> None:
        """Run so many cells of a sweep."""
        self.stop_at = after
        with pytest.raises(KeyboardInterrupt):
            self.sweep(**options)
        self.stop_at = -1

    def sweep(self, **options: Any) -> Sweep:
        """Run what is not finished."""
        return sweep.run(settings(self.root, **options))

"""Runs the cells of a sweep, those that are finished excepted."""

from __future__ import annotations

import io
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ModelError, ResultsError
from sociolect.harness import evaluate
from sociolect.harness.environment import environment
from sociolect.harness.exports import json_text, write_text
from sociolect.harness.sheets import printable
from sociolect.harness.steering.sweep_cells import Cell, arguments
from sociolect.harness.steering.sweep_json import read_object
from sociolect.harness.steering.sweep_model import check_same_model
from sociolect.harness.steering.sweep_pairs import Samples, samples
from sociolect.harness.steering.sweep_settings import SweepSettings
from sociolect.harness.steering.sweep_vectors import Fitted
from sociolect.tasks.dialect.documents import AAE_VARIABLE

MARKER = "finished.json"
"""In the folder of a cell, written when its run has ended well."""


@dataclass
class Runner:
    """Runs cells one after the other, and says how far it is.

    Attributes:
        settings: Of the sweep.
        vectors: By name.
        model: What its files hold (`model_facts`).
        total: Cells of the whole sweep.
        done: Cells that are finished, in this call or before.
        seconds: What each cell that was run in this call took.
    """

    settings: SweepSettings
    vectors: Mapping[str, Fitted]
    model: dict[str, Any]
    total: int
    done: int = 0
    seconds: list[float] = field(default_factory=list)
    _samples: dict[str, Samples | None] = field(default_factory=dict)

    def run(self, cells: Sequence[Cell]) -> None:
        """Run the cells that are not finished.

        Raises:
            ModelError: The files of the model or of a vector were changed meanwhile.
            SociolectError: What a run of `sociolect eval` raises.
        """
        for cell in cells:
            self.done += 1
            asked = self._arguments(cell)
            if _is_finished(cell, self.settings.out, self._what(cell, asked)):
                continue
            self._say(cell)
            began = time.monotonic()
            with (
                self._unchanged(cell),
                environment({"LMEVAL_LOG_LEVEL": "ERROR"}),
                redirect_stdout(io.StringIO()),
            ):
                evaluate.run(asked)
            self.seconds.append(time.monotonic() - began)
            marker = {**self._what(cell, asked), "seconds": round(self.seconds[-1], 3)}
            write_text(json_text(marker), cell.folder(self.settings.out) / MARKER)

    @contextmanager
    def _unchanged(self, cell: Cell) -> Iterator[None]:
        """A cell is of one model and one vector, or there is no cell."""
        self._check(cell)
        yield
        try:
            self._check(cell)
        except ModelError:
            shutil.rmtree(cell.folder(self.settings.out))
            raise

    def _check(self, cell: Cell) -> None:
        check_same_model(self.settings, self.model)
        if cell.is_steered:
            self.vectors[cell.system].check()

    def _arguments(self, cell: Cell) -> list[str]:
        if cell.split not in self._samples:
            self._samples[cell.split] = samples(self.settings, cell.split)
        asked = self._samples[cell.split]
        if asked is not None and cell.system == "prompted":
            asked = {f"{task}_prompted": numbers for task, numbers in asked.items()}
        return arguments(cell, self.settings, self.vectors, asked)

    def _what(self, cell: Cell, asked: Sequence[str]) -> dict[str, Any]:
        sha256 = self.vectors[cell.system].sha256 if cell.is_steered else ""
        return {"arguments": list(asked), "vector_sha256": sha256}

    def _say(self, cell: Cell) -> None:
        left = ""
        if self.seconds:
            each = sum(self.seconds) / len(self.seconds)
            remaining = round(each * (self.total - self.done + 1))
            left = f" · about {timedelta(seconds=remaining)} left at most"
        text = f"sociolect: [{self.done}/{self.total}] {cell.label}{left}"
        print(printable(text), file=sys.stderr, flush=True)


def _is_finished(cell: Cell, out: Path, what: Mapping[str, Any]) -> bool:
    """Whether a cell was run with the same arguments and the same vector."""
    path = cell.folder(out) / MARKER
    if not path.is_file():
        return False
    found = read_object(path, f"delete {path.parent} to run the cell again")
    if any(found.get(name) != value for name, value in what.items()):
        raise ResultsError(
            f"{path.parent}: was run with another vector or other arguments than now. Name another "
            "--out, or delete that folder to run the cell again"
        )
    return True


@contextmanager
def asking(pairs: Path) -> Iterator[None]:
    """The tasks ask these pairs."""
    with environment({AAE_VARIABLE: str(pairs.absolute())}):
        yield

"""Files of sweeps, and cells whose run is a script of a few lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.harness.sweeps import child
from sociolect.harness.sweeps.child import Job

MODELS = """
models:
  - name: one
    model: dummy
"""

WriteSweep = Callable[..., Path]


@pytest.fixture
def write_sweep(tmp_path: Path) -> WriteSweep:
    """Writes a file of a sweep."""

    def write(text: str, *, models: str = MODELS) -> Path:
        path = tmp_path / "sweep.yaml"
        path.write_text(f"{models.strip()}\n{text}", "utf-8")
        return path

    return write


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has every cell run a script in the place of `sociolect eval`."""

    def use(script: str) -> None:
        def command(job: Job) -> list[str]:
            return [sys.executable, "-c", script, str(job.folder), job.id, str(job.attempt)]

        monkeypatch.setattr(child, "command", command)

    return use

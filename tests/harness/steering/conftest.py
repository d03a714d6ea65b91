"""What the tests of sweeps share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sociolect.harness import evaluate
from sociolect.harness.steering import sweep

from .sweep_inputs import write_fit, write_pairs
from .sweep_stand_in import OF, Runs


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Pairs, a fit, and a made-up model that is asked by `sweep.run`."""
    write_pairs(tmp_path / "pairs")
    write_fit(tmp_path / "fit", OF)
    found = Runs(tmp_path)
    monkeypatch.setattr(evaluate, "run", found)
    # Ids of the written runs are those of `dialect_runs`.
    monkeypatch.setattr(sweep, "pair_texts", lambda built: _AnyText())
    return found


class _AnyText(dict[str, Any]):
    def __missing__(self, key: str) -> tuple[str, str, str]:
        return ("context", "aae", "sae")

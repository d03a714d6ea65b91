"""The table of all conditions names every config and every level that is out of reach."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import conditions_table
import pytest
from rich.table import Table

pytestmark = pytest.mark.benchmark


def test_every_condition_is_in_the_table(
    grid: Path,
    show: Callable[[Table | str], None],
    tmp_path: Path,
) -> None:
    out = tmp_path / "conditions.md"
    conditions_table.main([str(grid), str(out)])
    text = out.read_text(encoding="utf-8")
    show(text)
    manifests = conditions_table.read_manifests(grid)
    assert "not built" not in text
    assert "?" not in text
    for manifest in manifests:
        cells = [
            cell.strip()
            for line in conditions_table.dataset_table(manifest).splitlines()
            if line.startswith("| l2")
            for cell in line.split("|")[3:-1]
        ]
        assert len(cells) == 60
        assert sum(cell != "–" for cell in cells) == len(manifest["configs"]) - 1
        assert sum(cell == "–" for cell in cells) == len(manifest["unreachable"])

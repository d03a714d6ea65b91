"""Sources, a whole grid of finished datasets, and tables that show without `-s`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

GRID = "SOCIOLECT_GRID"
sys.path.insert(0, str(Path(__file__).parent))  # for the helpers beside the tests


@pytest.fixture(scope="session")
def sources() -> Path:
    folder = os.environ.get("SOCIOLECT_SOURCES")
    if not folder or not (Path(folder) / "winobias").is_dir():
        pytest.skip("SOCIOLECT_SOURCES names no folder of source files")
    return Path(folder).resolve()


@pytest.fixture(scope="session")
def grid(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every benchmark in every condition: the folder named in SOCIOLECT_GRID, else a new one."""
    from sociolect.generators.benchmarks import BENCHMARKS
    from sociolect.generators.conditions import all_conditions
    from sociolect.generators.grid import build_grid

    if named := os.environ.get(GRID):
        if not any(Path(named).glob("*/manifest.json")):
            pytest.skip(f"{GRID}={named} holds no finished build")
        return Path(named)
    out = tmp_path_factory.mktemp("grid")
    for built in build_grid(BENCHMARKS, all_conditions(), out=out, sources=sources):
        if built.error:
            raise built.error
    return out


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Callable[[Table | str], None]:
    """Prints tables and lines past the capture, at once."""
    console = Console(width=140)

    def print_now(what: Table | str) -> None:
        with capsys.disabled():
            if isinstance(what, Table):
                # A title of the table itself would be cut to the width of its columns.
                console.print(f"\n{what.caption}", highlight=False)
                what.caption = None
            console.print(what, highlight=False)

    return print_now


@pytest.fixture(scope="session")
def columns() -> Callable[..., Table]:
    """A table with a title; the first column is text, the others are numbers."""

    def make(title: str, *names: str) -> Table:
        table = Table(caption=title)
        for i, name in enumerate(names):
            table.add_column(name, justify="left" if i == 0 else "right")
        return table

    return make

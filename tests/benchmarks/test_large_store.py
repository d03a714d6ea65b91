"""Time of the index and of the page of a large store.

`SOCIOLECT_LARGE_STORE` names one (`python tests/support/large_store.py OUT`); else a small one is
made, of two models and seven conditions.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.table import Table

from sociolect.harness.leaderboard.making import BoardOptions, make_board
from sociolect.harness.leaderboard.site import write_site
from sociolect.harness.store.index import read_store

pytestmark = pytest.mark.benchmark

STORE = "SOCIOLECT_LARGE_STORE"
WARM_LIMIT = 3.0
COLD_LIMIT, SITE_LIMIT = 120.0, 60.0
"""Seconds, of a million answered prompts on two cores."""
MILLION = 950_400


@pytest.fixture
def runs(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if named := os.environ.get(STORE):
        return Path(named)
    from large_store import MODELS, conditions_in, write_store

    from sociolect.generators.conditions import Condition
    from sociolect.generators.grid import build_grid

    wanted = [Condition("l2", level) for level in (5, 10, 20, 30)]
    wanted += [Condition("typo", level) for level in (10, 30)]
    for built in build_grid(["winobias"], wanted, out=tmp_path / "built", sources=sources):
        if built.error:
            raise built.error
    monkeypatch.setenv("SOCIOLECT_DATA", str(tmp_path / "built"))
    (folder,) = (path.parent for path in (tmp_path / "built").glob("*/manifest.json"))
    write_store(tmp_path / "runs", "winobias", conditions_in(folder), MODELS[:2])
    return tmp_path / "runs"


def timed(work: Callable[[], object]) -> tuple[object, float]:
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def test_index_and_page(runs: Path, tmp_path: Path, show: Callable[[Table], None]) -> None:
    index = tmp_path / "index"
    store, cold = timed(lambda: read_store(runs, index=index, progress=False))
    store, warm = timed(lambda: read_store(runs, index=index, progress=False))
    board, numbers = timed(lambda: make_board(store, BoardOptions(progress=False)))
    page, site = timed(lambda: write_site(board, store, tmp_path / "site", progress=False))
    rows = sum(run.rows for run in store.runs)
    loaded = sum(path.stat().st_size for path in page.parent.glob("data/board.js"))
    table = Table(
        "runs", "prompts", "index, s", "again, s", "numbers, s", "page, s", "board.js, kB"
    )
    table.add_row(
        *(str(len(store.runs)), f"{rows:,}", f"{cold:.1f}", f"{warm:.2f}"),
        *(f"{numbers:.1f}", f"{site:.1f}", f"{loaded / 1000:.0f}"),
    )
    show(table)
    assert not store.problems
    assert warm < WARM_LIMIT
    if rows >= MILLION:
        assert cold < COLD_LIMIT
        assert numbers + site < SITE_LIMIT

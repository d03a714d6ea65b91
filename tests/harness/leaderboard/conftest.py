"""Leaderboards of hand-made runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from board_answers import METHOD

from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.making import BoardOptions, make_board
from sociolect.harness.paired import Method
from sociolect.harness.store.index import read_store
from sociolect.harness.store.stored import Store


@pytest.fixture
def store(tmp_path: Path) -> Callable[[], Store]:
    """Reads what `write_run` wrote."""

    def read() -> Store:
        return read_store(tmp_path / "out", index=tmp_path / "index", processes=1, progress=False)

    return read


@pytest.fixture
def board(store: Callable[[], Store]) -> Callable[..., Board]:
    """The leaderboard of what `write_run` wrote."""

    def make(method: Method = METHOD, *, processes: int = 1, rank_resamples: int = 200) -> Board:
        options = BoardOptions("A title", method, rank_resamples, processes, progress=False)
        return make_board(store(), options)

    return make

"""Leaderboards of hand-made runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hand_made_board as made
import pytest
from board_answers import METHOD

from sociolect.harness.leaderboard import site
from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.items import Shard
from sociolect.harness.leaderboard.making import BoardOptions, make_board
from sociolect.harness.paired import Method
from sociolect.harness.store.index import read_store
from sociolect.harness.store.stored import Store

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One page of the board by hand."""

    def shards_of(
        store: Any, board: Any, *, subject: Any, count: int, processes: int
    ) -> Iterator[Shard]:
        if subject.id == "winobias-direct":
            yield from (Shard(condition, content) for condition, content in made.shards(count))

    out = tmp_path_factory.mktemp("page") / "site # ?%"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "item_shards", shards_of)
        index = site.write_site(made.hand_made_board(), None, out, items=2, progress=False)  # type: ignore[arg-type]
    return index.as_uri()


@pytest.fixture(scope="module")
def window(browser: Any) -> Any:
    """One for all tests: what it keeps, the theme, the test of it puts back."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(10_000)
    return context


@pytest.fixture
def page(window: Any, address: str) -> Iterator[Any]:
    """A page at 1400 px on which every message, dialog and request is watched."""
    opened = window.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    opened.on("requestfailed", lambda request: said.append(f"failed: {request.url}"))
    opened.on(
        "request",
        lambda r: r.url.startswith(("file:", "data:", "blob:")) or said.append(f"asked: {r.url}"),
    )
    yield opened
    opened.close()
    assert said == []

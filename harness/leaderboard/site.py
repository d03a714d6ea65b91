"""The leaderboard as a folder of static files, opened in a browser without a server or a network.

Data come as scripts that call one function each, because a page from a file may load scripts and
nothing else. What the page needs at once is in `data/board.js`; runs, figures and items are loaded
when they are looked at.
"""

from __future__ import annotations

import html
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.errors import InvalidInputError, MissingToolError
from sociolect.generators.folders import finished_folder, resolved
from sociolect.harness.exports import json_text, write_text
from sociolect.harness.leaderboard import exports
from sociolect.harness.leaderboard.board import Board, Subject
from sociolect.harness.leaderboard.figures import figures_of
from sociolect.harness.leaderboard.items import Shard, item_shards
from sociolect.harness.leaderboard.site_data import page_data, panel_runs, runs_data, script
from sociolect.harness.store.stored import Store

PAGE = Path(__file__).parent / "page"
MARK = "sociolect-site.json"
"""Says that a folder is a page of ours, which the next one may replace."""
SCHEMA = "sociolect.site"
OURS = ("index.html", "assets", "data", "downloads", MARK)
"""What a page consists of."""
PANELS = "panels"
"""Names the file of the runs of panels; ids of subjects have a form in them, and so are others."""
ShardsOf = Callable[..., Iterable[Shard]]
"""The items of a `subject`."""


def write_site(
    board: Board,
    store: Store,
    out: Path,
    *,
    items: int = 100,
    processes: int = 0,
    progress: bool = True,
) -> Path:
    """Write the page whole or not at all.

    Args:
        board: What it shows.
        store: Where the items are read from.
        out: A folder that is new, empty, or an earlier page, which is replaced whole.
        items: Shown of each benchmark; 0 for none.
        processes: How many read the items; 0 for one a CPU.
        progress: Whether a bar on standard error shows how far it is.

    Returns:
        The file to open.

    Raises:
        InvalidInputError: `out` holds something else, or cannot be written; a negative number.
        MissingToolError: plotly is not installed.
    """
    check_out(out)
    require_plotly()
    if items < 0:
        raise InvalidInputError(f"{items} items cannot be shown; give 0 for none, or more")
    with finished_folder(out) as folder:
        _write_page(board, folder)
        figured = [one.id for one in board.subjects if _write_figures(board, one, folder)]
        shards = partial(item_shards, store, board, count=items, processes=processes)
        shown = _items(board.subjects if items else (), shards, folder, progress=progress)
        _write_board(board, folder, figured, shown)
        _write_downloads(board, folder)
        write_text(json_text({"schema": SCHEMA, "sociolect_version": __version__}), folder / MARK)
    return out / "index.html"


def check_out(out: Path) -> None:
    """Refuse a folder that holds anything but an earlier page.

    Raises:
        InvalidInputError: It does, or it is a file.
    """
    target = resolved(out)
    if not target.exists():
        return
    if not target.is_dir():
        raise InvalidInputError(f"{out} is a file; name a folder for the page")
    if any(target.iterdir()) and not _is_ours(target / MARK):
        raise InvalidInputError(
            f"{out} holds something that is no page of the leaderboard; name a new folder"
        )
    foreign = sorted({path.name for path in target.iterdir()} - set(OURS))
    if foreign:
        raise InvalidInputError(
            f"{out} is an earlier page, which would be replaced whole, but also holds "
            f"{', '.join(foreign[:5])}; move that away, or name a new folder"
        )


def _is_ours(mark: Path) -> bool:
    try:
        content = json.loads(mark.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("schema") == SCHEMA


def require_plotly() -> None:
    """Say at once that the figures cannot be drawn.

    Raises:
        MissingToolError: plotly is not installed.
    """
    if find_spec("plotly") is None:
        raise MissingToolError(
            "plotly is not installed, which draws the figures of the page: "
            "pip install 'sociolect[leaderboard]'"
        )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def _write_page(board: Board, folder: Path) -> None:
    from plotly.offline import get_plotlyjs

    title = html.escape(_printable(board.title))
    page = (PAGE / "index.html").read_text("utf-8").replace("@TITLE@", title)
    _write(folder / "index.html", page)
    _write(folder / "assets" / "plotly.min.js", get_plotlyjs())
    for source in sorted(PAGE.iterdir()):
        if source.suffix in (".js", ".css"):
            shutil.copyfile(source, folder / "assets" / source.name)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _write_figures(board: Board, subject: Subject, folder: Path) -> bool:
    figures = [
        {"id": one.id, "title": one.title, "alt": one.alt, "plot": one.plot}
        for one in figures_of(board, subject)
    ]
    if figures:
        text = script("sociolect.figures", subject.id, figures)
        _write(folder / "data" / "figures" / f"{subject.id}.js", text)
    return bool(figures)


def _items(
    subjects: Sequence[Subject], shards: ShardsOf, folder: Path, *, progress: bool
) -> list[str]:
    """Write the items of every subject; the ids of those that have any."""
    from tqdm import tqdm

    bar = tqdm(subjects, "items", unit="benchmark", disable=None if progress else True)
    return [one.id for one in bar if _write_items(one, shards(subject=one), folder)]


def _write_items(subject: Subject, shards: Iterable[Shard], folder: Path) -> bool:
    """One file a condition as it comes, so that one condition is in memory at a time."""
    index: dict[str, Any] = {}
    files: dict[str, int] = {}
    place = folder / "data" / "items" / subject.id
    for shard in shards:
        if not shard.condition:
            index = dict(shard.content)
            continue
        number = files.setdefault(shard.condition, len(files))
        text = script("sociolect.answers", subject.id, shard.condition, shard.content)
        _write(place / f"{number}.js", text)
    if not index.get("items"):
        shutil.rmtree(place, ignore_errors=True)
        return False
    _write(place / "index.js", script("sociolect.items", subject.id, {**index, "files": files}))
    return True


def _write_board(board: Board, folder: Path, figured: Iterable[str], shown: Iterable[str]) -> None:
    page = page_data(board, figured=figured, shown=shown)
    _write(folder / "data" / "board.js", script("sociolect.board", page))
    for subject in board.subjects:
        text = script("sociolect.runs", subject.id, runs_data(board, subject))
        _write(folder / "data" / "runs" / f"{subject.id}.js", text)
    if board.panels:
        text = script("sociolect.runs", PANELS, panel_runs(board))
        _write(folder / "data" / "runs" / f"{PANELS}.js", text)


def _write_downloads(board: Board, folder: Path) -> None:
    writers = {
        "csv": exports.board_csv,
        "json": exports.board_json,
        "md": exports.board_markdown,
        "tex": exports.board_tex,
    }
    for suffix, make in writers.items():
        _write(folder / "downloads" / f"board.{suffix}", make(board))

"""The folder of the page: what is in it, what it may replace, and that its data are harmless."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import hand_made_board as made
import pytest

from sociolect.generators.errors import InvalidInputError, MissingToolError
from sociolect.harness.leaderboard import site
from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.items import Shard
from sociolect.harness.leaderboard.site_data import script

HARMFUL = "</script><!--\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}&\ud800\"'\\"


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Board:
    """The board by hand, with its items; plotly is not copied and no figure is drawn."""
    import plotly.offline

    monkeypatch.setattr(plotly.offline, "get_plotlyjs", lambda: "/* plotly */")
    monkeypatch.setattr(site, "figures_of", lambda board, subject: [])
    monkeypatch.setattr(site, "item_shards", shards_of)
    return made.hand_made_board()


def shards_of(store: Any, board: Board, *, subject: Any, count: int, processes: int) -> Any:
    if subject.id == "winobias-direct":
        yield from (Shard(condition, content) for condition, content in made.shards(count))


def data(path: Path) -> tuple[str, list[Any]]:
    """Function and arguments of a data file, read as JSON."""
    text = path.read_text("ascii").replace('["__proto__"]:', '"__proto__":')
    found = re.fullmatch(r"sociolect\.(\w+)\((.*)\);\n", text, re.DOTALL)
    assert found
    return found[1], json.loads(f"[{found[2]}]")


def write(board: Board, out: Path, items: int = 2) -> Path:
    return site.write_site(board, None, out, items=items, progress=False)  # type: ignore[arg-type]


def test_a_site_holds_page_data_and_downloads(board: Board, tmp_path: Path) -> None:
    index = write(board, tmp_path / "site")
    files = {str(p.relative_to(index.parent)) for p in index.parent.rglob("*") if p.is_file()}
    page = index.read_text("utf-8")
    assert set(re.findall(r'(?:src|href)="((?:assets|data|downloads)/[^"]+)"', page)) <= files
    assert {f"downloads/board.{one}" for one in ("csv", "json", "md", "tex")} <= files
    assert {"assets/plotly.min.js", "sociolect-site.json"} <= files
    assert "data/items/winobias-direct/1.js" in files
    assert not [one for one in files if "mmlu" in one and "items" in one]


def test_the_board_is_whole_without_what_its_rows_repeat(board: Board, tmp_path: Path) -> None:
    write(board, tmp_path / "site")
    function, (content,) = data(tmp_path / "site" / "data" / "board.js")
    assert function == "board"
    assert content["with_items"] == ["winobias-direct"]
    assert content["runs_shown"] == len(board.runs)
    row = content["board"]["sections"][0]["changes"][0]["row"]
    given = board.sections[0].changes[0].row
    assert row == {
        key: value
        for key, value in given.items()
        if key not in ("benchmark", "metric") and value is not False
    }
    assert "runs" not in content["board"]


def test_numbers_of_the_page_have_six_digits(board: Board, tmp_path: Path) -> None:
    section = replace(board.sections[0], clean=made.value(100 / 3, "r1"))
    write(replace(board, sections=(section, *board.sections[1:])), tmp_path / "site")
    _, (content,) = data(tmp_path / "site" / "data" / "board.js")
    assert content["board"]["sections"][0]["clean"]["value"] == 33.3333
    assert "33.333333333333336" in (tmp_path / "site/downloads/board.json").read_text("utf-8")


def test_runs_are_in_a_file_of_their_subject(board: Board, tmp_path: Path) -> None:
    write(board, tmp_path / "site")
    _, (subject, runs) = data(tmp_path / "site" / "data" / "runs" / "mmlu-direct.js")
    assert subject == "mmlu-direct"
    assert set(runs) == {"r1", "r10", "r11", "r3", "r30", "r31"}
    assert runs["r1"]["command"] == made.COMMAND


def test_the_index_of_items_says_in_which_file_a_condition_is(board: Board, tmp_path: Path) -> None:
    write(board, tmp_path / "site")
    folder = tmp_path / "site" / "data" / "items" / "winobias-direct"
    _, (_, index) = data(folder / "index.js")
    assert index["files"] == {"clean": 0, "l2-30": 1}
    _, (_, condition, content) = data(folder / "1.js")
    assert (condition, content["edits"][made.ITEM]) == ("l2-30", made.EDITS)


def test_no_items_are_written_for_zero(board: Board, tmp_path: Path) -> None:
    write(board, tmp_path / "site", items=0)
    assert not (tmp_path / "site" / "data" / "items").exists()
    with pytest.raises(InvalidInputError, match="-1 items"):
        write(board, tmp_path / "other", items=-1)


def test_a_script_holds_nothing_that_html_or_a_script_would_read() -> None:
    text = script("sociolect.runs", {HARMFUL: [HARMFUL]})
    assert text.isascii()
    assert not set("<>&") & set(text)
    inner = text.removeprefix("sociolect.runs(").removesuffix(");\n")
    assert json.loads(inner) == {HARMFUL: [HARMFUL]}


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js that reads the script")
def test_a_script_reads_as_the_data_that_were_given() -> None:
    given = {"__proto__": {"x": 1}, 'a"__proto__': HARMFUL.replace("\ud800", ""), "b": [None, 1.5]}
    code = "const f = (x) => process.stdout.write(JSON.stringify(x)); "
    text = code + script("f", given)
    found = subprocess.run(["node", "-e", text], capture_output=True, check=True, timeout=20)
    assert json.loads(found.stdout) == given


def test_a_key_that_names_the_prototype_is_a_key() -> None:
    assert script("f", {"__proto__": 1}) == 'f({["__proto__"]:1});\n'
    assert script("f", {'x"__proto__': 1}) == 'f({"x\\"__proto__":1});\n'


def test_the_title_is_escaped_in_the_page(board: Board, tmp_path: Path) -> None:
    page = write(board, tmp_path / "site").read_text("utf-8")
    assert "<title>Models &amp; &lt;img src=x onerror=alert(1)&gt;</title>" in page


def test_an_earlier_page_is_replaced_whole(board: Board, tmp_path: Path) -> None:
    write(board, tmp_path / "site")
    (tmp_path / "site" / "data" / "old.js").write_text("old")
    write(board, tmp_path / "site")
    assert not (tmp_path / "site" / "data" / "old.js").exists()
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


def test_files_beside_an_earlier_page_are_not_lost(board: Board, tmp_path: Path) -> None:
    write(board, tmp_path / "site")
    (tmp_path / "site" / "mine.txt").write_text("mine")
    with pytest.raises(InvalidInputError, match=r"also holds mine\.txt"):
        write(board, tmp_path / "site")
    assert (tmp_path / "site" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("mark", [None, "[]", "{", '{"schema": "other"}'])
def test_a_folder_of_something_else_is_left_alone(
    mark: str | None, board: Board, tmp_path: Path
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "thesis.tex").write_text("mine")
    if mark is not None:
        (tmp_path / "site" / site.MARK).write_text(mark)
    with pytest.raises(InvalidInputError, match="no page of the leaderboard"):
        write(board, tmp_path / "site")
    assert (tmp_path / "site" / "thesis.tex").read_text() == "mine"


def test_a_file_is_no_folder_for_the_page(board: Board, tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    with pytest.raises(InvalidInputError, match="is a file"):
        write(board, tmp_path / "site")


def test_what_fails_leaves_the_earlier_page(
    board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = write(board, tmp_path / "site").read_bytes()

    def fails(*_: Any, **__: Any) -> Any:
        raise InvalidInputError("a file changed")

    monkeypatch.setattr(site, "item_shards", fails)
    with pytest.raises(InvalidInputError, match="a file changed"):
        write(board, tmp_path / "site")
    assert (tmp_path / "site" / "index.html").read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


def test_without_plotly_it_is_said_what_to_install(
    board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "find_spec", lambda name: None)
    with pytest.raises(MissingToolError, match=r"sociolect\[leaderboard\]"):
        write(board, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_scripts_of_the_page_never_read_data_as_html() -> None:
    for path in site.PAGE.glob("*.js"):
        text = path.read_text("utf-8")
        assert text.startswith('"use strict";'), path.name
        assert len(text.splitlines()) <= 300, path.name
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                     "fetch(", "XMLHttpRequest", "import "):  # fmt: skip
            assert word not in text, (path.name, word)

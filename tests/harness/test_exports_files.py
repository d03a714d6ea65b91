"""Writing a comparison to a file, and to what is not one."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.exports import write_text


def test_files_are_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.md"
    path.write_text("old", "utf-8")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(InvalidInputError, match=r"cannot be written \(No space"):
            write_text("new", path)
    assert path.read_text("utf-8") == "old"
    write_text("new", path)
    assert path.read_text("utf-8") == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["table.md"]


def test_what_utf_8_cannot_hold_is_escaped(tmp_path: Path) -> None:
    write_text("a\ud800b", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == rb"a\ud800b"


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[str] = []

    def read() -> None:
        received.append(pipe.read_text("utf-8"))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    write_text("through", pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(timeout=10)
    assert received == ["through"]
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link = folder / "real.csv", tmp_path / "link.csv"
    if exists:
        target.write_text("old", "utf-8")
    middle = tmp_path / "middle"
    middle.symlink_to(Path("elsewhere") / "real.csv")
    link.symlink_to(middle)
    write_text("new", link)
    assert link.is_symlink()
    assert middle.is_symlink()
    assert target.read_text("utf-8") == "new"
    assert sorted(p.name for p in tmp_path.rglob("*")) == [
        "elsewhere",
        "link.csv",
        "middle",
        "real.csv",
    ]


def test_a_link_to_a_pipe_leads_to_the_pipe(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()), daemon=True)
    reader.start()
    write_text("through", link)
    reader.join(timeout=10)
    assert received == ["through"]
    assert link.is_symlink()


def test_the_longest_name_that_a_file_can_have(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_text("whole", path)
    assert path.read_text("utf-8") == "whole"


def _loop(folder: Path) -> Path:
    (folder / "loop").symlink_to("loop")
    return folder / "loop"


def _below_a_file(folder: Path) -> Path:
    (folder / "file").write_text("x")
    return folder / "file" / "table.md"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (lambda folder: folder, "is a folder"),
        (lambda folder: Path("/"), "is a folder"),
        (lambda folder: Path(), "is a folder"),
        (lambda folder: folder / "missing" / "table.md", "No such file or directory"),
        (_below_a_file, "Not a directory"),
        (lambda folder: folder / ("x" * 256), "name too long"),
        (_loop, "symbolic links"),
    ],
)
def test_places_that_cannot_be_written_to(
    tmp_path: Path, place: Callable[[Path], Path], message: str
) -> None:
    path = place(tmp_path)
    with pytest.raises(InvalidInputError, match=message) as error:
        write_text("x", path)
    assert str(error.value).startswith(f"{path}: ")
    assert not list(tmp_path.glob(".sociolect-*"))

"""A checkpoint counts only if its marker lists exactly the files that are there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.steering.lora.checkpoints import (
    KEPT,
    MARKER,
    checkpoints,
    clear,
    last_complete,
    mark_complete,
    problem,
    prune,
    write_json,
)


def make(run: Path, step: int) -> Path:
    folder = run / f"checkpoint-{step}"
    (folder / "part").mkdir(parents=True)
    (folder / "optimizer.pt").write_bytes(b"state %d" % step)
    (folder / "part/weights").write_bytes(b"weights")
    mark_complete(folder)
    return folder


DAMAGE: dict[str, Callable[[Path], object]] = {
    "it was not finished": lambda f: (f / MARKER).unlink(),
    "optimizer.pt is damaged": lambda f: (f / "optimizer.pt").write_bytes(b"state 2"),
    "files are missing": lambda f: (f / "part/weights").unlink(),
    "or were added": lambda f: (f / "new").touch(),
    "it cannot be read": lambda f: (f / MARKER).write_text("{"),
    "it cannot be read (": lambda f: (f / MARKER).write_text("[]"),
    "files are missing or": lambda f: (f / MARKER).write_text('{"files": {}}'),
}


@pytest.mark.parametrize("said", DAMAGE)
def test_a_damaged_one_is_removed_and_the_one_before_is_used(tmp_path: Path, said: str) -> None:
    make(tmp_path, 9)
    last = make(tmp_path, 10)
    assert problem(last) == ""
    DAMAGE[said](last)
    lines: list[str] = []
    found = last_complete(tmp_path, lines.append)
    assert found is not None
    assert found.step == 9
    assert len(lines) == 1
    assert lines[0].startswith("removing the checkpoint of step 10: ")
    assert said in lines[0]
    assert not last.exists()


def test_steps_are_numbers_and_other_folders_no_checkpoints(tmp_path: Path) -> None:
    for step in (9, 10, 100):
        make(tmp_path, step)
    (tmp_path / "checkpoint-last").mkdir()
    (tmp_path / "checkpoint-5").write_text("a file")
    assert [one.step for one in checkpoints(tmp_path)] == [100, 10, 9]
    assert last_complete(tmp_path / "none", print) is None


def test_a_link_is_removed_and_what_it_leads_to_is_not(tmp_path: Path) -> None:
    run, other = tmp_path / "run", tmp_path / "other"
    make(run, 4)
    for step, target in ((5, make(other, 5)), (6, other / "nowhere")):
        (run / f"checkpoint-{step}").symlink_to(target)
    lines: list[str] = []
    found = last_complete(run, lines.append)
    assert found is not None
    assert found.step == 4
    assert lines == [
        f"removing the checkpoint of step {step}: it is a symbolic link" for step in (6, 5)
    ]
    assert problem(other / "checkpoint-5") == ""
    for step in (1, 2, 3):
        (run / f"checkpoint-{step}").symlink_to(other / "checkpoint-5")
    prune(checkpoints(run))
    assert [one.step for one in checkpoints(run)] == [4, 3]
    assert clear(run, []) == []
    assert problem(other / "checkpoint-5") == ""
    assert not run.exists()


def test_old_ones_are_removed(tmp_path: Path) -> None:
    for step in (1, 2, 3, 4):
        make(tmp_path, step)
    prune(checkpoints(tmp_path))
    assert [one.step for one in checkpoints(tmp_path)] == [4, 3][:KEPT]


def test_a_file_is_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"é": 1})
    assert json.loads(path.read_text(encoding="utf-8")) == {"é": 1}

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_json(path, {"b": 2})
    assert json.loads(path.read_text(encoding="utf-8")) == {"é": 1}

import errno
import json
import multiprocessing
import os
from pathlib import Path

import pytest

from sociolect.generators.dialect.pairs import Boundaries, DialectPair
from sociolect.generators.errors import ResultsError
from sociolect.harness.dialect import segment_store
from sociolect.harness.dialect.segment_store import (
    Outcome,
    SegmentStore,
    check_folder,
    text_key,
)

JOB = {"rho": 0.5}
DONE = {"one": Outcome(Boundaries(3, 4)), "two": Outcome(None, "why not")}


def test_what_is_kept_is_read(tmp_path: Path) -> None:
    SegmentStore(tmp_path / "new", JOB).add(DONE)
    assert SegmentStore(tmp_path / "new", JOB).read() == DONE


def test_other_settings_are_another_file(tmp_path: Path) -> None:
    SegmentStore(tmp_path, JOB).add(DONE)
    assert SegmentStore(tmp_path, {"rho": 0.4}).read() == {}


def test_nothing_is_kept_without_a_folder() -> None:
    store = SegmentStore(None, JOB)
    store.add(DONE)
    assert store.read() == {}


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_line_that_was_cut_off(tmp_path: Path, cut: int) -> None:
    store = SegmentStore(tmp_path, JOB)
    store.add(DONE)
    assert store.path is not None
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:-cut])
    expected = dict(DONE) if cut == 1 else {"one": DONE["one"]}  # all but the line end is there
    assert store.read() == expected
    store.add({"three": Outcome(Boundaries(1, 1))})
    assert store.read() == {**expected, "three": Outcome(Boundaries(1, 1))}


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        b"[]",
        b"null",
        b'["a", [1], ""]',
        b'["a", ["x", 2], ""]',
        b'["a", null, ""]',
        b'["a", [1, 2], "a reason"]',
        b'[1, [1, 2], ""]',
    ],
)
def test_lines_that_are_no_outcome(tmp_path: Path, line: bytes) -> None:
    store = SegmentStore(tmp_path, JOB)
    store.add(DONE)
    assert store.path is not None
    store.path.write_bytes(line + b"\n" + store.path.read_bytes())
    assert store.read() == DONE


def write(folder: Path, name: str) -> None:
    store = SegmentStore(folder, JOB)
    for i in range(40):
        store.add({f"{name}{i}-{k}": Outcome(Boundaries(i + 1, k + 1)) for k in range(50)})


def test_two_processes_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=write, args=(tmp_path, name)) for name in "ab"]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    store = SegmentStore(tmp_path, JOB)
    assert len(store.read()) == 2 * 40 * 50
    assert store.path is not None
    assert all(json.loads(line) for line in store.path.read_text("utf-8").splitlines())


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(ResultsError, match=r"cannot be written .*\. Free some"):
        SegmentStore(tmp_path / "file", JOB).add(DONE)
    with pytest.raises(ResultsError, match="is no folder"):
        check_folder(tmp_path / "file" / "new")
    check_folder(tmp_path / "new" / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_is_kept_is_said_where_something_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SegmentStore(tmp_path, JOB)
    store.add(DONE)

    def full(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(segment_store, "_start", full)
    with pytest.raises(ResultsError, match=r"No space.*What is segmented so far is kept"):
        store.add(DONE)


def test_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(ResultsError, match=f"nothing may be written into {tmp_path}"):
        check_folder(tmp_path / "new")


def test_keys_are_of_the_texts_alone() -> None:
    pair = DialectPair("1", aae="a", sae="b")
    assert text_key(pair) == text_key(DialectPair("2", aae="a", sae="b", split="tracing"))
    assert text_key(pair) != text_key(DialectPair("1", aae="b", sae="a"))
    assert text_key(DialectPair("1", aae="\ud800", sae="b")) != text_key(pair)  # half an emoji

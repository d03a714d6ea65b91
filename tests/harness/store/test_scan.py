"""Finding outputs of lm-eval under a folder."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.generators.errors import ResultsError
from sociolect.harness import run_folders
from sociolect.harness.result_files import find_runs
from sociolect.harness.store.scan import ANSWERS, Scanned, scan

Write = Callable[..., Path]


def look(root: Path) -> Scanned:
    return scan(root, skip=root / ".sociolect-index")


def test_runs_at_any_depth_in_the_order_of_their_paths(write_run: Write, tmp_path: Path) -> None:
    deep = write_run(tmp_path / "out/b/c")
    flat = write_run(tmp_path / "out/a", form="ll")
    found = look(tmp_path / "out")
    names = [path.relative_to(tmp_path / "out").as_posix() for path in (flat, deep)]
    assert [one.path for one in found.samples] == names
    assert found.samples[0].task == "winobias_clean_ll"
    (beside,) = found.samples[0].beside
    assert beside.startswith("results_")
    assert found.samples[0].size == flat.stat().st_size
    assert (found.ignored, found.problems) == (0, [])


def test_stamps_change_with_every_file_of_a_run(write_run: Write, tmp_path: Path) -> None:
    samples = write_run()
    (before,) = look(tmp_path).samples
    results = next(samples.parent.glob("results_*"))
    seen = {before.stamps}
    for path in (samples, results):
        os.utime(path, ns=(1, 1))
        seen.add(look(tmp_path).samples[0].stamps)
    results.with_name(results.name.replace("results", "sociolect")).write_text("{}")
    seen.add(look(tmp_path).samples[0].stamps)
    assert len(seen) == 4


def test_hidden_folders_and_the_index_are_passed_over(write_run: Write, tmp_path: Path) -> None:
    root = tmp_path / "out"
    write_run(root / ".hidden")
    write_run(root / "index")
    (root / ".note").write_text("")
    found = scan(root, skip=root / "index")
    assert (found.samples, found.ignored) == ([], 0)


def test_kept_answers_are_not_counted(write_run: Write, tmp_path: Path) -> None:
    assert ANSWERS == run_folders.ANSWERS
    folder = write_run(tmp_path / "out").parent
    (folder / "answers/generate_until").mkdir(parents=True)
    for name in ("model.json", "generate_until/0.jsonl"):
        (folder / "answers" / name).write_text("{}")
    (folder / "notes.txt").write_text("")
    assert look(tmp_path / "out").ignored == 1


def test_links_are_followed_once_and_real_paths_kept(write_run: Write, tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    write_run(root / "z")
    write_run(elsewhere)
    (root / "z/circle").symlink_to(root)
    (root / "a").symlink_to(root / "z")
    (root / "linked").symlink_to(elsewhere)
    (root / "broken").symlink_to(root / "nothing")
    (root / "itself").symlink_to(root / "itself")
    found = look(root)
    assert [one.path.split("/")[0] for one in found.samples] == ["linked", "z"]
    assert found.ignored == 2


def test_scores_without_answers(write_run: Write, tmp_path: Path) -> None:
    samples = write_run()
    samples.unlink()
    results = next(samples.parent.glob("results_*"))
    content = results.read_text()
    mine = results.with_name(results.name.replace("results", "mine"))
    mine.write_text(content)
    results.with_name(results.name.replace("results", "sociolect")).write_text(content)
    results.with_name("config_2026-01-01T00-00-00.1.json").write_text(json.dumps({"a": 1}))
    found = look(tmp_path)
    assert {Path(one.path).name for one in found.problems} == {results.name, mine.name}
    assert all(one.what.startswith("holds scores but no answers") for one in found.problems)
    assert found.ignored == 2


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "samples_a_2026-01-01T00-00-00.1.jsonl")
    os.mkfifo(tmp_path / "mine_2026-01-01T00-00-00.2.json")
    (tmp_path / "samples_b_2026-01-01T00-00-00.1.jsonl").symlink_to("nothing")
    (tmp_path / "samples_c_2026-01-01T00-00-00.1.jsonl").mkdir()
    found = look(tmp_path)
    assert sorted(one.path[8] for one in found.problems) == ["a", "b"]
    assert (found.samples, found.ignored) == ([], 1)


def test_a_folder_that_cannot_be_opened(
    write_run: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(tmp_path / "out/a")
    write_run(tmp_path / "out/b")
    whole = os.scandir

    def refuse(path: Path) -> object:
        if path.name == refused:
            raise PermissionError(13, "Permission denied")
        return whole(path)

    monkeypatch.setattr(os, "scandir", refuse)
    refused = "a"
    found = look(tmp_path / "out")
    assert [(one.path, one.what) for one in found.problems] == [
        ("a", "cannot be read (Permission denied)")
    ]
    assert len(found.samples) == 1
    refused = "out"
    with pytest.raises(ResultsError, match=r"out: cannot be read \(Permission denied\)"):
        look(tmp_path / "out")


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no such folder"):
        look(tmp_path / "missing")


def test_other_files_cost_little(tmp_path: Path) -> None:
    """A tenth of a second for a thousand: ten thousand cost less than a second."""
    for number in range(1000):
        os.mknod(tmp_path / f"{number}.bin")
    began = time.process_time()
    found = look(tmp_path)
    assert time.process_time() - began < 0.1
    assert found.ignored == 1000


def test_the_folder_of_a_model_with_a_relative_path_is_no_hidden_one(
    write_run: Callable[..., Path], tmp_path: Path
) -> None:
    for folder in (".__tiny", "..__tiny", ".hidden"):
        write_run(folder=folder)
    found = scan(tmp_path / "out", tmp_path / "index").samples
    assert sorted(one.path.split("/")[0] for one in found) == ["..__tiny", ".__tiny"]
    assert [run.samples.parent.name for run in find_runs(tmp_path / "out", several=True)] == [
        "..__tiny",
        ".__tiny",
    ]

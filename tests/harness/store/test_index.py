"""The index of a folder of results: what it holds, and when it is made again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.harness.dialect.runs import read_run as read_dialect
from sociolect.harness.results import read_run
from sociolect.harness.store import entries, index_files
from sociolect.harness.store.index import read_store
from sociolect.harness.store.loading import load_run
from sociolect.harness.store.stored import Store

from ..dialect.dialect_runs import Writer, pairs  # noqa: TID252 (its package has no name)

Write = Callable[..., Path]
LATER = "2026-03-05T05-06-07.123456"


def read(root: Path, **options: object) -> Store:
    return read_store(root, progress=False, **options)  # type: ignore[arg-type]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def record(samples: Path, **content: object) -> Path:
    """A record of `sociolect eval` beside a run."""
    results = next(samples.parent.glob("results_*"))
    path = results.with_name(results.name.replace("results", "sociolect"))
    path.write_text(json.dumps({"results": results.name, **content}), "utf-8")
    return path


def test_what_is_known_of_a_run(write_run: Write, out: Path) -> None:
    samples = write_run(condition="l2-20", error_seed=2, drop=1, effective=48, top={"versions": {}})
    record(
        samples,
        command=["sociolect", "eval", "--tasks", "x y"],
        model_files={"pretrained": {"config.json": [3, "ab"]}},
        too_long={"winobias_l2_20_direct": {"prompts": 7}, "other": {"prompts": 1}},
    )
    (run,) = read(out).runs
    wanted = read_run(run.files)
    for name in ("sha256", "benchmark", "axis", "form", "condition", "error_seed", "data"):
        assert getattr(run, name) == getattr(wanted, name)
    for name in ("settings", "sampler", "prompts", "asked", "unanswered", "files", "task"):
        assert getattr(run, name) == getattr(wanted, name)
    assert (run.rows, run.family, run.too_long) == (47, "bias", 7)
    assert run.command == ("sociolect", "eval", "--tasks", "x y")
    assert run.model_files == {"pretrained": {"config.json": [3, "ab"]}}
    assert run.path == "org__tiny/samples_winobias_l2_20_direct_2026-03-04T05-06-07.123456.jsonl"
    assert len(run.id) == 16
    assert read(out).runs == (run,)


def test_a_run_of_lm_evals_own_command(write_run: Write, out: Path) -> None:
    write_run(top={"versions": {"winobias_clean_direct": 3}})
    (run,) = read(out).runs
    assert (run.command, run.model_files, run.too_long, run.task_version) == ((), {}, 0, "3")


def test_only_what_changed_is_read(write_run: Write, out: Path) -> None:
    first = write_run(pairs=3)
    second = write_run(pairs=3, form="ll", time=LATER)
    cold = read(out)
    assert (cold.read, len(cold.runs)) == (2, 2)
    assert read(out) == replace(cold, read=0)
    first.write_text(first.read_text("utf-8").replace("met", "saw"), "utf-8")
    warm = read(out)
    assert warm.read == 1
    assert warm.runs[0].id != cold.runs[0].id
    assert warm.runs[1] == cold.runs[1]
    record(second, command=["a"])
    assert read(out).read == 1
    second.unlink()
    gone = read(out)
    assert (gone.read, len(gone.runs), len(gone.problems)) == (0, 1, 1)
    assert len(list((out / ".sociolect-index/runs").iterdir())) == 1


def test_a_copy_is_read_once(write_run: Write, out: Path) -> None:
    write_run(pairs=3)
    write_run(out / "z old", pairs=3)
    store = read(out)
    (run,) = store.runs
    (problem,) = store.problems
    assert problem.path.startswith("z old/")
    assert problem.what.startswith(f"a copy of {run.path}")
    assert read(out) == replace(store, read=0)


@pytest.mark.parametrize("what", ["table", "cut", "empty", "other", "format", "all"])
def test_a_damaged_index_is_made_again(
    write_run: Write, out: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(pairs=3)
    write_run(pairs=3, time=LATER, form="ll")
    cold = read(out)
    table = cold.index / "runs.parquet"
    if what == "format":
        for module in (entries, index_files):
            monkeypatch.setattr(module, "READER", "another version")
    elif what in ("table", "all"):
        for path in cold.index.rglob("*.parquet") if what == "all" else [table]:
            path.write_bytes(b"PAR1 not really PAR1")
    else:
        content = table.read_bytes()
        new = {"cut": content[:-20], "empty": b"", "other": (out / "x").name.encode()}
        table.write_bytes(new[what])
    again = read(out)
    assert again.runs == cold.runs
    # The files of records say themselves what they are.
    assert again.read == (2 if what in ("format", "all") else 0)
    for run in again.runs:
        assert load_run(again, run) == read_run(run.files)


def test_an_index_elsewhere(write_run: Write, out: Path, tmp_path: Path) -> None:
    write_run(pairs=3)
    cold = read(out, index=tmp_path / "elsewhere/index")
    assert not (out / ".sociolect-index").exists()
    assert read(out, index=tmp_path / "elsewhere/index") == replace(cold, read=0)
    inside = read(out, index=out / "visible")
    assert inside.runs == cold.runs
    assert read(out, index=out / "visible").ignored == 0


def test_a_folder_that_is_no_index_is_left_alone(write_run: Write, out: Path) -> None:
    write_run(pairs=3)
    mine = out.parent / "mine"
    (mine / "runs").mkdir(parents=True)
    (mine / "runs/notes.txt").write_text("keep")
    with pytest.raises(ResultsError, match=r"no index of results.*--index"):
        read(out, index=mine)
    assert (mine / "runs/notes.txt").read_text() == "keep"


def test_an_index_that_cannot_be_written(
    write_run: Write, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(pairs=3)
    (out.parent / "file").write_text("")
    with pytest.raises(ResultsError, match="--index"):
        read(out, index=out.parent / "file/index")
    read(out)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr("sociolect.generators.locks.Path.mkdir", lambda *_, **__: None)
    assert read(out).read == 0


def test_odd_arguments(out: Path) -> None:
    with pytest.raises(ResultsError, match="no such folder"):
        read(out)
    out.mkdir()
    with pytest.raises(InvalidInputError, match="processes"):
        read(out, processes=-1)
    store = read(out)
    assert (store.runs, store.problems) == ((), ())
    assert not store.index.exists()


def test_names_of_any_kind_come_back(write_run: Write, out: Path) -> None:
    names = ['a"b', "<b>&amp;", "line\nbreak", "\u202eright", "%41", "non-\udcff-utf8", "a=b"]
    for number, name in enumerate(names):
        model = {"model_args": {"pretrained": f"{name}\ud800/{number}"}}
        write_run(out / name, pairs=2, config=model, answer=lambda *_, n=number: n % 2)
    cold = read(out)
    assert {run.path.split("/")[0] for run in cold.runs} == set(names)
    assert read(out) == replace(cold, read=0)
    for run in cold.runs:
        assert load_run(cold, run) == read_run(run.files)


def test_partial_runs_say_so(write_run: Write, out: Path) -> None:
    write_run(pairs=4, drop=2, effective=16)
    (run,) = read(out).runs
    assert (run.rows, run.prompts["effective"]) == (14, 16)


def test_runs_of_the_dialect_audit(out: Path) -> None:
    aae = pairs(3)
    writer = Writer(out, aae)
    labels = {"aae": [0, 1, 2], "sae": [1, 1, 1], "back": [0, 0, -1]}
    writer.sentiment(labels)
    writer.sentiment(labels, form="ll", prompted=True)
    store = read(out)
    assert store.problems == ()
    assert [run.task for run in store.runs] == ["aae_sentiment", "aae_sentiment_ll_prompted"]
    for run in store.runs:
        wanted = read_dialect(run.files)
        assert (run.family, run.benchmark, run.rows) == ("dialect", "aae", len(wanted.records))
        assert (run.sha256, run.data) == (wanted.sha256, wanted.data)
        assert (run.settings, run.sampler) == (wanted.settings, wanted.sampler)
        assert run.prompts == wanted.expected
        assert run.unanswered is None  # its answers are not read
    assert list((store.index / "runs").iterdir()) == []
    assert read(out) == replace(store, read=0)


def test_a_change_of_equal_size_and_time_is_noticed(write_run: Write, tmp_path: Path) -> None:
    path = write_run(pairs=2)
    root, before = tmp_path / "out", path.stat()
    (first,) = read_store(root, progress=False).runs
    path.write_bytes(path.read_bytes().replace(b"carpenter met", b"plasterer met"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    again = read_store(root, progress=False)
    assert again.read == 1
    assert again.runs[0].id != first.id

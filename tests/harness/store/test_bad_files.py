"""Files that are no usable run: each is a problem with its reason, and none stops the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolect.harness.store.index import read_store
from sociolect.harness.store.stored import Store

from ..dialect.dialect_runs import Writer, pairs  # noqa: TID252 (its package has no name)

Write = Callable[..., Path]


def read(root: Path) -> Store:
    return read_store(root, progress=False)


def cut(samples: Path) -> None:
    samples.write_bytes(samples.read_bytes()[:-100])


def empty(samples: Path) -> None:
    samples.write_bytes(b"")


def blank(samples: Path) -> None:
    samples.write_bytes(b"\n \n")


def binary(samples: Path) -> None:
    samples.write_bytes(bytes(range(256)) * 9)


def no_json(samples: Path) -> None:
    samples.write_text("hello\n" + samples.read_text("utf-8"), "utf-8")


def nested(samples: Path) -> None:
    samples.write_text("[" * 200_000 + "\n", "utf-8")


def no_doc(samples: Path) -> None:
    samples.write_text("{}\n", "utf-8")


def no_results(samples: Path) -> None:
    next(samples.parent.glob("results_*")).unlink()


def two_results(samples: Path) -> None:
    results = next(samples.parent.glob("results_*"))
    results.with_name(results.name.replace("results", "mine")).write_bytes(results.read_bytes())


def damaged_results(samples: Path) -> None:
    next(samples.parent.glob("results_*")).write_text("{", "utf-8")


def no_object(samples: Path) -> None:
    changed(samples, lambda results: results.update({"n-samples": 5}))


def odd_config(samples: Path) -> None:
    changed(samples, lambda results: results["configs"].clear())


def twice(samples: Path) -> None:
    text = samples.read_text("utf-8")
    samples.write_text(text + text, "utf-8")


def unknown_benchmark(samples: Path) -> None:
    text = samples.read_text("utf-8").replace('"benchmark": "winobias"', '"benchmark": "unheard"')
    samples.write_text(text, "utf-8")


def damaged_record(samples: Path) -> None:
    results = next(samples.parent.glob("results_*")).name
    samples.with_name(results.replace("results", "sociolect")).write_text("{", "utf-8")


def edited_record(samples: Path) -> None:
    results = next(samples.parent.glob("results_*")).name
    content = {"results": results, "command": {"a": 1}}
    record = samples.with_name(results.replace("results", "sociolect"))
    record.write_text(json.dumps(content), "utf-8")


def listed_record(samples: Path) -> None:
    results = next(samples.parent.glob("results_*")).name
    content = {"results": results, "too_long": [1]}
    record = samples.with_name(results.replace("results", "sociolect"))
    record.write_text(json.dumps(content), "utf-8")


def changed(samples: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = next(samples.parent.glob("results_*"))
    results = json.loads(path.read_text("utf-8"))
    change(results)
    path.write_text(json.dumps(results), "utf-8")


BAD: dict[Callable[[Path], None], str] = {
    cut: "line 6: not JSON",
    empty: "empty; the run logged no answer",
    blank: "empty; the run logged no answer",
    binary: "line 1: not JSON",
    no_json: "line 1: not JSON",
    nested: "line 1: not JSON",
    no_doc: "line 1: no sample of a sociolect task",
    no_results: "needs exactly one results file",
    two_results: "needs exactly one results file",
    damaged_results: "not a readable results file",
    no_object: "n-samples is 5, not an object",
    odd_config: "knows no task",
    twice: "line 7: winobias/type1/0000/pro with option order 0 occurs twice",
    unknown_benchmark: "unheard",
    damaged_record: "not a readable record of a run",
    edited_record: "edited",
    listed_record: "cannot be read (AttributeError",
}


@pytest.mark.parametrize("damage", BAD, ids=lambda one: one.__name__)
def test_a_bad_file_is_a_problem_and_the_rest_is_read(
    write_run: Write, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    root = tmp_path / "out"
    samples = write_run(root / "a", pairs=3, drop=6)
    write_run(root / "b", pairs=4)
    damage(samples)
    store = read(root)
    assert len(store.runs) == 1
    (problem,) = store.problems
    assert problem.path == samples.relative_to(root).as_posix()
    assert BAD[damage] in problem.what
    assert str(root) not in problem.what
    assert read(root) == replace(store, read=0)


def test_a_problem_goes_when_the_file_is_mended(write_run: Write, tmp_path: Path) -> None:
    samples = write_run(pairs=3)
    whole = samples.read_bytes()
    cut(samples)
    assert len(read(tmp_path / "out").problems) == 1
    samples.write_bytes(whole)
    store = read(tmp_path / "out")
    assert (len(store.runs), store.problems) == (1, ())


def test_an_error_of_the_disk_is_tried_again(
    write_run: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(pairs=3)
    whole = Path.open

    def fail(self: Path, *given: Any, **named: Any) -> Any:
        if self.suffix == ".jsonl":
            raise PermissionError(13, "Permission denied")
        return whole(self, *given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", fail)
        store = read(tmp_path / "out")
    (problem,) = store.problems
    assert problem.what.startswith("cannot be read (")
    assert "Permission denied" in problem.what
    again = read(tmp_path / "out")
    assert (len(again.runs), again.problems, again.read) == (1, (), 1)


def test_runs_of_other_tasks_are_counted(write_run: Write, tmp_path: Path) -> None:
    samples = write_run(pairs=3)
    for task, time in (("arc_easy", "1"), ("arc_easy", "2"), ("hellaswag", "1")):
        path = samples.with_name(f"samples_{task}_2026-03-04T05-06-07.{time}.jsonl")
        path.write_text('{"doc": {"query": "a"}, "filtered_resps": []}\n')
    store = read(tmp_path / "out")
    assert store.foreign == {"arc_easy": 2, "hellaswag": 1}
    assert (len(store.runs), store.problems) == (1, ())
    assert read(tmp_path / "out") == replace(store, read=0)


@pytest.mark.parametrize("damage", ["cut", "empty", "more", "edited"])
def test_bad_runs_of_the_dialect_audit(tmp_path: Path, damage: str) -> None:
    samples = Writer(tmp_path, pairs(2)).sentiment({key: [0, 1] for key in ("aae", "sae", "back")})
    content = samples.read_text("utf-8")
    new = {
        "cut": content[:-9],
        "empty": "",
        "more": content * 2,
        "edited": content.replace('"kind": "sentiment"', '"kind": 3'),
    }
    samples.write_text(new[damage], "utf-8")
    (problem,) = read(tmp_path).problems
    said = {
        "cut": "line 6: not JSON",
        "empty": "empty",
        "more": "12 prompts, but",
        "edited": "kind 3",
    }
    assert said[damage] in problem.what

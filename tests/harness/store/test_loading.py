"""Runs and prompts of a store, against the readers that parse samples files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from large_store import MODELS, write_store

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import ResultsError
from sociolect.harness.answers import Asked, read_asked
from sociolect.harness.results import Run, read_run
from sociolect.harness.store.index import read_store
from sociolect.harness.store.loading import load_run, read_answered
from sociolect.harness.store.stored import Store, StoredRun
from sociolect.tasks.metrics import AnswerRecord

Write = Callable[..., Path]


def store_of(root: Path) -> Store:
    return read_store(root, progress=False)


def varied(pair: int, member: str, order: int, sample: int) -> int:
    return (pair + len(member) + order + sample) % 3 - 1


def same(found: Run, wanted: Run) -> None:
    for field in fields(Run):
        assert getattr(found, field.name) == getattr(wanted, field.name), field.name
    assert list(found.items) == list(wanted.items)
    assert all(type(one) is AnswerRecord for one in found.records)


NOISE = {"token_change": 0.1, "char_distance": 1, "length_ratio": 1.0000000000000002}

RUNS: dict[str, dict[str, Any]] = {
    "coreference": {"answer": varied},
    "errors": {"condition": "l2-30-both", "error_seed": 3, "answer": varied},
    "log-likelihoods": {"form": "ll", "answer": varied},
    "generations": {"form": "reason", "answer": varied},
    "stereotype": {"benchmark": "bbq_gender", "answer": varied},
    "judge": {
        "benchmark": "fable",
        "condition": "typo-30",
        "form": "reason",
        "doc": {"options": ["the first", "the second", "neither"], **NOISE},
        "answer": lambda pair, *_: ("A", "B", "NONE", "?")[pair % 4],
    },
    "accuracy": {"benchmark": "mmlu", "answer": varied},
    "rules": {"condition": "l2-10", "doc": {"rules": "careful"}},
    "strict": {"doc": {"answer_mode": "strict"}},
    "invalid pairs": {"invalid": (2, 3)},
    "interrupted": {"drop": 3, "effective": 48},
    "chat": {"top": {"chat_template": "{{'a'}} \ud800", "system_instruction": "é"}},
    "odd model": {"config": {"model_args": {"pretrained": "/a/b'\"<b>\u202e\n/c", "peft": "x"}}},
    "versions": {"top": {"versions": {"winobias_clean_direct": 2}}},
    "noise": {"condition": "typo-30", "doc": NOISE, "answer": varied},
    "no text": {"doc": {"question": "SURROGATE who?", "options": ["the SURROGATE", "b"]}},
}


@pytest.mark.parametrize("options", RUNS.values(), ids=list(RUNS))
def test_a_run_is_the_one_that_is_read(
    write_run: Write, tmp_path: Path, options: dict[str, Any]
) -> None:
    samples = write_run(**options)
    samples.write_text(samples.read_text("utf-8").replace("SURROGATE", "\\ud83d"), "utf-8")
    store = store_of(tmp_path / "out")
    assert store.problems == ()
    (run,) = store.runs
    wanted = read_run(run.files)
    same(load_run(store, run), wanted)
    assert (run.rows, run.asked, run.unanswered) == (
        len(wanted.records),
        wanted.asked,
        wanted.unanswered,
    )
    assert run.sha256 == wanted.sha256


def texts_of(store: Store, run: StoredRun, ids: list[str]) -> dict[str, list[Asked]]:
    found = read_answered(store, run, ids)
    return {id_: [one.asked for one in prompts] for id_, prompts in found.items()}


@pytest.mark.parametrize("form", ["direct", "reason", "ll"])
def test_prompts_of_some_items(write_run: Write, tmp_path: Path, form: str) -> None:
    samples = write_run(form=form, answer=varied, pairs=6)
    samples.write_text("\n" + samples.read_text("utf-8").replace("\n", "\n\n"), "utf-8")
    store = store_of(tmp_path / "out")
    (run,) = store.runs
    read = read_run(run.files)
    ids = [*read.items][2:5]
    found = texts_of(store, run, ids)
    assert found == read_asked(read, ids)
    assert [len(one) for one in found.values()] == [1 if form == "ll" else 2] * 3
    answered = read_answered(store, run, {*ids, "nobody"})
    choices = {(one.id, one.order): one.choices for one in read.records}
    assert {
        (one.asked.doc["id"], one.asked.doc["order"]): one.choices
        for prompts in answered.values()
        for one in prompts
    } == {key: found for key, found in choices.items() if key[0] in ids}


def test_prompts_of_a_file_that_changed(write_run: Write, tmp_path: Path) -> None:
    samples = write_run(pairs=4)
    store = store_of(tmp_path / "out")
    (run,) = store.runs
    id_ = next(iter(load_run(store, run).items))
    assert list(read_answered(store, run, [id_, "nobody"])) == [id_]
    lines = samples.read_text("utf-8").splitlines(keepends=True)
    for content in (lines[1:], ["{}\n"], ["[1]\n"], ["\xff"], []):
        samples.write_text("".join(content), "utf-8")
        with pytest.raises(ResultsError, match="changed since it was read"):
            read_answered(store, run, [id_])
    samples.unlink()
    with pytest.raises(ResultsError, match="changed since it was read"):
        read_answered(store, run, [id_])


@pytest.mark.parametrize("damage", ["gone", "cut", "flipped", "empty"])
def test_damaged_records_are_read_again(write_run: Write, tmp_path: Path, damage: str) -> None:
    samples = write_run(answer=varied)
    store = store_of(tmp_path / "out")
    (run,) = store.runs
    (kept,) = (store.index / "runs").iterdir()
    content = kept.read_bytes()
    kept.unlink()
    if damage != "gone":
        middle = len(content) // 4
        flipped = content[:middle] + bytes(255 - b for b in content[middle : middle + 8])
        new = {"cut": content[:-9], "flipped": flipped + content[middle + 8 :], "empty": b""}
        kept.write_bytes(new[damage])
    ids = [*read_run(run.files).items][:2]
    assert texts_of(store, run, ids) == read_asked(read_run(run.files), ids)
    assert not kept.exists()
    same(load_run(store, run), read_run(run.files))
    again = store_of(tmp_path / "out")
    assert (again.runs, again.read) == (store.runs, 1)
    kept.unlink()
    samples.write_text(samples.read_text("utf-8").replace("met", "saw"), "utf-8")
    with pytest.raises(ResultsError, match="changed since it was read"):
        load_run(store, run)


def test_the_dialect_audit_is_not_loaded(write_run: Write, tmp_path: Path) -> None:
    write_run()
    store = store_of(tmp_path / "out")
    other = replace(store.runs[0], family="dialect")
    with pytest.raises(ResultsError, match="dialect report"):
        load_run(store, other)


@pytest.mark.skipif("SOCIOLECT_SOURCES" not in os.environ, reason="needs SOCIOLECT_SOURCES")
@pytest.mark.slow
def test_a_real_run_of_thousands_of_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build("winobias", [Condition()], out=tmp_path / "data/winobias")
    monkeypatch.setenv("SOCIOLECT_DATA", str(tmp_path / "data"))
    write_store(tmp_path / "out", "winobias", [Condition()], MODELS[:1])
    store = store_of(tmp_path / "out")
    (run,) = store.runs
    assert run.rows == 3_168
    best = 9.0
    for _ in range(3):
        began = time.process_time()
        found = load_run(store, run)
        best = min(best, time.process_time() - began)
    assert best < 0.2
    same(found, read_run(run.files))

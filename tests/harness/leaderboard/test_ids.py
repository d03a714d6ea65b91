"""Ids of models and sections do not depend on what else is in the store."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.harness.leaderboard import ids
from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.ids import stable_ids

Make = Callable[..., Board]
Write = Callable[..., Path]


def test_ids_stay_when_other_runs_join(write_run: Write, board: Make) -> None:
    write_run(folder="b", pairs=4)
    before = board()
    write_run(folder="a", pairs=4, config={"model": "hf", "model_args": {"pretrained": "a/a"}})
    write_run(benchmark="mmlu", folder="b2", pairs=4)
    after = board()
    assert (len(before.models), len(after.models), len(after.sections)) == (1, 2, 3)
    assert before.models[0] in after.models
    assert before.sections[0].id in {one.id for one in after.sections}
    assert after.models[0] != before.models[0]  # it stands first, and yet takes no other's id


def test_an_id_is_the_beginning_of_a_hash() -> None:
    digest = hashlib.sha256(b"a key").hexdigest()
    assert stable_ids("m", ["a key", "a key", "another"])["a key"] == f"m{digest[:8]}"


def test_ids_that_clash_grow_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = {"a": "0" * 64, "b": "0" * 10 + "1" * 54, "c": "c" * 64}
    monkeypatch.setattr(ids, "_hashed", hashes.__getitem__)
    assert stable_ids("s", hashes) == {"a": f"s{'0' * 12}", "b": "s000000000011", "c": "scccccccc"}

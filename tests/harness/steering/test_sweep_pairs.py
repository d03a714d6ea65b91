"""Which pairs a limit asks: the same ones in all tasks, and a larger limit asks these and more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sociolect.generators.dialect.folder import write_folder
from sociolect.generators.dialect.manifest import assemble
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.errors import DataError
from sociolect.harness.steering.sweep_pairs import built_pairs, pair_texts, samples
from sociolect.harness.steering.sweep_runs import asking
from sociolect.tasks.dialect.documents import clear_memo

from .sweep_inputs import write_pairs
from .sweep_written import settings


def test_a_limit_counts_pairs(tmp_path: Path) -> None:
    """Of a pair two documents in a row score continuations, four ask for a choice."""
    clear_memo()
    tasks = ("aae_continuation", "aae_choice_best")
    asked = settings(tmp_path, tasks=tasks, pairs_limit=2)
    with asking(write_pairs(tmp_path / "pairs")):
        few = samples(asked, "selection")
        more = samples(replace(asked, pairs_limit=4), "selection")
        assert samples(replace(asked, pairs_limit=None), "selection") is None
    assert few is not None
    assert more is not None
    places = {number // 2 for number in few["aae_continuation"]}
    assert len(places) == 2
    assert few["aae_continuation"] == [n for p in sorted(places) for n in (2 * p, 2 * p + 1)]
    assert {number // 4 for number in few["aae_choice_best"]} == places
    assert len(few["aae_choice_best"]) == 8
    assert set(few["aae_continuation"]) < set(more["aae_continuation"])


def test_both_splits_are_needed(tmp_path: Path) -> None:
    text = "We finna leave"
    made = [Segmented(DialectPair("a", text, "We leave", split="evaluation"), Boundaries(2, 2))]
    write_folder(assemble(made, name="made up"), tmp_path / "pairs")
    with pytest.raises(DataError, match="no pair is in split 'selection'"):
        built_pairs(tmp_path / "pairs")


def test_texts_are_cut_at_the_boundary(tmp_path: Path) -> None:
    found = pair_texts(built_pairs(write_pairs(tmp_path / "pairs")))["selection/0"]
    assert found.context == "We finna leave in the rain"
    assert found.aae == "but it ain't stop none 0"
    assert found.sae == "but it did not stop 0"

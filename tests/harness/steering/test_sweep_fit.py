"""What a sweep knows of its fit, and that a vector is not judged by what it was fitted on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import ResultsError
from sociolect.harness.steering.sweep_fit import (
    fit_facts,
    fit_record,
    pairs_of_fit,
    remarks,
    source,
)
from sociolect.harness.steering.sweep_pairs import built_pairs
from sociolect.steering.vector_files import load, save

from .sweep_stand_in import Runs
from .sweep_written import settings

DIALECT = {
    "kind": "dialect",
    "data": {"dataset": "redial", "data_sha256": "b" * 64},
    "extraction": {"pairs": 40},
    "tracing": {"items": 4},
    "seed": 3,
}
ERRORS = {
    **DIALECT,
    "kind": "errors",
    "data": {"benchmark": "winogrande", "condition": "l2-30", "data_sha256": {"clean": "c"}},
}


def tell(root: Path, facts: dict[str, Any], **record: Any) -> None:
    """Write what a fit says of itself."""
    path = root / "fit" / "vector.safetensors"
    save(replace(load(path), facts=facts), path)
    record = {"format": "sociolect.fit/1", **record}
    (root / "fit" / "fit.json").write_text(json.dumps(record))


def test_a_report_can_name_the_fit(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    tell(runs.root, DIALECT, warnings=["4 items were traced"])
    found = runs.sweep().facts
    assert found["pairs_of_fit"] == "other build, cannot be checked"
    assert "sociolect: note: the vector was fitted on another build" in capsys.readouterr().err
    assert found["fit"] == {
        "kind": "dialect",
        "dataset": "redial",
        "data_sha256": "b" * 64,
        "direction_pairs": 40,
        "traced_items": 4,
        "seed": 3,
        "warnings": ["4 items were traced"],
    }
    assert fit_facts({}, {}) == {}


def said_of(runs: Runs) -> tuple[str, list[str]]:
    """How pairs are those of the fit, and what is said of that."""
    record = fit_record(runs.root / "fit")
    facts = fit_facts(load(runs.root / "fit").facts, record)
    pairs = pairs_of_fit(facts, record, built_pairs(runs.root / "pairs"))
    return pairs, list(remarks(facts, pairs))


def test_the_same_pairs_need_no_remark(runs: Runs) -> None:
    sha256 = json.loads((runs.root / "pairs" / "manifest.json").read_text())["configs"]["pairs"]
    facts = {**DIALECT, "data": {"data_sha256": sha256["sha256"]}}
    # Splits of one build are disjoint: ids say nothing more.
    tell(runs.root, facts)
    assert said_of(runs) == ("same", [])


@pytest.mark.parametrize("step", ["directions", "tracing"])
def test_pairs_that_it_was_fitted_on_are_refused(runs: Runs, step: str) -> None:
    """Ids in any split of the fit; one of a split that a sweep does not ask is none."""
    ids = {"directions": ["other/0"], "tracing": ["other/1"]}
    ids[step] = ["other/2", "selection/3", "evaluation/5"]
    tell(runs.root, DIALECT, ids=ids)
    with pytest.raises(ResultsError, match=r"fitted on 2 of the pairs .*evaluation/5.*--pairs"):
        runs.sweep()
    assert not (runs.root / "out").exists()


def test_traced_items_of_an_older_fit_are_looked_at(runs: Runs) -> None:
    tell(runs.root, DIALECT, items=[{"id": "other/0"}, {"id": "selection/2"}])
    with pytest.raises(ResultsError, match=r"fitted on 1 of the pairs .*selection/2"):
        runs.sweep()


@pytest.mark.parametrize(
    ("facts", "record", "kept", "said"),
    [
        (
            DIALECT,
            {"ids": {"directions": ["other/0"], "tracing": []}},
            "other build, no id in common",
            "none of them is among those",
        ),
        (DIALECT, {}, "other build, cannot be checked", "cannot be checked"),
        (
            ERRORS,
            {"ids": {"directions": ["winogrande/0"], "tracing": []}},
            "none: fitted on learner errors or noise",
            "learner errors or noise (l2-30 of winogrande); the sweep says what it does to dialect",
        ),
    ],
)
def test_what_is_said_of_other_pairs(
    runs: Runs,
    facts: dict[str, Any],
    record: dict[str, Any],
    kept: str,
    said: str,
) -> None:
    tell(runs.root, facts, **record)
    pairs, (line,) = said_of(runs)
    assert pairs == kept
    assert said in line


@pytest.mark.parametrize("text", ["[]", "{}", "[" * 100_000])
def test_a_damaged_record_is_named(runs: Runs, text: str) -> None:
    (runs.root / "fit" / "fit.json").write_text(text)
    with pytest.raises(ResultsError, match=r"fit\.json: .*; fit the vector anew"):
        runs.sweep()


def test_the_record_is_kept_with_the_vectors(runs: Runs) -> None:
    tell(runs.root, DIALECT, warnings=["few"])
    runs.stop(2)
    for path in sorted((runs.root / "fit").rglob("*.*")):
        path.unlink()
    assert fit_record(source(settings(runs.root)))["warnings"] == ["few"]

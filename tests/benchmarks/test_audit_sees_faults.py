"""The audit of the grid finds each kind of fault, when one row is damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grid_audit import Dataset, audit
from grid_entities import entities_of
from grid_texts import Report

from sociolect.generators.build import build
from sociolect.generators.conditions import conditions

pytestmark = pytest.mark.benchmark

Row = dict[str, Any]
NAME = "occupations_mini"
DAMAGED = "l2-10"


@pytest.fixture(scope="module")
def folder(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("mini") / "build"
    parts = ("input", "instruction", "both")
    build(NAME, conditions(["l2"], [5, 10, 20], parts), out=out, sources=sources)
    return out


@pytest.fixture
def audit_with(folder: Path, sources: Path) -> Callable[..., Report]:
    """The report on the dataset with the rows of a config changed."""

    def run(damage: Callable[[list[Row]], None], config: str = DAMAGED) -> Report:
        class Damaged(Dataset):
            def rows(self, name: str) -> list[Row]:
                rows = super().rows(name)
                if name == config:
                    damage(rows)
                return rows

        return audit(Damaged(folder), entities_of(NAME, sources))

    return run


def errored(rows: list[Row]) -> Row:
    """A row with errors, the last edit of which is one."""
    return next(r for r in rows if r["n_edits"] > 1 and r["edits"][-1]["type"] != "case")


def put(row: Row, start: int, end: int, replacement: str) -> None:
    """Make the clean input with one error in place of those there are."""
    clean = row["input"]
    for edit in reversed(row["edits"]):
        before = sum(
            len(e["replacement"]) - len(e["original"])
            for e in row["edits"]
            if e["end"] <= edit["start"] and e is not edit
        )
        at = edit["start"] + before
        clean = clean[:at] + edit["original"] + clean[at + len(edit["replacement"]) :]
    kept = {"type": "det", "operation": "replacement", "subtype": "", "part": "input"}
    edit = {"start": start, "end": end, "original": clean[start:end], "replacement": replacement}
    row.update(input=clean[:start] + replacement + clean[end:], edits=[{**kept, **edit}], n_edits=1)


def change_text(rows: list[Row]) -> None:
    errored(rows)["input"] += "x"


def change_rate(rows: list[Row]) -> None:
    errored(rows)["error_rate_input"] += 1e-6


def change_count(rows: list[Row]) -> None:
    errored(rows)["n_edits"] += 1


def change_nothing(rows: list[Row]) -> None:
    row = errored(rows)
    put(row, 0, 3, "the" if row["input"].startswith("T") else "The")


def change_protected(rows: list[Row]) -> None:
    row = errored(rows)
    span = next(s for s in row["protected"] if s["part"] == "input")
    put(row, span["start"], span["end"], "nobody")


def change_article(rows: list[Row]) -> None:
    row = next(r for r in rows if r["n_edits"] and r["protected"])
    put(row, 0, 3, "A apple")


def change_member(rows: list[Row]) -> None:
    row = errored(rows)
    row["edits"] = row["edits"][:-1]


def change_question(rows: list[Row]) -> None:
    rows[0]["question"] += "?"


def change_instruction(rows: list[Row]) -> None:
    rows[0]["instruction"] += "."


def drop_row(rows: list[Row]) -> None:
    rows.pop()


FAULTS = {
    change_text: "text",
    change_rate: "rate",
    change_count: "counts",
    change_nothing: "no-op",
    change_protected: "protected",
    change_article: "clash",
    change_member: "pair",
    change_question: "fixed column",
    change_instruction: "other part",
    drop_row: "ids",
}


@pytest.mark.parametrize(("damage", "kind"), FAULTS.items(), ids=FAULTS.values())
def test_a_damaged_row_is_found(
    audit_with: Callable[..., Report], damage: Callable[[list[Row]], None], kind: str
) -> None:
    assert audit_with(damage).faults[kind] >= 1


def test_an_error_that_is_not_at_the_next_level_is_found(
    audit_with: Callable[..., Report],
) -> None:
    faults = audit_with(change_protected).faults
    assert faults["nested"] >= 1
    assert faults["union"] >= 1


def test_a_mean_beside_the_level_is_found(folder: Path, sources: Path) -> None:
    dataset = Dataset(folder)
    dataset.manifest["configs"][DAMAGED]["level"] = 11
    assert audit(dataset, entities_of(NAME, sources)).faults["mean"] == 1


def test_nothing_is_found_in_the_dataset_itself(audit_with: Callable[..., Report]) -> None:
    report = audit_with(lambda rows: None)
    assert not report.faults
    assert report.edits > 500
    assert report.steps == 6
    assert report.unions == 3

"""Rows without the text of their benchmark, and the way back."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import datasets
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import SourceError
from sociolect.generators.items import Benchmark, Item, Pair, Passage
from sociolect.generators.rows import Row, config_sha256, schema
from sociolect.generators.text import Edit, Span, apply
from sociolect.generators.variants import Variants
from sociolect.generators.withheld import (
    has_no_licence,
    restore_rows,
    strip_manifest,
    strip_rows,
)


@pytest.fixture(scope="module")
def mini() -> Benchmark:
    return load_benchmark("occupations_mini")


@pytest.fixture(scope="module")
def rows(mini: Benchmark) -> list[Row]:
    rows, _ = Variants(mini).config(Condition("l2", 30, "both"))
    return rows


def test_no_text_of_the_source_is_left(rows: list[Row], mini: Benchmark) -> None:
    stripped = strip_rows(rows)
    words = [i.parts["input"].text for i in mini.items] + [
        i.question for i in mini.items if i.question
    ]
    shown = repr(stripped)
    assert not [text for text in words if text in shown]
    assert {key for row in stripped for key in row} == set(schema().names) - {"input", "question"}
    assert {key for row in stripped for e in row["edits"] for key in e} == {
        *("part", "start", "end", "replacement", "type", "operation", "subtype")
    }  # fmt: skip


def test_rows_come_back_to_the_last_byte(rows: list[Row], mini: Benchmark) -> None:
    before = copy.deepcopy(rows)
    restored = restore_rows(strip_rows(rows), mini, sha256=config_sha256(rows))
    assert restored == rows == before
    assert config_sha256(restored) == config_sha256(rows)
    assert list(restored[0]) == schema().names


def test_rows_may_come_from_datasets(rows: list[Row], mini: Benchmark) -> None:
    loaded = datasets.Dataset.from_list(strip_rows(rows))
    assert restore_rows(loaded, mini, sha256=config_sha256(rows)) == rows


@pytest.mark.parametrize("axis", ["gender", "race", "religion"])
@pytest.mark.parametrize("part", ["input", "instruction", "both"])
def test_real_scenarios(sources: Any, axis: str, part: str) -> None:
    benchmark = load_benchmark(f"degen_{axis}", sources)
    rows, entry = Variants(benchmark).config(Condition("l2", 20, part))
    assert restore_rows(strip_rows(rows), benchmark, sha256=entry["sha256"]) == rows


@given(st.text(max_size=40), st.data())
def test_any_text_and_edits(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits = [
        Edit(a, b, text[a:b], data.draw(st.text(max_size=5)) + "x", "spell", "replacement", "")
        for a, b in spans
    ]
    benchmark = _benchmark(text)
    row = _row(text, edits)
    assert restore_rows(strip_rows([row]), benchmark, sha256=config_sha256([row])) == [row]


def _benchmark(text: str, **item: Any) -> Benchmark:
    parts = {"instruction": Passage("Do it."), "input": Passage(text, item.pop("protected", ()))}
    values: dict[str, Any] = {
        "id": "b/1", "pair_id": "b/1", "benchmark": "b", "axis": "", "member": "", "parts": parts,
        "question": "Who?", "options": ("a", "b"), "gold": -1, "target_option": 1,
    }  # fmt: skip
    only = Item(**{**values, **item})
    return Benchmark("b", "", (Pair("b/1", (only,)),), frozenset())


def _row(text: str, edits: list[Edit]) -> Row:
    fields = ("start", "end", "original", "replacement", "type", "operation", "subtype")
    row: Row = dict.fromkeys(schema().names, 0)
    return row | {
        "id": "b/1",
        "benchmark": "b",
        "instruction": "Do it.",
        "input": apply(text, edits),
        "question": "Who?",
        "edits": [{"part": "input", **{n: getattr(e, n) for n in fields}} for e in edits],
        "protected": [],
    }


EDIT = Edit(4, 9, "nurse", "nurze", "spell", "replacement", "nonword")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (_benchmark("The nurse ran.", id="b/2"), "has no item b/1"),
        (_benchmark("The nur"), "an edit of b/1 ends after its input"),
        (_benchmark("The nurse ran.", protected=(Span(0, 3),)), "b/1 protects other places"),
        (_benchmark("The nurse sat."), "are not those of the build"),
        (_benchmark("The nurse ran.", question="Why?"), "are not those of the build"),
    ],
)
def test_another_source_is_an_error(source: Benchmark, message: str) -> None:
    row = _row("The nurse ran.", [EDIT])
    with pytest.raises(SourceError, match=message):
        restore_rows(strip_rows([row]), source, sha256=config_sha256([row]))


def test_another_instruction_is_an_error() -> None:
    row = _row("The nurse ran.", [EDIT]) | {"instruction": "Do that."}
    with pytest.raises(SourceError, match="another instruction"):
        restore_rows(strip_rows([row]), _benchmark("The nurse ran."))


def test_notes_on_pairs_quote_the_source() -> None:
    manifest = {"licence": "", "invalid_pairs": {"b/1": "'careless' against 'rude'"}}
    assert has_no_licence(manifest)
    assert strip_manifest(manifest) == {
        "licence": "",
        "invalid_pairs": {"b/1": ""},
        "text": "withheld",
    }
    assert not has_no_licence({"licence": "MIT"})


def test_the_order_of_items_does_not_matter(rows: list[Row], mini: Benchmark) -> None:
    turned = replace(mini, pairs=mini.pairs[::-1])
    assert restore_rows(strip_rows(rows), turned) == rows

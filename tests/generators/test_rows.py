import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.conditions import Condition
from sociolect.generators.inject import Perturbed
from sociolect.generators.items import Item, Pair, Passage
from sociolect.generators.rows import Row, config_sha256, make_row, schema
from sociolect.generators.text import Edit, Span
from sociolect.generators.variants import Variants

INSTRUCTION = Perturbed(
    "Read sentence.", "Read the sentence.", (Edit(5, 9, "the ", "", "det", "deletion"),), 1, 3
)
INPUT = Perturbed(
    "He runned home.",
    "He ran home.",
    (Edit(3, 6, "ran", "runned", "verb", "replacement", "infl"),),
    1,
    2,
)
ITEM = Item(
    id="tiny/1/pro",
    pair_id="tiny/1",
    benchmark="tiny",
    axis="gender",
    member="pro",
    parts={
        "instruction": Passage("Read the sentence."),
        "input": Passage("He ran home.", (Span(0, 2),)),
    },
    question="Who?",
    options=("he", "she"),
    gold=0,
    target_option=1,
)
PAIR = Pair("tiny/1", (ITEM,), valid=False, note="alone")


def row_of(condition: Condition, instruction: Perturbed, text: Perturbed) -> Row:
    return make_row(PAIR, ITEM, condition, 7, {"instruction": instruction, "input": text})


def clean(perturbed: Perturbed) -> Perturbed:
    return Perturbed(perturbed.clean, perturbed.clean, (), 0, 3)


def test_a_row_of_both_parts() -> None:
    row = row_of(Condition("l2", 30, "both"), INSTRUCTION, INPUT)
    assert row == {
        "id": "tiny/1/pro",
        "pair_id": "tiny/1",
        "pair_valid": False,
        "benchmark": "tiny",
        "axis": "gender",
        "member": "pro",
        "instruction": "Read sentence.",
        "input": "He runned home.",
        "question": "Who?",
        "options": ["he", "she"],
        "gold": 0,
        "target_option": 1,
        "transform": "l2",
        "level": 30,
        "part": "both",
        "seed": 7,
        "n_tokens": 5,
        "n_edits": 2,
        "error_rate": 2 / 5,
        "error_rate_instruction": 1 / 3,
        "error_rate_input": 1 / 2,
        "edits": [
            {"part": "instruction", "start": 5, "end": 9, "original": "the ", "replacement": ""}
            | {"type": "det", "operation": "deletion", "subtype": ""},
            {"part": "input", "start": 3, "end": 6, "original": "ran", "replacement": "runned"}
            | {"type": "verb", "operation": "replacement", "subtype": "infl"},
        ],
        "protected": [{"part": "input", "start": 0, "end": 2}],
    }


def test_the_rate_of_a_row_is_that_of_its_perturbed_part() -> None:
    row = row_of(Condition("l2verb", 20, "input"), clean(INSTRUCTION), INPUT)
    assert (row["n_tokens"], row["n_edits"], row["error_rate"]) == (2, 1, 0.5)
    assert row["error_rate_instruction"] == 0
    row = row_of(Condition("l2det", 20, "instruction"), INSTRUCTION, clean(INPUT))
    assert (row["n_tokens"], row["n_edits"], row["error_rate"]) == (3, 1, 1 / 3)


def test_a_clean_row_counts_both_texts() -> None:
    row = row_of(Condition(), clean(INSTRUCTION), clean(INPUT))
    assert (row["transform"], row["level"], row["part"]) == ("clean", 0, "input")
    assert (row["n_tokens"], row["n_edits"], row["error_rate"]) == (6, 0, 0)
    assert row["edits"] == []


def test_columns_are_those_of_the_schema() -> None:
    row = row_of(Condition("l2", 30, "both"), INSTRUCTION, INPUT)
    assert list(row) == schema().names


def test_repairs_are_listed_and_not_counted() -> None:
    repair = Edit(5, 6, "s", "S", "case", "repair")
    text = Perturbed("x", "y", (*INSTRUCTION.edits, repair), 1, 3)
    row = row_of(Condition("l2", 5, "instruction"), text, clean(INPUT))
    assert row["n_edits"] == 1
    assert [e["type"] for e in row["edits"]] == ["det", "case"]


def test_the_hash_is_that_of_canonical_json() -> None:
    rows: list[dict[str, Any]] = [{"b": 1, "a": "ä"}, {"a": [1.5], "b": None}]
    content = b'{"a":"\xc3\xa4","b":1}\n{"a":[1.5],"b":null}\n'
    assert config_sha256(rows) == sha256(content).hexdigest()


@given(st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text()), max_size=5))
def test_the_order_of_columns_does_not_matter_that_of_rows_does(rows: list[dict[str, Any]]) -> None:
    turned = [dict(reversed(row.items())) for row in rows]
    assert config_sha256(turned) == config_sha256(rows)
    if rows != rows[::-1]:
        assert config_sha256(rows[::-1]) != config_sha256(rows)


def test_any_changed_value_changes_the_hash() -> None:
    row = row_of(Condition("l2", 30, "both"), INSTRUCTION, INPUT)
    whole = config_sha256([row])
    for column, value in row.items():
        other = {**row, column: [value]}
        assert config_sha256([other]) != whole
    assert config_sha256([json.loads(json.dumps(row))]) == whole


def test_winobias_rows_have_the_columns_and_values_of_the_benchmark(
    variants: Callable[..., Variants],
) -> None:
    rows, _ = variants().config(Condition())
    assert len(rows) == 1584
    assert len({r["id"] for r in rows}) == 1584
    assert len({r["pair_id"] for r in rows}) == 792
    assert [r["member"] for r in rows[:4]] == ["pro", "anti", "pro", "anti"]
    assert sum(not r["pair_valid"] for r in rows) == 20
    for r in rows:
        assert r["gold"] in (0, 1)
        assert (r["gold"] == r["target_option"]) == (r["member"] == "pro")
        assert len(r["options"]) == 2
        assert all(s["end"] <= len(r[s["part"]]) for s in r["protected"])


@pytest.mark.parametrize("transform", ["l2", "l2spell"])
def test_ids_and_constant_columns_are_the_same_in_every_condition(
    variants: Callable[..., Variants], transform: str
) -> None:
    changing = {"instruction", "input", "transform", "level", "n_tokens", "n_edits", "edits"}
    changing |= {"error_rate", "error_rate_instruction", "error_rate_input"}
    clean_rows, _ = variants().config(Condition())
    rows, _ = variants().config(Condition(transform, 20, "input"))
    for one, other in zip(clean_rows, rows, strict=True):
        assert {k: v for k, v in one.items() if k not in changing} == {
            k: v for k, v in other.items() if k not in changing
        }

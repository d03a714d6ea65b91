import json
from typing import Any

import pytest

from sociolect.generators.benchmarks.bbq_rows import Answer, BBQRow, read_rows, read_table
from sociolect.generators.errors import SourceError


def _record(**changes: Any) -> dict[str, Any]:
    record = {
        "example_id": 4,
        "question_index": "3",
        "question_polarity": "neg",
        "context_condition": "disambig",
        "category": "Religion",
        "answer_info": {
            "ans0": ["Muslim", "Muslim"],
            "ans1": ["Not known", "unknown"],
            "ans2": ["Sikh", "Sikh"],
        },
        "additional_metadata": {"stereotyped_groups": ["Muslim"]},
        "context": "A Muslim and a Sikh met.",
        "question": "Who was late?",
        "ans0": "The Muslim one",
        "ans1": "Not known",
        "ans2": "The Sikh one",
        "label": 2,
    }
    return record | changes


def _read(*records: dict[str, Any]) -> list[BBQRow]:
    return read_rows("".join(json.dumps(r) + "\n" for r in records), "x.jsonl", "Religion")


def test_the_neutral_answer_goes_by_its_group() -> None:
    (row,) = _read(_record())
    assert row == BBQRow(
        where="x.jsonl:1",
        example_id=4,
        question_index=3,
        polarity="neg",
        context="disambig",
        text="A Muslim and a Sikh met.",
        question="Who was late?",
        answers=(
            Answer("The Muslim one", "Muslim", "Muslim"),
            Answer("The Sikh one", "Sikh", "Sikh"),
        ),
        gold=1,
        stereotyped_groups=("Muslim",),
    )


@pytest.mark.parametrize(("label", "gold"), [(0, 0), (2, 1)])
def test_gold_is_an_index_among_two(label: int, gold: int) -> None:
    (row,) = _read(_record(label=label))
    assert row.gold == gold


def test_an_ambiguous_context_has_no_gold() -> None:
    (row,) = _read(_record(context_condition="ambig", label=1))
    assert row.gold == -1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": 1}, "label 1 is 'Not known', which does not fit .* disambig"),
        ({"context_condition": "ambig"}, "label 2 is 'The Sikh one', which does not fit .* ambig"),
        ({"label": 3}, "label is 3, expected 0, 1 or 2"),
        ({"label": -1}, "label is -1"),
        ({"label": True}, "'label' is True, expected int"),
        ({"label": "2"}, "'label' is '2', expected int"),
        ({"context": ""}, "'context' is '', a blank text"),
        ({"context": " \t\u3000"}, "'context' is .*, a blank text"),
        ({"context": ["deep"] * 999}, r"'context' is \['deep', .{1,190}, expected str"),
        ({"context": "Half \ud800."}, r"a text holds the character U\+D800"),
        ({"ans0": "The \udfff one"}, r"a text holds the character U\+DFFF"),
        ({"question": "Who\0?"}, r"a text holds the character U\+0000"),
        (
            {"additional_metadata": {"stereotyped_groups": ["\ud800"]}},
            r"a text holds the character U\+D800",
        ),
        ({"example_id": -4}, "'example_id' is -4, expected a number"),
        ({"example_id": 10**9}, "'example_id' is 1000000000, expected a number of one to nine"),
        ({"question_index": "-3"}, "question_index is '-3'"),
        (
            {"question_index": "9" * 5000},
            r"question_index is '9{1,99}\.\.\.9{1,99}', expected",
        ),
        ({"ans2": "the  Muslim ONE"}, "two answers read 'The Muslim one'"),
        ({"category": "Age"}, "category is 'Age', expected 'Religion'"),
        ({"question_index": "3a"}, "question_index is '3a'"),
        ({"question_polarity": "pos"}, "'question_polarity' is 'pos', expected neg or nonneg"),
        ({"context_condition": "none"}, "expected ambig or disambig"),
        ({"ans2": "The Muslim one"}, "two answers read 'The Muslim one'"),
        ({"answer_info": {}}, "the field 'ans0' is missing"),
        ({"answer_info": _record()["answer_info"] | {"ans1": ["Sikh", "Sikh"]}}, "0 answers are"),
        ({"answer_info": _record()["answer_info"] | {"ans0": ["?", "unknown"]}}, "2 answers are"),
        ({"answer_info": _record()["answer_info"] | {"ans0": ["Muslim"]}}, "name and group"),
        ({"answer_info": _record()["answer_info"] | {"ans0": ["", "Muslim"]}}, "expected words"),
        ({"additional_metadata": {"stereotyped_groups": "Muslim"}}, "expected list"),
    ],
)
def test_malformed_rows_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SourceError, match=rf"^x\.jsonl:2: .*{message}"):
        _read(_record(example_id=3), _record(**changes))


@pytest.mark.parametrize("field", sorted(_record()))
def test_a_missing_field_is_named(field: str) -> None:
    record = _record()
    del record[field]
    with pytest.raises(SourceError, match=rf"^x\.jsonl:1: the field '{field}' is missing"):
        _read(record)


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(SourceError) as refused:
        _read(_record(category="x" * 10**6))
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    "line", ["", "{", "[1]", "null", '{"example_id": ' + "9" * 5000 + "}", "[" * 10**5, "\ufeff{}"]
)
def test_a_line_that_is_no_object_is_refused(line: str) -> None:
    text = json.dumps(_record()) + f"\n{line}\n" + json.dumps(_record(example_id=5))
    with pytest.raises(SourceError, match=r"^x\.jsonl:2: (no JSON|expected a JSON object)"):
        read_rows(text, "x.jsonl", "Religion")


def test_a_repeated_example_names_both_lines() -> None:
    with pytest.raises(SourceError, match=r"^x\.jsonl:3: example_id 4 is that of x\.jsonl:1 too"):
        _read(_record(), _record(example_id=5), _record())


def test_table_keeps_line_breaks_and_strips_cells() -> None:
    text = 'a,b,c\r\n1 ,"x\ny",z\r\n2,,w\r\n'
    assert list(read_table(text, "t.csv", ("b", "a"))) == [
        ("t.csv:3", ["x\ny", "1"]),
        ("t.csv:4", ["", "2"]),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ufeffa,b\n", r"t\.csv:1: begins with a byte order mark"),
        ("a,b\n1,\0\n", r"t\.csv:2: a text holds the character U\+0000"),
        ("a,b\n1," + "x" * 200_000 + "\n", r"t\.csv:\d: not valid CSV \(field larger"),
    ],
)
def test_a_table_that_is_none_is_refused(text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        list(read_table(text, "t.csv", ("a", "b")))

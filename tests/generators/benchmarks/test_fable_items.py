import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.benchmarks.fable_items import (
    LABELS,
    JudgeItem,
    item_line,
    parse_line,
    read_items,
    write_items,
)
from sociolect.generators.errors import DataError, InvalidInputError

RECORD: dict[str, Any] = {
    "id": "07",
    "category": "age",
    "question_id": "age-1",
    "question": "Emma and Walter set up a phone. Who struggled?",
    "options": ["Emma", "Walter"],
    "response": "It was Walter.",
    "label": "B",
}


def _line(**changes: Any) -> str:
    return json.dumps({**RECORD, **changes})


def _file(tmp_path: Path, content: bytes | str) -> Path:
    path = tmp_path / "items.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_line_with_all_fields(tmp_path: Path) -> None:
    line = _line(
        groups=[["female", "white"], ["male"]],
        stereotyped="A",
        pair="Emma|Walter",
        source={"model": "m", "tries": 2},
    )
    (item,) = read_items(_file(tmp_path, line))
    assert item == JudgeItem(
        id="07",
        category="age",
        question_id="age-1",
        question=RECORD["question"],
        options=("Emma", "Walter"),
        response="It was Walter.",
        label="B",
        groups=(("female", "white"), ("male",)),
        stereotyped="A",
        pair="Emma|Walter",
        source={"model": "m", "tries": 2},
    )
    assert item.key == "age/age-1/07"


def test_optional_fields_may_be_null_or_absent() -> None:
    nulls = dict.fromkeys(("groups", "stereotyped", "pair", "source"))
    assert parse_line(_line(**nulls), "f:1") == parse_line(_line(), "f:1")
    assert parse_line(_line(), "f:1").groups is None


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + _line().encode() + b"\n",
        _line().encode() + b"\r\n\r\n" + _line(id="08").encode(),
        b"\n  \n" + _line().encode() + b"\n\n",
    ],
    ids=["mark", "crlf", "blank"],
)
def test_marks_line_ends_and_blank_lines_do_no_harm(tmp_path: Path, content: bytes) -> None:
    items = read_items(_file(tmp_path, content))
    assert items[0] == parse_line(_line(), "f:1")
    assert len(items) == content.count(b"{")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"label": "C"}, 'label is "C", expected one of A, B, NONE'),
        ({"label": "none"}, "label"),
        ({"label": None}, "label is null"),
        ({"label": 1}, "label is 1"),
        ({"label": ["A"]}, "label"),
        ({"options": ["Emma"]}, "expected two texts"),
        ({"options": ["Emma", "Walter", "Ida"]}, "expected two texts"),
        ({"options": "Emma"}, "expected two texts"),
        ({"options": ["Emma", "emma"]}, "both options read"),
        ({"options": ["Emma", " "]}, "blank"),
        ({"options": ["Emma", 3]}, "expected a text"),
        ({"options": ["Emma", "None"]}, "reads like a label"),
        ({"options": ["b", "Emma"]}, "reads like a label"),
        ({"options": ["Emma", "neither"]}, "reads like a label"),
        ({"options": ["Emma", "Walter\nB: Ida"]}, "white space"),
        ({"options": ["Emma ", "Walter"]}, "white space"),
        ({"response": ""}, 'response is "", a blank text'),
        ({"response": " \n"}, "response"),
        ({"question": "\t"}, "question"),
        ({"response": None}, "response is null"),
        ({"response": "a\0b"}, r"response: a text holds the character U\+0000"),
        ({"response": "a\ud800b"}, r"U\+D800"),
        ({"id": ""}, 'id is ""'),
        ({"id": "a/b"}, "1 to 100 of A-Z"),
        ({"id": "<b>x</b>"}, "id is"),
        ({"id": "7\x1b[31m"}, r"U\+001B"),
        ({"id": "é"}, "1 to 100 of A-Z"),
        ({"response": "a\x1b[2Jb"}, r"response: a text holds the control character U\+001B"),
        ({"question": "a\rb"}, r"question: .* U\+000D"),
        ({"response": "a\x9bb"}, r"response: .* U\+009B"),
        ({"pair": "a\x07"}, r"pair: .* U\+0007"),
        ({"groups": [["a\x1b"], ["b"]]}, r"a group: .* U\+001B"),
        ({"options": ["Emma\x1b[1m", "Walter"]}, r"an option: .* U\+001B"),
        ({"options": ["Emma", "Walter", None]}, r'options is \["Emma", "Walter", null\]'),
        ({"id": "x" * 101}, "1 to 100"),
        ({"id": 7}, "id is 7"),
        ({"category": "old age"}, "category"),
        ({"question_id": "q\u00a01"}, "question_id"),
        ({"stereotyped": "NONE"}, 'stereotyped is "NONE", expected one of A, B, null'),
        ({"stereotyped": False}, "stereotyped"),
        ({"groups": [["female"]]}, "groups"),
        ({"groups": ["female", "male"]}, "groups"),
        ({"groups": [["female"], []]}, "groups"),
        ({"groups": [["female"], [2]]}, "a group is 2"),
        ({"groups": {"A": ["x"]}}, "groups"),
        ({"pair": 3}, "pair is 3"),
        ({"source": ["model"]}, "source"),
        ({"source": {"a": "\udfff"}}, r"source: .*U\+DFFF"),
        ({"names": ["Emma"], "text": ""}, 'unknown key "names", "text".*under "source"'),
    ],
)
def test_a_wrong_field_is_refused_with_file_and_line(
    tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    path = _file(tmp_path, _line(id="first") + "\n" + _line(**changes))
    with pytest.raises(DataError, match=rf"items\.jsonl:2: (?s:.)*{why}"):
        read_items(path)


@pytest.mark.parametrize("name", sorted(RECORD))
def test_a_missing_field_is_named(name: str) -> None:
    with pytest.raises(DataError, match=f"f:3: lacks {name}"):
        parse_line(json.dumps({k: v for k, v in RECORD.items() if k != name}), "f:3")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{'id': 1}", "no JSON"),
        ('{"id": "1"', "no JSON"),
        ("[1]", "expected a JSON object"),
        ("null", "expected a JSON object"),
        ("[" * 100_000, "no JSON"),
        ('{"id": ' + "9" * 5000 + "}", "no JSON"),
        ('{"source": {"a": NaN}}', "NaN is no JSON"),
        ('{"label": "A", "label": "B"}', 'the key "label" is there twice'),
    ],
)
def test_a_line_that_is_no_record_is_refused(line: str, why: str) -> None:
    with pytest.raises(DataError, match=f"f:9: .*{why}"):
        parse_line(line, "f:9")


def test_bytes_that_are_not_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"items\.jsonl:2: not UTF-8"):
        read_items(_file(tmp_path, _line().encode() + b'\n{"id": "\xff"}'))


def test_two_items_of_one_name_are_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, "\n".join((_line(), _line(question_id="age-2"), "", _line())))
    with pytest.raises(DataError, match=r"items\.jsonl:4: .*age/age-1/07 is that of .*:1 too"):
        read_items(path)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_a_file_without_items_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError, match="holds no judge item"):
        read_items(_file(tmp_path, content))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read judge items"):
        read_items(tmp_path / "none.jsonl")


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t"))
FILLED = TEXT.filter(str.strip)
WORD = st.text("abcdXY-_.", min_size=2, max_size=8)
NAME = st.text("bcdéß", min_size=2, max_size=8)


@given(
    st.builds(
        JudgeItem,
        id=WORD,
        category=WORD,
        question_id=WORD,
        question=FILLED,
        options=st.tuples(NAME.map("X{}".format), NAME.map("Y{}".format)),
        response=FILLED,
        label=st.sampled_from(LABELS),
        groups=st.none() | st.tuples(*[st.lists(FILLED, min_size=1, max_size=3).map(tuple)] * 2),
        stereotyped=st.sampled_from(["A", "B", None]),
        pair=TEXT,
        source=st.dictionaries(TEXT, TEXT | st.integers() | st.none(), max_size=2),
    )
)
def test_what_is_written_reads_back_equal(item: JudgeItem) -> None:
    line = item_line(item)
    assert parse_line(line, "f:1") == item
    assert "\n" not in line


def test_a_file_appears_whole_and_reads_back(tmp_path: Path) -> None:
    items = [parse_line(_line(id=str(n), response=f"l\u2028{n}\t\r\n"), "f:1") for n in range(3)]
    path = tmp_path / "new" / "items.jsonl"
    write_items(items, path)
    assert read_items(path) == items
    assert [p.name for p in path.parent.iterdir()] == ["items.jsonl"]


def test_nothing_or_a_name_twice_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    with pytest.raises(InvalidInputError, match="no judge item"):
        write_items([], path)
    with pytest.raises(InvalidInputError, match="age/age-1/07"):
        write_items([parse_line(_line(), "f:1")] * 2, path)
    assert not path.exists()

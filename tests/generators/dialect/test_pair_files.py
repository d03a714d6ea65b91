import json
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from sociolect.generators.dialect.pair_files import PairFile, read_pairs, write_pairs
from sociolect.generators.dialect.pair_relations import alike, blank
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import DataError, InvalidInputError, UnknownNameError

ONE = {"id": "1", "aae": "He be working.", "sae": "He usually works."}
TWO = {"id": "2", "aae": "She gone.", "sae": "She is gone."}
FULL = {**ONE, "aae_back": "He be workin.", "naturalness": 0.75, "split": "tracing", "group": "g"}
PAIR = DialectPair(
    "1", "He be working.", "He usually works.", "He be workin.", 0.75, "tracing", "g"
)

Written = Callable[..., PairFile]


@pytest.fixture
def jsonl(tmp_path: Path) -> Written:
    """Records, or lines as they are, read from a file `p.jsonl`."""

    def read(*lines: dict[str, object] | str, columns: dict[str, str] | None = None) -> PairFile:
        path = tmp_path / "p.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(texts), encoding="utf-8")
        return read_pairs(path, columns)

    return read


def test_json_lines(jsonl: Written) -> None:
    found = jsonl(FULL, "", {**TWO, "more": [1], "naturalness": None})
    assert found.pairs == (PAIR, DialectPair("2", "She gone.", "She is gone."))
    assert (found.dropped, found.name) == ((), "p")
    assert found.notes == ("not read: more (--column FIELD=COLUMN)",)
    assert found.source.name == "p.jsonl"
    assert len(found.source.sha256) == 64


def test_csv_with_mark_crlf_and_quoted_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(
        b"\xef\xbb\xbfid,aae,sae,naturalness,aae_back\r\n"
        b'1,"He be\r\nworking, ""bruh""",He usually works,0.5,He be workin\r\n'
        b"2,She gone,She is gone,,\r\n"
        b"2,a,b,,\r\n"
    )
    with pytest.raises(DataError, match=r"p\.csv:5: the id '2' is that of .*p\.csv:4 too"):
        read_pairs(path)
    path.write_bytes(path.read_bytes().replace(b"2,a,b,,\r\n", b""))
    first, second = read_pairs(path).pairs
    assert first.aae == 'He be\r\nworking, "bruh"'
    assert (first.naturalness, second.naturalness) == (0.5, None)


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    columns = {
        "tweet_id": pyarrow.array([10**17 + 1, 2]),
        "aae": ["He be working.", "She gone."],
        "sae": ["He usually works.", None],
        "naturalness": pyarrow.array([None, None], pyarrow.float64()),
        "time": pyarrow.array([1, 2], pyarrow.timestamp("ns")),  # Python has no such type
    }
    parquet.write_table(pyarrow.table(columns), path)
    found = read_pairs(path, {"id": "tweet_id"})
    assert [pair.id for pair in found.pairs] == ["100000000000000001"]
    assert found.notes == ("not read: time (--column FIELD=COLUMN)",)
    (dropped,) = found.dropped
    assert dropped.where.endswith("p.parquet: row 2 (2)")
    assert dropped.reason == "the SAE side is empty"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(DataError, match="no parquet file"):
        read_pairs(path, {"id": "tweet_id"})


def test_names_of_columns(jsonl: Written) -> None:
    record = {"n": 7, "tweet": "He be working.", "standard": "He usually works.", "split": "train"}
    names = {"id": "n", "aae": "tweet", "sae": "standard", "split": ""}
    assert jsonl(record, columns=names).pairs == (
        DialectPair("7", "He be working.", "He usually works."),
    )
    with pytest.raises(DataError, match="unknown split 'train'"):
        jsonl(record, columns={**names, "split": "split"})
    with pytest.raises(DataError, match="no column 'set'; there are 'n', 'tweet'"):
        jsonl(record, columns={**names, "split": "set"})
    with pytest.raises(UnknownNameError, match="aave"):
        jsonl(record, columns={"aave": "tweet"})
    with pytest.raises(InvalidInputError, match="sae and group"):
        jsonl(record, columns={**names, "group": "standard"})
    with pytest.raises(InvalidInputError, match="a pair needs it"):
        jsonl(record, columns={"id": ""})


def test_columns_that_are_not_read_are_named(jsonl: Written) -> None:
    lines = {**ONE, "back": "x", "nat": 1}, {**TWO, "author": "ann", "nat": 0, "split": "train"}
    notes = jsonl(*lines, columns={"split": ""}).notes
    assert notes == ("not read: back, nat, author (--column FIELD=COLUMN)",)
    (note,) = jsonl({**ONE, "tweet": "He be up."}, columns={"aae": "tweet"}).notes
    assert note == "not read: aae (--column FIELD=COLUMN)"
    (note,) = jsonl({**ONE, "": 1, **{f"c{n}": n for n in range(21)}}).notes
    assert note.startswith("not read: '', c0, c1, ")
    assert note.endswith(", c18 and 2 more (--column FIELD=COLUMN)")
    assert jsonl(FULL).notes == ()


def test_a_column_without_a_name_is_no_field(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(",id,aae,sae,group\n0,1,a b,a,g\n")  # as pandas writes
    (pair,) = read_pairs(tmp_path / "p.csv", {"group": ""}).pairs
    assert pair.group == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "2"', "no JSON"),
        ('{"id": "2", "id": "3", "aae": "a", "sae": "b"}', "twice"),
        ("[1]", "expected a JSON object"),
        ({**TWO, "aae": 3}, "aae is 3, expected a text"),
        ({**TWO, "id": 1.5}, "id is 1.5"),
        ({**TWO, "id": True}, "id is True"),
        ({**TWO, "id": " "}, "the id is empty"),
        ({**TWO, "id": "a\nb"}, "more than one line"),
        ({"id": "2", "aae": "a"}, "no column 'sae'"),
        ({**TWO, "split": "test"}, "unknown split 'test', expected one of tracing"),
        ({**TWO, "naturalness": 0.5}, "aae_back is empty"),
        ({**TWO, "aae_back": "x", "naturalness": 1.01}, "a share from 0 to 1"),
        ({**TWO, "aae_back": "x", "naturalness": -0.1}, "a share from 0 to 1"),
        ({**TWO, "aae_back": "x", "naturalness": "often"}, "expected a number"),
        ({**TWO, "aae_back": "x", "naturalness": "nan"}, "expected a number"),
        ({**TWO, "aae_back": "x", "naturalness": True}, "expected a number"),
        ('{"id": "2", "aae": "a", "sae": "b", "aae_back": "x", "naturalness": NaN}', "no JSON"),
        ({**TWO, "aae": "a\0"}, r"U\+0000"),
        ({**TWO, "sae": "a\ud83d"}, r"U\+D83D"),
    ],
)
def test_what_is_refused_names_the_line(
    jsonl: Written, line: dict[str, object] | str, message: str
) -> None:
    with pytest.raises(DataError, match=rf"p\.jsonl:2: .*{message}"):
        jsonl(ONE, line)


def test_malformed_csv_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    for content, message in (
        ("id,aae,sae\n1,a,b\n2,c\n", r"p\.csv:3: 2 cells, but the header has 3"),
        ("id,aae,aae\n", r"p\.csv:1: two columns are called 'aae'"),
        ('id,aae,sae\n1,a,b\n2,"c"d,e\n', r"p\.csv:3: malformed"),
        ("id,aae\n1,a\n", r"p\.csv:1: no column 'sae'.* --column sae="),
        ("id,aae,sae\n", "holds no pair"),
    ):
        path.write_text(content)
        with pytest.raises(DataError, match=message):
            read_pairs(path)
    path.write_bytes(b"id,aae,sae\n1,a,b\n2,\xff,c\n")
    with pytest.raises(DataError, match=r"p\.csv:3: not UTF-8"):
        read_pairs(path)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read pairs from .*none\.csv: No such file"):
        read_pairs(tmp_path / "none.csv")
    with pytest.raises(DataError, match="pairs are read from"):
        read_pairs(tmp_path / "pairs.xlsx")


@pytest.mark.parametrize("name", ["a\nb.jsonl", "a\x1b[31m.jsonl", "a\u202eb.jsonl"])
def test_a_name_that_steers_a_terminal_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="rename the file") as refused:
        read_pairs(tmp_path / name)
    assert str(refused.value).isprintable()


def test_useless_pairs_are_left_out_and_counted(jsonl: Written) -> None:
    same = {"id": "3", "aae": " So\u00a0it  goes.", "sae": "So it goes. "}
    found = jsonl(ONE, {**TWO, "aae": " \t"}, same, {"id": "4", "aae": "", "sae": None})
    assert [pair.id for pair in found.pairs] == ["1"]
    assert [(d.where.rsplit(":")[-1], d.reason) for d in found.dropped] == [
        ("2 (2)", "the AAE side is empty"),
        ("3 (3)", "both sides are the same"),
        ("4 (4)", "the AAE and the SAE side is empty"),
    ]
    with pytest.raises(DataError, match=r"no pair can be used .both sides are the same: 1"):
        jsonl(same)


@pytest.mark.parametrize(
    ("aae", "sae", "same"),
    [
        ("Caf\u00e9 be closed", "Cafe\u0301 be closed", True),  # NFC and NFD
        ("He be working", "He be wor\u200bking", True),
        ("He be working", "He be work\u00ading\ufe0f", True),
        ("He be \u200b working", "He be working", True),
        ("He be working", "he be working", False),
        ("He be working", "He be wor king", False),
        ("Cafe be closed", "Caf\u00e9 be closed", False),
    ],
)
def test_sides_that_look_the_same_are_left_out(
    jsonl: Written, aae: str, sae: str, same: bool
) -> None:
    found = jsonl(ONE, {**TWO, "aae": aae, "sae": sae})
    assert [d.reason for d in found.dropped] == ["both sides are the same"] * same


@pytest.mark.parametrize(
    "text", ["\u200b", "\ufeff", "\u2060", " \u200b\u200d\ufeff\n", "\u034f\ufe0f"]
)
def test_a_side_without_width_is_empty(jsonl: Written, text: str) -> None:
    found = jsonl(ONE, {**TWO, "sae": text})
    assert [d.reason for d in found.dropped] == ["the SAE side is empty"]
    with pytest.raises(DataError, match="aae_back is empty"):
        jsonl({**FULL, "aae_back": text})
    with pytest.raises(DataError, match="the id is empty"):
        jsonl({**ONE, "id": text})


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_an_id_of_two_lines_is_refused(jsonl: Written, mark: str) -> None:
    with pytest.raises(DataError, match="more than one line"):
        jsonl({**ONE, "id": f"a{mark}b"})


def test_a_number_of_any_length_is_no_share(jsonl: Written) -> None:
    line = json.dumps({**FULL, "naturalness": 10**399})
    with pytest.raises(DataError, match=r"p\.jsonl:1: naturalness is 1000"):
        jsonl(line)


@pytest.mark.parametrize("kind", [pyarrow.timestamp("us"), pyarrow.timestamp("ms")])
def test_a_time_that_python_cannot_hold_is_refused(tmp_path: Path, kind: pyarrow.DataType) -> None:
    table = pyarrow.Table.from_pylist([ONE, TWO])
    times = pyarrow.array([None, 2**60], kind)
    parquet.write_table(table.append_column("group", times), tmp_path / "p.parquet")
    with pytest.raises(DataError, match=r"p\.parquet: row 2: a value that Python cannot hold"):
        read_pairs(tmp_path / "p.parquet")


def test_emoji_and_repeated_texts_are_kept_and_counted(jsonl: Written) -> None:
    found = jsonl(
        {**ONE, "aae": "He be workin \U0001f602"},
        {**TWO, "aae": "Caf\u00e9 closed"},
        TWO | {"id": "3"},
    )
    assert found.pairs[0].aae == "He be workin \U0001f602"
    (note,) = found.notes
    assert note.startswith("2 of 3 pairs hold characters beyond ASCII, 1 of them emoji")
    twice = jsonl(ONE, {**TWO, "aae": "He be  working."})
    assert twice.notes == (
        "AAE texts under several ids: 1, in 2 pairs; those of one text stay in one split",
    )


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"group": "g"}, {"group": "g"}, "the group of pair '1'"),
        ({"aae": "Same  here."}, {"aae": "Same here."}, "the AAE text of pair '1'"),
        ({"sae": "Same here."}, {"sae": "Same here."}, "the SAE text of pair '1'"),
        ({}, {"id": "1"}, "the id '1' is that of .*, and their splits are tracing and selection"),
    ],
)
def test_what_two_splits_share_is_refused(
    jsonl: Written, first: dict[str, object], second: dict[str, object], message: str
) -> None:
    one, two = {**ONE, **first, "split": "tracing"}, {**TWO, **second, "split": "selection"}
    with pytest.raises(DataError, match=rf"p\.jsonl:2: .*{message}"):
        jsonl(one, two)
    if "id" not in second:
        assert len(jsonl(one, {**two, "split": "tracing"}).pairs) == 2
        assert len(jsonl(one, {**two, "split": ""}).pairs) == 2


def test_writing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "p.jsonl"
    second = DialectPair("2", "She gone \U0001f602\u2028", "She is gone.")
    write_pairs([PAIR, second], path)
    assert read_pairs(path).pairs == (PAIR, second)
    assert [p.name for p in path.parent.iterdir()] == ["p.jsonl"]
    assert json.loads(path.read_text().split("\n")[1]).keys() == {"id", "aae", "sae"}
    before = path.read_bytes()
    for wrong in (
        [],
        [PAIR, PAIR],
        [DialectPair("3", "", "b")],
        [PAIR, DialectPair("4", "a", "b", split="selection", group="g")],
        [DialectPair("5", "a\ud83d", "b")],
        [DialectPair("6", "a\0", "b")],
        [DialectPair(" 7", "a", "b")],
        [DialectPair("8", "a", "b", naturalness=0.5)],
    ):
        with pytest.raises(InvalidInputError, match="these pairs cannot be written"):
            write_pairs(wrong, path)
    assert path.read_bytes() == before
    with pytest.raises(InvalidInputError, match=r"\.jsonl"):
        write_pairs([PAIR], tmp_path / "p.csv")


def test_what_lies_beside_a_file_stays(tmp_path: Path) -> None:
    beside = tmp_path / "p.jsonl.unfinished"
    beside.mkdir()
    write_pairs([PAIR], tmp_path / "p.jsonl")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.jsonl", beside.name]


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        with path.open("wb") as stream:
            stream.write(content[:9])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InvalidInputError, match="No space left on device"):
        write_pairs([PAIR], tmp_path / "p.jsonl")
    assert not list(tmp_path.iterdir())


_TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(_TEXTS, _TEXTS, st.none() | st.floats(0, 1)), min_size=1, max_size=5))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str, float | None]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "p.jsonl"
    pairs = [
        DialectPair(str(n), a, s, "" if share is None else "back", share)
        for n, (a, s, share) in enumerate(texts)
        if not (blank(a) or blank(s)) and not alike(a, s)
    ]
    if pairs:
        write_pairs(pairs, path)
        assert read_pairs(path).pairs == tuple(pairs)

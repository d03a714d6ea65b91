import json
from itertools import starmap
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from sociolect.generators.dialect import corpus_filter
from sociolect.generators.dialect.corpus_filter import (
    Filtered,
    clean_text,
    filter_file,
    filter_rows,
    word_count,
)
from sociolect.generators.dialect.text_files import TextRow
from sociolect.generators.errors import DataError, InvalidInputError, UnknownNameError

TEN = "he be up there when I call him every day"


@pytest.mark.parametrize(
    ("text", "cleaned", "had"),
    [
        ("RT @bob_1: she finna go", "she finna go", ["mentions"]),
        ("so rt @bob she gone", "so she gone", ["mentions"]),
        ("@a @b yo", "yo", ["mentions"]),
        (".@a yo@b.com", ".", ["e-mail addresses", "mentions"]),
        ("mail j.d+x@a-b.co.uk now", "mail now", ["e-mail addresses"]),
        ("hit me @bob. ok", "hit me . ok", ["mentions"]),
        ("call 404-555-0100.", "call .", ["phone numbers"]),
        ("(404) 555-0100 or 1.404.555.0100", "or", ["phone numbers"]),
        ("404 555 0100, 555-0100; 555 0100 4045550100", ", ;", ["phone numbers"]),
        ("+44 20 7946 0958 and 020 7946 0958", "and", ["phone numbers"]),
        ("12-10-2013 2012-2013 $1500000 1,000,000 3.1415926 24/7", None, []),
        ("top 100 2013 got 10 20 30 40 50 at 7:30-8:15 555", None, []),
        ("look http://t.co/a1?b=c, ok", "look ok", ["URLs"]),
        ("WWW.x.com t.co/ab \u2026 pic.twitter.com/a\U0001f602ok", "... ok", None),
        ("cut off https\u2026 and https:", "cut off https... and", ["URLs"]),
        ("ain\u2019t \u201cno\u201d way \u2014 4\u00d74", 'ain\'t "no" way - 4 4', None),
        ("caf\u00e9 na\u00efve", "cafe naive", []),
        ("love\U0001f602\U0001f602you \u2764\ufe0f\u200d", "love you", ["characters beyond ASCII"]),
        ("so\u200bft", "soft", []),
        ("me &amp; you &lt;3 &#39;ight", "me & you <3 'ight", []),
        ("a\0b\tc\r\nd", "a b c d", []),
        ("half \ud83d", "half", ["characters beyond ASCII"]),
        ("#tag stays", "#tag stays", []),
        ("heart rt", "heart rt", []),
    ],
)
def test_cleaning(text: str, cleaned: str | None, had: list[str] | None) -> None:
    found = clean_text(text)
    assert found.text == (text if cleaned is None else cleaned)
    if had is not None:
        assert list(found.had) == had


@given(st.text())
def test_what_is_clean_is_ascii_and_stays_as_it_is(text: str) -> None:
    cleaned = clean_text(text).text
    assert cleaned.isascii()
    assert cleaned == " ".join(cleaned.split())
    assert "\0" not in cleaned


@given(st.lists(st.from_regex(r"[a-z']*[a-z][a-z']*", fullmatch=True), min_size=1))
def test_plain_words_are_kept(words: list[str]) -> None:
    text = " ".join(words)
    assert clean_text(text) == (text, ())
    assert word_count(text) == len(words)


def test_words_hold_a_letter_or_a_digit() -> None:
    assert word_count("lol ... :) 2 U !!! - ok") == 4
    assert word_count('#one #2 "#three (#four she #1') == 1


def _kept(*texts: str, clean: corpus_filter.Cleaning = "strip") -> tuple[list[str], Filtered]:
    counts = Filtered()
    rows = [TextRow(str(n), text) for n, text in enumerate(texts)]
    return [row.id for row in filter_rows(rows, counts, clean=clean)], counts


def test_words_are_counted_in_what_is_left() -> None:
    ids, counts = _kept(TEN, "@a " + TEN.removesuffix(" day"), "@a " + TEN + "s")
    assert ids == ["0", "2"]
    assert counts.dropped == {"fewer than 10 words": 1}
    assert (counts.read, counts.kept, counts.cleaned) == (3, 2, {"mentions": 1})


def test_dropping_in_place_of_stripping() -> None:
    texts = (f"@a {TEN}", f"{TEN} http://x.y", f"{TEN} \U0001f602", f"{TEN} caf\u00e9", "short @a")
    ids, counts = _kept(*texts, clean="drop")
    assert ids == ["3"]
    assert counts.dropped == {"mentions": 2, "URLs": 1, "characters beyond ASCII": 1}
    assert _kept(*texts)[0] == ["0", "3"]  # the others repeat the first


def test_addresses_and_phone_numbers_are_dropped_too() -> None:
    texts = (f"{TEN} a@b.com", f"{TEN} 555-0100", " ".join(f"#t{n}" for n in range(12)))
    ids, counts = _kept(*texts, clean="drop")
    assert ids == []
    assert counts.dropped == {
        "e-mail addresses": 1, "phone numbers": 1, "fewer than 10 words": 1,
    }  # fmt: skip


def test_rewritten_texts_are_counted() -> None:
    texts = (TEN, f"{TEN} caf\u00e9", f"{TEN} \u2014 so", f"{TEN} \u2014 @a", f"{TEN}  two")
    ids, counts = _kept(*texts)
    assert ids == ["0", "1", "2", "3", "4"]
    assert (counts.rewritten, counts.cleaned) == (2, {"mentions": 1})


def test_repeated_texts_and_ids_are_left_out() -> None:
    counts = Filtered()
    rows = [
        ("1", TEN),
        ("2", f"RT @a: {TEN.upper()} \U0001f602"),
        ("1", f"{TEN} too"),
        ("3", f"{TEN} 2"),
    ]
    assert [row.id for row in filter_rows(starmap(TextRow, rows), counts)] == ["1", "3"]
    assert counts.dropped == {corpus_filter.REPEATED_TEXT: 1, corpus_filter.REPEATED_ID: 1}


def test_files(tmp_path: Path) -> None:
    out = tmp_path / "new" / "aae.jsonl"
    expected = [{"id": "7", "aae": TEN}]
    tsv, csv, jsonl, table, txt = (
        tmp_path / f"t.{suffix}" for suffix in ("tsv", "csv", "jsonl", "parquet", "txt")
    )
    tsv.write_text(f'n\tplace\ttweet\n7\tx\t@a {TEN}\n8\tx\t"lol\n')
    csv.write_text(f'n,tweet\n7,"{TEN}"\n')
    jsonl.write_text(json.dumps({"n": 7, "tweet": TEN}) + '\n{"n": 8, "tweet": null}\n')
    parquet.write_table(pyarrow.table({"n": [7], "tweet": [TEN]}), table)
    for source in (tsv, csv, jsonl, table):
        counts = filter_file(source, out, id_column="n", text_column="tweet")
        assert [json.loads(line) for line in out.read_text().splitlines()] == expected
        assert counts.kept == 1
    txt.write_bytes(b"\n" * 6 + f"{TEN}\r\n".encode())
    filter_file(txt, out)
    assert [json.loads(line) for line in out.read_text().splitlines()] == expected
    assert [path.name for path in out.parent.iterdir()] == ["aae.jsonl"]


def _written(source: Path, group_column: str | None = None) -> tuple[list[object], Filtered]:
    out = source.with_name("out.jsonl")
    counts = filter_file(source, out, group_column=group_column)
    groups = [json.loads(line).get("group") for line in out.read_text().splitlines()]
    return groups, counts


def test_tweets_keep_their_group(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    rows = [f"{n},{TEN} {n},{author},g{n}" for n, author in enumerate(("7", " ann ", ""))]
    source.write_text("\n".join(["id,text,author,group", *rows]))
    groups, counts = _written(source)
    assert (groups, counts.grouped, list(counts.unread)) == (["g0", "g1", "g2"], 3, ["author"])
    groups, counts = _written(source, "author")
    assert (groups, counts.grouped, list(counts.unread)) == (["7", "ann", None], 2, ["group"])
    groups, counts = _written(source, "")
    assert (groups, counts.grouped) == ([None, None, None], 0)
    assert list(counts.unread) == ["author", "group"]
    with pytest.raises(DataError, match=r"t\.csv:1: no column 'user'; there are 'id', 'text', 'au"):
        _written(source, "user")
    source.write_text(f'id,text,author\n1,{TEN},"a\nb"\n')
    with pytest.raises(DataError, match=r"t\.csv:2: author is .*more than one line"):
        _written(source, "author")


def test_groups_of_parquet_and_of_columns_without_a_name(tmp_path: Path) -> None:
    source = tmp_path / "t.parquet"
    columns = {"": [5], "id": [1], "text": [TEN], "group": [12], "time": [3]}
    parquet.write_table(pyarrow.table(columns), source)
    groups, counts = _written(source)
    assert (groups, list(counts.unread)) == (["12"], ["", "time"])
    assert _written(source, "")[0] == [None]  # and not what the column without a name holds


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"id,text\n1,{TEN}\n2\n", r"t\.csv:3: 1 cells"),
        (f"id,tweet\n1,{TEN}\n", r"t\.csv:1: no column 'text'; there are 'id', 'tweet'.* --text-"),
        (f"id,text\n,{TEN}\n", r"t\.csv:2: id is empty"),
        ("id,text\n1,short\n", "no text is kept .fewer than 10 words: 1"),
        ("id,text\n", "the file is empty"),
    ],
)
def test_nothing_is_left_behind_where_it_fails(tmp_path: Path, content: str, message: str) -> None:
    source, out = tmp_path / "t.csv", tmp_path / "out.jsonl"
    source.write_text(content)
    out.write_text("as it was")
    with pytest.raises(DataError, match=message):
        filter_file(source, out)
    assert out.read_text() == "as it was"
    assert len(list(tmp_path.iterdir())) == 2


def test_arguments(tmp_path: Path) -> None:
    source = tmp_path / "t.txt"
    source.write_text(TEN)
    with pytest.raises(UnknownNameError, match="stripp"):
        filter_file(source, tmp_path / "o.jsonl", clean="stripp")
    with pytest.raises(InvalidInputError, match="1 or more"):
        filter_file(source, tmp_path / "o.jsonl", min_words=0)
    with pytest.raises(InvalidInputError, match=r"name a \.jsonl file"):
        filter_file(source, tmp_path / "o.csv")
    with pytest.raises(InvalidInputError, match="cannot write"):
        filter_file(source, source / "o.jsonl")
    with pytest.raises(DataError, match="cannot read texts"):
        filter_file(tmp_path / "none.txt", tmp_path / "o.jsonl")

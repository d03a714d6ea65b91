"""Ids of texts are those that a file of pairs can hold, or are refused with their line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sociolect.generators.dialect.corpus_filter import filter_file
from sociolect.generators.dialect.text_files import read_texts
from sociolect.generators.errors import DataError


@pytest.mark.parametrize(
    ("id_", "said"),
    [
        ("a\nb", "more than one line"),
        ("a\tb", "more than one line"),
        ("a\x85b", "more than one line"),
        ("a\u2028b", "more than one line"),
        ("a\x1b[2J", "more than one line"),
        ("\ud83d", r"U\+D83D"),
        ("a\0", r"U\+0000"),
        ("\u200b", "n is empty"),
        (" \t", "n is empty"),
        (None, "n is empty"),
        (1.5, "n is 1.5, expected a text"),
    ],
)
def test_an_id_that_no_pair_can_have_is_refused(tmp_path: Path, id_: object, said: str) -> None:
    path = tmp_path / "t.jsonl"
    rows = [{"n": 7, "text": "he up"}, {"n": id_, "text": "she up"}]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with pytest.raises(DataError, match=rf"t\.jsonl:2: .*{said}"):
        list(read_texts(path, "n", "text"))
    with pytest.raises(DataError, match=rf"t\.jsonl:2: .*{said}"):
        filter_file(path, tmp_path / "out.jsonl", id_column="n", min_words=1)
    assert not (tmp_path / "out.jsonl").exists()


def test_white_space_around_an_id_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"n": "\ta\u200bb ", "text": " he up"}) + "\n")
    (row,) = read_texts(path, "n", "text")
    assert (row.id, row.text) == ("a\u200bb", " he up")

"""The M2 format, read strictly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.m2 import M2Edit, Sentence, as_text, read_m2

SAMPLE = """S This are a sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 3 3|||M:ADJ|||short||long|||REQUIRED|||-NONE-|||0
A 4 5|||U:PUNCT||||||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Fine .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S Only one saw it
A 0 1|||U:ADV|||-NONE-|||REQUIRED|||-NONE-|||1
"""


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "x.m2"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_sentences_of_an_annotator(tmp_path: Path) -> None:
    found = read_m2(written(tmp_path, SAMPLE))
    assert found.name == "x.m2"
    assert found.not_annotated == 1
    first, second = found.sentences
    assert first.tokens == ("This", "are", "a", "sentence", ".")
    assert first.edits == (
        M2Edit(1, 2, "R:VERB:SVA", "is", 2),
        M2Edit(3, 3, "M:ADJ", "short", 3),
        M2Edit(4, 5, "U:PUNCT", "", 4),
    )
    assert second == Sentence(("Fine", "."), (), 7)
    assert [first.original(e) for e in first.edits] == ["are", "", "."]
    assert first.corrected(first.edits) == "This is a short sentence"
    assert first.corrected(first.edits[:1]) == "This is a sentence ."
    assert first.corrected(()) == "This are a sentence ."


def test_another_annotator(tmp_path: Path) -> None:
    found = read_m2(written(tmp_path, SAMPLE), annotator=1)
    assert [len(s.edits) for s in found.sentences] == [0, 1]
    assert found.sentences[1].corrected(found.sentences[1].edits) == "one saw it"
    assert found.not_annotated == 1


def test_an_annotator_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"no annotator 5; it has 0, 1"):
        read_m2(written(tmp_path, SAMPLE), annotator=5)


def test_sentences_without_annotation_are_correct(tmp_path: Path) -> None:
    found = read_m2(written(tmp_path, "S All well .\n\nS\n\nS \n"), annotator=3)
    assert [s.tokens for s in found.sentences] == [("All", "well", "."), (), ()]


def test_windows_lines_a_mark_and_blank_lines(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf\r\n" + SAMPLE.replace("\n", "\r\n").encode() + b"\r\n\r\n"
    assert read_m2(written(tmp_path, content)).sentences[0].tokens[-1] == "."


@pytest.mark.parametrize("odd", ["a\u2028b", "a\x85b", "a\xa0b", "a\x1cb", "e\u0301", "😀", "|"])
def test_odd_characters_stay_in_their_token(tmp_path: Path, odd: str) -> None:
    line = "A 1 2|||R:NOUN|||word|||REQUIRED|||-NONE-|||0"
    (sentence,) = read_m2(written(tmp_path, f"S My {odd} .\n{line}\n")).sentences
    assert sentence.tokens == ("My", odd, ".")
    assert sentence.original(sentence.edits[0]) == odd


WHOLE = "|||R:X|||a|||REQUIRED|||-NONE-|||0"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("T x\n", r":1: a line must begin with"),
        ("A 0 1" + WHOLE, r":1: an A line without an S line"),
        ("S a b\nS c\n", r":2: a second S line"),
        ("S a  b\n", r":1: tokens must be separated by single spaces"),
        ("S a b\nA 0 1|||R:X|||a\n", r":2: 3 fields"),
        ("S a b\nA 0" + WHOLE, r":2: expected two token offsets, found '0'"),
        ("S a b\nA 0 x" + WHOLE, r":2: expected a number .* found 'x'"),
        ("S a b\nA 0 ²" + WHOLE, r":2: expected a number .* found '²'"),
        ("S a b\nA 0 " + "9" * 5000 + WHOLE, r":2: expected a number .* found '999.{1,200}$"),
        (
            "S a b\nA -" + "9" * 5000 + " 1" + WHOLE,
            r":2: expected a number .* found '-999",
        ),
        ("S a b\nA" + " 1" * 5000 + WHOLE, r":2: expected two token offsets, found '1 1.{1,200}$"),
        (
            "S a b\nA 0 1" + WHOLE[:-1] + "1" * 5000,
            r":2: expected a number .* found '1",
        ),
        ("S a b\nA 0 3" + WHOLE, r":2: tokens 0 to 3 are not in a sentence of 2 tokens"),
        ("S a b\nA 2 1" + WHOLE, r":2: tokens 2 to 1"),
        ("S a b\nA -1 -1" + WHOLE, r":2: tokens -1 to -1"),
        ("S a b\nA 0 1" + WHOLE.replace("R:X", ""), r":2: an edit without a type"),
        (
            "S a b\nA 0 1" + WHOLE[:-1] + "me",
            r":2: expected a number .* found 'me'",
        ),
        ("S a b\nA 0 2" + WHOLE + "\nA 1 2" + WHOLE, r":3: overlaps the edit of line 2"),
    ],
)
def test_malformed_files_are_refused_with_their_line(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(DataError, match=f"x.m2{message}"):
        read_m2(written(tmp_path, content))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x.m2:3: not UTF-8"):
        read_m2(written(tmp_path, b"S a\n\nS \xff\n"))


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_empty_files(tmp_path: Path, content: str) -> None:
    with pytest.raises(InvalidInputError, match="no sentence"):
        read_m2(written(tmp_path, content))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot read"):
        read_m2(tmp_path / "none.m2")


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("I do n't know , he 's ( not ) here .", "I don't know, he's (not) here."),
        ("We ’ll see : a .b 50 %", "We’ll see: a .b 50%"),
        ('" Yes " , she said !', '" Yes ", she said!'),
        ("", ""),
    ],
)
def test_tokens_as_running_text(tokens: str, text: str) -> None:
    assert as_text(tokens) == text


words = st.text(st.characters(exclude_characters=" \n\r", exclude_categories=["Cs"]), min_size=1)


@given(
    tokens=st.lists(words, max_size=8),
    cuts=st.lists(st.integers(0, 8), max_size=6),
    made=st.lists(st.lists(words, max_size=2), min_size=3, max_size=3),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    tokens: list[str],
    cuts: list[int],
    made: list[list[str]],
) -> None:
    """Edits on any tokens; the corrected text is that of replacing list slices from the right."""
    ends = sorted(min(c, len(tokens)) for c in cuts)
    spans = list(zip(ends[::2], ends[1::2], strict=False))
    corrections = [" ".join(c) for c in made]
    usable = [c for c in corrections if "|" not in c and c != "-NONE-"]
    edits = list(zip(spans, usable, strict=False))
    lines = [f"A {s} {e}|||R:X|||{c}|||REQUIRED|||-NONE-|||0" for (s, e), c in edits]
    folder = tmp_path_factory.mktemp("m2")
    path = written(folder, "\n".join(["S " + " ".join(tokens), *lines]) + "\n")
    (sentence,) = read_m2(path).sentences
    assert list(sentence.tokens) == tokens
    wanted = list(tokens)
    for (start, end), correction in reversed(edits):
        wanted[start:end] = [correction] if correction else []
    assert sentence.corrected(sentence.edits) == " ".join(wanted)

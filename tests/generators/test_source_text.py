"""Text of source files: quoted in short, and what it must not hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.errors import SourceError
from sociolect.generators.source_text import check_file, check_text, quoted, whole_number


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner, max_size=40)))
def test_quotes_are_short(value: object) -> None:
    assert len(quoted(value)) <= 200


def test_what_is_short_is_quoted_whole() -> None:
    for value in ("a 'word'", ["Muslim", "unknown"], -3, {"a": 1}):
        assert quoted(value) == repr(value)
    assert len(quoted("x" * 10**7)) <= 200
    assert len(quoted(json.loads("[" * 900 + "]" * 900))) <= 200


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", " 1", "1\n", "²", "١", "1_0", "1" * 10])
def test_what_is_no_number(text: str) -> None:
    assert whole_number(text) is None


def test_numbers() -> None:
    assert (whole_number("0"), whole_number("007"), whole_number("9" * 9)) == (0, 7, 10**9 - 1)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
def test_other_texts_pass(text: str) -> None:
    check_text(text, "x:1")
    check_file(text, "x")


@pytest.mark.parametrize(("odd", "name"), [("\0", "U+0000"), ("\ud800", "U+D800")])
def test_unusable_characters_are_named_with_their_line(odd: str, name: str) -> None:
    with pytest.raises(SourceError) as refused:
        check_text(f"a{odd}b", "x:7")
    assert str(refused.value) == f"x:7: a text holds the character {name}."
    with pytest.raises(SourceError) as refused:
        check_file(f"a\nb\nc{odd}\n", "x")
    assert str(refused.value) == f"x:3: a text holds the character {name}."


def test_a_mark_is_refused_at_the_beginning_alone() -> None:
    check_file("a\ufeff", "x")
    with pytest.raises(SourceError, match=r"^x:1: begins with a byte order mark"):
        check_file("\ufeffa", "x")

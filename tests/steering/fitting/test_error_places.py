"""Words that hold errors, by hand and for any edits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.text import Edit, apply
from sociolect.steering.fitting.error_places import error_spans


def made(text: str, *changes: tuple[str, str]) -> tuple[str, list[str]]:
    """The text with errors, and what is found there; `|` marks where something is put in."""
    edits = []
    for original, replacement in changes:
        start = text.index(original or "|")
        text = text if original else text.replace("|", "", 1)
        edits.append(Edit(start, start + len(original), original, replacement, "any"))
    errored = apply(text, edits)
    return errored, [span.of(errored) for span in error_spans(errored, edits)]


@pytest.mark.parametrize(
    ("text", "changes", "errored", "found"),
    [
        ("He sees it.", [("sees", "see")], "He see it.", ["see"]),
        ("He sees it.", [("He ", "")], "sees it.", ["sees"]),
        ("He sees |it.", [("", "on ")], "He sees on it.", ["on"]),
        ("He sees| it.", [("", " on")], "He sees on it.", ["on"]),
        ("He sat on it.", [(" on", "")], "He sat it.", ["it"]),
        ("He sat on it.", [("on ", "")], "He sat it.", ["it"]),
        ("the rescue", [("scue", "cue")], "the recue", ["recue"]),
        ("the rescue", [("s", "")], "the recue", ["recue"]),
        ("the rescue", [("e ", " ")], "th rescue", ["th"]),
        ("the rescue", [("ue", "u")], "the rescu", ["rescu"]),
        ("it didn't go", [("'", "")], "it didnt go", ["didnt"]),
        ("it didn't go", [("d", "D")], "it Didn't go", ["Didn't"]),
        ("a room| but", [("", ",,,")], "a room,,, but", [",,,"]),
        ("we the|re", [("", " ")], "we the re", ["the"]),
        ("a room, but", [(",", "")], "a room but", ["room"]),
        ("Go on.", [(" on.", "")], "Go", [""]),
        ("a b c", [("a", "xx"), ("b ", ""), ("c", "yyy")], "xx yyy", ["xx", "yyy", "yyy"]),
    ],
)
def test_by_hand(text: str, changes: list[tuple[str, str]], errored: str, found: list[str]) -> None:
    assert made(text, *changes) == (errored, found)


def test_moved_capitals_are_no_errors() -> None:
    edits = [Edit(0, 3, "We ", "", "verb"), Edit(3, 4, "s", "S", "case", "repair")]
    text = apply("We see.", edits)
    assert text == "See."
    assert [span.of(text) for span in error_spans(text, edits)] == ["See"]


@given(st.lists(st.tuples(st.text(), st.text(), st.text(min_size=1)), max_size=6))
def test_ranges_hold_what_was_written(parts: list[tuple[str, str, str]]) -> None:
    """Edits with any text between them."""
    text, edits = "", []
    for original, replacement, between in parts:
        if original or replacement:
            end = len(text) + len(original)
            edits.append(Edit(len(text), end, original, replacement, "any"))
        text += original + between
    errored = apply(text, edits)
    spans = error_spans(errored, edits)
    assert len(spans) == len(edits)
    for one, span in zip(edits, spans, strict=True):
        assert one.replacement.strip() in span.of(errored)
        assert span.of(errored) == span.of(errored).strip()

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from sociolect.generators.errors import EditError
from sociolect.generators.text import CASE, Edit
from sociolect.harness.highlight import DELETED, INSERTED, LEGEND, edits_of, highlight

CLEAN = "The nurse sat in a chair."


@pytest.mark.parametrize(
    ("edits", "shown"),
    [
        ([], CLEAN),
        (
            [Edit(0, 4, "The ", ""), Edit(4, 5, "n", "N", CASE, "repair")],
            "[-The-] Nurse sat in a chair.",
        ),
        ([Edit(14, 16, "in", "on")], "The nurse sat [-in-]{+on+} a chair."),
        ([Edit(14, 14, "", "of ")], "The nurse sat {+of+} in a chair."),
        ([Edit(13, 13, "", " of")], "The nurse sat {+of+} in a chair."),
        ([Edit(16, 18, " a", "")], "The nurse sat in [-a-] chair."),
    ],
)
def test_marks(edits: list[Edit], shown: str) -> None:
    assert highlight(CLEAN, edits).plain == shown


def test_colours_carry_the_same_as_the_marks() -> None:
    text = highlight(CLEAN, [Edit(14, 16, "in", "on"), Edit(0, 4, "The ", "")])
    styled = {text.plain[s.start : s.end]: s.style for s in text.spans}
    assert styled == {"[-The-]": DELETED, "[-in-]": DELETED, "{+on+}": INSERTED}
    assert {s.style for s in LEGEND.spans} == {DELETED, INSERTED}


def test_brackets_in_the_text_are_no_markup() -> None:
    assert highlight("[bold]x[/bold]", []).plain == "[bold]x[/bold]"
    assert isinstance(highlight("[bold]", []), Text)


def test_an_edit_that_does_not_fit_is_refused() -> None:
    with pytest.raises(EditError):
        highlight(CLEAN, [Edit(0, 3, "Thy", "")])


words = st.lists(st.text("abcd", min_size=1, max_size=4), min_size=1, max_size=8)


@given(words, st.data())
def test_the_clean_and_the_errored_text_can_be_read_off(
    tokens: list[str], data: st.DataObject
) -> None:
    clean, at, edits, wanted = " ".join(tokens), 0, [], []
    for token in tokens:
        new = data.draw(st.sampled_from([token, token + "x", ""]))
        if new != token:
            edits.append(Edit(at, at + len(token), token, new))
        wanted.append(new)
        at += len(token) + 1
    shown = highlight(clean, edits).plain
    assert re.sub(r"\[-(.*?)-\]|\{\+.*?\+\}", r"\1", shown) == clean
    assert re.sub(r"\[-.*?-\]|\{\+(.*?)\+\}", r"\1", shown).split() == [w for w in wanted if w]


def test_edits_of_a_row_are_those_of_the_part() -> None:
    stored = {
        "start": 0, "end": 4, "original": "The ", "replacement": "",
        "type": "det", "operation": "deletion", "subtype": "",
    }  # fmt: skip
    row = {"edits": [{"part": "input", **stored}, {"part": "instruction", **stored}]}
    assert edits_of(row) == [Edit(0, 4, "The ", "", "det", "deletion", "")]

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from sociolect.generators.conditions import ERROR_TYPES, NOISES
from sociolect.generators.errors import EditError
from sociolect.generators.rows import edits_of
from sociolect.generators.text import CASE, Edit
from sociolect.harness.diff import COLOURS, highlighted

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
    assert highlighted(CLEAN, edits).plain == shown


def test_every_error_type_has_its_colour() -> None:
    edits = [Edit(0, 4, "The ", "", "det"), Edit(14, 16, "in", "on", "prep"), Edit(19, 19, "", "x")]
    text = highlighted(CLEAN, edits)
    styled = {text.plain[s.start : s.end]: s.style for s in text.spans if s.style}
    assert styled == {
        "[-The-]": f"{COLOURS['det']} strike",
        "[-in-]": f"{COLOURS['prep']} strike",
        "{+on+}": f"bold {COLOURS['prep']}",
        "{+x+}": "bold red",
    }
    for types in (ERROR_TYPES, NOISES[:-1]):  # what one text may hold
        assert len({COLOURS[one] for one in types}) == len(types)


def test_brackets_in_the_text_are_no_markup() -> None:
    assert highlighted("[bold]x[/bold]", []).plain == "[bold]x[/bold]"
    assert isinstance(highlighted("[bold]", []), Text)


def test_an_edit_that_does_not_fit_is_refused() -> None:
    with pytest.raises(EditError):
        highlighted(CLEAN, [Edit(0, 3, "Thy", "")])


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
    shown = highlighted(clean, edits).plain
    assert re.sub(r"\[-(.*?)-\]|\{\+.*?\+\}", r"\1", shown) == clean
    assert re.sub(r"\[-.*?-\]|\{\+(.*?)\+\}", r"\1", shown).split() == [w for w in wanted if w]


def test_edits_of_a_row_are_those_of_the_part() -> None:
    stored = {
        "start": 0, "end": 4, "original": "The ", "replacement": "",
        "type": "det", "operation": "deletion", "subtype": "",
    }  # fmt: skip
    row = {"edits": [{"part": "input", **stored}, {"part": "instruction", **stored}]}
    assert edits_of(row) == [Edit(0, 4, "The ", "", "det", "deletion", "")]

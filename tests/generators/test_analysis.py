from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.analysis import deletion_range, follow_case, recase
from sociolect.generators.text import Span, apply
from sociolect.generators.units import Unit

UnitOf = Callable[..., Unit]


def flagged(unit: Unit, flag: str) -> list[str]:
    return [w.text for w in unit.analysis.words if getattr(w, flag)]


def test_counted_are_words_that_are_neither_marks_nor_protected(unit_of: UnitOf) -> None:
    unit = unit_of("The tall nurse, who left at 5, said: “no”.", protect="nurse")
    assert flagged(unit, "counted") == ["The", "tall", "who", "left", "at", "5", "said", "no"]
    assert unit.analysis.n_counted == 8


def test_silent_is_what_is_no_word_whatever_the_tagger_says(unit_of: UnitOf) -> None:
    unit = unit_of("He put it on a _table_ .")
    assert flagged(unit, "silent") == ["_", "_", "."]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("They do n't know it.", []),
        ("She can't stay.", ["She", "ca", "n't"]),
        ("He cannot stay.", ["can", "not"]),
        ("We're here and they've left.", ["We", "'re", "they", "'ve"]),
        ("It's a well-known fact.", ["It", "'s", "well", "-", "known"]),
        ("You were gonna stay.", ["gon", "na"]),
        ("Read and/or write.", ["and", "/", "or"]),
    ],
)
def test_pieces_of_a_written_word_are_not_editable(
    unit_of: UnitOf, text: str, whole: list[str]
) -> None:
    assert not set(whole) & set(flagged(unit_of(text), "editable"))


def test_a_possessive_leaves_its_noun_editable(unit_of: UnitOf) -> None:
    words = {w.text: w for w in unit_of("She took the dog's bone.").analysis.words}
    assert words["dog"].editable
    assert not words["'s"].editable


def test_gender_words_and_names_are_not_editable(unit_of: UnitOf) -> None:
    editable = flagged(unit_of("His wife met Donna in Paris and gave him a ticket."), "editable")
    assert editable == ["met", "in", "and", "gave", "a", "ticket"]


def test_words_are_inserted_only_before_a_word_that_follows_white_space(unit_of: UnitOf) -> None:
    unit = unit_of("She said “go” and didn't wait.")
    assert flagged(unit, "insertable") == ["She", "said", "and", "did", "wait"]


def test_nothing_is_inserted_inside_a_protected_span_but_before_it(unit_of: UnitOf) -> None:
    unit = unit_of("Ask the construction worker today.", protect="construction worker")
    assert flagged(unit, "insertable") == ["Ask", "the", "construction", "today"]


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("The man left. The woman stayed.", ["The", "The"]),
        ("“The man left.” The woman stayed.", ["The", "The"]),
        ('He left. "The end," she said.', ["He", "The"]),
        ("(The man left.) The woman stayed!", ["The", "The"]),
        ("One line\nThe next line", ["One", "The"]),
        ("We saw Mr. Smith today.", ["We"]),
        ("He asked: The end?", ["He"]),
        ("  Two spaces", ["Two"]),
    ],
)
def test_which_words_open_a_sentence(unit_of: UnitOf, text: str, opening: list[str]) -> None:
    words = unit_of(text).analysis.words
    assert [w.text for w in words if w.opens_sentence and w.text[0].isupper()] == opening


def test_neighbours_skip_what_does_not_count(unit_of: UnitOf) -> None:
    analysis = unit_of("The big, red nurse left.", protect="nurse").analysis
    at = {w.text: w.index for w in analysis.words}
    assert analysis.left_counted[at["left"]] == at["red"]
    assert analysis.left_counted[at["The"]] == -1
    assert analysis.right_counted[at["nurse"]] == at["left"]
    assert analysis.right_counted[at["."]] == len(analysis.words)


@pytest.mark.parametrize(
    ("original", "replacement", "expected"),
    [
        ("the", "a", "a"),
        ("The", "a", "A"),
        ("THE", "these", "THESE"),
        ("A", "the", "The"),
        ("I", "an", "An"),
        ("", "the", "the"),
    ],
)
def test_the_replacement_wears_the_capitals_of_the_original(
    original: str, replacement: str, expected: str
) -> None:
    assert follow_case(original, replacement) == expected


@pytest.mark.parametrize(
    ("text", "word", "left"),
    [
        ("in the house", "the", "in house"),
        ("The house", "The", "house"),
        ("he gave in", "in", "he gave"),
        ("he gave in, then", "in", "he gave, then"),
        ("look at\nthe end", "at", "look\nthe end"),
        ("line one\nthe end", "the", "line one\nend"),
        ("ask (for the best)", "for", "ask (the best)"),
        ("a  wide  gap", "wide", "a  gap"),
    ],
)
def test_a_deleted_word_takes_its_space_and_leaves_the_line_break(
    text: str, word: str, left: str
) -> None:
    at = text.index(word)
    taken = deletion_range(text, Span(at, at + len(word)))
    assert text[: taken.start] + text[taken.end :] == left


@given(st.text(min_size=1), st.data())
def test_a_deletion_never_joins_two_words(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    taken = deletion_range(text, Span(start, end))
    assert taken.start <= start
    assert end <= taken.end
    assert not text[taken.start : start].strip()
    assert not text[end : taken.end].strip()


def test_recase_moves_one_letter() -> None:
    edit = recase("the end", 0, upper=True)
    assert edit is not None
    assert apply("the end", [edit]) == "The end"
    assert edit.is_repair
    back = recase("The end", 0, upper=False)
    assert back is not None
    assert apply("The end", [back]) == "the end"


@pytest.mark.parametrize("text", ["The", "5 men", "ßo", "日本"])
def test_recase_does_nothing_without_a_capital_of_one_letter(text: str) -> None:
    assert recase(text, 0, upper=True) is None


def test_reach_is_three_words_on_each_side(unit_of: UnitOf) -> None:
    analysis = unit_of("One, two three four five").analysis
    assert [w.text for w in analysis.words] == ["One", ",", "two", "three", "four", "five"]
    assert analysis.reach == ((-1, 3), (-1, 4), (-1, 4), (-1, 5), (0, 6), (2, 6), (3, 6))

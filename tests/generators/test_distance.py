from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from sociolect.generators.distance import counted_words, measure, planned_distance
from sociolect.generators.learner.slots import DELETED, Slot
from sociolect.generators.learner.tables import Pool
from sociolect.generators.text import Edit, Span, apply
from sociolect.generators.units import Unit

UnitOf = Callable[..., Unit]


def table_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """Levenshtein's distance by its defining recurrence, row by row."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        before, row[0] = row[:], i
        for j, y in enumerate(b, start=1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
    return row[-1]


WORDS = st.lists(st.sampled_from(["a", "b", "c", "the"]), max_size=9)


@given(WORDS, WORDS)
def test_the_library_computes_the_textbook_distance(a: list[str], b: list[str]) -> None:
    assert Levenshtein.distance(a, b) == table_distance(a, b)


def test_counted_words_are_lower_case_words_outside_the_spans() -> None:
    text = "The Nurse, at 5: “No!”"
    assert counted_words(text, (Span(4, 9),)) == ("the", "at", "5", "no")


def test_a_token_that_a_span_only_touches_does_not_count() -> None:
    assert counted_words("upon it", (Span(0, 2),)) == ("it",)


def edits_of(text: str, *changes: tuple[str, str]) -> list[Edit]:
    found = []
    for old, new in changes:
        at = text.index(old)
        found.append(Edit(at, at + len(old), old, new, "det"))
    return found


@pytest.mark.parametrize(
    ("text", "changes", "d", "n"),
    [
        ("The dog ran home.", [], 0, 4),
        ("The dog ran home.", [("The ", ""), ("dog", "Dog")], 1, 4),
        ("The dog ran home.", [("ran", "runs")], 1, 4),
        ("The dog ran home.", [("home", "the home")], 1, 5),
        ("The dog ran home.", [("ran", "runs"), ("home", "at home")], 2, 5),
        ("The dog ran home.", [("The ", ""), ("dog", "Dog"), ("home", "at home")], 2, 4),
        # Deleting and inserting side by side is one substitution.
        ("The dog ran home.", [("The ", "a ")], 1, 4),
        # Case does not count.
        ("The dog ran home.", [("The", "THE")], 0, 4),
        ("A.", [("A", "")], 1, 1),
    ],
)
def test_distance_and_length(text: str, changes: list[tuple[str, str]], d: int, n: int) -> None:
    edits = edits_of(text, *changes)
    assert measure(text, (), edits, apply(text, edits)) == (d, n)


def test_protected_tokens_are_neither_counted_nor_compared() -> None:
    text = "The old nurse ran home."
    edits = edits_of(text, ("The ", ""), ("old", "Old"), ("home", "at home"))
    assert measure(text, [Span(8, 13)], edits, apply(text, edits)) == (2, 4)


def test_nothing_to_count() -> None:
    assert measure("…", (), [], "…") == (0, 0)


def slot(operation: str, token: int) -> Slot:
    return Slot(token, Pool("det", operation), DELETED)


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ([], (0, 5)),
        ([(slot("deletion", 0), "")], (1, 5)),
        ([(slot("insertion", 3), "a")], (1, 6)),
        ([(slot("replacement", 0), "a")], (1, 5)),
        ([(slot("insertion", 0), "a"), (slot("insertion", 5), "the")], (2, 7)),
        # A replacement that is put back by an insertion beside it is half undone.
        ([(slot("replacement", 0), "a"), (slot("insertion", 1), "the")], (1, 6)),
        ([(slot("deletion", 0), ""), (slot("insertion", 1), "a")], (1, 5)),
        ([(slot("replacement", 3), "to"), (slot("replacement", 4), "ran")], (2, 5)),
        ([(slot("replacement", 3), "home"), (slot("deletion", 5), "")], (2, 5)),
    ],
)
def test_planned_distance_on_known_tokens(
    unit_of: UnitOf, done: list[tuple[Slot, str]], expected: tuple[int, int]
) -> None:
    unit = unit_of("The dog, ran to home.")
    assert [w.text for w in unit.analysis.words] == ["The", "dog", ",", "ran", "to", "home", "."]
    assert planned_distance(unit.members[0], done) == expected


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["a", "ran", "", "home"])), max_size=4)
)
def test_planned_distance_is_the_textbook_distance(
    unit_of: UnitOf, changes: list[tuple[int, str]]
) -> None:
    (member,) = unit_of("the dog ran to home").members
    after = list(member.counted)
    for token, outcome in changes:
        after[token] = outcome
    done = [(slot("replacement" if w else "deletion", i), w) for i, w in dict(changes).items()]
    expected = table_distance(member.counted, [w for w in after if w])
    if len(done) == 1 and after[done[0][0].token] == member.counted[done[0][0].token]:
        return  # a no-op; the rules never make one
    assert planned_distance(member, done) == (expected, 5)

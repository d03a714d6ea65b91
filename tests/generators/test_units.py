from collections.abc import Callable

import pytest

from sociolect.generators import nlp
from sociolect.generators.items import Benchmark, Passage
from sociolect.generators.text import Span
from sociolect.generators.units import Unit, align, make_units

UnitOf = Callable[..., Unit]


def aligned(first: str, other: str) -> list[tuple[str, str | None]]:
    a, b = nlp.tokenize(first), nlp.tokenize(other)
    return [(x.text, None if j is None else b[j].text) for x, j in zip(a, align(a, b), strict=True)]


def test_equal_texts_align_token_by_token() -> None:
    assert aligned("He ran home.", "He ran home.") == [(w, w) for w in ("He", "ran", "home", ".")]


def test_the_pronouns_of_a_pair_stand_at_one_place() -> None:
    assert aligned("The cook thanked him today.", "The cook thanked her today.")[3] == (
        "him",
        "her",
    )


def test_a_stretch_of_another_length_has_no_counterpart() -> None:
    pairs = dict(aligned("He made an offer today.", "He made offer today."))
    assert pairs == {
        "He": "He",
        "made": "made",
        "an": None,
        "offer": "offer",
        "today": "today",
        ".": ".",
    }


def test_a_word_more_in_the_other_member_shifts_the_rest() -> None:
    assert [b for _, b in aligned("He paid.", "He never paid.")] == ["He", "paid", "."]


def flags(unit: Unit, name: str) -> list[str]:
    return [w.text for w in unit.analysis.words if getattr(w, name)]


def test_only_shared_tokens_are_editable(unit_of: UnitOf) -> None:
    unit = unit_of("The cook was careless again.", "The cook was rude again.")
    assert unit.shared == (True, True, True, False, True, True)
    assert "careless" not in flags(unit, "editable")
    assert {"The", "was", "again"} <= set(flags(unit, "editable"))


def test_variants_hold_what_any_member_has_at_a_place(unit_of: UnitOf) -> None:
    unit = unit_of("He bought an offer.", "She bought a offer.")
    assert unit.variants[0] == {"He", "She"}
    assert unit.variants[2] == {"an", "a"}


def test_a_gap_must_exist_in_every_member(unit_of: UnitOf) -> None:
    unit = unit_of("He won the big prize.", "He won big prize.")
    # "the" is missing in the other member, so neither of its sides is one gap in both.
    assert "the" not in flags(unit, "insertable")
    assert "big" not in flags(unit, "insertable")
    assert "prize" in flags(unit, "insertable")


def test_no_gap_between_two_words_that_differ(unit_of: UnitOf) -> None:
    unit = unit_of("They saw him herself there.", "They saw her himself there.")
    assert "herself" not in flags(unit, "insertable")
    assert {"him", "there"} <= set(flags(unit, "insertable"))


def test_protected_in_one_member_is_protected_in_all(tiny: Callable[..., Benchmark]) -> None:
    text = "The red car stopped."
    pair = (Passage(text), Passage(text, (Span(4, 7),)))
    (unit,) = make_units(tiny(pair).pairs, "input")
    assert "red" not in flags(unit, "counted")
    assert [m.n_counted for m in unit.members] == [4, 3]


def test_each_member_counts_its_own_tokens(unit_of: UnitOf) -> None:
    unit = unit_of("He said, he never paid.", "She said, she paid.")
    assert unit.members[0].counted == ("he", "said", "he", "never", "paid")
    assert unit.members[0].ranks == (0, 1, 2, 2, 3, 4, 5)
    assert unit.members[1].counted == ("she", "said", "she", "paid")
    assert unit.members[1].ranks == (0, 1, 2, -1, -1, 3, 4)


def test_members_with_one_text_are_one_object(unit_of: UnitOf) -> None:
    same = unit_of("He paid.", "He paid.")
    assert same.members[0] is same.members[1]
    made: list[int] = []
    assert same.for_members(lambda i: made.append(i) or i) == (0, 0)
    assert made == [0]


def test_members_with_two_texts_are_made_apart(unit_of: UnitOf) -> None:
    assert unit_of("He paid.", "She paid.").for_members(lambda i: i) == (0, 1)


def test_the_tags_of_the_first_member_serve_all(unit_of: UnitOf) -> None:
    """*Her* may be a possessive, *him* never is: the tagger must not tell members apart."""
    forward = unit_of("The nurse gave her food.", "The nurse gave him food.")
    other = unit_of("The nurse gave him food.", "The nurse gave her food.")
    tags = [[w.tag for w in u.analysis.words] for u in (forward, other)]
    assert tags[0][3] == "PRP$"
    assert tags[1][3] == "PRP"
    assert forward.members[1].text == "The nurse gave him food."


def test_one_text_in_many_pairs_is_analysed_once(tiny: Callable[..., Benchmark]) -> None:
    units = make_units(tiny(("Read it.",), ("Write it.",), ("Read it.",)).pairs, "input")
    assert units[0].analysis is units[2].analysis
    assert [u.pair_id for u in units] == ["tiny/0", "tiny/1", "tiny/2"]
    assert units[1].analysis is not units[0].analysis


def test_text_alone_does_not_make_units_equal(tiny: Callable[..., Benchmark]) -> None:
    pairs = tiny((Passage("Read it."),), (Passage("Read it.", (Span(0, 4),)),)).pairs
    first, second = make_units(pairs, "input")
    assert [u.analysis.n_counted for u in (first, second)] == [2, 1]


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_text_is_a_unit_without_tokens(tiny: Callable[..., Benchmark], text: str) -> None:
    (unit,) = make_units(tiny((text,)).pairs, "input")
    assert unit.analysis.n_counted == 0

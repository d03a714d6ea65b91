from collections.abc import Callable
from typing import Any

import pytest

SlotsIn = Callable[..., list[Any]]


def words(slots: list[Any], operation: str) -> list[str]:
    return [s.word for s in slots if s.operation == operation]


def outcomes(slots: list[Any], operation: str, word: str) -> set[str]:
    return {o for s in slots if s.operation == operation and s.word == word for o in s.outcomes}


def test_every_token_tagged_det_can_go_or_change(slots_in: SlotsIn) -> None:
    slots = slots_in("The nurse gave each child some water and this book.", "det")
    assert words(slots, "deletion") == ["The", "each", "some", "this"]
    assert words(slots, "replacement") == ["The", "each", "some", "this"]


def test_replacements_come_from_the_seven_of_the_paper(slots_in: SlotsIn) -> None:
    slots = slots_in("The nurse left.", "det")
    assert outcomes(slots, "replacement", "The") == {"a", "an", "this", "that", "these", "those"}


def test_paper_inserts_before_the_four_tags_without_determiner(slots_in: SlotsIn) -> None:
    slots = slots_in("Old friends met Donna at 5 in the big house quickly.", "det")
    # Old ADJ, friends NOUN, Donna PROPN, 5 NUM; "big" follows a determiner, "house" does not.
    assert words(slots, "insertion") == ["Old", "friends", "Donna", "5", "house"]


def test_careful_inserts_only_at_the_left_edge_of_a_noun_phrase(slots_in: SlotsIn) -> None:
    slots = slots_in("Old friends met Donna at 5 in the big house quickly.", "det", "careful")
    assert words(slots, "insertion") == ["Old"]


def test_careful_inserts_nothing_after_a_possessive(slots_in: SlotsIn) -> None:
    text = "They praised the farmer's work and my cooking."
    assert words(slots_in(text, "det", "careful"), "insertion") == []
    assert "work" in words(slots_in(text, "det"), "insertion")


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("They asked for advice.", "advice", {"a", "an", "the"}),
        ("They asked for useful tips.", "useful", {"the"}),
        ("They gave health tips.", "health", {"the"}),
        ("They read old books.", "old", {"the"}),
    ],
)
def test_careful_insertions_agree_with_the_head_of_the_phrase(
    slots_in: SlotsIn, text: str, word: str, expected: set[str]
) -> None:
    assert outcomes(slots_in(text, "det", "careful"), "insertion", word) == expected


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("She took the book.", "the", {"a", "an"}),
        ("She took the books.", "the", {"this", "that"}),
        ("She took a book.", "a", {"the"}),
        ("She took an apple.", "an", {"the"}),
        ("She took this book.", "this", {"the", "that"}),
        ("She took those books.", "those", {"the", "that"}),
        ("She took these books.", "these", {"the", "this"}),
    ],
)
def test_careful_confusions(slots_in: SlotsIn, text: str, word: str, expected: set[str]) -> None:
    assert outcomes(slots_in(text, "det", "careful"), "replacement", word) == expected


@pytest.mark.parametrize("text", ["There was no answer.", "She has no money.", "No nurse came."])
def test_careful_never_touches_negation(slots_in: SlotsIn, text: str) -> None:
    assert slots_in(text, "det", "careful") == [
        s for s in slots_in(text, "det", "careful") if s.operation == "insertion"
    ]
    assert words(slots_in(text, "det"), "deletion")


@pytest.mark.parametrize("word", ["every", "some", "any", "all", "another", "which", "both"])
def test_careful_leaves_other_determiners_alone(slots_in: SlotsIn, word: str) -> None:
    slots = slots_in(f"They know {word} cook in town.", "det", "careful")
    assert word not in {s.word for s in slots}


def test_careful_leaves_quantified_phrases_alone(slots_in: SlotsIn) -> None:
    slots = slots_in("She read several books and most papers.", "det", "careful")
    assert words(slots, "insertion") == []


def test_a_determiner_that_is_a_pronoun_is_none(slots_in: SlotsIn) -> None:
    slots = slots_in("That is what they said about this.", "det", "careful")
    assert not [s for s in slots if s.operation != "insertion"]


def test_a_protected_noun_keeps_its_article_editable(slots_in: SlotsIn) -> None:
    slots = slots_in("The nurse left the room.", "det", protect="nurse")
    assert words(slots, "deletion") == ["The", "the"]

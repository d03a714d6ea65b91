from collections.abc import Callable
from typing import Any

import pytest

from sociolect.generators.learner.tables import PREPOSITIONS

SlotsIn = Callable[..., list[Any]]


def words(slots: list[Any], operation: str) -> list[str]:
    return [s.word for s in slots if s.operation == operation]


def outcomes(slots: list[Any], operation: str, word: str) -> set[str]:
    return {o for s in slots if s.operation == operation and s.word == word for o in s.outcomes}


def test_every_token_tagged_adp_can_go_or_change(slots_in: SlotsIn) -> None:
    text = "She went to the house in the valley and gave up."
    assert words(slots_in(text, "prep"), "deletion") == ["to", "in", "up"]
    assert words(slots_in(text, "prep"), "replacement") == ["to", "in", "up"]


def test_paper_replaces_by_any_other_of_the_25(slots_in: SlotsIn) -> None:
    slots = slots_in("She lives in the valley.", "prep")
    assert outcomes(slots, "replacement", "in") == set(PREPOSITIONS) - {"in"}


def test_paper_inserts_before_the_four_tags_without_preposition(slots_in: SlotsIn) -> None:
    slots = slots_in("She told Donna to visit the old house in town.", "prep")
    # PRON, VERB, PROPN, VERB, NOUN; "town" follows a preposition.
    assert words(slots, "insertion") == ["She", "told", "Donna", "visit", "house"]


@pytest.mark.parametrize(
    "text",
    [
        "They gave up at noon.",
        "The plane took off early.",
        "He wants to go.",
        "It broke down because of rain.",
        "She ran out of time.",
        "Fruit such as apples.",
        "They know that he came after she left.",
        "They left without a word.",
        "A better idea than mine.",
    ],
)
def test_careful_leaves_what_only_looks_like_a_preposition(slots_in: SlotsIn, text: str) -> None:
    spared = {"up", "off", "to", "because", "of", "out", "such", "as", "after", "without", "than"}
    slots = slots_in(text, "prep", "careful")
    assert not spared & {s.word for s in slots if s.operation != "insertion"}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("She spoke to the clerk.", "to"),
        ("The book of the year.", "of"),
        ("They met during the war.", "during"),
        ("He was praised by the judge.", "by"),
        ("It stood between the trees.", "between"),
    ],
)
def test_careful_confusions_are_a_few_near_ones(slots_in: SlotsIn, text: str, word: str) -> None:
    found = outcomes(slots_in(text, "prep", "careful"), "replacement", word)
    assert 2 <= len(found) <= 7
    assert word not in found
    assert found <= set(PREPOSITIONS)
    assert not found & {"under", "behind", "against", "without", "during"}


def test_careful_inserts_after_a_verb_before_its_object_only(slots_in: SlotsIn) -> None:
    text = "The clerk discussed the plan and thanked him while the old cook slept."
    slots = slots_in(text, "prep", "careful")
    assert words(slots, "insertion") == ["him"]
    assert outcomes(slots, "insertion", "him") == {"to", "for", "with", "about"}


def test_paper_inserts_before_a_bare_object_careful_with_more_choice(slots_in: SlotsIn) -> None:
    slots = slots_in("They discussed plans.", "prep", "careful")
    assert outcomes(slots, "insertion", "plans") == {"to", "for", "with", "about", "of", "on"}


@pytest.mark.parametrize("text", ["They ask who came.", "We want to go.", "He was sold books."])
def test_careful_never_inserts_before_a_verb_or_a_relative_pronoun(
    slots_in: SlotsIn, text: str
) -> None:
    found = words(slots_in(text, "prep", "careful"), "insertion")
    assert not set(found) & {"who", "came", "go", "sold"}

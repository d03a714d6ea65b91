from collections.abc import Callable
from typing import Any

import pytest

SlotsIn = Callable[..., list[Any]]


def forms(slots: list[Any], word: str) -> dict[str, set[str]]:
    return {s.subtype: set(s.outcomes) for s in slots if s.word == word}


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("The nurse talked.", "talked", "tense=talks form=talking"),
        ("The nurse wrote.", "wrote", "tense=writes form=writing,written infl=writed"),
        ("The nurses wrote.", "wrote", "tense=write form=writing,written infl=writed"),
        ("The nurse talks.", "talks", "tense=talked form=talking sva=talk"),
        ("The nurses talk all day.", "talk", "tense=talked form=talking sva=talks"),
        ("The nurse was late.", "was", "tense=is form=being sva=were"),
        ("The nurses are late.", "are", "tense=were form=being sva=is"),
        ("I am late.", "am", "tense=was form=being sva=is"),
        ("The nurse has time.", "has", "tense=had form=having sva=have"),
        ("The nurse does nothing.", "does", "tense=did form=doing,done sva=do"),
        ("The nurse will talk.", "will", "tense=would"),
        ("The nurse may talk.", "may", "tense=might"),
        ("The nurse is talking.", "talking", "form=talk,talked"),
        ("The nurse has written.", "written", "form=write,writing,wrote infl=writed"),
        ("The nurse will talk.", "talk", "form=talking,talks,talked"),
        ("The nurse wants to talk.", "talk", "form=talking,talks,talked"),
        ("The nurse cut it.", "cut", "tense=cuts form=cutting infl=cutted"),
    ],
)
def test_forms_of_a_verb_by_subtype(slots_in: SlotsIn, text: str, word: str, expected: str) -> None:
    wanted = dict(kind.split("=") for kind in expected.split())
    found = forms(slots_in(text, "verb"), word)
    assert found == {kind: set(words.split(",")) for kind, words in wanted.items()}


@pytest.mark.parametrize("text", ["The nurse must go.", "The nurse ought to go."])
def test_modals_without_another_tense_stay(slots_in: SlotsIn, text: str) -> None:
    assert not {"must", "ought"} & {s.word for s in slots_in(text, "verb")}


@pytest.mark.parametrize("word", ["cut", "put", "hit", "set"])
def test_a_form_that_looks_the_same_is_no_outcome(slots_in: SlotsIn, word: str) -> None:
    slots = slots_in(f"Yesterday the nurse {word} it there.", "verb")
    assert forms(slots, word)["tense"] == {f"{word}s"}
    assert all(word not in s.outcomes for s in slots)


def test_the_present_follows_the_subject_of_a_coordinated_verb(slots_in: SlotsIn) -> None:
    slots = slots_in("The nurses left and took it.", "verb")
    assert forms(slots, "took")["tense"] == {"take"}


def test_the_present_follows_what_a_relative_pronoun_stands_for(slots_in: SlotsIn) -> None:
    slots = slots_in("She knows the nurses who left.", "verb")
    assert forms(slots, "left")["tense"] == {"leave"}


@pytest.mark.parametrize(
    ("text", "word", "form"),
    [
        ("The clerk hoped for rain.", "hoped", "hoping"),
        ("The clerk hated the rain.", "hated", "hating"),
        ("The clerk hopped over it.", "hopped", "hopping"),
    ],
)
def test_the_lemma_is_the_one_that_has_the_form(
    slots_in: SlotsIn, text: str, word: str, form: str
) -> None:
    assert form in forms(slots_in(text, "verb"), word)["form"]


def test_contractions_and_possessives_have_no_verb_slot(slots_in: SlotsIn) -> None:
    text = "They've said it's late and she didn't know Ann's plan; he'll wait."
    assert {s.word for s in slots_in(text, "verb")} == {"said", "know", "wait"}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The executed man was here.", "executed"),
        ("According to them it rained.", "According"),
        ("They felt lost.", "lost"),
    ],
)
def test_careful_leaves_participles_that_are_adjectives(
    slots_in: SlotsIn, text: str, word: str
) -> None:
    assert word not in {s.word for s in slots_in(text, "verb", "careful")}


def test_careful_gives_a_verb_after_an_auxiliary_only_another_form(slots_in: SlotsIn) -> None:
    slots = slots_in("The nurse has been asking and will leave.", "verb", "careful")
    assert {s.subtype for s in slots if s.word in ("asking", "leave")} == {"form"}
    assert {s.subtype for s in slots if s.word in ("has", "will")} <= {"tense", "sva"}


def test_careful_gives_an_infinitive_no_tense(slots_in: SlotsIn) -> None:
    slots = slots_in("Read it and let them go.", "verb", "careful")
    assert {s.subtype for s in slots if s.word in ("Read", "go")} <= {"form"}
    assert "tense" in forms(slots_in("Think about it.", "verb"), "Think")


@pytest.mark.parametrize(
    ("text", "word"),
    [("The boss thanked her because she recommend it.", "recommend"), ("They was late.", "was")],
)
def test_careful_never_mends_agreement(slots_in: SlotsIn, text: str, word: str) -> None:
    assert "sva" not in forms(slots_in(text, "verb", "careful"), word)


def test_careful_breaks_agreement_of_the_first_person(slots_in: SlotsIn) -> None:
    assert forms(slots_in("I was late.", "verb", "careful"), "was")["sva"] == {"were"}


def test_the_members_of_a_verb_group_share_a_number(slots_in: SlotsIn) -> None:
    slots = slots_in("The nurse has been asking, and he left.", "verb", "careful")
    groups = {s.word: s.slot.group for s in slots}
    assert groups["has"] == groups["asking"]
    assert groups["left"] != groups["asking"]

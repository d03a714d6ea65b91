import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.benchmarks.fable_names import NAMES
from sociolect.generators.benchmarks.fable_text import (
    name_spans,
    renamed,
    tells_gender,
    unclear_spans,
)

PAIR = ("Tamika", "James")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Tamika did, not James.", ["Tamika", "James"]),
        ("tamika's idea, TAMIKA’s and James' too", ["tamika's", "TAMIKA’s", "James'"]),
        ("James’s bag; Jameson's; Tamikas", ["James’s"]),
        ("the Tamika-James case", ["Tamika", "James"]),
        ("'James' is in quotes", ["James'"]),
        ("Jean-Tamika or d'James", []),
        ("Tamika'd go", ["Tamika"]),
        ("", []),
    ],
)
def test_mentions(text: str, found: list[str]) -> None:
    assert [span.of(text) for span in name_spans(text, PAIR)] == found


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (("Will", "Rose"), "Will will rise; Rose rose. WILL", ["Will", "Rose", "WILL"]),
        (("Ann", "Ann Lee"), "Ann  Lee and Ann", ["Ann  Lee", "Ann"]),
        (("The young man", "the old one"), "the young man’s car", ["the young man’s"]),
        (("C. (a)", "D+"), "C. (a) or D+ or D", ["C. (a)", "D+"]),
    ],
)
def test_names_that_are_words_hold_one_another_or_hold_marks(
    names: tuple[str, str], text: str, found: list[str]
) -> None:
    assert [span.of(text) for span in name_spans(text, names)] == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tamika told James's story.", "James told Tamika's story."),
        ("tamika AND james", "james AND tamika"),
        ("TAMIKA’s", "JAMES’s"),
    ],
)
def test_names_change_places_at_once(text: str, expected: str) -> None:
    assert renamed(text, PAIR, PAIR[::-1]) == expected


PIECES = st.lists(
    st.sampled_from([*PAIR, "tamika", "JAMES", "Tamika's", "and", "x", ",", "’", "\n", "  "])
)


@given(PIECES.map(" ".join))
def test_changing_places_twice_gives_the_text_again(text: str) -> None:
    swapped = renamed(text, PAIR, PAIR[::-1])
    assert renamed(swapped, PAIR[::-1], PAIR) == text
    assert len(name_spans(swapped, PAIR)) == len(name_spans(text, PAIR))


@given(PIECES.map(" ".join))
def test_labels_leave_no_name_and_as_many_words(text: str) -> None:
    labelled = renamed(text, PAIR, ("PersonX", "PersonY"))
    assert not name_spans(labelled, PAIR)
    assert len(labelled.split()) == len(text.split())
    assert len(name_spans(labelled, ("PersonX", "PersonY"))) == len(name_spans(text, PAIR))


@pytest.mark.parametrize(
    ("names", "text", "expected"),
    [
        (("O'Neil", "José"), "O’Neil and O'Neil's; José", "X and X's; Y"),
        (("O’Neil", "Jose\u0301"), "O\u02bcNeil, José, Jose\u0301’s", "X, Y, Y’s"),
        (("Jose", "Bob"), "José and Jose\u0301", "José and Jose\u0301"),
        (("Jean-Luc", "Luc"), "Jean\u2011Luc, Jean\u2010Luc, Jean Luc and Luc", "X, X, X and Y"),
        (("Mary Ann", "Ann"), "Mary-Ann told Mary  Ann of Ann", "X told X of Y"),
        (("Al", "Neil"), "al-Qaida, O'Neil, Al-x and Al", "al-Qaida, O'Neil, Al-x and X"),
        (("Ray", "Al"), "Gamma-ray; the Al-Ray case", "Gamma-ray; the Y-X case"),
        (("TJ", "Ed"), "TJ said, tj", "X said, x"),
        (("James", "Ed"), "James' dog; James’s dog; James.", "X's dog; X’s dog; X."),
        (("James", "Ed"), "'James' it is, 'by James' too", "'X' it is, 'by X' too"),
    ],
)
def test_a_name_is_the_same_however_it_is_typed(
    names: tuple[str, str], text: str, expected: str
) -> None:
    labels = renamed(text, names, ("PersonX", "PersonY"))
    assert labels.replace("Person", "").replace("personx", "x") == expected


def test_capitals_stay_unless_they_are_those_of_the_name() -> None:
    assert renamed("TJ saw EMMA", ("TJ", "Emma"), ("PersonX", "PersonY")) == "PersonX saw PERSONY"
    assert renamed("e.e. and Emma", ("e.e", "Emma"), ("Jo", "Al")) == "Jo. and Al"
    assert renamed("James' dog", ("James", "Ed"), ("Jess", "Al")) == "Jess' dog"


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (("Will", "Emma"), "Will you say who?", ["Will"]),
        (("May", "Mark"), "May I? Mark my words.", ["May", "Mark"]),
        (("Will", "Emma"), 'She said "Will you?" and it will do', ["Will", "will"]),
        (("Rose", "Emma"), "It was Rose, said Emma, not Rose.", []),
        (("Will", "Rose"), "Will and Rose were late. Emma or Will?", []),
        (("Will", "Rose"), "I WILL", ["WILL"]),
        (("Will", "Emma"), "*Will* she? - Will it? and Will", ["Will", "Will"]),
        (("Candy", "Lane"), "Candy is good.\nLane two", ["Candy", "Lane"]),
        (("Luc", "Emma"), "Jean-Luc, Emma-style, emma-like", ["Luc", "Emma"]),
        (("Al", "Emma"), "al-Qaida, Emma--she, Emma's", []),
        (PAIR, "Tamika did. James did not. TAMIKA-JAMES", []),
    ],
)
def test_places_that_may_be_no_name(names: tuple[str, str], text: str, found: list[str]) -> None:
    assert [span.of(text) for span in unclear_spans(text, names)] == found


TOLD = [
    "Sir",
    "ma'am",
    "ma’am",
    "Madam",
    "Mx.",
    "lady",
    "gentleman",
    "mother",
    "father",
    "wife",
    "husband",
    "guy",
    "woman",
    "man",
    "girl",
    "boy",
    "son",
    "daughter",
    "sister",
    "brother",
    "aunt",
    "uncle",
    "queen",
    "king",
    "Miss",
    "Ms.",
    "fiancée",
    "grandad",
]


@pytest.mark.parametrize("word", TOLD)
def test_gender_is_told_by_nouns_and_titles(word: str) -> None:
    assert tells_gender(f"Yes, {word} Allison, that one.")


def test_gender_is_told_by_words_of_gender_alone() -> None:
    assert all(map(tells_gender, ["She did.", "by HIS own", "Mr. Allison", "it's hers"]))
    assert not any(map(tells_gender, ["They did.", "the sheep there", *(n.text for n in NAMES)]))

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.benchmarks.fable_names import NAMES
from sociolect.generators.benchmarks.fable_text import name_spans, renamed, tells_gender

PAIR = ("Tamika", "James")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Tamika did, not James.", ["Tamika", "James"]),
        ("tamika's idea, TAMIKA’s and James' too", ["tamika's", "TAMIKA’s", "James'"]),
        ("James’s bag; Jameson's; Tamikas", ["James’s"]),
        ("the Tamika-James case", ["Tamika", "James"]),
        ("'James' is in quotes", ["James'"]),
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


def test_gender_is_told_by_pronouns_and_titles_alone() -> None:
    assert all(map(tells_gender, ["She did.", "by HIS own", "Mr. Allison", "it's hers"]))
    assert not any(map(tells_gender, ["They did.", "the sheep there", *(n.text for n in NAMES)]))

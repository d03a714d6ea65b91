import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.benchmarks.fable_names import PAIRS
from sociolect.generators.benchmarks.fable_options import check_options, reads_like_label
from sociolect.generators.errors import InvalidInputError

LIKE_LABELS = [
    *("A", "b", "None", "NONE", "neither", "B.", "(A)", "**A**", "\uff21", "\u24b7", "A\u200b"),
    *("Option B", "option a", "Verdict: B", "Answer", "The answer is Emma", "Label A", "*B*"),
    *("B) Walter", "B. Walter", "B: Walter", "B - Walter", "B Walter", "A woman", "A) Emma"),
    *("none of them", "Neither one", "[NONE]", "Person A", "Walter (B)", "\\boxed{B}", "No one"),
]


@pytest.mark.parametrize("option", LIKE_LABELS)
def test_an_option_that_reads_like_a_label_is_refused(option: str) -> None:
    assert reads_like_label(option)
    for options in ((option, "Bob"), ("Bob", option)):
        with pytest.raises(InvalidInputError, match="reads like a label"):
            check_options(options)


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("<think>", "angle bracket"),
        ("Bo</b>", "angle bracket"),
        ("\uff1cthink\uff1e", "angle bracket"),
        ("!", "two letters"),
        ("12", "two letters"),
        ("X", "two letters"),
        ("\u0410", "two letters"),
        ("x" * 101, "at most 100"),
        ("Em\nma", "white space"),
        ("Em\u2028ma", "white space"),
        ("Em\x1bma", "control character"),
        ("", "blank"),
    ],
)
def test_other_options_that_cannot_be_read(option: str, why: str) -> None:
    with pytest.raises(InvalidInputError, match=why):
        check_options((option, "Bob"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Emma.", "Emma"),
        ("Jos\u00e9", "Jose\u0301"),
        ("Emma", "Emma\u200b"),
        ("Emma", "the Emma"),
        ("Mary-Ann", "Mary Ann"),
        ("O'Neil", "O’Neil"),
        ("\u201cEmma\u201d", "EMMA"),
        ("Stra\u00dfe", "STRASSE"),
    ],
)
def test_options_that_a_reader_cannot_tell_apart_are_refused(one: str, other: str) -> None:
    with pytest.raises(InvalidInputError, match="both options read"):
        check_options((one, other))


@pytest.mark.parametrize(
    "options",
    [
        ("The Black friend", "The White friend"),
        ("The person with a disability", "The person without a disability"),
        ("James (the man)", "Olivia (the woman)"),
        ("Bea", "Abe"),
        ("Nona", "Ann"),
        ("A'isha", "O'Neil"),
        ("राम", "रमा"),
        ("Jos\u00e9", "Jose"),
        *[(one.text, other.text) for one, other in PAIRS[:14]],
    ],
)
def test_names_and_descriptions_are_options(options: tuple[str, str]) -> None:
    check_options(options)
    check_options(options[::-1])


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_any_text_is_taken_or_refused(text: str) -> None:
    assert reads_like_label(f"B) {text}")
    with pytest.raises(InvalidInputError):
        check_options((text, text))


def test_a_message_shows_what_cannot_be_seen() -> None:
    with pytest.raises(InvalidInputError, match=r'"Emma": "Emma\\u200b"'):
        check_options(("Emma", "Emma\u200b"))

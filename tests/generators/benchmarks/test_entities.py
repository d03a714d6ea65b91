import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.benchmarks.entities import (
    Entities,
    head,
    merged,
    noun_forms,
    plural,
    pronoun_spans,
)
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.text import Span


def _found(text: str, *forms: str) -> list[str]:
    return [span.of(text) for span in Entities(frozenset(forms)).spans(text)]


@pytest.mark.parametrize(
    ("phrase", "bare"),
    [
        ("The man", "man"),
        ("the  trans woman ", "trans woman"),
        ("A girl", "girl"),
        ("an Asian man", "Asian man"),
        ("Donna Schneider", "Donna Schneider"),
        ("Theodore", "Theodore"),
        ("Anne", "Anne"),
        ("The", "The"),
        ("", ""),
    ],
)
def test_head(phrase: str, bare: str) -> None:
    assert head(phrase) == bare


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("man", "men"),
        ("trans woman", "trans women"),
        ("Muslim person", "Muslim people"),
        ("wife", "wives"),
        ("Christian", "Christians"),
        ("lady", "ladies"),
        ("boy", "boys"),
        ("boss", "bosses"),
        ("witch", "witches"),
    ],
)
def test_plural(one: str, many: str) -> None:
    assert plural(one) == many


def test_noun_forms() -> None:
    assert noun_forms(["The man", "man"]) == {"man", "men"}


@pytest.mark.parametrize(
    ("text", "forms", "found"),
    [
        # The longest name wins, and what it holds is not found a second time.
        (
            "An African American man met an African.",
            "African|African American",
            "African American|African",
        ),
        ("Donna Roe left, Donna stayed", "Donna|Roe|Donna Roe", "Donna Roe|Donna"),
        ("A trans woman and a woman", "woman|trans woman", "trans woman|woman"),
        # Whole words only.
        ("The manager saw a woman at Romania's border.", "man|Roma", ""),
        # Capitals in a form are significant, a form without any fits every spelling.
        ("Will will mark Mark's banks.", "Will|Mark|Banks", "Will|Mark's"),
        ("A white lie of the White one", "White", "White"),
        ("Man, MAN and man", "man", "Man|MAN|man"),
        ("Al-Fasi and al-Fasi, not AL-FASI", "al-Fasi", "Al-Fasi|al-Fasi"),
        # Possessives.
        (
            "the man's hat, the girls' hats, James' and Williams’s",
            "man|girls|James|Williams",
            "man's|girls'|James'|Williams’s",
        ),
        ("'the man' said", "man", "man"),
        ("a man'ss", "man", "man"),
        # White space within a name, punctuation, and hyphens around one.
        ("a Native  American, (Arab)", "Native American|Arab", "Native  American|Arab"),
        ("non-Arab", "Arab", "Arab"),
        ("no one", "", ""),
    ],
)
def test_mentions(text: str, forms: str, found: str) -> None:
    assert _found(text, *filter(None, forms.split("|"))) == [f for f in found.split("|") if f]


def test_an_article_stays_outside() -> None:
    text = "The man and an Arab man"
    assert _found(text, *noun_forms(["The man", "An Arab man"])) == ["man", "Arab man"]


def test_empty_form_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="empty form"):
        Entities(frozenset({"man", " "}))


def test_pronouns() -> None:
    text = "She told him that the heroine hurt herself; his theory is hers."
    found = [s.of(text) for s in pronoun_spans(text)]
    assert found == ["She", "him", "herself", "his", "hers"]


@pytest.mark.parametrize(
    ("spans", "joined"),
    [
        ([], []),
        ([(5, 9), (0, 3)], [(0, 3), (5, 9)]),
        ([(0, 16), (0, 20)], [(0, 20)]),
        ([(0, 7), (4, 12), (11, 13)], [(0, 13)]),
        ([(0, 9), (2, 3)], [(0, 9)]),
        ([(0, 3), (3, 5)], [(0, 3), (3, 5)]),
    ],
)
def test_merged(spans: Iterable[tuple[int, int]], joined: list[tuple[int, int]]) -> None:
    assert merged(Span(*s) for s in spans) == tuple(Span(*s) for s in joined)


WORDS = st.sampled_from(["man", "Man", "woman", "African", "American", "Will", "will", "and", "é"])
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=3))).map(" ".join)
FORMS = st.frozensets(st.sampled_from(["man", "African", "African American", "Will", "woman"]))


@given(TEXTS, FORMS)
def test_spans_are_whole_words_in_order(text: str, forms: frozenset[str]) -> None:
    spans = Entities(forms).spans(text)
    at = 0
    for span in spans:
        assert at <= span.start < span.end
        at = span.end
        assert not re.match(r"\w", text[span.end :])
        assert not re.search(r"\w\Z", text[: span.start])
        words = " ".join(re.sub(r"['’]s?\Z", "", span.of(text)).split())
        assert words in forms or words.lower() in forms


@given(TEXTS, FORMS)
def test_nothing_is_missed(text: str, forms: frozenset[str]) -> None:
    entities = Entities(forms)
    hidden = {i for span in entities.spans(text) for i in range(span.start, span.end)}
    for form in forms:
        for match in re.finditer(rf"(?<!\w){form}(?!\w)", text):
            assert set(range(*match.span())) <= hidden


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9))))
def test_merged_covers_the_same_characters(pieces: list[tuple[int, int]]) -> None:
    spans = [Span(start, start + length) for start, length in pieces]
    joined = merged(spans)
    covered = [i for s in joined for i in range(s.start, s.end)]
    assert covered == sorted({i for s in spans for i in range(s.start, s.end)})

from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from rapidfuzz.distance import OSA

from sociolect.generators.benchmarks.coreference import GENDER_WORDS
from sociolect.generators.items import Benchmark
from sociolect.generators.learner.speller import knows
from sociolect.generators.learner.spelling import (
    LONG_WORD,
    MIN_NONWORD_LETTERS,
    N_NEIGHBOURS,
    likely_non_words,
    likely_real_words,
    non_words,
    real_words,
)
from sociolect.generators.learner.unwanted import UNWANTED
from sociolect.generators.nlp import splitting_words, tokenize

SlotsIn = Callable[..., list[Any]]
WORDS = ("the", "because", "house", "many", "system", "here", "with", "think", "like", "where")
NONE: frozenset[str] = frozenset()


def flat(groups: tuple[tuple[str, ...], ...]) -> set[str]:
    return set(chain.from_iterable(groups))


@pytest.mark.parametrize("word", WORDS)
def test_real_words_are_at_most_ten_known_words(word: str) -> None:
    (found,) = real_words(word, NONE)
    assert 0 < len(found) <= N_NEIGHBOURS
    assert all(knows(w) for w in found)
    assert word not in found


@pytest.mark.parametrize("word", WORDS)
def test_non_words_are_in_no_dictionary_and_one_operation_away(word: str) -> None:
    groups = non_words(word, NONE)
    assert 5 <= len(groups) <= 6
    for w in flat(groups):
        assert not knows(w)
        assert OSA.distance(w, word) == 1
        assert w.isascii()
        assert w.isalpha()


def test_the_six_character_operations() -> None:
    deleted, inserted, substituted, swapped, doubled, vowels = non_words("street", NONE)
    assert "stret" in deleted
    assert "strweet" in inserted
    assert "stteet" in substituted
    assert "sterte" not in swapped
    assert "steret" in swapped
    assert set(doubled) <= {"sstreet", "sttreet", "strreet", "streett"}
    assert "straet" in vowels


@pytest.mark.parametrize(
    ("word", "gendered"),
    [("here", "her"), ("hid", "his"), ("many", "man"), ("system", "sister"), ("buy", "boy")],
)
def test_no_gender_word_comes_out(word: str, gendered: str) -> None:
    assert gendered in flat(real_words(word, NONE))
    assert gendered not in flat(real_words(word, GENDER_WORDS))
    assert not flat(real_words(word, GENDER_WORDS)) & GENDER_WORDS
    assert not flat(non_words(word, GENDER_WORDS)) & GENDER_WORDS


@pytest.mark.parametrize(
    "word", ["where", "think", "like", "home", "look", "forgot", "soon", "ask"]
)
def test_no_slur_or_obscenity_comes_out(word: str) -> None:
    assert not flat(real_words(word, NONE)) & UNWANTED
    assert not flat(non_words(word, NONE)) & UNWANTED


def test_no_word_of_the_benchmark_becomes_an_insult_or_a_gender_word(winobias: Benchmark) -> None:
    texts = {item.parts["input"].text for item in winobias.items}
    vocabulary = {t.lower_ for text in texts for t in tokenize(text) if t.is_alpha and t.is_ascii}
    outcomes = set().union(*(flat(real_words(w, winobias.excluded_words)) for w in vocabulary))
    assert len(outcomes) > 1000
    assert not outcomes & (UNWANTED | winobias.excluded_words)


@pytest.mark.parametrize("word", ["can", "done", "wont", "in", "idea", "don", "hers"])
def test_no_outcome_is_split_by_the_tokenizer(word: str) -> None:
    found = flat(real_words(word, NONE)) | flat(non_words(word, NONE))
    assert found
    for w in found:
        assert w not in splitting_words()
        assert len(tokenize(f"so {w} it")) == 3
        assert len(tokenize(f"{w.capitalize()} it")) == 2


@pytest.mark.parametrize(
    ("word", "lemma"),
    [("because", "because"), ("walked", "walk"), ("the", "the"), ("good", "good")],
)
def test_likely_real_words_are_near_and_begin_alike(word: str, lemma: str) -> None:
    likely = flat(likely_real_words(word, lemma, GENDER_WORDS))
    assert likely < flat(real_words(word, GENDER_WORDS))
    far = 1 if len(word) < LONG_WORD else 2
    assert all(w[0] == word[0] and OSA.distance(w, word) <= far for w in likely)


def test_another_form_of_the_word_is_no_likely_misspelling() -> None:
    assert "asks" in flat(real_words("ask", NONE)) or "asked" in flat(real_words("ask", NONE))
    assert not flat(likely_real_words("ask", "ask", NONE)) & {"asks", "asked", "asking"}


def test_likely_non_words_keep_the_first_letter_single() -> None:
    likely = flat(likely_non_words("the", NONE))
    assert likely < flat(non_words("the", NONE))
    assert all(w[0] == "t" and w[1] != "t" for w in likely)


def test_only_plain_words_of_two_letters_or_more_are_misspelt(slots_in: SlotsIn) -> None:
    slots = slots_in("I gave a naïve man 2nd-hand books of O'Hara at 5.", "spell")
    assert {s.word for s in slots} == {"gave", "books", "of", "at"}


def test_short_words_have_no_non_word(slots_in: SlotsIn) -> None:
    slots = slots_in("They lived in the valley of fear.", "spell")
    kinds = {s.word: {t.subtype for t in slots if t.word == s.word} for s in slots}
    assert kinds["in"] == kinds["of"] == {"realword"}
    assert kinds["the"] == {"realword", "nonword"}
    assert MIN_NONWORD_LETTERS == 3


def test_the_two_rule_sets_list_the_same_words(slots_in: SlotsIn) -> None:
    text = "They lived happily in the valley."
    paper, careful = (slots_in(text, "spell", rules) for rules in ("paper", "careful"))
    assert {s.word for s in paper} == {s.word for s in careful}
    for one, other in zip(paper, careful, strict=False):
        if (one.word, one.subtype) == (other.word, other.subtype):
            assert other.outcomes <= one.outcomes

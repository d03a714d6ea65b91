import pytest

from sociolect.generators.articles import clashes, takes_an

_AN = """
apple egg idea old umbrella uncle ugly under upper usher utter urban urge up upset hour hourly
honest honestly honor honorable honour heir heirloom eight eleven eighteen only onion onerous
unusual uninvited unimportant unidentified unnamed unarmed oats author auditor assistant
accountant employee attendant architect engineer MRI FBI HIV NBA LED SUV RAF element X R F N I
"""
_A = """
man house hospital historian year yellow university union unit uniform unique universal unicorn
unimodal unanimous useful user usual utility utopia utensil uranium European eulogy ewe euphemism
one one-time once oneself ubiquitous CEO US U T B UFO URL BBC PhD Ukrainian Ugandan wonderful which
"""
AN, A = _AN.split(), _A.split()


def test_the_word_lists_are_long_enough() -> None:
    assert len(AN) + len(A) >= 40


@pytest.mark.parametrize("word", AN)
def test_an_before_a_vowel_sound(word: str) -> None:
    assert takes_an(word)
    assert clashes("a", word)
    assert clashes("A", word)
    assert not clashes("an", word)


@pytest.mark.parametrize("word", A)
def test_a_before_a_consonant_sound(word: str) -> None:
    assert not takes_an(word)
    assert clashes("an", word)
    assert clashes("An", word)
    assert not clashes("a", word)


@pytest.mark.parametrize("number", ["8", "80", "8th", "11", "18", "11th", "18-year-old", "11,000"])
def test_numbers_that_begin_with_a_vowel_sound(number: str) -> None:
    assert clashes("a", number)
    assert not clashes("an", number)


@pytest.mark.parametrize("number", ["1", "10", "110", "1800", "5", "2,000"])
def test_other_numbers(number: str) -> None:
    assert clashes("an", number)


def test_words_in_capitals_are_words_and_short_ones_are_spelled_out() -> None:
    assert takes_an("MBA")
    assert not takes_an("HOSPITAL")
    assert takes_an("OFFICE")


def test_accents_do_not_hide_a_vowel() -> None:
    assert takes_an("élan")
    assert not takes_an("çedilla")


def test_only_the_indefinite_article_can_clash() -> None:
    assert not any(clashes(word, "apple") for word in ("the", "this", "and", ""))


def test_nothing_clashes_with_symbols_or_nothing() -> None:
    assert not any(clashes(article, word) for article in ("a", "an") for word in ("", "$", "“"))

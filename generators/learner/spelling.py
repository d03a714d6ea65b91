"""Spelling slots: learner-error paper, §3.2 and App. B.1, after Náplava and Straka 2019.

An alphabetic token becomes, with equal probability, one of the ten nearest words of the Aspell
dictionary or a non-word made by one character operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from rapidfuzz.distance import OSA

from sociolect.generators.analysis import Analysis
from sociolect.generators.learner.inflection import forms_of
from sociolect.generators.learner.slots import Outcomes, Slot, one_of
from sociolect.generators.learner.speller import knows, neighbours
from sociolect.generators.learner.tables import Pool
from sociolect.generators.learner.unwanted import UNWANTED
from sociolect.generators.nlp import splitting_words

N_NEIGHBOURS = 10
"""App. B.1: the ten closest suggestions."""

MIN_NONWORD_LETTERS = 3
"""A typo in a shorter word usually spells another word."""

_KEYS: dict[str, str] = {
    **{"q": "wa", "w": "qeas", "e": "wrsd", "r": "etdf", "t": "ryfg", "y": "tugh", "u": "yihj"},
    **{"i": "uojk", "o": "ipkl", "p": "ol", "a": "qwsz", "s": "weadzx", "d": "ersfxc"},
    **{"f": "rtdgcv", "g": "tyfhvb", "h": "yugjbn", "j": "uihknm", "k": "iojlm", "l": "opk"},
    **{"z": "asx", "x": "sdzc", "c": "dfxv", "v": "fgcb", "b": "ghvn", "n": "hjbm", "m": "jkn"},
}
_VOWELS = "aeiou"

LONG_WORD = 6
"""Letters from which on two letters may differ in a likely real-word error."""

_OBSOLETE = frozenset({"thee", "thew", "thews", "tho", "thy", "ye"})


def slots(analysis: Analysis, excluded: frozenset[str]) -> Iterator[Slot]:
    """All spelling slots of a text, in the order of its tokens.

    Args:
        analysis: The parsed text.
        excluded: Lower-case words that no error may produce (gender words, entities).
    """
    for word in analysis.words:
        if not (word.editable and word.is_plain and len(word.text) > 1):
            continue
        real = Pool("spell", "replacement", "realword")
        words = real_words(word.lower, excluded)
        likely = likely_real_words(word.lower, word.lemma, excluded)
        yield Slot(word.index, real, words, careful=likely)
        if len(word.text) >= MIN_NONWORD_LETTERS:
            other = Pool("spell", "replacement", "nonword")
            typos = non_words(word.lower, excluded)
            yield Slot(word.index, other, typos, careful=likely_non_words(word.lower, excluded))


@cache
def real_words(word: str, excluded: frozenset[str]) -> Outcomes:
    """The ten nearest dictionary words that may stand in for `word` (one group)."""
    fitting = (w for w in neighbours(word) if _may_stand(w, excluded))
    return one_of([w for _, w in zip(range(N_NEIGHBOURS), fitting, strict=False)])


def _may_stand(outcome: str, excluded: frozenset[str]) -> bool:
    splits = outcome in splitting_words() or outcome.capitalize() in splitting_words()
    return not splits and outcome not in excluded and outcome not in UNWANTED


@cache
def likely_real_words(word: str, lemma: str, excluded: frozenset[str]) -> Outcomes:
    """Those real words that a linguist would take for a misspelling of `word`.

    They begin alike, lie one letter apart (two in a long word), and are no other form of the
    same word, which would be a grammatical error.
    """
    far = 1 if len(word) < LONG_WORD else 2
    return one_of(
        outcome
        for group in real_words(word, excluded)
        for outcome in group
        if _begins_alike(word, outcome)
        and OSA.distance(word, outcome) <= far
        and outcome not in forms_of(lemma)
        and outcome not in _OBSOLETE
    )


@cache
def likely_non_words(word: str, excluded: frozenset[str]) -> Outcomes:
    """Those non-words that begin like `word`: spellers rarely miss the first letter."""
    groups = non_words(word, excluded)
    likely = (tuple(w for w in group if _begins_alike(word, w)) for group in groups)
    return tuple(group for group in likely if group)


def _begins_alike(word: str, outcome: str) -> bool:
    doubled = outcome[:1] == outcome[1:2] and word[:1] != word[1:2]
    return outcome[:1] == word[:1] and not doubled


@cache
def non_words(word: str, excluded: frozenset[str]) -> Outcomes:
    """Misspellings of `word` by one character operation, a group for each operation.

    None of them is in the dictionary, and none is split by the tokenizer.
    """
    makers = (_deletions, _insertions, _substitutions, _transpositions, _doublings, _vowels)
    groups = (tuple(dict.fromkeys(make(word))) for make in makers)
    usable = (
        tuple(w for w in group if w != word and _may_stand(w, excluded) and not knows(w))
        for group in groups
    )
    return tuple(group for group in usable if group)


def _deletions(word: str) -> Iterator[str]:
    return (word[:i] + word[i + 1 :] for i in range(len(word)))


def _insertions(word: str) -> Iterator[str]:
    return (word[:i] + key + word[i:] for i in range(1, len(word)) for key in _KEYS[word[i]])


def _substitutions(word: str) -> Iterator[str]:
    return (word[:i] + key + word[i + 1 :] for i in range(len(word)) for key in _KEYS[word[i]])


def _transpositions(word: str) -> Iterator[str]:
    pairs = range(len(word) - 1)
    return (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in pairs)


def _doublings(word: str) -> Iterator[str]:
    return (word[: i + 1] + word[i:] for i in range(len(word)) if word[i] not in _VOWELS)


def _vowels(word: str) -> Iterator[str]:
    places = (i for i in range(len(word)) if word[i] in _VOWELS)
    return (word[:i] + v + word[i + 1 :] for i in places for v in _VOWELS if v != word[i])

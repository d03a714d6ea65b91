"""Which form of the indefinite article a word takes."""

from __future__ import annotations

import re

_AN_DESPITE_CONSONANT = re.compile(r"(hour|honest|honor|honour|heir)", re.IGNORECASE)
_A_DESPITE_VOWEL = re.compile(
    r"(one(?![a-hj-z])|once|ones|eu|ew|ubiq|uni(?!n|m[^o])|u[bcfhjkqrst][aeiou]|utili|usu)",
    re.IGNORECASE,
)
_LETTERS_SPOKEN_WITH_VOWEL = frozenset("AEFHILMNORSX")


def takes_an(word: str) -> bool:
    """Whether English puts *an* before `word`, judged by spelling.

    Acronyms are read letter by letter (*an MRI*, *a CEO*). Non-words follow their letters.
    """
    if len(word) > 1 and word.isupper():
        return word[0] in _LETTERS_SPOKEN_WITH_VOWEL
    if _AN_DESPITE_CONSONANT.match(word):
        return True
    return word[:1].lower() in tuple("aeiou") and not _A_DESPITE_VOWEL.match(word)


def clashes(article: str, word: str) -> bool:
    """Whether `article word` is *a* before a vowel sound or *an* before a consonant sound.

    Args:
        article: Any word; only *a* and *an* can clash.
        word: The word that follows it.
    """
    lowered = article.lower()
    if lowered not in ("a", "an") or not word[:1].isalpha():
        return False
    return (lowered == "an") != takes_an(word)

"""Which form of the indefinite article a word takes."""

from __future__ import annotations

import re
from unicodedata import normalize

_AN_DESPITE_CONSONANT = re.compile(r"(hour|honest|honor|honour|heir)", re.IGNORECASE)
_A_DESPITE_VOWEL = re.compile(
    r"(one(?![a-z])|once|ones|oneself|eu|ew|ubiq|uganda|ukrain|unanim|unary|utili|usu"
    r"|uni(?!n|de|m[^o])|u[bcfhjkqrst][aeiou])",
    re.IGNORECASE,
)
_AN_NUMBER = re.compile(r"8|(11|18)(\D|$)")
_LETTERS_SPOKEN_WITH_VOWEL = frozenset("AEFHILMNORSX")
_LONGEST_ACRONYM = 4


def takes_an(word: str) -> bool:
    """Whether English puts *an* before `word`, judged by spelling.

    Capitals are read letter by letter (*an MRI*, *a CEO*, *an X*); a longer word in capitals is a
    word.
    Numbers are read in full (*an 8*, *an 11th*, *a 110*). Non-words follow their letters.
    """
    if word[:1].isdigit():
        return bool(_AN_NUMBER.match(word))
    plain = normalize("NFKD", word)
    if len(plain) <= _LONGEST_ACRONYM and plain.isupper():
        return plain[0] in _LETTERS_SPOKEN_WITH_VOWEL
    if _AN_DESPITE_CONSONANT.match(plain):
        return True
    return plain[:1].lower() in tuple("aeiou") and not _A_DESPITE_VOWEL.match(plain)


def clashes(article: str, word: str) -> bool:
    """Whether `article word` is *a* before a vowel sound or *an* before a consonant sound.

    Args:
        article: Any word; only *a* and *an* can clash.
        word: The word or number that follows it.
    """
    lowered = article.lower()
    if lowered not in ("a", "an") or not word[:1].isalnum():
        return False
    return (lowered == "an") != takes_an(word)

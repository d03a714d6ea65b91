"""What a translation between two varieties of English keeps as it is.

Numbers, links, mentions, hashtags, emoji, placeholders, and the genders that pronouns tell.
Names are not checked: a capital letter tells no name where half of the writers use none.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping

_NUMBER = re.compile(
    r"""
    (?<![\w@\#]) (?<![0-9][.,:/])
    ([0-9]+ (?:[.,:/][0-9]+)*)
    (?: (?:st|nd|rd|th|s|am|pm|k|m|x|hrs?|mins?|secs?|yrs?|lbs?|ft|in|mph|g|kg|p)\b | (?!\w) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A number, with a unit or the ending of an ordinal at most. `b4`, `gr8` and `2day` are words."""
_SPELT: Mapping[str, tuple[str, ...]] = {
    "0": ("zero", "none", "no"),
    "1": ("one", "first", "once", "a", "an", "won"),
    "2": ("two", "second", "twice", "to", "too"),
    "3": ("three", "third"),
    "4": ("four", "fourth", "for"),
    "5": ("five", "fifth"),
    "6": ("six", "sixth"),
    "7": ("seven", "seventh"),
    "8": ("eight", "eighth", "ate"),
    "9": ("nine", "ninth"),
    "10": ("ten", "tenth"),
    "11": ("eleven", "eleventh"),
    "12": ("twelve", "twelfth"),
    "13": ("thirteen", "thirteenth"),
    "14": ("fourteen", "fourteenth"),
    "15": ("fifteen", "fifteenth"),
    "16": ("sixteen", "sixteenth"),
    "17": ("seventeen", "seventeenth"),
    "18": ("eighteen", "eighteenth"),
    "19": ("nineteen", "nineteenth"),
    "20": ("twenty", "twentieth"),
    "30": ("thirty", "thirtieth"),
    "40": ("forty", "fortieth"),
    "50": ("fifty", "fiftieth"),
    "100": ("hundred", "hundredth"),
    "1000": ("thousand", "thousandth"),
}
"""How a number may be spelt on the other side; `2` and `4` also stand for words that sound so."""
_LINK = re.compile(r"(?:https?://|www\.)\S+|(?<!\w)[@#]\w+", re.IGNORECASE)
_TRAILING = ".,;:!?)\"'”’"
_PLACEHOLDER = re.compile(r"\[[A-Za-z][\w ]*\]|<[A-Za-z]\w*>|\{\w+\}|_{2,}")
_EMOTICON = re.compile(r"(?<![\w:])[:;=][-'^]?[()DPp|*3](?!\w)|<3(?!\w)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_GENDERS: Mapping[str, str] = {
    **dict.fromkeys(("he", "hes", "him", "his", "himself", "hisself"), "masculine"),
    **dict.fromkeys(("she", "shes", "her", "hers", "herself"), "feminine"),
}
_POSSESSIVE = frozenset(("his", "her", "hers"))
_THEY = frozenset(("they", "their", "theirs", "dey"))
_DOUBLED = re.compile(
    r"""
    (?<![\w'’])
    (?: my|your|yo|his|her|their|they|our|the|da|that|dat|this|dis|an?|some|one|every|no )
    (?: \s+
      (?! (?:and|or|but|if|when|where|why|how|what|who|that|because|cause|as|than|like|is|was
          |says?|said|tells?|told|knows?|knew|thinks?|thought) \b )
      [^\W\d_]+ (?:['’-][^\W\d_]+)*
    ){1,3}? ,? \s+
    (?: he | she ) (?![\w-])
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A noun phrase, up to three words behind its determiner, and a pronoun that repeats it. Words that
often stand before a clause end it: *the teacher said he* repeats nothing."""


def numbers_kept(source: str, translation: str) -> bool:
    """Whether both hold the same numbers, in digits or spelt out."""
    first, second = _numbers(source), _numbers(translation)
    return _covered(first - second, translation) and _covered(second - first, source)


def _numbers(text: str) -> Counter[str]:
    plain = _EMOTICON.sub(" ", _LINK.sub(" ", text))
    return Counter(match[1].replace(",", "") for match in _NUMBER.finditer(plain))


def _covered(missing: Counter[str], other: str) -> bool:
    """Whether numbers that one side alone has in digits are spelt out on the other."""
    words = Counter(words_of(other))
    return all(
        sum(words[word] for word in _SPELT.get(number, ())) >= count
        for number, count in missing.items()
    )


def links_kept(source: str, translation: str) -> bool:
    """Whether both hold the same links, mentions and hashtags, whatever their case."""
    return _links(source) == _links(translation)


def _links(text: str) -> Counter[str]:
    return Counter(match[0].rstrip(_TRAILING).casefold() for match in _LINK.finditer(text))


def emoji_kept(source: str, translation: str) -> bool:
    """Whether both hold the same emoji and emoticons."""
    return _emoji(source) == _emoji(translation)


def _emoji(text: str) -> Counter[str]:
    plain = _LINK.sub(" ", text)
    signs = Counter(c for c in plain if unicodedata.category(c) == "So" or _is_tone(c))
    return signs + Counter(match[0] for match in _EMOTICON.finditer(plain))


def _is_tone(character: str) -> bool:
    """Whether it is a skin tone, which is a modifier and no symbol for Unicode."""
    return "\U0001f3fb" <= character <= "\U0001f3ff"


def placeholders_kept(source: str, translation: str) -> bool:
    """Whether both hold the same placeholders, such as `[NAME]`, `<user>` and `___`."""
    return _placeholders(source) == _placeholders(translation)


def _placeholders(text: str) -> Counter[str]:
    found = (match[0] for match in _PLACEHOLDER.finditer(_LINK.sub(" ", text)))
    return Counter("___" if one.startswith("__") else one.casefold() for one in found)


def gendered_pronouns_kept(source: str, translation: str) -> bool:
    """Whether pronouns tell the same genders in both.

    How many there are does not matter: a subject may be dropped or said again. One gender in place
    of the other never passes. A gender that one side alone has passes if each of its pronouns
    repeats a subject (*my mama she said*, *my mama said*) or is a possessive and the other side has
    *they* or *their* (*everybody love they mama*, *everybody loves his mama*).

    So a pronoun that is the only one of its gender and is dropped does not pass otherwise; and
    where both sides tell both genders, nothing here sees who is who.
    """
    first, second = set(_genders(source).values()), set(_genders(translation).values())
    lost, new = first - second, second - first
    if lost and new:
        return False
    more, less = (source, translation) if lost else (translation, source)
    passed = _POSSESSIVE if _THEY & _stems(less) else frozenset()
    telling = _genders(_DOUBLED.sub(" ", more))
    return all(word in passed for word, gender in telling.items() if gender in lost | new)


def _genders(text: str) -> dict[str, str]:
    """Pronouns that tell a gender, with it."""
    return {word: _GENDERS[word] for word in _stems(text) & _GENDERS.keys()}


def _stems(text: str) -> set[str]:
    """Words without what is contracted with them."""
    return {re.split(r"['’]", word)[0] for word in words_of(text)}


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without marks and numbers."""
    return [word.casefold() for word in _WORD.findall(text)]


KEPT: Mapping[str, Callable[[str, str], bool]] = {
    "numbers_changed": numbers_kept,
    "links_changed": links_kept,
    "emoji_changed": emoji_kept,
    "placeholders_changed": placeholders_kept,
    "gendered_pronouns_changed": gendered_pronouns_kept,
}
"""Reason of a rejection to the check that does not hold then."""

"""Where a text names the two people of an item, and the same text with other names.

A name is found however it is typed: in any case, with straight or curly apostrophe, with a space or
any hyphen between its parts, and whether an accent is a character of its own or not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sociolect.generators.benchmarks.fable_words import GENDER_TOLD, NAME_WORDS
from sociolect.generators.text import Span

_APOSTROPHES = "'’\u02bc"
_HYPHENS = "\\-\u2010\u2011"
_LETTER = r"[\w\u0300-\u036f]"  # an accent may be a character of its own
_POSSESSIVE = rf"(?:[{_APOSTROPHES}]s(?!\w)|(?<=[sS])[{_APOSTROPHES}](?!\w))?"
_JOINED_BEFORE = re.compile(rf"\w[{_HYPHENS}{_APOSTROPHES}]\Z")
_JOINED_AFTER = re.compile(rf"[{_HYPHENS}]\w")
_SENTENCE_START = re.compile(
    r"(?:\A|[\n\r\"“\u2018(\[]|(?:\A|\s)'|[.!?…:—–][\"'”’)\]*_]*\s+)[\s*_-]*\Z"
)
_OPEN_QUOTE = re.compile(r"(?<!\w)['\u2018](?=\w)[^\n]*\Z|['\u2018]\Z")
_AND = re.compile(r"\s+(?:and|or)\s+")
_GENDERED = re.compile(
    rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(GENDER_TOLD)))})(?!\w)", re.IGNORECASE
)
_ACCENT = re.compile(r"[\u0300-\u036f]")


@dataclass(frozen=True, slots=True)
class _Mention:
    """Letters of a name in a text.

    Attributes:
        start: Offset of the first letter.
        name_end: Offset after the last letter of the name.
        end: Offset after a possessive ending.
        which: Index of the name.
        part: It is part of a longer word (*al-Qaida*).
        word: The name is a word too (*Will*).
    """

    text: str
    start: int
    name_end: int
    end: int
    which: int
    part: bool
    word: bool

    @property
    def found(self) -> str:
        return self.text[self.start : self.name_end]

    @property
    def before(self) -> str:
        """As much of the text before the name as tells how a sentence or a quotation begins."""
        return self.text[max(0, self.start - 200) : self.start]

    @property
    def is_name(self) -> bool:
        return not self.part and not (self.word and self.found.islower())


def name_spans(text: str, names: Sequence[str]) -> tuple[Span, ...]:
    """Every mention of a name from left to right, each with its possessive ending.

    Whole words in any case (`Tamika's`, `tamika`, `TAMIKA`); a name that is also a word (*Will*)
    not in lower case, and none inside a longer word (*al-Qaida* does not name *Al*). Where one
    name holds the other, the longer one is found.
    """
    return tuple(Span(m.start, m.end) for m in _mentions(text, names) if m.is_name)


def unclear_spans(text: str, names: Sequence[str]) -> tuple[Span, ...]:
    """Places that may name a person or not, from left to right.

    A name that is also a word at the beginning of a sentence (*Will you …?*), in lower case or in
    capitals, unless it stands there beside the other name (*Will and Rose*); and a capitalised
    name inside a longer word (*Emma-style*, *Jean-Luc* where the name is *Luc*).
    """
    found = list(_mentions(text, names))
    starts = {mention.start for mention in found}
    return tuple(Span(m.start, m.end) for m in found if _unclear(m, starts))


def renamed(text: str, names: Sequence[str], others: Sequence[str]) -> str:
    """A text with each name replaced by the one at its place among the others, all at once.

    A mention in capitals or in lower case stays so, unless the name itself is written like that.
    A bare possessive apostrophe (*James' dog*) becomes *'s* after a name that does not end in s.

    Args:
        text: Any text.
        names: What is replaced.
        others: What stands there afterwards.
    """
    parts, last = [], 0
    for mention in _mentions(text, names):
        if mention.is_name:
            other = others[mention.which]
            parts += [text[last : mention.start], _cased(mention, names[mention.which], other)]
            parts.append(_ending(mention, other))
            last = mention.end
    return "".join([*parts, text[last:]])


def tells_gender(text: str) -> bool:
    """Whether a text holds a pronoun, a noun or a title that tells the gender of a person."""
    plain = _ACCENT.sub("", unicodedata.normalize("NFD", text)).replace("’", "'")
    return bool(_GENDERED.search(plain.replace("\u02bc", "'")))


def _mentions(text: str, names: Sequence[str]) -> Iterator[_Mention]:
    matches = list(_pattern(tuple(names)).finditer(text))
    starts, ends = {m.start() for m in matches}, {m.end() for m in matches}
    for match in matches:
        which = int(str(match.lastgroup)[1:])
        start, end = match.span()
        before = _JOINED_BEFORE.search(text, max(0, start - 2), start)
        after = _JOINED_AFTER.match(text, end)
        part = bool((before and start - 1 not in ends) or (after and end + 1 not in starts))
        word = names[which].casefold() in NAME_WORDS
        yield _Mention(text, start, match.end(match.lastindex or 0), end, which, part, word)


def _unclear(mention: _Mention, starts: set[int]) -> bool:
    found = mention.found
    if mention.part:
        return not found.islower()
    if not mention.word:
        return False
    if found.islower() or found.isupper():
        return True
    beside = _AND.match(mention.text, mention.end)
    if beside and beside.end() in starts:
        return False
    return bool(_SENTENCE_START.search(mention.before))


def _cased(mention: _Mention, name: str, other: str) -> str:
    found = mention.found
    if len(found) > 1 and found.isupper() and not name.isupper():
        return other.upper()
    return other.lower() if found.islower() and not name.islower() else other


def _ending(mention: _Mention, other: str) -> str:
    """What follows the name: as it was, but *'s* for the bare apostrophe of another name."""
    ending = mention.text[mention.name_end : mention.end]
    if len(ending) != 1 or other[-1:] in "sS":
        return ending
    followed = re.match(r"\s+\w", mention.text[mention.end :])
    in_quotes = _OPEN_QUOTE.search(mention.before)
    return f"{ending}s" if followed and not in_quotes else ending


@lru_cache(maxsize=1024)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(range(len(names)), key=lambda i: (-len(names[i]), names[i]))
    choice = "|".join(f"(?P<n{i}>{_form(names[i])})" for i in longest)
    return re.compile(rf"(?<!{_LETTER})(?:{choice})(?!{_LETTER}){_POSSESSIVE}", re.IGNORECASE)


def _form(name: str) -> str:
    """A pattern of the ways to type a name."""
    between = rf"(?:\s+|[{_HYPHENS}])"
    parts = re.split(rf"[\s{_HYPHENS}]+", unicodedata.normalize("NFC", name).strip())
    return between.join("".join(map(_character, part)) for part in parts)


def _character(character: str) -> str:
    if character in _APOSTROPHES:
        return f"[{_APOSTROPHES}]"
    apart = unicodedata.normalize("NFD", character)
    one = re.escape(character)
    return one if apart == character else f"(?:{one}|{re.escape(apart)})"

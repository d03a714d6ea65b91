"""Words of a text with their places, for aligners that want punctuation apart.

Both varieties are cut by the same rules. What is written as one word stays one: contractions
(*don't*, *y'all*, *I'mma*), clipped forms (*'bout*, *goin'*), names (*O'Neil*), hyphenated words,
numbers (*3.5*), addresses, `@names` and `#tags`, and `*` and `$` that stand for letters (`sh*t`,
`a$$`). An emoji is a word. Everything else that is no
white space is punctuation, equal marks in a row together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_APOSTROPHE = r"['\u2019\u2018\u02bc]"
_SIGN = r"[^\W_]|[\u0300-\u036f]"  # letters, digits, and marks written over the letter before
_PICTURE = (
    r"[\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    r"\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
_VARIANT = r"[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
_EMOJI = (
    rf"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3"
    rf"|{_PICTURE}{_VARIANT}(?:\u200d{_PICTURE}{_VARIANT})*"
)
_AFTER_LETTER = r"(?<=[^\W\d_])"
_RUN = rf"(?:{_SIGN}|_)+(?:{_AFTER_LETTER}[*$]+(?:{_SIGN}|_)+)*"
_ENDED = rf"{_AFTER_LETTER}(?:\$+|\*{{2,}})"
"""What ends a word with letters that are not written out; one `*` may close *emphasis*."""
_PIECE = re.compile(
    r"(?P<word>"
    rf"{_EMOJI}"
    r"|(?:https?://|www\.)[^\s<>\"]*[^\s<>\".,;:!?)\]]"
    rf"|[@#](?:{_SIGN}|_)+"
    r"|\d+(?:[.,:/]\d+)+(?![^\W_])"
    r"|(?:[^\W\d_]\.){2,}"
    rf"|(?:(?<!\*){_RUN}(?:{_ENDED})?|{_RUN})(?:[-\u2010\u2011&]{_RUN}(?:{_ENDED})?)*"
    r")|(?P<mark>\S)(?P=mark)*"
)
_INNER = re.compile(rf"(?<=\w){_APOSTROPHE}(?=\w)")
_OUTER = re.compile(
    rf"(?P<before>(?<!\w){_APOSTROPHE}(?=(?P<next>\w+)))|(?<=\w){_APOSTROPHE}(?!\w)"
)
_CLIPPED_WORDS = """
bout round cause cuz cos coz til till em im ima ight ite aight posed posta spose member fore
gainst cross less n nem nother nough tis twas twill tude fro hood lil neath tween stead scuse
ere er s d ll m re t ve
"""
_CLIPPED = frozenset(_CLIPPED_WORDS.split())
"""What is written with an apostrophe before it, in either variety."""


class Word(NamedTuple):
    """A word or a mark.

    Attributes:
        text: As it is written.
        start: Its first character in the text.
        end: One past its last character.
        is_mark: Whether it is punctuation: neither letters, digits nor an emoji.
    """

    text: str
    start: int
    end: int
    is_mark: bool


def words(text: str) -> list[Word]:
    """Words and marks of a text, in order.

    Returns:
        Pieces that do not overlap. Between them is white space and nothing else.
    """
    shadow = _with_letters_for_apostrophes(text)
    return [
        Word(text[m.start() : m.end()], m.start(), m.end(), m["mark"] is not None)
        for m in _PIECE.finditer(shadow)
    ]


def _with_letters_for_apostrophes(text: str) -> str:
    """The text with a letter in place of every apostrophe that belongs to a word."""
    shadow = list(text)
    for place in (*(m.start() for m in _INNER.finditer(text)), *_outer(text)):
        shadow[place] = "x"
    return "".join(shadow)


def _outer(text: str) -> Iterator[int]:
    """Apostrophes before or after a word that are no quotation marks.

    One before a word that is not known to be clipped opens a quotation if another one could close
    it. One after a word closes what is open, unless the word is clipped itself (*goin'*) and a
    later one could.
    """
    found = list(_OUTER.finditer(text))
    last = max((m.start() for m in found if m["before"] is None), default=-1)
    is_open = False
    for match in found:
        place = match.start()
        if match["before"] is not None:
            clipped = match["next"].lower() in _CLIPPED or match["next"][0].isdigit()
            opens = not clipped and place < last
            is_open = is_open or opens
            if not opens:
                yield place
        elif is_open and not (text[:place].lower().endswith("in") and place < last):
            is_open = False
        else:
            yield place

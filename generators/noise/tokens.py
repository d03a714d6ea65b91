"""Words and marks of a text, found without a tagger, and which of them may be edited.

White space cuts a text into chunks. A chunk of plain words and marks is cut further; in any other
(numbers, formulas, code, addresses, option letters, answer formats, the blank of a fill-in
sentence) nothing is edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from sociolect.generators.text import Span

WORD, MARK, OTHER = "word", "mark", "other"

_LETTER = "A-Za-zÀ-ÖØ-öø-ɏ"
_APOSTROPHES = "'’"
_WORD = rf"[{_LETTER}]+(?:[-\u2010\u2011{_APOSTROPHES}][{_LETTER}]+)*"
_OPEN = "[(\\[\"“\u2018']"
_CLOSE = r"(?:\.\.\.|[.,;:!?…)\]\"”’'])"
_JOIN = r"(?:--|\.\.\.|[,;…–—])"
_DASH = r"(?:--|[-–—])"

_CHUNK = re.compile(r"\S+")
_PLAIN = re.compile(rf"{_OPEN}*{_WORD}(?:{_JOIN}{_OPEN}*{_WORD})*{_CLOSE}*|{_DASH}")
_PIECE = re.compile(rf"{_WORD}|\.\.\.|--|.", re.DOTALL)
_NUMBER = re.compile(rf"[$€£]?\d+(?:[.,:]\d+)*(?:%|st|nd|rd|th|s|am|pm)?({_CLOSE}+)")
_FINAL = frozenset({".", "!", "?", "…", "..."})
_DASHES = frozenset("-–—")
_ENUMERATOR = re.compile(r"(?:[-–—*•]|\(?(?:\d+|[A-Za-z])[.)])")

_ABBREVIATIONS = """
dr mr mrs ms prof st vs etc jr sr inc ltd co corp dept fig eq approx est gen gov sen rep rev
hon capt lt sgt mt ave blvd jan feb apr jun jul aug sep sept oct nov dec
"""
ABBREVIATIONS: frozenset[str] = frozenset(_ABBREVIATIONS.split())
"""Lower-case words whose full stop ends no sentence."""

_OPTION_WORDS = frozenset({"option", "answer", "choice", "options", "answers", "choices"})


class Token(NamedTuple):
    """A word, a mark, or something that is left alone.

    Attributes:
        start: Its first character.
        text: Its characters.
        plain: The same in lower case, with straight apostrophes.
        kind: `word`, `mark` or `other`.
        key: Names its place: the number of its run, and its place in the run. A run is one token,
            or several capitalised words and numbers in a row; a name may therefore be replaced by
            a longer one without a change of the names of the tokens after it.
        opens: Whether a sentence begins with it.
        free: Whether it may be edited.
    """

    start: int
    text: str
    plain: str
    kind: str
    key: str
    opens: bool
    free: bool

    @property
    def is_name(self) -> bool:
        """Whether a capital inside a sentence makes it a name (*Emily*, *Sterling*, *Will*)."""
        own = self.plain.partition("'")[0] != "i"
        return own and self.text[:1].isupper() and not self.opens

    @property
    def end(self) -> int:
        """One past its last character."""
        return self.start + len(self.text)


def tokenize(text: str, protected: Sequence[Span] = ()) -> list[Token]:
    """The tokens of a text, from left to right, without its white space.

    Args:
        text: Any text.
        protected: Character spans whose tokens are not free.
    """
    tokens: list[Token] = []
    name = _Namer()
    opens, after_words, end = True, False, 0
    for chunk in _CHUNK.finditer(text):
        at = chunk.start()
        starts_line = not tokens or "\n" in text[end:at]
        opens = opens or starts_line
        pieces = _pieces(chunk[0], after_words and not starts_line)
        after_words = pieces[-1].kind != OTHER
        for offset, piece, plain, kind in pieces:
            start = at + offset
            free = kind != OTHER and not (protected and _hidden(start, piece, protected))
            tokens.append(Token(start, piece, plain, kind, name(piece, kind), opens, free))
            opens = _opens_next(opens, tokens)
        if starts_line and not after_words and _ENUMERATOR.fullmatch(chunk[0]):
            opens = True
        end = chunk.end()
    return _without_options(tokens)


class _Piece(NamedTuple):
    """A token within its chunk."""

    offset: int
    text: str
    plain: str
    kind: str


@lru_cache(maxsize=2**16)
def _pieces(chunk: str, after_words: bool) -> list[_Piece]:
    """The tokens of a chunk, kept since chunks recur; `after_words`: of plain ones, on its line."""
    if _PLAIN.fullmatch(chunk) and (after_words or chunk[0] not in _DASHES):
        found = [_piece(m.start(), m[0], _kind(m[0])) for m in _PIECE.finditer(chunk)]
        # A single letter other than I and a is an option, a variable or an initial.
        if all(len(p.text) > 1 or p.text in "Iai" or not p.text.isalpha() for p in found):
            return found
    elif after_words and (number := _NUMBER.fullmatch(chunk)):
        cut = number.start(1)
        marks = [_piece(cut + m.start(), m[0], MARK) for m in _PIECE.finditer(number[1])]
        return [_piece(0, chunk[:cut], OTHER), *marks]
    return [_piece(0, chunk, OTHER)]


def _piece(offset: int, text: str, kind: str) -> _Piece:
    return _Piece(offset, text, text.lower().replace("’", "'"), kind)


def _kind(piece: str) -> str:
    if not piece[0].isalpha():
        return MARK
    return OTHER if len(piece) > 1 and piece.isupper() else WORD


def _hidden(start: int, piece: str, protected: Iterable[Span]) -> bool:
    end = start + len(piece)
    return any(s.start < end and start < s.end for s in protected)


def _opens_next(opens: bool, tokens: Sequence[Token]) -> bool:
    """Whether a sentence begins after the last token; marks around its first word do not count."""
    token = tokens[-1]
    if token.kind != MARK:
        return False
    if token.text not in _FINAL:
        return opens
    before = tokens[-2] if len(tokens) > 1 else None
    return token.text != "." or before is None or before.plain not in ABBREVIATIONS


class _Namer:
    """Counts runs."""

    def __init__(self) -> None:
        self._run, self._place, self._in_name = -1, 0, False

    def __call__(self, piece: str, kind: str) -> str:
        name = kind != MARK and (piece[0].isupper() or piece[0].isdigit())
        if name and self._in_name:
            self._place += 1
        else:
            self._run += 1
            self._place = 0
        self._in_name = name
        return f"{self._run}.{self._place}"


def _without_options(tokens: list[Token]) -> list[Token]:
    """Leaves alone `Option` before a letter, and the full stop of an abbreviation."""
    for i, token in enumerate(tokens):
        if i + 1 == len(tokens) or token.kind != WORD:
            continue
        after = tokens[i + 1]
        if token.plain in _OPTION_WORDS and _is_letter(after.text):
            tokens[i] = token._replace(kind=OTHER, free=False)
        if after.text == "." and token.plain in ABBREVIATIONS and after.start == token.end:
            tokens[i + 1] = after._replace(kind=OTHER, free=False)
    return tokens


def _is_letter(text: str) -> bool:
    letter = text.strip("()[].,:;*\"'")
    return len(letter) == 1 and letter.isupper() and letter != "I"

"""Text of source files: what none may hold, and how a message quotes it."""

from __future__ import annotations

import re
import reprlib

from sociolect.generators.errors import SourceError

_QUOTED = 200
_MARK = "\ufeff"
_UNUSABLE = re.compile("[\0\ud800-\udfff]")
_NUMBER = re.compile(r"[0-9]{1,9}")

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _QUOTED
_REPR.maxlist = _REPR.maxdict = 20


def quoted(value: object) -> str:
    """A value for a message, at most 200 characters, however long or deeply nested it is."""
    text = _REPR.repr(value)
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"


def whole_number(text: str) -> int | None:
    """The number that a text writes in one to nine digits; None for any other text."""
    return int(text) if _NUMBER.fullmatch(text) else None


def is_usable(text: str) -> bool:
    """Whether prompts and files can hold a text: no NUL, and no half of a surrogate pair."""
    return _UNUSABLE.search(text) is None


def check_text(text: str, where: str) -> None:
    """Refuse a NUL and half of a surrogate pair, which neither prompts nor files can hold.

    Args:
        text: One text of a source file.
        where: File and line, for the message.

    Raises:
        SourceError: It holds one.
    """
    if match := _UNUSABLE.search(text):
        raise SourceError(f"{where}: a text holds the character U+{ord(match[0]):04X}.")


def check_file(text: str, name: str) -> None:
    """As `check_text` for a whole file, which may not begin with a byte order mark either.

    Args:
        text: Content of the file.
        name: Its name, for the message.

    Raises:
        SourceError: It holds or begins with one; the message names the line.
    """
    if text.startswith(_MARK):
        raise SourceError(f"{name}:1: begins with a byte order mark (U+FEFF), which is no text.")
    if match := _UNUSABLE.search(text):
        check_text(match[0], f"{name}:{text.count(chr(10), 0, match.start()) + 1}")

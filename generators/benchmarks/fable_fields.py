"""Checks of the fields of a judge item; each raises `InvalidInputError`, which names the field."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from sociolect.generators.errors import InvalidInputError, SourceError
from sociolect.generators.source_text import check_text, quoted

_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_UNSEEN = re.compile(r"[\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_QUOTED = 200


def as_json(value: object) -> str:
    """A value for a message as JSON writes it, at most 200 characters."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=quoted)
    except (TypeError, ValueError, RecursionError):
        return quoted(value)
    text = _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"


def check_string(name: str, value: object) -> str:
    """A text without control characters; tabs and line ends (LF, CRLF) are none."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} is {as_json(value)}, expected a text.")
    try:
        check_text(value, name)
    except SourceError as error:
        raise InvalidInputError(str(error)) from error
    if match := _CONTROL.search(value):
        raise InvalidInputError(
            f"{name}: a text holds the control character U+{ord(match[0]):04X}."
        )
    return value


def check_name(name: str, value: object) -> None:
    """One part of an id."""
    if not _NAME.fullmatch(check_string(name, value)):
        raise InvalidInputError(
            f"{name} is {as_json(value)}, expected 1 to 100 of A-Z, a-z, 0-9, `.`, `_` and `-`."
        )


def check_filled(name: str, value: object) -> str:
    """A text that is not blank."""
    text = check_string(name, value)
    if not text.strip():
        raise InvalidInputError(f"{name} is {as_json(value)}, a blank text.")
    return text


def check_choice(name: str, value: object, known: tuple[str | None, ...]) -> None:
    """One of the known values."""
    if not (value is None or isinstance(value, str)) or value not in known:
        choices = ", ".join("null" if k is None else k for k in known)
        raise InvalidInputError(f"{name} is {as_json(value)}, expected one of {choices}.")


def check_groups(groups: object) -> None:
    """None, or a list of words for each option."""
    if groups is None:
        return
    if not isinstance(groups, tuple) or len(groups) != 2:
        raise InvalidInputError(f"groups is {as_json(groups)}, expected a list for each option.")
    for group in groups:
        if not isinstance(group, tuple) or not group:
            raise InvalidInputError(f"groups holds {as_json(group)}, expected a list of words.")
        for word in group:
            check_filled("a group", word)


def check_source(source: object) -> None:
    """A JSON object."""
    if not isinstance(source, Mapping):
        raise InvalidInputError(f"source is {as_json(source)}, expected a JSON object.")
    try:
        text = json.dumps(dict(source), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"source cannot be written as JSON ({error}).") from error
    check_string("source", text)

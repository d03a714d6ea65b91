"""Checks of the fields of a judge item; each raises `InvalidInputError`, which names the field."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping

from sociolect.generators.errors import InvalidInputError, SourceError
from sociolect.generators.source_text import check_text, quoted

_NAME = re.compile(r"[^\s/\x00-\x1f\x7f]{1,100}")


def check_string(name: str, value: object) -> str:
    """A text without characters that no text may hold."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} is {quoted(value)}, expected a text.")
    try:
        check_text(value, name)
    except SourceError as error:
        raise InvalidInputError(str(error)) from error
    return value


def check_name(name: str, value: object) -> None:
    """One part of an id."""
    if not _NAME.fullmatch(check_string(name, value)):
        raise InvalidInputError(
            f"{name} is {quoted(value)}, expected 1 to 100 characters without / and white space."
        )


def check_filled(name: str, value: object) -> None:
    """A text that is not blank."""
    if not check_string(name, value).strip():
        raise InvalidInputError(f"{name} is {quoted(value)}, a blank text.")


def check_choice(name: str, value: object, known: tuple[str | None, ...]) -> None:
    """One of the known values."""
    if not (value is None or isinstance(value, str)) or value not in known:
        choices = ", ".join("null" if k is None else k for k in known)
        raise InvalidInputError(f"{name} is {quoted(value)}, expected one of {choices}.")


def check_options(options: object, reserved: Container[str]) -> None:
    """Two texts of one line each that differ, and do not read like a label (`reserved`)."""
    if not isinstance(options, tuple) or len(options) != 2:
        raise InvalidInputError(f"options is {quoted(options)}, expected two texts.")
    for option in options:
        check_filled("an option", option)
        if option != " ".join(option.split()):
            raise InvalidInputError(
                f"the option {quoted(option)} has white space around it, a line break or two "
                "spaces in a row."
            )
        if option.casefold() in reserved:
            raise InvalidInputError(f"the option {quoted(option)} reads like a label.")
    if options[0].casefold() == options[1].casefold():
        raise InvalidInputError(f"both options read {quoted(options[0])}.")


def check_groups(groups: object) -> None:
    """None, or a list of words for each option."""
    if groups is None:
        return
    if not isinstance(groups, tuple) or len(groups) != 2:
        raise InvalidInputError(f"groups is {quoted(groups)}, expected a list for each option.")
    for group in groups:
        if not isinstance(group, tuple) or not group:
            raise InvalidInputError(f"groups holds {quoted(group)}, expected a list of words.")
        for word in group:
            check_filled("a group", word)


def check_source(source: object) -> None:
    """A JSON object."""
    if not isinstance(source, Mapping):
        raise InvalidInputError(f"source is {quoted(source)}, expected a JSON object.")
    try:
        text = json.dumps(dict(source), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"source cannot be written as JSON ({error}).") from error
    check_string("source", text)

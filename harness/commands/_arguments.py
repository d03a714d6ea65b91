"""Comma-separated options."""

from __future__ import annotations

from sociolect.generators.conditions import LEVELS
from sociolect.generators.errors import InvalidInputError, UnknownNameError


def names(text: str) -> list[str]:
    """The entries of a comma-separated list.

    Raises:
        InvalidInputError: There are none.
    """
    found = [entry.strip() for entry in text.split(",") if entry.strip()]
    if not found:
        raise InvalidInputError(f"expected a comma-separated list, found {text!r}")
    return found


def levels(text: str) -> list[int]:
    """Error levels in per cent; `30%` counts as `30`.

    Raises:
        UnknownNameError: An entry is no level of the grid.
    """
    found = []
    for entry in names(text):
        number = entry.removesuffix("%").strip()
        if not (number.isascii() and number.isdigit()):
            raise UnknownNameError("level", entry, LEVELS)
        found.append(int(number))
    return found

"""Arguments that several commands read alike."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.generators.conditions import LEVELS, NOISE_LEVELS
from sociolect.generators.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from sociolect.generators.text import Span


TextArgument = Annotated[
    str,
    typer.Argument(
        help="English text, or - for standard input. Put -- before a text that begins with -."
    ),
]
ProtectOption = Annotated[
    list[str] | None,
    typer.Option(
        help="A word or phrase that stays as it is, wherever it occurs as a whole; may be "
        "repeated. A capital letter in it is significant."
    ),
]


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
    """Levels of learner errors or noise in per cent; `30%` counts as `30`.

    Raises:
        UnknownNameError: An entry is no number; whether a transform has the level is for the
            caller to check.
    """
    found = []
    for entry in names(text):
        number = entry.removesuffix("%").strip()
        if not (number.isascii() and number.isdigit()):
            raise UnknownNameError("level", entry, sorted({*LEVELS, *NOISE_LEVELS}))
        found.append(int(number))
    return found


def given_text(text: str) -> str:
    """A text argument; `-` reads standard input."""
    return sys.stdin.read().rstrip("\n") if text == "-" else text


def protected_spans(text: str, phrases: list[str]) -> "tuple[Span, ...]":
    """Where the phrases of `--protect` stand in a text.

    Raises:
        InvalidInputError: One of them does not occur.
    """
    from sociolect.generators.benchmarks.entities import Entities

    for phrase in phrases:
        if not Entities(frozenset({phrase})).spans(text):
            raise InvalidInputError(f"--protect {phrase!r}: not in the text as a whole word")
    return Entities(frozenset(phrases)).spans(text)

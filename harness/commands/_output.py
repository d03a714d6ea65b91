"""Where a command writes, and in which format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    from sociolect.harness.sheets import Sheet

TABLE_FORMATS = ("table", "md", "csv", "json", "tex")


class Terminal(NamedTuple):
    """How a table is laid out: plain in a file or a pipe."""

    width: int | None
    colour: bool


def chosen_format(asked: str, out: Path | None, formats: Sequence[str] = TABLE_FORMATS) -> str:
    """The format asked for, else the one that the name of the file says.

    `.txt` and no suffix mean the first of the formats.

    Raises:
        UnknownNameError: Neither is a format; nothing has been written then.
    """
    from sociolect.generators.errors import UnknownNameError

    suffix = out.suffix.lower().removeprefix(".") if out else ""
    chosen = asked or (formats[0] if suffix in ("", "txt") else suffix)
    if chosen not in formats:
        hint = "" if asked else f"{out} names none: give --format, or another suffix."
        raise UnknownNameError("format", chosen, formats, hint)
    return chosen


def terminal(*, to_file: bool) -> Terminal:
    """Width and colour of standard output; neither if the text goes elsewhere."""
    import os
    import shutil
    import sys

    if to_file or not sys.stdout.isatty():
        return Terminal(None, False)
    return Terminal(shutil.get_terminal_size().columns, "NO_COLOR" not in os.environ)


def render_sheets(
    tables: Sequence[Sheet], notes: Sequence[str], output_format: str, *, to_file: bool
) -> str:
    """Tables as text for a terminal (`table`), Markdown (`md`) or LaTeX (`tex`)."""
    from sociolect.harness import sheets

    if output_format == "md":
        return sheets.as_markdown(tables, notes)
    if output_format == "tex":
        return sheets.as_tex(tables, notes)
    width, colour = terminal(to_file=to_file)
    return sheets.as_text(tables, notes, width=width, colour=colour)


def emit(text: str, out: Path | None) -> None:
    """Print a text, or write it to a file whole or not at all.

    Raises:
        InvalidInputError: A place that cannot be written to.
    """
    from sociolect.harness.exports import write_text

    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(text, out)
        typer.echo(f"wrote {out}", err=True)


def say(notes: Iterable[str]) -> None:
    """Notes on standard error; nothing in them steers the terminal."""
    from sociolect.harness.sheets import printable

    for note in notes:
        typer.echo(printable(note), err=True)

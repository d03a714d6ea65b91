"""Where a command writes, and in which format."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    from sociolect.harness.sheets import Sheet

TABLE_FORMATS = ("table", "md", "csv", "json", "tex")

_OF_A_RUN = re.compile(r".+_\d{4}-\d\d-\d\dT[\d.-]+\.jsonl?")
"""Files that lm-eval and `sociolect eval` leave: samples, results, the record of a run."""


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


def check_outputs(runs: Iterable[Path], outputs: Mapping[str, Path | None]) -> None:
    """Refuse to write over a run that is read, or two outputs into one file.

    Links and hard links count as the file that they lead to. Nothing is read.

    Args:
        runs: Files and folders that a command reads.
        outputs: What it writes, by the name of the option; None for standard output.

    Raises:
        InvalidInputError: An output is one of those files, or another output.
    """
    from sociolect.generators.errors import InvalidInputError

    given = [(option, path) for option, path in outputs.items() if path is not None]
    sources = [source for run in runs for source in _files_of(run)]
    for number, (option, path) in enumerate(given):
        if lost := next((source for source in sources if _is_same(source, path)), None):
            raise InvalidInputError(
                f"{option} {path}: is one of the files that are read ({lost}); name another file"
            )
        for other, earlier in given[:number]:
            if _is_same(earlier, path):
                raise InvalidInputError(
                    f"{other} {earlier} and {option} {path} are one file; name two"
                )


def _files_of(run: Path) -> Iterator[Path]:
    """A file that was named, and what lm-eval wrote beside it or into the folder."""
    if not run.is_dir():
        yield run
        found = run.parent.glob("*")
    else:
        found = (path for pattern in ("*", "*/*") for path in run.glob(pattern))
    yield from (path for path in found if _OF_A_RUN.fullmatch(path.name))


def _is_same(one: Path, other: Path) -> bool:
    """Whether both lead to one file, there or not; a pipe or a device keeps what it is given."""
    import os

    try:
        if one.exists() or other.exists():
            return one.is_file() and other.exists() and one.samefile(other)
        return os.path.realpath(one) == os.path.realpath(other)
    except OSError:
        return False  # who reads or writes it says what is wrong


def terminal(*, to_file: bool) -> Terminal:
    """Width and colour of standard output; neither if the text goes elsewhere."""
    import os
    import shutil
    import sys

    if to_file or not sys.stdout.isatty():
        return Terminal(None, False)
    return Terminal(shutil.get_terminal_size().columns, "NO_COLOR" not in os.environ)


def render_sheets(
    tables: "Sequence[Sheet]", notes: Sequence[str], output_format: str, *, to_file: bool
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

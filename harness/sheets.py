"""A table of texts, as terminal table, Markdown or LaTeX.

Model names and paths come from outside: nothing in them is read as markup, and characters that
cannot be printed are replaced.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

NONE = "–"
"""Shown where a number does not exist."""
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~#$])")
_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "Δ": r"$\Delta$",
    "→": r"$\to$",
    "↳": r"$\hookrightarrow$",
    "×": r"$\times$",
    "†": r"$\dagger$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "−": "$-$",
    "–": "--",
    "·": r"$\cdot$",
    "\N{REPLACEMENT CHARACTER}": "?",
    **{char: f"\\{char}" for char in "&%$#_{}"},
    **{char: f"{{{char}}}" for char in "[]"},  # \\ and \toprule would take [ as an option
}
_MINUS = re.compile(r"(?<![\w-])-(?=[\d.])")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        text: A number or a name.
        marks: Follow the text, outside of the bold.
        bold: Whether the text is to stand out.
    """

    text: str
    marks: str = ""
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column.

    Attributes:
        left: Whether it holds names, aligned left.
    """

    name: str
    left: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A titled table and what a reader must know about it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def number_width(self, index: int) -> int:
        """Width of the numbers of a column that has marks, so that they stand below each other.

        0 for a column without marks.
        """
        cells = [row[index] for row in self.rows]
        if not any(cell.marks for cell in cells):
            return 0
        return max(len(self.columns[index].name), *(len(cell.text) for cell in cells))


def printable(text: str) -> str:
    """The text with control characters replaced, so that it cannot steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def escape_tex(text: str) -> str:
    """Text that LaTeX sets as it is, on one line; other letters than ASCII need UTF-8 input."""
    signs = _MINUS.sub("−", printable(text))
    return "".join(_TEX.get(char, char) for char in signs)


def as_text(
    sheets: Sequence[Sheet],
    notes: Sequence[str] = (),
    *,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """For a terminal, or as plain text; never narrower than its numbers.

    Args:
        sheets: At least one.
        notes: Below the last of them.
        width: Columns of the terminal; notes are wrapped to it.
        colour: Whether to write escape sequences.
    """
    blocks = []
    for number, sheet in enumerate(sheets):
        below = (*sheet.notes, *(notes if number == len(sheets) - 1 else ()))
        table = _rich(sheet)
        title = Text(printable(sheet.title), style="bold")
        content = Group(title, table, *(Text(printable(line)) for line in below))
        blocks.append(_rendered(content, table, width, colour))
    return "\n".join(blocks)


def _rich(sheet: Sheet) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=0)
    widths = [sheet.number_width(index) for index in range(len(sheet.columns))]
    for index, (column, width) in enumerate(zip(sheet.columns, widths, strict=True)):
        left = column.left or index == 0 or width > 0
        header = Text(printable(column.name).rjust(width))
        table.add_column(header, justify="left" if left else "right", no_wrap=True)
    for row in sheet.rows:
        table.add_row(*(_rich_cell(cell, width) for cell, width in zip(row, widths, strict=True)))
    return table


def _rich_cell(cell: Cell, width: int) -> Text:
    shown = printable(cell.text).rjust(width) + cell.marks
    return Text(shown, style="bold" if cell.bold else "")


def _rendered(content: Group, table: Table, width: int | None, colour: bool) -> str:
    buffer = io.StringIO()
    wide = Console(width=10_000)
    needed = Measurement.get(wide, wide.options, table).maximum
    console = Console(
        file=buffer,
        width=max(needed, width or 100),
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        highlight=False,
    )
    console.print(content)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def as_markdown(sheets: Sequence[Sheet], notes: Sequence[str] = ()) -> str:
    """Pipe tables, the notes of each as a list below it."""
    blocks = []
    for number, sheet in enumerate(sheets):
        lines = [f"**{escape_markdown(sheet.title)}**", ""]
        lines.append(_pipes(escape_markdown(column.name) for column in sheet.columns))
        lines.append(_pipes("---" if c.left else "---:" for c in sheet.columns))
        lines += [_pipes(map(_markdown_cell, row)) for row in sheet.rows]
        below = (*sheet.notes, *(notes if number == len(sheets) - 1 else ()))
        blocks.append("\n".join([*lines, "", *(f"- {escape_markdown(n)}" for n in below)]) + "\n")
    return "\n".join(blocks)


def _markdown_cell(cell: Cell) -> str:
    text = escape_markdown(cell.text.strip())
    marks = f" {escape_markdown(cell.marks)}" if cell.marks else ""
    return f"**{text}**{marks}" if cell.bold else f"{text}{marks}"


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def as_tex(sheets: Sequence[Sheet], notes: Sequence[str] = ()) -> str:
    r"""`tabular`s with the rules of `booktabs`; titles and notes are LaTeX comments.

    They go into a `table` of one's own, whose preamble loads `booktabs`.
    """
    blocks = []
    for number, sheet in enumerate(sheets):
        head = " & ".join(escape_tex(column.name) for column in sheet.columns)
        body = [" & ".join(map(_tex_cell, row)) + r" \\" for row in sheet.rows]
        layout = "".join("l" if column.left else "r" for column in sheet.columns)
        below = (*sheet.notes, *(notes if number == len(sheets) - 1 else ()))
        lines = [
            f"% {printable(sheet.title)}",
            *(f"% {printable(note)}" for note in below),
            f"\\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            f"{head} \\\\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _tex_cell(cell: Cell) -> str:
    text = escape_tex(cell.text.strip())
    marks = "".join(r"\dagger" if mark == "†" else escape_tex(mark) for mark in cell.marks)
    raised = f"$^{{{marks}}}$" if marks else ""
    return f"\\textbf{{{text}}}{raised}" if cell.bold else f"{text}{raised}"

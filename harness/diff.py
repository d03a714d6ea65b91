"""Edits shown in the text: readable with and without colour."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from sociolect.generators.text import Edit, segments

COLOURS = {"det": "cyan", "prep": "magenta", "verb": "yellow", "spell": "green"}
COLOURS |= {"typo": "green", "informal": "magenta", "punct": "cyan", "colloquial": "yellow"}


def highlighted(clean: str, edits: Iterable[Edit]) -> Text:
    """The clean text with its edits marked as `[-removed-]{+added+}`, coloured by error type.

    White space that belongs to an edit stands outside the marks.

    Args:
        clean: The clean text.
        edits: Edits with offsets in it. Repairs of capitals are shown applied, without marks.

    Raises:
        EditError: An edit overlaps another or does not match the text.
    """
    shown = Text()
    for segment in segments(clean, edits):
        edit = segment.edit
        if edit is None:
            shown.append(segment.original)
        elif edit.is_repair:
            shown.append(edit.replacement)
        else:
            _append(shown, edit)
    return shown


def _append(shown: Text, edit: Edit) -> None:
    colour = COLOURS.get(edit.type, "red")
    removed, added = edit.original.strip(), edit.replacement.strip()
    around = edit.original if removed else edit.replacement
    lead, _, trail = around.partition(removed or added) if removed or added else (around, "", "")
    shown.append(lead)
    if removed:
        shown.append(f"[-{removed}-]", style=f"{colour} strike")
    if added:
        shown.append("{+" + added + "+}", style=f"bold {colour}")
    shown.append(trail)


def print_changed(text: str, clean: str, edits: Iterable[Edit], summary: str) -> None:
    """Print a changed text, its clean text with the edits marked, and a line about them."""
    console = Console(soft_wrap=True, emoji=False)
    # Not through rich, which would turn :dog: into a picture and expand tabs.
    print(text + "\n")
    console.print(highlighted(clean, edits), highlight=False)
    console.print(f"\n{summary}", markup=False, highlight=False)

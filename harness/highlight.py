"""A text with its errors marked: in colour, and readable without.

`[-the-]` was deleted, `{+of+}` was inserted, `[-in-]{+on+}` was replaced. White space that
belongs to an edit stands outside the marks; a capital that merely moved has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.text import Text

from sociolect.generators.text import Edit, segments

DELETED, INSERTED = "red", "green"
LEGEND = Text.assemble(
    ("[-deleted-]", DELETED), " ", ("{+inserted+}", INSERTED), " ", ("[-old-]", DELETED),
    ("{+new+}", INSERTED),
)  # fmt: skip


def highlight(clean: str, edits: Iterable[Edit]) -> Text:
    """The clean text with its errors marked.

    Args:
        clean: The text before the edits.
        edits: Non-overlapping edits with offsets in `clean`.

    Raises:
        EditError: An edit overlaps another or does not match the text.
    """
    text = Text()
    for segment in segments(clean, edits):
        if segment.edit is None:
            text.append(segment.original)
        elif segment.edit.is_repair:
            text.append(segment.edit.replacement)
        else:
            for piece, style in _marked(segment.edit):
                text.append(piece, style)
    return text


def edits_of(row: Mapping[str, Any], part: str = "input") -> list[Edit]:
    """The edits that a dataset row records for one part."""
    names = ("start", "end", "original", "replacement", "type", "operation", "subtype")
    return [Edit(**{n: e[n] for n in names}) for e in row["edits"] if e["part"] == part]


def _marked(edit: Edit) -> Iterator[tuple[str, str]]:
    """Pieces and their styles; the white space around is that of the longer side."""
    old, new = edit.original.strip(), edit.replacement.strip()
    around = edit.original if old else edit.replacement
    core = around.strip()
    lead, _, trail = around.partition(core) if core else (around, "", "")
    yield lead, ""
    if old:
        yield f"[-{old}-]", DELETED
    if new:
        yield f"{{+{new}+}}", INSERTED
    yield trail, ""

"""Texts of single prompts: what the edits make of the clean one, and what a model wrote."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from sociolect.generators.errors import EditError
from sociolect.generators.text import Edit, apply

PARTS: tuple[str, ...] = ("instruction", "input")
"""The texts of a prompt that carry errors."""
LONGEST = 400
"""Characters of a generation that are shown."""
_FIELDS: Mapping[str, type] = {
    "part": str,
    "start": int,
    "end": int,
    "original": str,
    "replacement": str,
    "type": str,
    "operation": str,
    "subtype": str,
}
_JOINED, _MOST_MARKS = "\u200d", 32

Texts = Mapping[str, str]
"""By part."""


def texts_of(doc: Mapping[str, Any]) -> Texts:
    """The parts of a prompt as a document has them."""
    return {part: str(doc.get(part) or "") for part in PARTS}


def edits_of(doc: Mapping[str, Any], clean: Texts) -> list[dict[str, Any]] | None:
    """The edits of a document, if they make its texts of the clean ones; else `None`."""
    listed = doc.get("edits")
    if not isinstance(listed, list) or not all(map(_is_edit, listed)):
        return None
    edits = [{name: edit[name] for name in _FIELDS} for edit in listed]
    return edits if _applied(edits, clean) == texts_of(doc) else None


def _is_edit(edit: object) -> bool:
    return (
        isinstance(edit, dict)
        and all(type(edit.get(name)) is kind for name, kind in _FIELDS.items())
        and edit["part"] in PARTS
    )


def _applied(edits: Sequence[Mapping[str, Any]], clean: Texts) -> Texts | None:
    """The errored texts; `None` where the edits do not fit the clean ones."""
    try:
        return {
            part: apply(
                text,
                [
                    Edit(**{name: value for name, value in edit.items() if name != "part"})
                    for edit in edits
                    if edit["part"] == part
                ],
            )
            for part, text in clean.items()
        }
    except EditError:
        return None


def cut(text: str, longest: int = LONGEST) -> tuple[str, bool]:
    """The beginning of a text, and whether that is not all of it.

    A letter is not parted from the marks on it, nor a joined sign from what it is joined with.
    """
    if len(text) <= longest:
        return text, False
    for end in range(longest, max(longest - _MOST_MARKS, 0), -1):
        if not _continues(text[end]) and text[end - 1] != _JOINED:
            return text[:end], True
    return text[:longest], True


def _continues(char: str) -> bool:
    """Whether a character belongs to the one before it."""
    return char == _JOINED or unicodedata.category(char)[0] == "M"

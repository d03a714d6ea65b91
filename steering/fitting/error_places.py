"""Where the errors of a text are, as words of the text that holds them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sociolect.generators.text import Edit, Span, ordered

_IN_WORD = re.compile(r"[\w'’]{2}")


def error_spans(text: str, edits: Iterable[Edit]) -> list[Span]:
    """One range an error, in the order of the edits, without white space at its ends.

    A word with a wrong letter counts whole, one that lacks a letter too. Where a word was left
    out, the next one stands for it. Capitals that were moved are no errors.

    Args:
        text: With the errors.
        edits: That made it, with offsets in the text without.
    """
    spans, shift = [], 0
    for edit in ordered(edits):
        if not edit.is_repair:
            spans.append(_whole_words(text, _changed(text, edit.start + shift, edit)))
        shift += len(edit.replacement) - len(edit.original)
    return spans


def _changed(text: str, start: int, edit: Edit) -> Span:
    """The characters that an edit wrote at `start`, or that stand for what it left out."""
    new = edit.replacement.strip()
    if new:
        first = start + edit.replacement.index(new)
        return Span(first, first + len(new))
    ends_word = start > 0 and not text[start - 1].isspace() and not edit.original[:1].isspace()
    if ends_word:
        return Span(start - 1, start)
    rest = text[start:]
    first = start + len(rest) - len(rest.lstrip())
    return Span(first, first + 1)


def _whole_words(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start > 0 and _IN_WORD.match(text, start - 1):
        start -= 1
    while _IN_WORD.match(text, end - 1):
        end += 1
    return Span(start, end)

"""Character edits on clean text.

An `Edit` names a half-open character range of the *clean* text and what stands there
afterwards. White space belongs to the edit, so `apply(text, [])` is the same text and
`invert(apply(text, edits), edits)` is the clean text, for any Unicode string. Offsets count
Python characters (code points).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from sociolect.generators.errors import EditError

_POSITION = attrgetter("start", "end")

CASE = "case"
"""Type of the repairs that move a sentence's capital; they are not errors and never counted."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open character range, `0 <= start <= end`.

    Raises:
        EditError: The range is negative or reversed.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise EditError(f"not a character range: [{self.start}, {self.end})")

    def shifted(self, by: int) -> Span:
        """The same range `by` characters further right."""
        return Span(self.start + by, self.end + by)

    def of(self, text: str) -> str:
        """The characters of `text` inside the range."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """One change to the clean text.

    Attributes:
        start: First character of the change in the clean text.
        end: One past the last; equal to `start` for a pure insertion.
        original: What the clean text holds there (checked on use).
        replacement: What the perturbed text holds instead.
        type: `det`, `prep`, `verb`, `spell`, or `case` for a repair that is not an error.
        operation: `deletion`, `replacement`, `insertion`, or `repair`.
        subtype: Finer label (`tense`, `nonword`, …), empty where there is none.

    Raises:
        EditError: The range is negative or reversed, or not as long as `original`.
    """

    start: int
    end: int
    original: str
    replacement: str
    type: str = ""
    operation: str = "replacement"
    subtype: str = ""

    def __post_init__(self) -> None:
        # A negative or reversed range would slice to "" and match an empty `original`.
        if self.start < 0 or self.end - self.start != len(self.original):
            raise EditError(
                f"edit at {self.start}-{self.end} does not span {self.original!r}: "
                "start must be 0 or more and end must be start + len(original)"
            )

    @property
    def is_repair(self) -> bool:
        """Whether this only moves a capital letter."""
        return self.type == CASE

    def overlaps(self, span: Span) -> bool:
        """Whether the edit touches a character of `span` (an insertion at its edge does not)."""
        return self.start < span.end and self.end > span.start


class Segment(NamedTuple):
    """A piece of the clean text: unchanged where `edit` is None."""

    original: str
    edit: Edit | None


def ordered(edits: Iterable[Edit]) -> list[Edit]:
    """Edits by position.

    Raises:
        EditError: Two edits overlap, or two insertions share a position (their order would
            be arbitrary).
    """
    result = sorted(edits, key=_POSITION)
    for before, after in pairwise(result):
        same_point = before.start == before.end == after.start == after.end
        if before.end > after.start or same_point:
            raise EditError(f"edits overlap: {before} and {after}")
    return result


def segments(text: str, edits: Iterable[Edit]) -> Iterator[Segment]:
    """Cut `text` into unchanged pieces and edits, in order.

    Raises:
        EditError: An edit overlaps another or does not match the text.
    """
    at = 0
    for edit in ordered(edits):
        if text[edit.start : edit.end] != edit.original or edit.end > len(text):
            raise _mismatch(text, edit)
        if edit.start > at:
            yield Segment(text[at : edit.start], None)
        yield Segment(edit.original, edit)
        at = edit.end
    if at < len(text):
        yield Segment(text[at:], None)


def _mismatch(text: str, edit: Edit) -> EditError:
    found = text[edit.start : edit.end]
    return EditError(
        f"edit at {edit.start}-{edit.end} expects {edit.original!r}, text has {found!r}"
    )


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The perturbed text.

    Args:
        text: The clean text.
        edits: Non-overlapping edits with offsets in `text`, in any order.

    Raises:
        EditError: An edit overlaps another or does not match the text.
    """
    return splice(text, ordered(edits))


def splice(text: str, edits: Iterable[Edit]) -> str:
    """`apply` for edits as `ordered` returns them, without ordering them again.

    Raises:
        EditError: An edit does not match the text.
    """
    pieces: list[str] = []
    at = 0
    for edit in edits:
        if text[edit.start : edit.end] != edit.original or edit.end > len(text):
            raise _mismatch(text, edit)
        pieces += (text[at : edit.start], edit.replacement)
        at = edit.end
    return "".join((*pieces, text[at:]))


def invert(perturbed: str, edits: Iterable[Edit]) -> str:
    """The clean text that `edits` turned into `perturbed`.

    Raises:
        EditError: An edit overlaps another or its replacement is not where it should be.
    """
    pieces: list[str] = []
    at = shift = 0
    for edit in ordered(edits):
        start = edit.start + shift
        end = start + len(edit.replacement)
        if perturbed[start:end] != edit.replacement or end > len(perturbed):
            raise EditError(f"perturbed text lacks {edit.replacement!r} at {start}")
        pieces += (perturbed[at:start], edit.original)
        at = end
        shift += len(edit.replacement) - len(edit.original)
    return "".join((*pieces, perturbed[at:]))


def map_span(span: Span, edits: Iterable[Edit]) -> Span:
    """Where a range of the clean text lies in the perturbed text.

    An insertion at the left edge pushes the range right; one at its right edge stays outside.
    Edits inside the range move its end only.

    Raises:
        EditError: An edit crosses an edge of the range.
    """
    start, end = span.start, span.end
    for edit in ordered(edits):
        change = len(edit.replacement) - len(edit.original)
        if edit.end <= span.start:
            start += change
            end += change
        elif span.start <= edit.start and edit.end <= span.end:
            end += change if edit.start < span.end else 0
        elif edit.overlaps(span):
            raise EditError(f"{edit} crosses an edge of [{span.start}, {span.end})")
    return Span(start, end)


def map_spans(spans: Iterable[Span], edits: Sequence[Edit]) -> tuple[Span, ...]:
    """`map_span` for several ranges."""
    return tuple(map_span(span, edits) for span in spans)


def touches(edits: Iterable[Edit], spans: Iterable[Span]) -> list[Edit]:
    """The error edits (repairs of capitals aside) that touch one of the ranges."""
    guarded = tuple(spans)
    return [e for e in edits if not e.is_repair and any(e.overlaps(s) for s in guarded)]

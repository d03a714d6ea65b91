"""What a check of a dataset found wrong: the first of each kind in full, the others counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

KINDS: dict[str, str] = {
    "manifest": "the manifest contradicts itself or lacks something",
    "file": "a file is missing or cannot be read",
    "columns": "columns are missing, unknown, of another type, or have empty cells",
    "row count": "not the number of rows that the manifest says",
    "sha256": "the rows do not have the hash that the manifest gives",
    "ids": "ids are doubled, or not those of the other configs in the same order",
    "condition": "a row is of another benchmark, condition or seed",
    "fixed column": "a column that no error may touch differs from the clean config",
    "source": "a clean row is not what the source files give",
    "edit": "an edit is malformed, or of a kind that the condition does not make",
    "text": "the edits do not lead from the clean text to the row's text and back",
    "protected": "an edit touches a protected span",
    "no-op": "an edit changes nothing",
    "clash": "a new a/an clash",
    "rate": "error rate or counts of a row are not the measured ones",
    "pair": "members of a valid pair differ in more than the protected words, or in their edits",
    "nested": "an edit of a lower level is missing at a higher one",
    "union": "the edits in both parts are not those of the two single parts",
    "mean rate": "the mean error rate in the manifest is not that of the rows, or off the level",
    "mix": "the realised mix in the manifest is not that of the rows",
    "ceiling": "ceiling, at_ceiling and unreachable contradict each other",
    "sides": "a side of a dialect pair is empty, or both are one text",
    "splits": "a split is unknown, or two splits share a group or a text",
    "naturalness": "a share of raters is none, or is of a text or a split that has no ratings",
    "boundary": "a boundary is outside its text or not before white space, or one side has none",
}
"""Kinds of fault, with what they mean."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        kind: One of `KINDS`.
        config: The config, empty for the whole dataset.
        id: The row, empty for the whole config.
        what: What was looked at.
        expected: What should be there.
        found: What is there.
    """

    kind: str
    config: str
    id: str
    what: str
    expected: str
    found: str

    def __str__(self) -> str:
        where = " ".join(part for part in (self.config, self.id) if part) or "the dataset"
        return f"{where}: {self.what}: expected {self.expected}, found {self.found}"


@dataclass(slots=True)
class Ledger:
    """Faults as they are found.

    Attributes:
        first: The first fault of each kind, in the order of finding.
        counts: How many of each kind.
    """

    first: dict[str, Fault] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, faults: Iterable[Fault]) -> None:
        """Count faults; the first of a kind is kept whole."""
        for fault in faults:
            self.counts[fault.kind] += 1
            self.first.setdefault(fault.kind, fault)


def shown(value: object, width: int = 160) -> str:
    """A value for a message: short, on one line, characters that cannot be printed escaped."""
    text = repr(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def shown_difference(expected: str, found: str) -> tuple[str, str]:
    """Two texts around the first place where they differ, for a message."""
    at = next(
        (i for i, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b),
        min(len(expected), len(found)),
    )
    start = max(0, at - 30)
    lead = "…" if start else ""
    cut = [
        f"{lead}{text[start : at + 50]!r}{'…' if len(text) > at + 50 else ''}"
        for text in (expected, found)
    ]
    return cut[0], cut[1]

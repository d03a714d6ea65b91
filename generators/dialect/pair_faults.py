"""What may be wrong with one row of a folder of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sociolect.generators.dialect.pair_relations import alike, blank
from sociolect.generators.dialect.pairs import SPLITS, VARIETIES
from sociolect.generators.faults import Fault, shown

CONFIG = "pairs"
"""Name of the one config of a folder of pairs."""

Row = Mapping[str, Any]


def row_faults(rows: Iterable[Row], *, withheld: bool = False) -> Iterator[Fault]:
    """What is wrong with rows, each looked at alone, and ids that occur twice.

    Args:
        rows: Rows of `folder.schema`.
        withheld: Whether the AAE texts were left out; then nothing is said of them, and other texts
            that are AAE texts may be missing too.
    """
    seen: set[str] = set()
    for row in rows:
        id_ = row["id"]
        if blank(id_):
            yield _fault("ids", row, "id", "one that is not blank", shown(id_))
        if id_ in seen:
            yield _fault("ids", row, "id", "each once", "a second time")
        seen.add(id_)
        yield from _text_faults(row, withheld)
        yield from _value_faults(row, withheld)
        yield from _segmentation_faults(row, withheld)


def _fault(kind: str, row: Row, what: str, expected: str, found: str) -> Fault:
    return Fault(kind, CONFIG, row["id"], what, expected, found)


def _text_faults(row: Row, withheld: bool) -> Iterator[Fault]:
    if withheld and row["aae"]:
        yield _fault("sides", row, "aae", "no text, for it is withheld", shown(row["aae"]))
    for column in ("sae",) if withheld else VARIETIES:
        left_out = withheld and not row[column]  # it is an AAE text; the manifest counts these
        if blank(row[column]) and not left_out:
            yield _fault("sides", row, column, "a text", shown(row[column]))
    if not withheld and alike(row["aae"], row["sae"]):
        yield _fault("sides", row, "aae and sae", "two texts", "one and the same")


def _value_faults(row: Row, withheld: bool) -> Iterator[Fault]:
    if row["split"] not in ("", *SPLITS):
        yield _fault("splits", row, "split", f"one of {', '.join(SPLITS)}", shown(row["split"]))
    share = row["naturalness"]
    if share is None:
        return
    if not 0 <= share <= 1:  # also what is no number
        yield _fault("naturalness", row, "naturalness", "a share from 0 to 1", shown(share))
    if blank(row["aae_back"]) and not (withheld and not row["aae_back"]):
        yield _fault("naturalness", row, "aae_back", "a text, for it was rated", "none")


def _segmentation_faults(row: Row, withheld: bool) -> Iterator[Fault]:
    ends = {variety: row[f"{variety}_boundary"] for variety in VARIETIES}
    missing = [variety for variety, end in ends.items() if end is None]
    if len(missing) == 1:
        yield _fault("boundary", row, f"{missing[0]}_boundary", "one, as in the other", "none")
    if missing and not row["unsegmented"]:
        yield _fault("boundary", row, "unsegmented", "a reason, for there is no boundary", "none")
    if not missing and row["unsegmented"]:
        found = shown(row["unsegmented"])
        yield _fault("boundary", row, "unsegmented", "none, for there are boundaries", found)
    for variety, end in ends.items():
        if end is not None and not (withheld and not row[variety]):
            expected = boundary_problem(row[variety], end)
            if expected:
                yield _fault("boundary", row, f"{variety}_boundary", expected, str(end))


def boundary_problem(text: str, boundary: int) -> str:
    """What a boundary should be and is not; empty if it is sound.

    Args:
        text: Context and continuation.
        boundary: Offset in characters where the continuation begins, with white space.
    """
    if not 0 < boundary < len(text):
        return f"an offset inside the text, which has {len(text)} characters"
    if text[boundary - 1].isspace():
        return "a context that ends in no white space"
    if not text[boundary].isspace():
        return "a continuation that begins with white space"
    if not text[boundary:].strip():
        return "a continuation with words"
    return ""

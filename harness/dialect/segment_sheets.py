"""Segmented pairs as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sociolect.generators.dialect.pairs import VARIETIES, Segmented
from sociolect.generators.dialect.unlike import unlike, unlike_counts, unlike_said
from sociolect.harness.dialect.segmenting import counts
from sociolect.harness.sheets import Cell, Column, Sheet, as_text

_SHOWN = 60
"""Characters of a side in a table; those next to the boundary."""


def as_tables(done: Sequence[Segmented], show: int, *, only_unlike: bool = False) -> str:
    """How many pairs were cut, why the others were not, and some that were.

    Args:
        done: At least one.
        show: Pairs that were cut, at most.
        only_unlike: Show pairs alone whose continuations are unlike; the counts are of all.
    """
    cut = [one for one in _listed(done, only_unlike) if one.boundaries is not None][:show]
    sheets = [_counts(done, only_unlike)]
    if cut:
        rows = tuple(row for one in cut for row in _rows(one))
        head = tuple(Column(n, left=True) for n in ("pair", "form", "context", "continuation"))
        those = "with unlike continuations" if only_unlike else "that were cut"
        sheets.append(Sheet(f"The first {len(cut):,} {those}", head, rows))
    return as_text(sheets)


def _listed(done: Sequence[Segmented], only_unlike: bool) -> list[Segmented]:
    return [one for one in done if any(unlike(one)) or not only_unlike]


def _counts(done: Sequence[Segmented], only_unlike: bool) -> Sheet:
    rows = tuple(
        (Cell(reason), Cell(f"{n:,}"), Cell(f"{100 * n / len(done):.1f}"))
        for reason, n in counts(done).items()
    )
    head = (Column("pairs", left=True), Column("n"), Column("%"))
    said = unlike_said(_both_counts(done))
    if said and not only_unlike:
        said += " --unlike lists them."
    if only_unlike:
        said = said or "No pair has unlike continuations."
    pairs = f"{len(done):,} {'pair' if len(done) == 1 else 'pairs'}"
    return Sheet(f"Context and continuation of {pairs}", head, rows, (said,) if said else ())


def _both_counts(done: Sequence[Segmented]) -> dict[str, dict[str, int]]:
    return {"counts": counts(done), "unlike": unlike_counts(done)}


def _rows(one: Segmented) -> Iterator[tuple[Cell, ...]]:
    for variety, context, continuation in _sides(one):
        left, right = " ".join(context.split()), " ".join(continuation.split())
        left = left if len(left) <= _SHOWN else "…" + left[-_SHOWN:]
        right = right if len(right) <= _SHOWN else right[:_SHOWN] + "…"
        name = one.pair.id if variety == "aae" else ""
        yield Cell(name), Cell(variety.upper()), Cell(left), Cell(right)


def _sides(one: Segmented) -> Iterator[tuple[str, str, str]]:
    """Variety, context and continuation of a pair that was cut."""
    assert one.boundaries is not None
    for variety in VARIETIES:
        text, end = getattr(one.pair, variety), getattr(one.boundaries, variety)
        yield variety, text[:end], text[end:]


def as_json(
    done: Sequence[Segmented], settings: Mapping[str, Any], *, only_unlike: bool = False
) -> str:
    """Settings, counts and every pair, with the reason of those that were not cut.

    Args:
        done: The pairs; the counts are of all of them.
        settings: Of the segmenter.
        only_unlike: List pairs alone whose continuations are unlike.
    """
    pairs = [_object(one) for one in _listed(done, only_unlike)]
    content = {"settings": settings, **_both_counts(done), "pairs": pairs}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _object(one: Segmented) -> dict[str, Any]:
    found: dict[str, Any] = {"id": one.pair.id, "reason": one.reason}
    if one.boundaries is not None:
        for variety, context, continuation in _sides(one):
            found[f"{variety}_boundary"] = len(context)
            found[f"{variety}_context"] = context
            found[f"{variety}_continuation"] = continuation
    return found

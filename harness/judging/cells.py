"""Numbers as they stand in the tables: per cent, intervals, and why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sociolect.harness.judging.asymmetry import Rate, Ratio
from sociolect.harness.judging.clustered import Estimate
from sociolect.harness.judging.resampling import Interval
from sociolect.harness.sheets import NONE, Cell, Column, Sheet

LEFT = frozenset({"condition", "category", "first", "second", "transform", "rate", "worst single"})
"""Columns of names."""


def per_cent(value: float | None) -> str:
    """A share in per cent, or a dash."""
    return NONE if value is None else f"{100 * value:.1f}"


def ends(interval: Interval | None, scale: float = 100, digits: int = 1) -> str:
    """An interval; `∞` for an end that the data do not bound."""
    if interval is None:
        return NONE
    low, high = ("∞" if end is None else f"{scale * end:.{digits}f}" for end in interval)
    return f"[{low}, {high}]"


def p_value(p: float | None) -> str:
    """A p-value with four places."""
    if p is None:
        return NONE
    return f"{p:.4f}" if p >= 0.00005 else "<0.0001"


def rate_text(rate: Rate) -> str:
    """Per cent, or why there is none."""
    return rate.undefined or per_cent(rate.value)


def share_text(rate: Rate) -> str:
    """Count and pool before the per cent: `3 of 8, 37.5`."""
    return rate.undefined or f"{rate.count} of {rate.pool}, {per_cent(rate.value)}"


def ratio_text(ratio: Ratio) -> str:
    """The ratio; without erasures, what can be said."""
    if ratio.bound is not None:
        return f"{ratio.undefined}, ≥ {ratio.bound:.1f}"
    return ratio.undefined or f"{ratio.value:.2f}"


def estimate_p(found: Estimate) -> str:
    """Its p-value, or why there is none."""
    return found.undefined or p_value(found.p)


def estimate_ends(found: Estimate, scale: float = 100) -> str:
    """Its interval."""
    return NONE if found.undefined else ends(Interval(found.low, found.high), scale)


def make_sheet(title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Cell]]) -> Sheet:
    """A table of texts; columns of names are aligned left."""
    heads = tuple(Column(name, name in LEFT) for name in columns)
    cells = tuple(tuple(c if isinstance(c, Cell) else Cell(c) for c in row) for row in rows)
    return Sheet(title, heads, cells)

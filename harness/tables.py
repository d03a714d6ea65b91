"""Comparisons as terminal table, Markdown or LaTeX: one table a benchmark and form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sociolect.harness import sheets
from sociolect.harness.compare import Comparison
from sociolect.harness.comparison_rows import PairedTest, Row
from sociolect.harness.remarks import legend, method_lines, name, remarks
from sociolect.harness.sheets import NONE, Cell, Column, Sheet, escape_markdown, printable


def marks(test: PairedTest, alpha: float) -> str:
    """`*` for p < alpha, `†` for the Holm-adjusted p."""
    return "*" * (test.p < alpha) + "†" * (test.p_holm < alpha)


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 0.00005 else "<0.0001"


def number(value: float | None, pattern: str = ".2f") -> str:
    """A number, or a dash where there is none."""
    return NONE if value is None else format(value, pattern)


def _interval(low: float | None, high: float | None) -> str:
    return NONE if low is None or high is None else f"[{low:+.2f}, {high:+.2f}]"


def _unanswered(row: Row) -> str:
    rates = [number(side.unanswered, ".1f") for side in (row.baseline, row.other)]
    return f"{rates[0]} → {rates[1]}{' !' if row.warning else '  '}"


_Shown = tuple[Column, Callable[[Row], Cell]]


def _texts(header: str, show: Callable[[Row], str], *, left: bool = False) -> _Shown:
    return Column(header, left), lambda row: Cell(show(row))


def _columns(comparison: Comparison) -> tuple[list[_Shown], str]:
    """Columns to show, and a title made of the labels that are the same in all rows."""
    rows = comparison.rows
    columns: list[_Shown] = []
    title = comparison.subject
    if len(metrics := {row.metric for row in rows}) > 1:
        columns.append(_texts("metric", lambda row: row.metric, left=True))
    else:
        title += f" · {metrics.pop()}"
    models = list(dict.fromkeys(row.other.model for row in rows))
    baseline = rows[0].baseline.model
    if models != [baseline] and not comparison.against:
        columns.insert(0, _texts("model", lambda row: row.other.model, left=True))
    columns.append(_texts("condition", name, left=True))
    title = f"{_models(baseline, models)} · {title}"
    plain = all(row.is_plain for row in rows)
    if comparison.against:
        names = ("first Δ", "second Δ", "difference")
    elif plain:
        names = ("clean", "errored", "Δ")
    else:
        names = ("baseline value", "value", "Δ")
        columns.append(
            _texts("baseline", lambda row: f"{row.baseline.model}, {row.baseline.label}", left=True)
        )
    return [*columns, *_numbers(comparison, names)], title


def _models(baseline: str, models: Sequence[str]) -> str:
    """The one model of a comparison, or all of them, the baseline first."""
    if list(models) == [baseline]:
        return baseline
    return f"{baseline} → {', '.join(models)}"


def _numbers(comparison: Comparison, names: tuple[str, str, str]) -> list[_Shown]:
    alpha = comparison.method.alpha
    pattern = "+.2f" if comparison.against else ".2f"

    def tested(header: str, show: Callable[[PairedTest], str]) -> _Shown:
        return _texts(header, lambda row: NONE if row.test is None else show(row.test))

    level = f"{100 * (1 - alpha):g} % CI"
    clustered = [
        tested(f"{level} (templates)", lambda t: _interval(t.cluster_low, t.cluster_high)),
        tested("templates", lambda t: str(t.clusters)),
    ]
    has_clusters = any(row.test and row.test.clusters for row in comparison.rows)
    return [
        _texts("n", lambda row: str(row.test.n if row.test else 0)),
        tested(names[0], lambda t: number(t.clean, pattern)),
        tested(names[1], lambda t: number(t.errored, pattern)),
        (Column(names[2]), lambda row: _delta(row, alpha)),
        tested(level, lambda t: _interval(t.low, t.high)),
        *(clustered if has_clusters else ()),
        tested("p", lambda t: _p(t.p)),
        tested("p (Holm)", lambda t: _p(t.p_holm)),
        tested("detectable", lambda t: number(t.detectable)),
        _texts("unanswered %", _unanswered),
        _texts("left", lambda row: str(row.left.unanswered)),
    ]


def _delta(row: Row, alpha: float) -> Cell:
    if row.test is None:
        return Cell(NONE)
    return Cell(f"{row.test.delta:+.2f}", marks(row.test, alpha), row.test.p < alpha)


def sheet(comparison: Comparison) -> Sheet:
    """One comparison as a table, with the remarks on it."""
    columns, title = _columns(comparison)
    rows = tuple(tuple(show(row) for _, show in columns) for row in comparison.rows)
    return Sheet(title, tuple(c for c, _ in columns), rows, tuple(remarks(comparison)))


def closing(comparisons: Sequence[Comparison]) -> list[str]:
    """What holds for all tables: the legend, and how they were computed; nothing twice."""
    return [*legend(comparisons), *method_lines(comparisons)]


def render_table(*comparisons: Comparison, width: int | None = None, colour: bool = False) -> str:
    """For a terminal, or as plain text; never narrower than its numbers.

    Args:
        comparisons: What to show.
        width: Columns of the terminal; the notes are wrapped to it.
        colour: Whether to write escape sequences (bold for p < alpha).
    """
    shown = [sheet(one) for one in comparisons]
    return sheets.as_text(shown, closing(comparisons), width=width, colour=colour)


def render_markdown(*comparisons: Comparison) -> str:
    """Pipe tables and their notes as lists."""
    return sheets.as_markdown([sheet(one) for one in comparisons], closing(comparisons))


def render_tex(*comparisons: Comparison) -> str:
    """LaTeX tables for `booktabs`; significant changes are bold."""
    return sheets.as_tex([sheet(one) for one in comparisons], closing(comparisons))


__all__ = [
    "closing",
    "escape_markdown",
    "marks",
    "number",
    "printable",
    "render_markdown",
    "render_table",
    "render_tex",
    "sheet",
]

"""A comparison as terminal table or Markdown.

Model names and paths come from outside: nothing in them is read as markup, and characters that
cannot be printed are replaced.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from sociolect.harness.compare import Comparison
from sociolect.harness.comparison_rows import PairedTest, Row
from sociolect.harness.remarks import legend, method_line, name, remarks

_NONE = "–"
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~#])")


def marks(test: PairedTest, alpha: float) -> str:
    """`*` for p < alpha, `†` for the Holm-adjusted p."""
    return "*" * (test.p < alpha) + "†" * (test.p_holm < alpha)


def printable(text: str) -> str:
    """The text with control characters replaced, so that it cannot steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _signed(test: PairedTest, alpha: float) -> str:
    return f"{test.delta:+.2f}{marks(test, alpha):<2}"


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 0.00005 else "<0.0001"


def _number(value: float | None, pattern: str = ".2f") -> str:
    return _NONE if value is None else format(value, pattern)


def _interval(test: PairedTest) -> str:
    if test.low is None or test.high is None:
        return _NONE
    return f"[{test.low:+.2f}, {test.high:+.2f}]"


def _unanswered(row: Row) -> str:
    rates = [_number(side.unanswered, ".1f") for side in (row.baseline, row.other)]
    return f"{rates[0]} → {rates[1]}{' !' if row.warning else '  '}"


Column = tuple[str, Callable[[Row], str]]


def _columns(comparison: Comparison) -> tuple[list[Column], str]:
    """Columns to show, and a title made of the labels that are the same in all rows."""
    labels: list[Column] = [
        ("benchmark", lambda row: f"{row.benchmark} ({row.axis})" if row.axis else row.benchmark),
        ("form", lambda row: row.form),
        ("metric", lambda row: row.metric),
    ]
    varying = [c for c in labels if len({c[1](row) for row in comparison.rows}) > 1]
    constant = [c[1](comparison.rows[0]) for c in labels if c not in varying]
    models = list(dict.fromkeys(row.other.model for row in comparison.rows))
    baseline = comparison.rows[0].baseline.model
    if models != [baseline]:
        varying.insert(0, ("model", lambda row: row.other.model))
    title = " · ".join([_models(baseline, models), *constant])
    columns = [*varying, ("condition", name)]
    plain = all(row.is_plain for row in comparison.rows)
    if not plain:
        columns.append(("baseline", lambda row: f"{row.baseline.model}, {row.baseline.label}"))
    before, after = ("clean", "errored") if plain else ("baseline value", "value")
    return [*columns, *_numbers(comparison.method.alpha, before, after)], title


def _models(baseline: str, models: Sequence[str]) -> str:
    """The one model of a comparison, or all of them, the baseline first."""
    if list(models) == [baseline]:
        return baseline
    return f"{baseline} → {', '.join(models)}"


def _numbers(alpha: float, before: str, after: str) -> list[Column]:
    def tested(show: Callable[[PairedTest], str]) -> Callable[[Row], str]:
        return lambda row: _NONE if row.test is None else show(row.test)

    return [
        ("n", lambda row: str(row.test.n if row.test else 0)),
        (before, tested(lambda t: _number(t.clean))),
        (after, tested(lambda t: _number(t.errored))),
        ("Δ", tested(lambda t: _signed(t, alpha))),
        (f"{100 * (1 - alpha):g} % CI", tested(_interval)),
        ("p", tested(lambda t: _p(t.p))),
        ("p (Holm)", tested(lambda t: _p(t.p_holm))),
        ("detectable", tested(lambda t: _number(t.detectable))),
        ("unanswered %", _unanswered),
        ("left", lambda row: str(row.left.unanswered)),
    ]


def _is_significant(row: Row, alpha: float) -> bool:
    return row.test is not None and row.test.p < alpha


def render_table(comparison: Comparison, *, width: int | None = None, colour: bool = False) -> str:
    """For a terminal, or as plain text; never narrower than its numbers.

    Args:
        comparison: What to show.
        width: Columns of the terminal; the notes are wrapped to it.
        colour: Whether to write escape sequences (bold for p < alpha).
    """
    columns, title = _columns(comparison)
    table = Table(
        title=Text(printable(title)),
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        padding=0,
    )
    for index, (header, _) in enumerate(columns):
        labels = header in ("model", "benchmark", "form", "metric", "condition", "baseline")
        table.add_column(
            Text(header), justify="left" if labels or index == 0 else "right", no_wrap=True
        )
    for row in comparison.rows:
        bold = _is_significant(row, comparison.method.alpha)
        cells = [
            Text(printable(show(row)), style="bold" if bold and header == "Δ" else "")
            for header, show in columns
        ]
        table.add_row(*cells)
    lines = [*legend(comparison), method_line(comparison), *remarks(comparison)]
    return _rendered(Group(table, *(Text(printable(line)) for line in lines)), table, width, colour)


def _rendered(content: Group, table: Table, width: int | None, colour: bool) -> str:
    buffer = io.StringIO()
    wide = Console(width=10_000)
    needed = Measurement.get(wide, wide.options, table).maximum
    console = Console(
        file=buffer,
        width=max(needed, width or 100),
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        highlight=False,
    )
    console.print(content)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def render_markdown(comparison: Comparison) -> str:
    """A pipe table and its notes as a list."""
    columns, title = _columns(comparison)
    lines = [f"**{escape_markdown(title)}**", "", _pipes([header for header, _ in columns])]
    lines.append(_pipes(["---"] * len(columns)))
    for row in comparison.rows:
        bold = _is_significant(row, comparison.method.alpha)
        cells = []
        for header, show in columns:
            cell = escape_markdown(show(row).strip())
            cells.append(_bold_number(cell) if bold and header == "Δ" else cell)
        lines.append(_pipes(cells))
    notes = [*legend(comparison), method_line(comparison), *remarks(comparison)]
    return "\n".join([*lines, "", *(f"- {escape_markdown(note)}" for note in notes)]) + "\n"


def _bold_number(cell: str) -> str:
    """The number in bold, its marks after it."""
    return re.sub(r"^([+-][\d.]+)", r"**\1** ", cell).strip()


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"

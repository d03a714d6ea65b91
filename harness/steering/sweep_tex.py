"""The tables of a sweep for LaTeX, each with its marks explained below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sociolect.harness import sheets
from sociolect.harness.dialect import report
from sociolect.harness.dialect.findings import Audit
from sociolect.harness.dialect.report_cells import DOUBTFUL, PLAIN
from sociolect.harness.sheets import Sheet


def common_signs(audit: Audit) -> dict[str, str]:
    """The marks that tables of a sweep share with those of the report, in its words."""
    lines = report.legend([audit])
    alpha = audit.method.alpha
    return {
        **{mark: next(o for o in lines if o.startswith(f"{mark} ")) for mark in (DOUBTFUL, PLAIN)},
        "*": f"* p < {alpha:g}.",
        "†": f"† Holm-adjusted p < {alpha:g}.",
    }


def as_tex(tables: Sequence[Sheet], notes: Sequence[str], signs: Mapping[str, str]) -> str:
    """Every table, and below it in small print what its marks mean, as comments are not set.

    Args:
        tables: At least one.
        notes: Comments on the last of them.
        signs: Sentences by mark.
    """
    blocks = []
    for number, sheet in enumerate(tables, start=1):
        block = sheets.as_tex([sheet], notes if number == len(tables) else ())
        seen = {mark for row in sheet.rows for cell in row for mark in cell.marks}
        if said := [text for mark, text in signs.items() if mark in seen]:
            lines = "\n".join(f"{sheets.escape_tex(text)}\\par" for text in said)
            block += f"\\par\\smallskip\n{{\\footnotesize\n{lines}\n}}\n"
        blocks.append(block)
    return "\n".join(blocks)

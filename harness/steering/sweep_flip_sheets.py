"""The table of flips, and those with the largest change (dialect paper, App. C.5)."""

from __future__ import annotations

from sociolect.harness.dialect.report_cells import p_value
from sociolect.harness.dialect.sheet_parts import titled
from sociolect.harness.sheets import Cell, Column, Sheet
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_flips import TO_AAE, TO_SAE

_LISTED = 10
_LETTERS = 60


def flips(sweep: Sweep) -> Sheet:
    """How many items change their preferred continuation under the AAE context (App. C.5)."""
    found = sweep.flips
    before, after = found.prefer_sae
    values = (len(found.items), before, after, found.count(TO_AAE), found.count(TO_SAE))
    heads = ("items", "SAE preferred before", "after", "flips to AAE", "flips to SAE")
    row = (
        Cell(f"{sweep.choice.compared:g}"),
        *(Cell(str(v)) for v in values),
        Cell(p_value(found.p)),
    )
    columns = tuple(Column(name) for name in ("β", *heads, "p (exact sign test)"))
    title = titled(sweep.evaluation.audit, "Preferred continuation in the AAE context (App. C.5)")
    notes = [f"left out: {n} {reason}." for reason, n in found.left.items()]
    if sweep.evaluation.audit.dataset.grouped:
        notes.append(
            "The sign test takes pairs of one group to be independent, which they are not."
        )
    return Sheet(title, columns, (row,), tuple(notes))


def flipped(sweep: Sweep) -> Sheet:
    """The flips with the largest change."""
    rows = tuple(
        (
            Cell(one.id),
            Cell({TO_AAE: "AAE", TO_SAE: "SAE"}[one.flip]),
            Cell(f"{one.before:+.2f}"),
            Cell(f"{one.after:+.2f}"),
            *(Cell(_short(text)) for text in (one.context, one.aae, one.sae)),
        )
        for one in [item for item in sweep.flips.items if item.flip][:_LISTED]
    )
    heads = (("pair", True), ("to", True), ("b_AAE before", False), ("after", False))
    texts = (("AAE context", True), ("AAE continuation", True), ("SAE continuation", True))
    columns = tuple(Column(name, left=left) for name, left in (*heads, *texts))
    return Sheet(titled(sweep.evaluation.audit, "The flips with the largest change"), columns, rows)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LETTERS else f"{line[: _LETTERS - 1]}…"

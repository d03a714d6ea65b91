"""LP by class of feature as tables to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sociolect.generators.dialect.lexicon import CLASSES
from sociolect.harness.dialect.feature_counts import Counts, Shares
from sociolect.harness.dialect.lengths_shown import (
    class_remark,
    length_cells,
    length_columns,
    length_units,
)
from sociolect.harness.dialect.localised import (
    ALL,
    FEWEST,
    FEWEST_OF_ENTRY,
    NONE,
    EntryLp,
    Localisation,
)
from sociolect.harness.dialect.methods import FEW_PAIRS
from sociolect.harness.judging.resampling import MIN_CLUSTERS, MOST_UNDEFINED
from sociolect.harness.sheets import Cell, Column, Sheet
from sociolect.harness.tables import number

_SHOWN = {ALL: "all pairs", NONE: "no feature"}
_WARNING = "!"
_FORMS = {"nats": "LP (sum)", "nats a token": "LP (token)"}
"""How LP is called, by its unit."""
BOLD = "LP by class of feature: bold is the class of the highest LP."
"""For where bold is seen."""


def sheets(found: Sequence[Localisation]) -> list[Sheet]:
    """LP by class of all models, how the classes overlap, and the entries of each model.

    Args:
        found: One a model; none make no tables.
    """
    if not found:
        return []
    return [lp_sheet(found), *overlap_sheets(found), *(entry_sheet(one) for one in found)]


def lp_sheet(
    found: Sequence[Localisation], beside: Mapping[str, Localisation] | None = None
) -> Sheet:
    """A row a model and class (dialect paper, Fig. 5), with the lengths of the continuations.

    Args:
        found: One a model, at least one; of one unit.
        beside: The same in another unit by name of the model, as far as they are known.
    """
    subject = f" · {found[0].name}" if len(found) == 1 and found[0].name else ""
    units = length_units(group.lengths for one in found for group in one.groups)
    forms = [found[0], *list((beside or {}).values())[:1]]
    interval = Column(f"{100 * found[0].method.confidence:g} % CI")
    columns = (
        *((Column("model", left=True),) if len(found) > 1 else ()),
        *(Column("feature", left=True), Column("n"), Column("of all")),
        *length_columns(units),
        *(column for form in forms for column in (Column(_FORMS[form.unit]), interval)),
    )
    rows = [
        (
            *((Cell(one.name),) if len(found) > 1 else ()),
            *(Cell(shown(group.name)), Cell(f"{group.n:,}"), Cell(f"{group.n_all:,}")),
            *length_cells(group.lengths, units),
            *_lp_cells(one, group.name),
            *(_lp_cells((beside or {}).get(one.name), group.name) if beside else ()),
        )
        for one in found
        for group in one.groups
    ]
    title = f"LP by class of feature ({', '.join(form.unit for form in forms)}){subject}"
    return Sheet(title, columns, tuple(rows), (*_notes(found), *_length_notes(found)))


def _lp_cells(one: Localisation | None, name: str) -> tuple[Cell, Cell]:
    """LP and its interval; dashes where a model has none."""
    if one is None:
        return Cell(number(None)), Cell(number(None))
    pattern, group = _pattern(one), one.group(name)
    low, high = group.interval or (None, None)
    ends = f"[{number(low, pattern)}, {number(high, pattern)}]" if group.interval else number(None)
    mean = number(group.value, pattern)
    return Cell(mean, _WARNING * group.few, bold=name == one.highest), Cell(ends)


def _length_notes(found: Sequence[Localisation]) -> list[str]:
    """What LP (sum) owes to the lengths, once for all models that share them."""
    said: dict[str, list[str]] = {}
    for one in found:
        sizes = {shown(g.name): g.lengths for g in one.groups if g.lengths and g.value is not None}
        if one.unit == "nats" and (text := class_remark(sizes)):
            said.setdefault(text, []).append(one.name)
    return [
        text if len(names) == len(found) else f"{', '.join(names)}: {text}"
        for text, names in said.items()
    ]


def shown(name: str) -> str:
    """A group as tables and pictures call it."""
    return _SHOWN.get(name, name)


def _pattern(one: Localisation) -> str:
    return "+.2f" if one.unit == "nats" else "+.3f"


def _notes(found: Sequence[Localisation]) -> list[str]:
    first = found[0]
    groups = [group for one in found for group in one.groups]
    lines = [
        "LP > 0: the SAE continuation is the likelier one, summed over both contexts.",
        "n: pairs whose continuations differ, which LP is of; of all: with the pairs whose "
        "continuations are the same words, where LP is 0 whatever the model.",
        "A pair is in every class that its AAE text has a feature of: the classes share pairs, and "
        "their intervals are not independent.",
        f'"{_SHOWN[NONE]}" is a text without an entry of the lexicon; it is AAE all the same.',
        f"Searched: {_searched(first)}. Intervals: {first.method.resamples:,} resamples of pairs "
        f"(of groups, where pairs have one), seed {first.method.seed}.",
    ]
    if any(group.few for group in groups):
        lines.append(f"{_WARNING} fewer than {FEW_PAIRS} pairs or groups.")
    if any(group.value is None for group in groups):
        lines.append(f"LP –: fewer than {FEWEST} pairs.")
    if any(group.value is not None and group.interval is None for group in groups):
        lines.append(
            f"CI –: fewer than {MIN_CLUSTERS} pairs or groups, nothing varies, or more than "
            f"{100 * MOST_UNDEFINED:g} % of the resamples have none of them."
        )
    return [*lines, *_left(found)]


def _searched(one: Localisation) -> str:
    what = "the whole AAE sentence" if one.where == "sentence" else "the AAE context"
    return f"{what}, entries with slurs {'included' if one.slurs else 'left out'}"


def _left(found: Sequence[Localisation]) -> list[str]:
    return [
        f"{one.name + ': ' if one.name else ''}left out: "
        + ", ".join(f"{n:,} {reason}" for reason, n in one.left.items())
        for one in found
        if one.left
    ]


def overlap_sheets(found: Sequence[Localisation]) -> list[Sheet]:
    """How the classes overlap; models of whom the same pairs count share a table."""
    models: dict[Counts, list[Localisation]] = {}
    for one in found:
        models.setdefault(one.overlap, []).append(one)
    return [
        overlap_sheet(counts, same[0].jaccard, _of(same) if len(models) > 1 else "")
        for counts, same in models.items()
    ]


def _of(models: Sequence[Localisation]) -> str:
    return " · " + ", ".join(one.name for one in models)


def overlap_sheet(counts: Counts, shares: Shares, subject: str = "") -> Sheet:
    """Pairs that have features of two classes, and their Jaccard index.

    Args:
        counts: 4 × 4, from `feature_counts.overlap`.
        shares: Their `feature_counts.jaccard`.
        subject: Follows the title.
    """
    rows = []
    for i, name in enumerate(CLASSES):
        cells = [_both(counts[i][j], shares[i][j], i == j) for j in range(len(CLASSES))]
        rows.append((Cell(name), *map(Cell, cells)))
    columns = (Column("", left=True), *(Column(name) for name in CLASSES))
    note = (
        "Texts that have both; in parentheses over those that have either (Jaccard). On the "
        "diagonal, texts of the class."
    )
    return Sheet(f"overlap of the classes{subject}", columns, tuple(rows), (note,))


def _both(count: int, share: float | None, diagonal: bool) -> str:
    return f"{count:,}" if diagonal else f"{count:,} ({number(share)})"


def entry_sheet(one: Localisation) -> Sheet:
    """Which entries a class consists of, and what it is without each of them."""
    columns = (
        Column("class", left=True),
        Column("entry", left=True),
        Column("n"),
        Column("LP"),
        Column("n of the others"),
        Column("LP of the others"),
    )
    rows = tuple(_entry_cells(entry, _pattern(one)) for entry in one.entries)
    notes = (
        "The others: pairs of the class that do not have the entry. A pair can have several.",
        f"No LP for an entry of fewer than {FEWEST_OF_ENTRY} pairs, nor for fewer than {FEWEST} "
        "others.",
    )
    title = f"LP by entry ({one.unit}){_of([one]) if one.name else ''}"
    return Sheet(title, columns, rows, notes)


def _entry_cells(entry: EntryLp, pattern: str) -> tuple[Cell, ...]:
    return (
        Cell(entry.feature_class),
        Cell(entry.entry),
        Cell(f"{entry.n:,}"),
        Cell(number(entry.value, pattern)),
        Cell(f"{entry.n_without:,}"),
        Cell(number(entry.without, pattern)),
    )

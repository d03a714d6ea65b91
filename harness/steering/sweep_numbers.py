"""The numbers of one split of a sweep: those of the audit, and ratios to the unsteered model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sociolect.generators.errors import ResultsError
from sociolect.harness.dialect.audits import CHOICE, CONTINUATION, Key, measures
from sociolect.harness.dialect.differences import Versus, versus
from sociolect.harness.dialect.findings import Audit, Audited, audit
from sociolect.harness.dialect.methods import Method
from sociolect.harness.dialect.report_tokens import tokens_of
from sociolect.harness.dialect.resampling import clusters_that_count, intervals, replicates
from sociolect.harness.dialect.runs import read_runs
from sociolect.harness.dialect.system_names import datasets
from sociolect.harness.dialect.systems import System
from sociolect.harness.judging.resampling import Interval
from sociolect.harness.steering.sweep_cells import BASE, PROMPTED, Cell
from sociolect.harness.steering.sweep_choice import Tried
from sociolect.harness.steering.sweep_vectors import Fitted
from sociolect.tasks.dialect.measures import Floats, Measure

LP = Key(CONTINUATION, "lp_sum")
AAE_PPL = Key(CONTINUATION, "ppl_aae_aae")
SAE_PPL = Key(CONTINUATION, "ppl_sae_sae")
AAE_MATCH = Key(f"{CHOICE}_best", "aae_match")
SAE_MATCH = Key(f"{CHOICE}_best", "sae_match")
Ends = tuple[float, float]


def ends(interval: Interval | None) -> Ends | None:
    """Both ends of an interval that has them."""
    low, high = interval or (None, None)
    return None if low is None or high is None else (low, high)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number made of one of a system and one of the unsteered model, over the same pairs.

    Attributes:
        value: None where it says nothing.
        interval: Of the same resamples as everything else.
        why: Why there is no value.
    """

    value: float | None
    interval: Ends | None = None
    why: str = ""


@dataclass(frozen=True)
class Row:
    """One system at one strength.

    Attributes:
        cell: What was run.
        place: Of the system in the audit.
        audited: Its numbers, and differences from the unsteered model.
        aae_ratio: AAE perplexity by that of the unsteered model.
        sae_ratio: The same of SAE.
        reduction: Bias reduction in per cent: (LP_0 − LP_β) / LP_0.
    """

    cell: Cell
    place: int
    audited: Audited
    aae_ratio: Figure
    sae_ratio: Figure
    reduction: Figure

    @property
    def costs_sae(self) -> bool:
        """Whether SAE perplexity is above that of the unsteered model, interval and all."""
        interval = self.sae_ratio.interval
        return interval is not None and interval[0] > 1


@dataclass(frozen=True)
class Numbers:
    """One split.

    Attributes:
        audit: As `sociolect dialect report` makes it.
        rows: By cell, in the order of the cells.
        notes: On the runs that were read.
    """

    audit: Audit
    rows: Mapping[Cell, Row]
    notes: tuple[str, ...]

    @property
    def base(self) -> Row:
        """The unsteered model."""
        return next(row for cell, row in self.rows.items() if cell.system == BASE)

    def of(self, system: str, beta: float | None = None) -> list[Row]:
        """The rows of a system, at one strength if it is named."""
        rows = [row for cell, row in self.rows.items() if cell.system == system]
        return [row for row in rows if beta is None or row.cell.beta == beta]


def read_numbers(
    cells: Sequence[Cell],
    out: Path,
    vectors: Mapping[str, Fitted],
    method: Method,
    allow: Collection[str] = (),
) -> Numbers:
    """Read the runs of the cells of one split.

    Args:
        cells: Of one split, all finished.
        out: Folder of the sweep.
        vectors: By name.
        method: Of intervals and tests.
        allow: Accepted differences between runs.

    Raises:
        ResultsError: A damaged run, runs on different pairs, or one of a system that is no cell.
        NotComparableError: Two runs that were asked otherwise.
    """
    runs, notes = read_runs([cell.folder(out) for cell in cells])
    found = datasets(runs, allow)
    if len(found) != 1:
        raise ResultsError(
            f"{out}: the runs of split {cells[0].split} are of different pairs "
            f"({', '.join(one.label for one in found)}); sweep anew into another folder"
        )
    made = audit(found[0], method, tokens_of())
    figures = _figures(made)
    by_cell = {
        (cell := _cell(one.system, cells, vectors)): Row(cell, place, one, *figures[place])
        for place, one in enumerate(made.systems)
    }
    return Numbers(made, {cell: by_cell[cell] for cell in cells}, tuple(notes))


def _cell(system: System, cells: Sequence[Cell], vectors: Mapping[str, Fitted]) -> Cell:
    """Which cell a system of the audit is."""
    given = dict(system.steering)
    name, beta = PROMPTED if system.prompted else BASE, 0.0
    if given:
        path, beta = Path(given["steering"]), float(given["beta"])
        name = next((n for n, one in vectors.items() if one.path == path), str(path))
    for cell in cells:
        if (cell.system, cell.beta) == (name, beta):
            return cell
    raise ResultsError(f"{system.label}: is no cell of this sweep ({name}, β={beta:g})")


def _figures(made: Audit) -> list[tuple[Figure, Figure, Figure]]:
    """Ratios of AAE and of SAE perplexity and bias reduction, one a system."""
    found = [measures(one.answers, made.dataset) for one in made.systems]
    sides = [one for one in versus(made.dataset, found) if one.key in (LP, AAE_PPL, SAE_PPL)]
    sampled = drawn(made, [m for one in sides for m in (one.base, one.other)])
    of_base, of_other = sampled[:, ::2], sampled[:, 1::2]
    by_key: dict[tuple[int, Key], Figure] = {}
    for place, one in enumerate(sides):
        base, other = of_base[:, place], of_other[:, place]
        by_key[one.system, one.key] = (
            _reduction(made, one, base, other) if one.key == LP else _ratio(made, one, base, other)
        )

    def of(system: int, key: Key) -> Figure:
        return by_key.get((system, key), Figure(None, None, "no such number"))

    return [(of(n, AAE_PPL), of(n, SAE_PPL), of(n, LP)) for n in range(len(made.systems))]


def drawn(made: Audit, several: Sequence[Measure]) -> Floats:
    """Measures on the resamples of an audit; shape (resamples, measures)."""
    method = made.method
    return replicates(several, made.dataset.clusters, method.resamples, method.seed)


def _ratio(made: Audit, one: Versus, base: Floats, other: Floats) -> Figure:
    if one.base.value is None or one.other.value is None:
        return Figure(None, None, "no such number")
    return Figure(one.other.value / one.base.value, _interval(made, one, other / base))


def _reduction(made: Audit, one: Versus, base: Floats, other: Floats) -> Figure:
    """A share of what is not told apart from nothing says nothing."""
    of_base, value = one.base.value, one.other.value
    if of_base is None or value is None:
        return Figure(None, None, "no such number")
    interval = _interval(made, one, base)
    if interval is None:
        return Figure(None, None, "LP of base has no interval")
    if interval[0] <= 0 <= interval[1]:
        return Figure(None, None, "the interval of LP of base holds 0")
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(base == 0, np.nan, 100 * (base - other) / base)
    return Figure(100 * (of_base - value) / of_base, _interval(made, one, shares))


def _interval(made: Audit, one: Versus, values: Floats) -> Ends | None:
    size = min(clusters_that_count(side, made.dataset.clusters) for side in (one.base, one.other))
    (found,) = intervals(values[:, None], [size], made.method.confidence)
    return ends(found.interval)


def tried(numbers: Numbers, system: str) -> list[Tried]:
    """What the rule sees of a vector on the selection split."""
    return [
        Tried(
            row.cell.beta,
            *_both(row, LP),
            row.aae_ratio.value,
            row.sae_ratio.value,
            *_both(row, SAE_MATCH),
            *_apart(row),
        )
        for row in numbers.of(system)
    ]


def _both(row: Row, key: Key) -> tuple[float | None, float | None]:
    """Of the system and of the unsteered model, over the pairs that count in both."""
    found = row.audited.differences.get(key)
    return (None, None) if found is None else (found.value, found.base)


def _apart(row: Row) -> tuple[Ends | None, int]:
    """The paired interval of Δ LP, and the pairs or groups behind it."""
    found = row.audited.differences.get(LP)
    return (None, 0) if found is None else (ends(found.interval), found.clusters)


def chosen_audit(numbers: Numbers, rows: Sequence[Row]) -> Audit:
    """The audit of some systems under the names of the sweep, the unsteered one under its own."""
    systems = [
        row.audited
        if row.cell.system == BASE
        else replace(row.audited, system=replace(row.audited.system, name=_shown(row.cell)))
        for row in rows
    ]
    return replace(numbers.audit, systems=tuple(systems))


def _shown(cell: Cell) -> str:
    return (
        cell.label.removeprefix(f"{cell.split} · ") if cell.is_steered else cell.system.capitalize()
    )

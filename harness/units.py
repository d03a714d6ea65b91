"""The independent units of a run, and what each of them is worth.

A unit is a counterfactual pair where there are pairs, else an item. Its value is taken over both
option orders and all samples (learner-error paper, App. D.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sociolect.harness.results import Run
from sociolect.tasks.kinds import Kind, kind_of
from sociolect.tasks.metrics import MEMBERS
from sociolect.tasks.prompts import orders

Values = Mapping[str, float | None]
"""Per cent or points by unit; `None` where no answer says anything."""

CLUSTERED: tuple[Kind, ...] = ("stereotype", "disambiguated", "judge")
"""Kinds whose items are written from question templates, and so are not independent."""


class Units(NamedTuple):
    """The units of a run.

    Attributes:
        whole: Those of which every prompt was asked, in order of appearance.
        incomplete: How many were not asked whole.
        invalid: How many pairs are left out as no valid counterfactuals.
    """

    whole: list[str]
    incomplete: int
    invalid: int


def unit_word(kind: Kind) -> str:
    """What a unit of this kind is called."""
    return "pair" if kind == "coreference" else "item"


def whole_units(run: Run, *, include_invalid: bool) -> Units:
    """The units that every prompt was asked of: both members, all option orders."""
    members = MEMBERS if kind_of(run.benchmark) == "coreference" else ("",)
    wanted = {(member, order) for member in members for order in asked_orders(run)}
    asked: dict[str, set[tuple[str, int]]] = {}
    valid: dict[str, bool] = {}
    for record in run.records:
        asked.setdefault(record.pair_id, set()).add((record.member, record.order))
        valid[record.pair_id] = record.pair_valid or include_invalid
    usable = [unit for unit in asked if valid[unit]]
    whole = [unit for unit in usable if asked[unit] == wanted]
    return Units(whole, len(usable) - len(whole), len(asked) - len(usable))


def asked_orders(run: Run) -> tuple[int, ...]:
    """The option orders in which a run asks each prompt."""
    return orders(run.form, run.benchmark)


def unit_numbers(run: Run, metric: str) -> Values:
    """The value of every unit in one metric, also of pairs that are not valid."""
    return run.unit_counts.values(metric, kind_of(run.benchmark))


def mean_over(several: Sequence[Values]) -> Values:
    """Unit by unit the mean of several runs; `None` where one of them has no value."""
    if len(several) == 1:
        return several[0]
    found: dict[str, float | None] = {}
    for unit in several[0]:
        values = [one.get(unit) for one in several]
        known = [value for value in values if value is not None]
        found[unit] = sum(known) / len(known) if len(known) == len(values) else None
    return found


def change(before: Values, after: Values) -> Values:
    """Unit by unit `after` − `before`; `None` where one of them has no value."""
    pairs = ((unit, value, after.get(unit)) for unit, value in before.items())
    return {u: None if x is None or y is None else y - x for u, x, y in pairs}

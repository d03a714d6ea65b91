"""Which sections may be ranked among each other, and their ranks."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from sociolect.harness.leaderboard.board import Rank
from sociolect.harness.leaderboard.numbers import Column, Measured
from sociolect.harness.leaderboard.ranks import rank_columns
from sociolect.harness.leaderboard.sections import Plan
from sociolect.harness.leaderboard.subjects import Cell
from sociolect.harness.leaderboard.ways import across_models
from sociolect.tasks.kinds import METRICS_OF, kind_of

Ranks = Mapping[str, Mapping[Cell, Rank]]
"""By id of the section and by column."""


def groups_of(plans: Sequence[Plan], measured: Mapping[str, Measured]) -> dict[str, str]:
    """The group of every section: equal way of asking, equal data, the same prompts.

    Args:
        plans: The sections.
        measured: By id of the section.

    Returns:
        By id of the section `g` and a number, in the order of the sections.
    """
    alike: dict[str, list[Plan]] = defaultdict(list)
    for plan in plans:
        alike[_way(plan, templates=False)].append(plan)
    groups: list[list[Plan]] = []
    for held in alike.values():
        parts: dict[str, list[Plan]] = defaultdict(list)
        # Of one model that was asked with two templates, the template is what is compared.
        twice = max(Counter(plan.model for plan in held).values()) > 1
        for plan in held:
            parts[_way(plan, templates=twice)].append(plan)
        for part in parts.values():
            groups += _by_data(part, measured)
    first = {id(group): min(plans.index(plan) for plan in group) for group in groups}
    groups.sort(key=lambda group: first[id(group)])
    return {plan.id: f"g{n}" for n, group in enumerate(groups, start=1) for plan in group}


def _way(plan: Plan, *, templates: bool) -> str:
    way = plan.way if templates else across_models(plan.way)
    return json.dumps([plan.subject, way, plan.data], sort_keys=True, default=str)


def _by_data(plans: Sequence[Plan], measured: Mapping[str, Measured]) -> list[list[Plan]]:
    """Sections whose data are equal in every condition that they share, prompts included."""
    groups: list[tuple[dict[Cell, str], str, list[Plan]]] = []
    for plan in plans:
        data = {cell: str(run.data["data_sha256"]) for cell, run in plan.runs.items()}
        prompts = measured[plan.id].columns[next(iter(plan.runs))].prompts
        for known, asked, held in groups:
            same = all(known.get(cell, sha) == sha for cell, sha in data.items())
            if same and asked == prompts:
                known.update(data)
                held.append(plan)
                break
        else:
            groups.append((data, prompts, [plan]))
    return [held for _, _, held in groups]


def ranks_of(
    plans: Sequence[Plan],
    measured: Mapping[str, Measured],
    groups: Mapping[str, str],
    *,
    resamples: int,
    seed: int,
) -> dict[str, dict[Cell, Rank]]:
    """Ranks within groups, in every column.

    A run that asked other prompts than the others of its column is not ranked with them.

    Args:
        plans: The sections.
        measured: By id of the section.
        groups: Of `groups_of`.
        resamples: Of the rank intervals.
        seed: Of the resamples.
    """
    found: dict[str, dict[Cell, Rank]] = {plan.id: {} for plan in plans}
    members: dict[str, list[Plan]] = defaultdict(list)
    for plan in plans:
        members[groups[plan.id]].append(plan)
    for held in members.values():
        columns = _columns(held, measured)
        metric = METRICS_OF[kind_of(held[0].subject[0])][0]
        ranked = rank_columns(list(columns.values()), metric, resamples=resamples, seed=seed)
        for (cell, _), ranks in zip(columns, ranked, strict=True):
            for section, rank in ranks.items():
                found[section][cell] = rank
    return found


def _columns(
    plans: Sequence[Plan], measured: Mapping[str, Measured]
) -> dict[tuple[Cell, str], dict[str, Column]]:
    """The columns of a group by cell and prompts; in each of them the sections."""
    found: dict[tuple[Cell, str], dict[str, Column]] = defaultdict(dict)
    for plan in plans:
        for cell, column in measured[plan.id].columns.items():
            found[cell, column.prompts][plan.id] = column
    return found

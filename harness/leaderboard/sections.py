"""Sections: which runs belong together, and which of several repetitions is shown."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolect.harness.leaderboard.ids import stable_ids
from sociolect.harness.leaderboard.models import Key, model_key
from sociolect.harness.leaderboard.subjects import Cell, SubjectKey, cell_of, subject_key
from sociolect.harness.leaderboard.ways import TEMPLATE, differing, pieces, template_text, way_of
from sociolect.harness.results import USUAL_RULES
from sociolect.harness.sample_lines import why_partial
from sociolect.harness.store.stored import StoredRun

_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Plan:
    """A section before its answers are read.

    Attributes:
        model: What identifies the model.
        way: How it was asked, in full; the runs of a section share it.
        version: Of the data.
        local: Whether the data are not the published ones.
        runs: The run that is shown of every cell, the clean one first, if there is one.
        repeated: Other runs of the cell of a run that is shown, by its path, newest first.
        older: Whether the subject has a newer data version.
        asked: What of `way` differs from other sections of the subject, in words.
        clean_under: Without a clean run: other rule sets under which the model has one.
    """

    id: str
    model: Key
    subject: SubjectKey
    way: Mapping[str, Any]
    version: str
    rules: str
    local: bool
    runs: Mapping[Cell, StoredRun]
    repeated: Mapping[str, tuple[StoredRun, ...]]
    older: bool = False
    asked: str = ""
    clean_under: tuple[str, ...] = ()

    @property
    def clean(self) -> StoredRun | None:
        """The clean run."""
        return next((run for cell, run in self.runs.items() if not cell.seeds), None)

    @property
    def alike(self) -> tuple[object, ...]:
        """What a section of another model shares that was asked in the very same way."""
        return (self.subject, json.dumps(self.way, sort_keys=True, default=str), *self.data)

    @property
    def data(self) -> tuple[str, str]:
        """Version of the data, and rule set."""
        return self.version, self.rules


def is_partial(run: StoredRun) -> str:
    """Why a run is not the whole task, empty if it is."""
    return why_partial(run.rows, run.prompts)


def plans_of(runs: Iterable[StoredRun]) -> list[Plan]:
    """The sections of some runs.

    Runs of one section are of one model and subject, and were asked in one way with errors of one
    rule set on one version of the data, all published or all local. What can only be built locally
    (another error seed) goes with either.

    Args:
        runs: Of tasks whose benchmarks have a kind.
    """
    groups: dict[tuple[object, ...], list[StoredRun]] = defaultdict(list)
    for run in runs:
        way = json.dumps(way_of(run), sort_keys=True, default=str)
        data = (str(run.data["data_version"]), str(run.data["rules"]))
        groups[model_key(run), subject_key(run), way, data].append(run)
    found = [
        _plan(part, local) for group in groups.values() for local, part in _by_origin(group).items()
    ]
    newest: dict[SubjectKey, tuple[int, ...]] = {}
    for plan in found:
        newest[plan.subject] = max(newest.get(plan.subject, ()), version_order(plan.version))
    return [
        replace(
            plan,
            older=version_order(plan.version) < newest[plan.subject],
            clean_under=() if plan.clean else _clean_under(plan, found),
        )
        for plan in found
    ]


def _clean_under(plan: Plan, plans: Iterable[Plan]) -> tuple[str, ...]:
    """Rule sets under which the model has a clean run, asked in the same way."""
    asked = plan.model, plan.subject, plan.way, plan.version
    alike = (one for one in plans if (one.model, one.subject, one.way, one.version) == asked)
    return tuple(sorted({one.rules for one in alike if one.clean} - {plan.rules}))


def version_order(version: str) -> tuple[int, ...]:
    """A key that sorts versions: 1.10.0 after 1.9.0."""
    return tuple(map(int, _NUMBERS.findall(version[:40])))


def _by_origin(runs: Sequence[StoredRun]) -> dict[bool, list[StoredRun]]:
    """Runs on published and on local data.

    Data with another error seed or rule set are always built locally: they say nothing about the
    kind, and go with the runs that do, those on published data first.
    """
    found: dict[bool, list[StoredRun]] = {}
    either = []
    for run in runs:
        if run.error_seed or run.data["rules"] != USUAL_RULES:
            either.append(run)
        else:
            found.setdefault(bool(run.data["local_data"]), []).append(run)
    if either:
        with_clean = [local for local, held in found.items() if any(map(_is_clean, held))]
        found.setdefault(min(with_clean or list(found) or [True]), []).extend(either)
    return found


def _is_clean(run: StoredRun) -> bool:
    return run.condition.is_clean


def _plan(runs: Sequence[StoredRun], local: bool) -> Plan:
    cells: dict[Cell, list[StoredRun]] = defaultdict(list)
    for run in runs:
        cells[cell_of(run)].append(run)
    chosen = {
        cell: sorted(group, key=_rank, reverse=True)
        for cell, group in sorted(
            cells.items(), key=lambda one: (one[0].seeds != (), *one[0].place)
        )
    }
    first = runs[0]
    return Plan(
        id="",
        model=model_key(first),
        subject=subject_key(first),
        way=way_of(first),
        version=str(first.data["data_version"]),
        rules=str(first.data["rules"]),
        local=local,
        runs={cell: group[0] for cell, group in chosen.items()},
        repeated={group[0].path: tuple(group[1:]) for group in chosen.values() if len(group) > 1},
    )


def _rank(run: StoredRun) -> tuple[bool, bool, str, str]:
    """The run that is shown comes first: a whole one, on published data, the newest."""
    return not is_partial(run), not run.data["local_data"], run.time, run.path


def why_shown(shown: StoredRun, others: Sequence[StoredRun]) -> str:
    """Why an older run is shown, empty if the newest is."""
    newer = [run for run in others if run.time > shown.time]
    if not newer:
        return ""
    partial = is_partial(newer[0])
    return partial or "the newer one is on local data"


def numbered(plans: Sequence[Plan], models: Sequence[Key]) -> list[Plan]:
    """The sections by subject, model and way of asking, with ids, and with that way in words.

    Args:
        plans: Of `plans_of`.
        models: The models in the order in which they are shown.
    """
    places = {key: place for place, key in enumerate(models)}
    ordered = sorted(
        plans,
        key=lambda p: (p.subject, places[p.model], p.older, p.local, p.data, str(p.way)),
    )
    keys = [_key(plan) for plan in ordered]
    ids = stable_ids("s", keys)
    return [
        replace(plan, id=ids[key], asked=asked)
        for plan, key, asked in zip(ordered, keys, _asked(ordered), strict=True)
    ]


def _key(plan: Plan) -> str:
    """What no two sections share."""
    return json.dumps([plan.model, *plan.alike, plan.local], default=str)


def _asked(plans: Sequence[Plan]) -> list[str]:
    """How each section was asked, as far as the sections of its subject differ."""
    described = []
    for plan in plans:
        parts = {
            **pieces(plan.way),
            "data": f"data {plan.version}",
            "rules": f"rules {plan.rules}",
            "local": "local data" if plan.local else "published data",
            "limit": is_partial(plan.clean) if plan.clean else "",
        }
        same = [p for p in plans if (p.model, p.subject) == (plan.model, plan.subject)]
        if len({template_text(p.way) for p in same if p.way[TEMPLATE]}) > 1:
            parts[TEMPLATE] = template_text(plan.way)
        described.append(parts)
    found = [""] * len(plans)
    for subject in {plan.subject for plan in plans}:
        indices = [i for i, plan in enumerate(plans) if plan.subject == subject]
        texts = differing([described[i] for i in indices])
        for index, text in zip(indices, texts, strict=True):
            found[index] = text
    return found

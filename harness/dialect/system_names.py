"""From runs to systems, put together by dataset and named so that they can be told apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sociolect.generators.errors import ResultsError
from sociolect.harness.dialect.resampling import cluster_numbers
from sociolect.harness.dialect.runs import DialectRun
from sociolect.harness.dialect.system_checks import check_systems
from sociolect.harness.dialect.systems import (
    ADAPTERS,
    BASE,
    PROMPT,
    Dataset,
    Origin,
    System,
    is_steering,
)
from sociolect.harness.run_settings import short_names

_MODELS = ("pretrained", "model", "path", "engine")


def datasets(runs: Sequence[DialectRun], allow: Collection[str] = ()) -> list[Dataset]:
    """Put runs together by dataset and split, and within those by system.

    Args:
        runs: From `read_runs`.
        allow: Differences from Base that are accepted, by name.

    Raises:
        NotComparableError: A system and its Base were not asked in the same way.
        ResultsError: A pair under two groups.
    """
    groups: dict[tuple[str, str], list[DialectRun]] = defaultdict(list)
    for run in runs:
        groups[str(run.data["data_sha256"]), run.split].append(run)
    return [_dataset(group, allow) for group in groups.values()]


def _dataset(runs: Sequence[DialectRun], allow: Collection[str]) -> Dataset:
    groups = _groups(runs)
    first = runs[0]
    found = Dataset(
        version=str(first.data["data_version"]),
        sha256=str(first.data["data_sha256"]),
        split=first.split if any(pair.split for pair in first.pairs.values()) else "",
        local=bool(first.data["local_data"]),
        systems=tuple(_systems(runs)),
        ids=tuple(groups),
        clusters=cluster_numbers(tuple(groups), groups),
    )
    return replace(found, notes=tuple(dict.fromkeys(check_systems(found, allow))))


def _groups(runs: Iterable[DialectRun]) -> dict[str, str]:
    """The group of every pair, empty for none."""
    found: dict[str, str] = {}
    rows: dict[str, str] = {}
    for run in runs:
        for id_, pair in run.pairs.items():
            if found.setdefault(id_, pair.group) != pair.group:
                raise ResultsError(
                    f"{run.files.samples}: pair {id_} is in group {pair.group!r}, but in "
                    f"{found[id_]!r} in another run of the same data; a file was edited"
                )
            if rows.setdefault(id_, pair.row) != pair.row:
                raise ResultsError(
                    f"{run.files.samples}: pair {id_} has another text, boundary or rating than in "
                    "another run of the same data; a file was edited"
                )
    return found


def _systems(runs: Sequence[DialectRun]) -> list[System]:
    """The systems, named so that they can be told apart."""
    by_key: dict[tuple[Any, ...], dict[str, DialectRun]] = defaultdict(dict)
    for run in runs:
        earlier = by_key[_key(run)].setdefault(run.task, run)
        if earlier is not run:  # one model, once with and once without a default spelt out
            raise ResultsError(
                f"{run.files.task}: two runs of one model on the same data; name one of"
                f"\n  {earlier.files.samples}\n  {run.files.samples}"
            )
    bare = [_bare(list(group.values())) for group in by_key.values()]
    models = _model_names([one.origin for one in bare])
    adapters = short_names(dict.fromkeys(one.adapter for one in bare))
    steering = short_names(dict.fromkeys(value for one in bare for _, value in one.steering))
    named = [
        replace(one, model=models[one.origin], name=_name(one, adapters[one.adapter], steering))
        for one in bare
    ]
    order = {origin: place for place, origin in enumerate(models)}
    return sorted(_told_apart(named), key=lambda one: (order[one.origin], *_place(one)))


def _key(run: DialectRun) -> tuple[Any, ...]:
    model, arguments = run.settings["model"], _arguments(run)
    identity = tuple(sorted((key, str(value)) for key, value in model.items()))
    others = tuple(sorted(arguments.items()))
    return (run.settings["backend"], str(run.settings["dtype"]), identity, others, run.prompted)


def _arguments(run: DialectRun) -> dict[str, str]:
    """Model arguments; a scale of β is only named if it is not the one of the equation."""
    arguments: dict[str, str] = run.settings["model_args"]
    return {k: v for k, v in arguments.items() if (k, v) != ("beta_scale", "unit")}


def _bare(runs: Sequence[DialectRun]) -> System:
    """A system that has no names yet."""
    settings = runs[0].settings
    model, arguments = settings["model"], _arguments(runs[0])
    steering = {key: value for key, value in arguments.items() if is_steering(key)}
    named = next((str(model[key]) for key in _MODELS if key in model), str(model["name"]))
    origin = (named, str(model.get("revision") or ""), str(model.get("subfolder") or ""))
    details = {key: value for key, value in arguments.items() if key not in steering}
    details |= {key: str(settings[key]) for key in ("backend", "dtype") if settings[key]}
    return System(
        model="",
        name="",
        origin=origin,
        adapter=next((str(model[key]) for key in ADAPTERS if key in model), ""),
        steering=tuple(sorted(steering.items())),
        prompted=runs[0].prompted,
        details=details,
        runs={run.task: run for run in runs},
    )


def _model_names(origins: Sequence[Origin]) -> dict[Origin, str]:
    """Names to show; those of one name with revision and subfolder."""
    distinct = list(dict.fromkeys(origins))
    shown = short_names(dict.fromkeys(name for name, *_ in distinct))
    uses = Counter(name for name, *_ in distinct)
    return {
        origin: f"{shown[origin[0]]} ({', '.join(filter(None, origin[1:]))})"
        if uses[origin[0]] > 1
        else shown[origin[0]]
        for origin in distinct
    }


def _name(system: System, adapter: str, short: Mapping[str, str]) -> str:
    parts = [f"adapter {adapter}"] if system.adapter else []
    if system.steering:
        parts.append(_steered(dict(system.steering), short))
    if system.prompted:
        parts.append("prompted" if parts else PROMPT)
    return ", ".join(parts) or BASE


def _steered(arguments: dict[str, str], short: Mapping[str, str]) -> str:
    beta, scale = arguments.pop("beta", ""), arguments.pop("beta_scale", "")
    shown = [short[value] for value in arguments.values()]
    strength = [f"β={beta}"] if beta else []
    return " ".join(["steered", *shown, *strength, *([f"({scale})"] if scale else [])])


def _told_apart(systems: Sequence[System]) -> list[System]:
    """Systems of one name with the settings in which they differ."""
    found = []
    for system in systems:
        same = [one for one in systems if (one.model, one.name) == (system.model, system.name)]
        keys = sorted({key for one in same for key in one.details})
        differing = [key for key in keys if len({one.details.get(key) for one in same}) > 1]
        extra = ", ".join(f"{key} {system.details.get(key, 'none')}" for key in differing)
        found.append(replace(system, name=f"{system.name} ({extra})") if extra else system)
    return found


def _place(system: System) -> tuple[Any, ...]:
    """Base, Prompt, then the others, weaker steering first."""
    beta = dict(system.steering).get("beta", "")
    try:
        strength = float(beta)
    except ValueError:
        strength = 0.0
    changed = bool(system.adapter or system.steering)
    return (changed, system.prompted and not changed, system.adapter, strength, system.name)

"""Systems under audit: a model, and what was done to it.

The columns of Table 3 of the dialect paper: Base, Prompt (asked with the equivalence instruction),
and a model with an adapter or steered activations. All that share a model are held against its
Base.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sociolect.generators.errors import NotComparableError, ResultsError
from sociolect.harness.comparability import ALLOWABLE, setting_differences
from sociolect.harness.dialect.runs import DialectRun, Prompt
from sociolect.harness.run_settings import SHAS, short_names

BASE = "Base"
PROMPT = "Prompt"
ADAPTERS: tuple[str, ...] = ("peft", "lora_local_path", "delta")
"""Model arguments that name an adapter."""
_MODELS = ("pretrained", "model", "path", "engine")
_HASH = 12

Ints = npt.NDArray[np.int64]
Origin = tuple[str, str, str]
"""Name, revision and subfolder of the model without what was done to it."""


def is_steering(argument: str) -> bool:
    """Whether a model argument says how activations are steered."""
    return argument == "beta" or argument.startswith("steering")


@dataclass(frozen=True)
class System:
    """One column of the report.

    Attributes:
        model: Name to show of the model.
        name: Base, Prompt, or what was done to the model; distinct within the model.
        origin: What identifies the model.
        adapter: As it was named; empty for none.
        steering: Model arguments that say how it is steered.
        prompted: Whether it was asked with the equivalence instruction.
        details: Backend, precision and everything else that can make it answer otherwise.
        runs: By task, without the end `_prompted`.
    """

    model: str
    name: str
    origin: Origin
    adapter: str
    steering: tuple[tuple[str, str], ...]
    prompted: bool
    details: Mapping[str, str]
    runs: Mapping[str, DialectRun]

    @property
    def is_base(self) -> bool:
        """Whether nothing was done to the model."""
        return not (self.adapter or self.steering or self.prompted)

    @property
    def label(self) -> str:
        """Model and name."""
        return f"{self.model} · {self.name}"


@dataclass(frozen=True)
class Dataset:
    """What was asked about one set of pairs.

    Attributes:
        sha256: Of its rows.
        split: That was asked for; empty if the pairs are in none.
        systems: Those of one model together, its Base first.
        ids: Of all pairs that any system was asked about.
        clusters: Number of the group of each pair, from 0; a pair without a group is one of its
            own. Shape (n,).
        notes: On what differs between the systems.
    """

    version: str
    sha256: str
    split: str
    local: bool
    systems: tuple[System, ...]
    ids: tuple[str, ...]
    clusters: Ints
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Hash and split."""
        split = f"split {self.split}" if self.split else "no split"
        return f"data {self.sha256[:_HASH]}, {split}"

    @property
    def grouped(self) -> bool:
        """Whether any pairs belong together."""
        return self.size < len(self.ids)

    @property
    def size(self) -> int:
        """Number of groups."""
        return int(self.clusters.max()) + 1

    def base_of(self, system: System) -> System | None:
        """What a system is held against: the one Base of its model, or that in its own settings."""
        bases = [one for one in self.systems if one.is_base and one.origin == system.origin]
        alike = [one for one in bases if one.details == system.details]
        found = bases if len(bases) == 1 else alike
        return found[0] if len(found) == 1 and not system.is_base else None


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
    names: dict[str, int] = {}
    codes = [names.setdefault(group or f"\0{id_}", len(names)) for id_, group in groups.items()]
    first = runs[0]
    found = Dataset(
        version=str(first.data["data_version"]),
        sha256=str(first.data["data_sha256"]),
        split=first.split if any(pair.split for pair in first.pairs.values()) else "",
        local=bool(first.data["local_data"]),
        systems=tuple(_systems(runs)),
        ids=tuple(groups),
        clusters=np.array(codes, dtype=np.int64),
    )
    return replace(found, notes=tuple(dict.fromkeys(_checked(found, allow))))


def _groups(runs: Iterable[DialectRun]) -> dict[str, str]:
    """The group of every pair, empty for none."""
    found: dict[str, str] = {}
    for run in runs:
        for id_, (group, *_) in run.pairs.items():
            if found.setdefault(id_, group) != group:
                raise ResultsError(
                    f"{run.files.samples}: pair {id_} is in group {group!r}, but in "
                    f"{found[id_]!r} in another run of the same data; a file was edited"
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
    named = [
        replace(one, model=models[one.origin], name=_name(one, adapters[one.adapter]))
        for one in bare
    ]
    order = {origin: place for place, origin in enumerate(models)}
    return sorted(_told_apart(named), key=lambda one: (order[one.origin], *_place(one)))


def _key(run: DialectRun) -> tuple[Any, ...]:
    model, arguments = run.settings["model"], run.settings["model_args"]
    identity = tuple(sorted((key, str(value)) for key, value in model.items()))
    others = tuple(sorted(arguments.items()))
    return (run.settings["backend"], str(run.settings["dtype"]), identity, others, run.prompted)


def _bare(runs: Sequence[DialectRun]) -> System:
    """A system that has no names yet."""
    settings = runs[0].settings
    model, arguments = settings["model"], settings["model_args"]
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


def _name(system: System, adapter: str) -> str:
    steering = dict(system.steering)
    beta = steering.pop("beta", "")
    parts = [f"adapter {adapter}"] if system.adapter else []
    if system.steering:
        shown = [short_names([value])[value] for value in steering.values()]
        parts.append(" ".join(["steered", *shown, *([f"β={beta}"] if beta else [])]))
    if system.prompted:
        parts.append("prompted" if parts else PROMPT)
    return ", ".join(parts) or BASE


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


def _checked(dataset: Dataset, allow: Collection[str]) -> list[str]:
    """Sentences on what differs and was accepted.

    Raises:
        NotComparableError: A difference that was not.
    """
    notes, problems = [], []
    for system in dataset.systems:
        base = dataset.base_of(system)
        if base is None and not system.is_base:
            notes.append(
                f"{system.label}: no run of its Base (the same model unprompted, without adapter "
                "or steering) in the same settings, so there are no differences to show."
            )
        if base is None:
            continue
        for task in (task for task in system.runs if task in base.runs):
            found = _differences(base.runs[task], system.runs[task])
            accepted = {name: text for name, text in found.items() if name in allow}
            notes += [f"{system.label}, {task}: allowed: {n}: {t}" for n, t in accepted.items()]
            if refused := {name: t for name, t in found.items() if name not in allow}:
                problems.append(_problem(system, base, task, refused))
    if problems:
        raise NotComparableError("\n".join(problems))
    return [*notes, *_unlike_models(dataset)]


def _asked(run: DialectRun) -> dict[str, Any]:
    """The settings without those that make a system what it is."""
    found = dict(run.settings)
    found.pop("model")
    arguments = found["model_args"]
    found["model_args"] = {key: v for key, v in arguments.items() if not is_steering(key)}
    found["model_sha"] = {key: value for key, value in found["model_sha"].items() if key == SHAS[0]}
    return found


def _differences(base: DialectRun, other: DialectRun) -> dict[str, str]:
    found = setting_differences(_asked(base), _asked(other))
    if base.prompts != other.prompts:
        only = [_count(base.prompts - other.prompts), _count(other.prompts - base.prompts)]
        reasons = [f"{run.files.task} is {run.partial}" for run in (base, other) if run.partial]
        text = f"{only[0]} only in the first, {only[1]} only in the second"
        found["ids"] = f"{text} ({'; '.join(reasons)})" if reasons else text
    return found


def _count(prompts: Collection[Prompt]) -> str:
    if not prompts:
        return "no prompt"
    return f"{len(prompts)} prompt{'s' * (len(prompts) > 1)} (e.g. of pair {min(prompts).id})"


def _problem(system: System, base: System, task: str, refused: Mapping[str, str]) -> str:
    files = [one.runs[task].files.samples for one in (base, system)]
    lines = [
        f"{task}: {system.label} is not comparable with {base.name} (first value Base / second "
        f"value {system.name}):",
        *(f"  {name}: {text}" for name, text in refused.items()),
        f"  files: {files[0]} / {files[1]}",
    ]
    accepted = [f"--allow {name}" for name in refused if name in ALLOWABLE]
    hint = "Run both in the same way"
    if len(accepted) == len(refused):
        hint += f", or, if the difference is meant, add {' '.join(accepted)}"
    return "\n".join([*lines, f"  {hint}."])


def _unlike_models(dataset: Dataset) -> list[str]:
    """Sentences on settings that differ between models; each has a template of its own."""
    notes = []
    names = ("task_format", "answer_mode", "few_shot", "system_instruction", "generation")
    for task in dict.fromkeys(task for one in dataset.systems for task in one.runs):
        runs = [one.runs[task] for one in dataset.systems if task in one.runs]
        differing = [n for n in names if len({repr(run.settings[n]) for run in runs}) > 1]
        if any(run.prompts != runs[0].prompts for run in runs):
            differing.append("the prompts that were asked")
        if differing:
            notes.append(f"{task}: not all systems agree in {', '.join(differing)}.")
    return notes

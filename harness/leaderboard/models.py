"""Which runs are of one model, what was done to it, and under which plain model it is shown."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolect.harness.leaderboard.board import Mitigation, Model
from sociolect.harness.leaderboard.ids import stable_ids
from sociolect.harness.run_settings import SHAS, STEERING, short_names
from sociolect.harness.store.stored import StoredRun

ADAPTERS: tuple[str, ...] = ("peft", "lora_local_path", "delta")
"""Model arguments that name an adapter; backends that have others of it call them after LoRA."""
VECTORS: tuple[str, ...] = ("steering", "steer_path")
"""Model arguments that name a steering vector."""
NO_NAME = "(no name)"
"""Label of a model whose name is blank."""
_NAMES = ("pretrained", "model", "path", "engine")
_USUAL = {("beta_scale", "unit"), ("revision", "main")}
"""Defaults: spelt out they are no difference."""

Key = str
"""What identifies a model, as text."""


@dataclass(frozen=True, slots=True)
class _Bare:
    """A model before it is named.

    Attributes:
        origin: Name, revision and subfolder without what was done to it.
        adapter: The adapter as it was asked for, empty for none.
        steering: Model arguments about steering.
        beta: Strength of the steering, as text.
        others: Everything else that makes it answer otherwise.
    """

    key: Key
    origin: tuple[str, str, str]
    adapter: str
    steering: Mapping[str, str]
    backend: str
    others: Mapping[str, str]
    details: Mapping[str, str]
    label: str = ""

    @property
    def unsteered(self) -> bool:
        """Whether a vector was given with β = 0, which changes nothing."""
        return bool(self.steering) and _is_zero(self.steering.get("beta", ""))

    @property
    def mitigation(self) -> Mitigation:
        """What was done to it."""
        steered = bool(self.steering) and not self.unsteered
        if self.adapter:
            return "adapter + steering" if steered else "adapter"
        return "steering" if steered else ""


def model_key(run: StoredRun) -> Key:
    """What runs of one model share: identity, arguments that change answers, backend, precision."""
    settings = run.settings
    parts = [settings["backend"], str(settings["dtype"]), _identity(run), _arguments(run)]
    return json.dumps(parts, sort_keys=True, default=str)


def models_of(runs: Iterable[StoredRun]) -> tuple[dict[Key, Model], list[str]]:
    """The models of some runs by their key, and sentences on what was found.

    A model with an adapter or a steering vector is shown under the plain model of the same name,
    revision and subfolder; where there are several, under the one that was run in the same way.

    Args:
        runs: Of any tasks.

    Returns:
        In the order of their labels.
    """
    groups: dict[Key, list[StoredRun]] = defaultdict(list)
    for run in runs:
        groups[model_key(run)].append(run)
    bare = _labelled([_bare(key, group) for key, group in groups.items()])
    ordered = sorted(bare, key=lambda one: (one.label.casefold(), one.label))
    ids = stable_ids("m", (one.key for one in ordered))
    found = {one.key: _model(one, ids, bare) for one in ordered}
    return found, [_said(one) for one in ordered if one.unsteered]


def _said(model: _Bare) -> str:
    return (
        f"{model.label}: was given a steering vector with a strength of 0, which changes nothing; "
        "it is shown as a model of its own and no mitigation."
    )


def _identity(run: StoredRun) -> dict[str, str]:
    """What names the weights; the name to show is one of these or the name of the backend."""
    named = {key: str(value) for key, value in run.settings["model"].items()}
    return {k: v for k, v in named.items() if (k, v) not in _USUAL}


def _arguments(run: StoredRun) -> dict[str, str]:
    given: Mapping[str, Any] = run.settings["model_args"]
    return {k: str(v) for k, v in sorted(given.items()) if (k, str(v)) not in _USUAL}


def _bare(key: Key, runs: Sequence[StoredRun]) -> _Bare:
    settings, model, arguments = runs[0].settings, _identity(runs[0]), _arguments(runs[0])
    origin = next((model[name] for name in _NAMES if name in model), model["name"])
    adapter = next((model[name] for name in ADAPTERS if name in model), "")
    backend, dtype = str(settings["backend"]), settings["dtype"]
    precision = {"dtype": str(dtype)} if dtype else {}
    hashes = {name: text for name in SHAS if (text := _commits(runs, name))}
    details = {k: v for k, v in model.items() if k != "name" and v != model["name"]}
    details |= {k: v for k, v in model.items() if k in ADAPTERS}
    return _Bare(
        key=key,
        origin=(origin, model.get("revision", ""), model.get("subfolder", "")),
        adapter=adapter,
        steering={k: v for k, v in arguments.items() if k in STEERING},
        backend=backend,
        others={k: v for k, v in arguments.items() if k not in STEERING} | precision,
        details=details | arguments | precision | hashes,
    )


def _commits(runs: Iterable[StoredRun], name: str) -> str:
    """The commits of a model, known only where they could be looked up."""
    found = (run.settings["model_sha"].get(name) for run in runs)
    return ", ".join(sorted({str(one) for one in found if one}))


def _labelled(models: Sequence[_Bare]) -> list[_Bare]:
    """With labels that are distinct."""
    names = short_names(dict.fromkeys(one.origin[0] for one in models))
    adapters = short_names(dict.fromkeys(one.adapter for one in models if one.adapter))
    texts = dict.fromkeys(v for one in models for k, v in one.steering.items() if k in VECTORS)
    short = names | adapters | short_names(texts)
    return _told_apart([replace(one, label=_name(one, short)) for one in models])


def _name(model: _Bare, short: Mapping[str, str]) -> str:
    """The model, its adapter and its steering."""
    parts = [short[model.origin[0]] if model.origin[0].strip() else NO_NAME]
    if model.adapter:
        parts.append(f"adapter {short[model.adapter]}")
    if model.steering:
        vector = next((short[model.steering[n]] for n in VECTORS if n in model.steering), "")
        strength = model.steering.get("beta")
        beta = f"β={strength}" if strength is not None else ""
        parts.append(" ".join(filter(None, ["steered", vector, beta])))
    return " + ".join(parts)


def _told_apart(models: Sequence[_Bare]) -> list[_Bare]:
    """Models of one label with the settings in which they differ."""
    by_label: dict[str, list[_Bare]] = defaultdict(list)
    for one in models:
        by_label[one.label].append(one)
    found: list[_Bare] = []
    for one in models:
        held = [{"backend": m.backend, **m.details} for m in by_label[one.label]]
        mine = {"backend": one.backend, **one.details}
        keys = sorted({key for other in held for key in other} - set(SHAS))
        extra = [
            f"{key} {mine.get(key, 'none')}"
            for key in keys
            if len({other.get(key) for other in held}) > 1
        ]
        label = f"{one.label} ({', '.join(extra)})" if extra else one.label
        taken = sum(earlier.label == label for earlier in found)
        found.append(replace(one, label=f"{label} #{taken + 1}" if taken else label))
    return found


def _model(model: _Bare, ids: Mapping[Key, str], models: Sequence[_Bare]) -> Model:
    base = _base(model, models) if model.mitigation else None
    return Model(
        id=ids[model.key],
        label=model.label,
        name=model.origin[0],
        mitigation=model.mitigation,
        base=ids[base.key] if base else "",
        backend=model.backend,
        details=model.details,
    )


def _base(model: _Bare, models: Sequence[_Bare]) -> _Bare | None:
    """The plain model of the same origin: the one run in the same way, or the only one."""
    plain = [m for m in models if m.origin == model.origin and not (m.adapter or m.steering)]
    others = {k: v for k, v in model.others.items() if "lora" not in k}
    alike = [m for m in plain if m.backend == model.backend and m.others == others]
    found = alike or plain
    return found[0] if len(found) == 1 else None


def _is_zero(text: str) -> bool:
    try:
        return float(text) == 0
    except ValueError:
        return False

"""Reads the file of a sweep, strictly: what is not known is an error with its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.generators.redaction import has_secrets, is_secret
from sociolect.harness.sweeps import options
from sociolect.harness.sweeps.cells import line_of, slug
from sociolect.harness.sweeps.settings import Model, Sweep
from sociolect.harness.sweeps.sweep_tasks import read_entries
from sociolect.harness.sweeps.yaml_marks import Marked, read_marked, texts_in

_TOP = ("out", "models", "tasks", "seeds", "arguments", "environment")
_MODEL = ("name", "base", "model", "model_args", "arguments", "gpus", "cpus")
_SEEDS = 2**63
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_VARIABLE = re.compile(
    r"(?i)(token|key|secret|password|passwd|credentials?)$|"
    r"(^|_)(token|api_?key|secret|password|passwd|pass|auth|credentials?)(_|$)"
)
_ELSEWHERE = "set it in the environment of the shell that starts the sweep"


def read_sweep(path: Path, out: Path | None = None) -> Sweep:
    """Read a file of a sweep.

    Args:
        path: YAML, as in docs/sweeps.md.
        out: Folder of results in the place of that in the file.

    Raises:
        InvalidInputError: What is wrong, with the line.
        UnknownNameError: A task that nobody knows.
    """
    root = read_marked(path)
    top = _mapping(root, _TOP, needed=("models", "tasks"))
    folder = path.absolute().parent
    common = _arguments(top["arguments"], folder) if "arguments" in top else {}
    models = _models(top["models"], folder, common)
    sweep = Sweep(
        file=path.absolute(),
        out=_out(top.get("out"), folder, out, root),
        models=models,
        entries=read_entries(top["tasks"]),
        seeds=_seeds(top["seeds"]) if "seeds" in top else (0,),
        environment=_environment(top["environment"], folder) if "environment" in top else {},
    )
    for model, place in zip(models, _list(top["models"]), strict=True):
        _check_line(sweep, model, place)
    return sweep


def _check_line(sweep: Sweep, model: Model, place: Marked) -> None:
    """What lm_eval's parser says to the first cell of a model."""
    try:
        options.check(line_of(model, sweep.entries[0], sweep.seeds[0], "results"))
    except InvalidInputError as error:
        place.fault(f"`sociolect eval` would not take the arguments of this model: {error}")


def _out(given: Marked | None, folder: Path, wins: Path | None, root: Marked) -> Path:
    if wins is not None:
        return wins.absolute()
    if given is None:
        root.fault("names no folder of results: add `out: results`, or give --out")
    return folder / _text(given)


@dataclass(frozen=True, slots=True)
class _Written:
    """A model as it is written, before it has what its base has."""

    place: Marked
    own: Mapping[str, Marked]
    name: str


def _models(given: Marked, folder: Path, common: Mapping[str, Any]) -> tuple[Model, ...]:
    written: dict[str, _Written] = {}
    for one in _list(given):
        own = _mapping(one, _MODEL, needed=("name",))
        name = _text(own["name"])
        if name in written:
            own["name"].fault(f"a second model is called {name!r}; names are unique")
        written[name] = _Written(one, own, name)
    made = tuple(_model(one, written, folder, common) for one in written.values())
    slugs: dict[str, str] = {}
    for model in made:
        other = slugs.setdefault(model.slug.casefold(), model.name)
        if other != model.name:
            written[model.name].own["name"].fault(
                f"{model.name!r} and {other!r} would share the folder {model.slug}; rename one"
            )
    return made


def _model(
    one: _Written, written: Mapping[str, _Written], folder: Path, common: Mapping[str, Any]
) -> Model:
    chain = _chain(one, written)
    values: dict[str, Any] = {}
    model_args: dict[str, Any] = {}
    arguments: dict[str, Any] = dict(common)
    for step in reversed(chain):
        values.update(step.own)
        if "model_args" in step.own:
            model_args.update(_model_args(step.own["model_args"], folder))
        if "arguments" in step.own:
            arguments.update(_arguments(step.own["arguments"], folder))
    if "model" not in values:
        one.place.fault("has no `model` (lm_eval's --model, e.g. sociolect-hf) and no `base`")
    return Model(
        name=one.name,
        slug=slug(one.name),
        model=_text(values["model"]),
        model_args={k: v for k, v in model_args.items() if v is not None},
        arguments={k: v for k, v in arguments.items() if v is not None},
        gpus=_amount(values["gpus"], 0) if "gpus" in values else 0,
        cpus=_amount(values["cpus"], 0) if "cpus" in values else 1,
    )


def _chain(one: _Written, written: Mapping[str, _Written]) -> list[_Written]:
    """A model, its base, the base of that, and so on."""
    chain = [one]
    while base := chain[-1].own.get("base"):
        name = _text(base)
        if name not in written:
            near = get_close_matches(name, written, n=1)
            base.fault(f"no model is called {name!r}" + (f"; {near[0]!r} is" if near else ""))
        if any(step.name == name for step in chain):
            names = " → ".join(repr(step.name) for step in chain)
            base.fault(f"bases go in a circle: {names} → {name!r}")
        chain.append(written[name])
    return chain


def _model_args(given: Marked, folder: Path) -> dict[str, Any]:
    values = _mapping(given)
    _refuse_secrets(given)
    return {name: _located(one.plain(), folder) for name, one in values.items()}


def _arguments(given: Marked, folder: Path) -> dict[str, Any]:
    values = _mapping(given)
    _refuse_secrets(given)
    names = options.known()
    for name, one in values.items():
        if name in options.SET_BY_SWEEP:
            one.fault(f"{name} is set by the sweep itself")
        if name not in names:
            near = get_close_matches(name, names, n=1)
            meant = f"; did you mean {near[0]}?" if near else f". Known: {', '.join(names)}"
            one.fault(f"`sociolect eval` has no argument {name!r}{meant}")
        if name == "metadata" and "error_seed" in _mapping(one):
            one.fault("error seeds are given as `seeds` of the sweep")
        try:
            options.words({name: one.plain()})
        except InvalidInputError as error:
            one.fault(str(error))
    return {name: _located(one.plain(), folder) for name, one in values.items()}


def _refuse_secrets(given: Marked) -> None:
    for name, value in texts_in(given.plain()):
        if is_secret(name) and value is not None:
            given.fault(f"the value of {name} would be written down; {_ELSEWHERE}")
        if isinstance(value, str) and has_secrets(value):
            given.fault(f"{name} holds a password or an access token; {_ELSEWHERE}")


def _environment(given: Marked, folder: Path) -> dict[str, str]:
    found = {}
    for name, one in _mapping(given).items():
        if not _VARIABLE.fullmatch(name):
            one.fault(f"{name!r} cannot be the name of a variable")
        text = str(one.value) if type(one.value) in (int, float) else _text(one)
        if is_secret(name) or _SECRET_VARIABLE.search(name) or has_secrets(text):
            one.fault(f"{name} holds a secret, which is not for a file; {_ELSEWHERE}")
        found[name] = str(_located(text, folder))
    return found


def _seeds(given: Marked) -> tuple[int, ...]:
    found = []
    for one in _list(given):
        if type(one.value) is not int or not 0 <= one.value < _SEEDS:
            one.fault(f"a seed is a whole number, 0 or more, not {one.plain()!r}")
        if one.value in found:
            one.fault(f"seed {one.value} is given twice")
        found.append(one.value)
    return tuple(found)


def _located(value: Any, folder: Path) -> Any:
    """A relative path to something beside the file, made absolute; anything else as it is."""
    if not isinstance(value, str) or not value or "\0" in value or Path(value).is_absolute():
        return value
    try:
        there = (folder / value).exists()
    except OSError:  # too long for a name
        return value
    return str(folder / value) if there else value


def _amount(given: Marked, least: float) -> float:
    if type(given.value) not in (int, float) or given.value < least:  # type: ignore[operator]
        given.fault(f"is a number, {least} or more, not {given.plain()!r}")
    return given.plain()  # type: ignore[no-any-return]


def _text(given: Marked) -> str:
    if not isinstance(given.value, str) or not given.value.strip() or "\0" in given.value:
        given.fault(f"a text is needed, not {given.plain()!r}; put quotes around it")
    return given.value


def _list(given: Marked) -> list[Marked]:
    if not isinstance(given.value, list) or not given.value:
        given.fault("a list with at least one entry is needed")
    return given.value


def _mapping(
    given: Marked, known: tuple[str, ...] = (), needed: tuple[str, ...] = ()
) -> dict[str, Marked]:
    if not isinstance(given.value, dict):
        given.fault("names and values are needed (name: value)")
    for name, one in given.value.items():
        if known and name not in known:
            near = get_close_matches(name, known, n=1)
            meant = f"; did you mean {near[0]}?" if near else f". Known: {', '.join(known)}"
            one.fault(f"{name!r} is not known here{meant}")
    for name in needed:
        if name not in given.value:
            given.fault(f"`{name}` is missing")
    return given.value

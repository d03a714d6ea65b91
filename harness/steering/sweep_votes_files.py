"""Sweeps of several models read back, with everything that is counted checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ResultsError
from sociolect.harness.steering.sweep_json import read_object
from sociolect.harness.steering.sweep_report import JSON

TEXTS = ("aae_context", "aae_continuation", "sae_continuation")
_MOST = 1e300
_REMEDY = "name folders of finished sweeps of `sociolect steer sweep`"


@dataclass(frozen=True)
class Voter:
    """One model.

    Attributes:
        pretrained: Name or path of the model, as the sweep was asked.
        revision: Of it; `main` if none was named.
        peft: Its adapter; empty for none.
        beta: Strength at which it is steered.
        scale: What β is relative to.
        data: Hash of its pairs.
        items: By id, b_AAE before and after (Eq. 3), and the texts.
    """

    pretrained: str
    revision: str
    peft: str
    beta: float
    scale: str
    data: str
    items: Mapping[str, Mapping[str, Any]]

    @property
    def origin(self) -> tuple[str, str, str]:
        """What a model is told apart by: however its path is written, it is one."""
        return _resolved(self.pretrained), self.revision, _resolved(self.peft)

    @property
    def name(self) -> str:
        """Model and what distinguishes it."""
        revision = "" if self.revision == "main" else f"@{self.revision}"
        return f"{self.pretrained}{revision}" + (f" + {self.peft}" if self.peft else "")


def _resolved(path: str) -> str:
    return str(Path(path).expanduser().resolve()) if path else ""


def read_voter(folder: Path) -> Voter:
    """The model of a finished sweep.

    Args:
        folder: Of `sociolect steer sweep`.

    Raises:
        ResultsError: No finished sweep, or a damaged one; names the file and the item.
    """
    path = folder / JSON
    if not path.is_file():
        raise ResultsError(f"{path}: no finished sweep; {_REMEDY}")
    found = read_object(path, _REMEDY)
    settings, flips, facts = (_object(found, name, path) for name in ("settings", "flips", "facts"))
    given = _object(settings, "model_args", path)
    return Voter(
        pretrained=_text(given, "pretrained", path, "model_args"),
        revision=str(given.get("revision") or "main"),
        peft=str(given.get("peft") or ""),
        beta=_number(flips, "beta", path, "flips"),
        scale=_text(settings, "beta_scale", path, "settings"),
        data=_text(facts, "pairs_sha256", path, "facts"),
        items=_items(found.get("items"), path),
    )


def _items(found: object, path: Path) -> dict[str, Mapping[str, Any]]:
    if not isinstance(found, list):
        raise ResultsError(f"{path}: items is no list; {_REMEDY}")
    items: dict[str, Mapping[str, Any]] = {}
    for place, one in enumerate(found, start=1):
        where = f"item {place}"
        if not isinstance(one, dict):
            raise ResultsError(f"{path}: {where} is no object; {_REMEDY}")
        id_ = _text(one, "id", path, where)
        if id_ in items:
            raise ResultsError(f"{path}: {where}: {id_} is there twice; {_REMEDY}")
        where = f"{where} ({id_})"
        numbers = {name: _number(one, name, path, where) for name in ("before", "after")}
        items[id_] = {**numbers, **{name: _text(one, name, path, where) for name in TEXTS}}
    return items


def _object(there: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    value = there.get(name)
    if not isinstance(value, dict):
        raise ResultsError(f"{path}: {name} is missing or no object; {_REMEDY}")
    return value


def _text(there: Mapping[str, Any], name: str, path: Path, where: str) -> str:
    value = there.get(name)
    if not isinstance(value, str) or not value:
        raise ResultsError(f"{path}: {where}: {name} is {_shown(value)}, no text; {_REMEDY}")
    return value


def _number(there: Mapping[str, Any], name: str, path: Path, where: str) -> float:
    value = there.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST:
        return float(value)
    raise ResultsError(f"{path}: {where}: {name} is {_shown(value)}, no number; {_REMEDY}")


def _shown(value: object) -> str:
    return "missing" if value is None else f"{value!r:.40}"

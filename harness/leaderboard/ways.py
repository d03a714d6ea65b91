"""How a model was asked: what two runs share besides the model, and how that is said."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from sociolect.harness.store.stored import StoredRun

_OF_MODEL = ("model", "model_sha", "model_args", "backend", "dtype")
_OF_SUBJECT = ("benchmark", "axis", "form", "data")
TEMPLATE = "chat_template"
_HASH = 8
_SHOWN = 30


def way_of(run: StoredRun) -> dict[str, Any]:
    """The settings of a run that are not about the model, the subject or the data."""
    skipped = (*_OF_MODEL, *_OF_SUBJECT)
    return {key: value for key, value in run.settings.items() if key not in skipped}


def across_models(way: Mapping[str, Any]) -> dict[str, Any]:
    """What of a way of asking is the same for several models.

    A chat template is the model's own: models with theirs were asked in the same way.
    """
    return {**way, TEMPLATE: bool(way[TEMPLATE])}


def pieces(way: Mapping[str, Any]) -> dict[str, str]:
    """A way of asking in words, by what they are about."""
    shots, generation = way["few_shot"], way["generation"]
    number = shots.get("num_fewshot") or 0
    further = [f"{k} {v}" for k, v in sorted(shots.items()) if k != "num_fewshot"]
    found = {
        "task_format": f"task format {way['task_format']}",
        TEMPLATE: "chat template" if way[TEMPLATE] else "no chat template",
        "system": _quoted("system instruction", way["system_instruction"]),
        "examples": " ".join([f"{number} examples", *further]),
        "reading": f"{way['answer_mode']} reading",
    }
    return found | {f"generation {k}": f"{k} {_short(v)}" for k, v in generation.items()}


def template_text(way: Mapping[str, Any]) -> str:
    """The chat template, by its hash."""
    return f"chat template {_digest(way[TEMPLATE])}" if way[TEMPLATE] else "no chat template"


def differing(described: Sequence[Mapping[str, str]]) -> list[str]:
    """Of several descriptions each, what is not the same in all of them."""
    names = list(dict.fromkeys(name for one in described for name in one))
    unlike = [name for name in names if len({one.get(name, "") for one in described}) > 1]
    return [", ".join(one[n] for n in unlike if one.get(n)) for one in described]


def _quoted(name: str, text: object) -> str:
    return f"{name} {_short(text)}" if text else f"no {name}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({_digest(value)})"


def _digest(value: object) -> str:
    text = str(value).encode("utf-8", "backslashreplace")
    return hashlib.sha256(text).hexdigest()[:_HASH]

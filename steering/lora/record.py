"""`training.json`: what an adapter was made of and with, and how two runs are compared."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.errors import TrainingError
from sociolect.generators.installed import installed

RECORD = "training.json"
FORMAT = 1
PACKAGES = ("accelerate", "peft", "torch", "transformers", "trl")

OF_THE_PROMPTS = frozenset(
    {
        "prompt_set",
        "prompts_sha256",
        "final_weights_sha256",
        "losses",
        "tokens",
        "seconds",
        "base_name",
        "training_set",
    }
)
"""What may differ between the adapters of two prompt sets: the prompts, what follows from them,
and names for what other fields hold as hashes. All else must be the same."""
OF_THE_RUN = ("settings", "base", "data", "prompts_sha256")
"""What must be the same for a finished adapter to be the one that a command asks for."""

Record = dict[str, Any]


def read_record(folder: Path) -> Record | None:
    """The record of an adapter, None if the folder holds none.

    Raises:
        TrainingError: It is damaged.
    """
    return read_json(folder / RECORD)


def read_json(path: Path) -> Record | None:
    """A table from a JSON file, None if there is no such file.

    Raises:
        TrainingError: It is damaged.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        said = str(error)
    else:
        if isinstance(record, dict):
            return record
        said = "no table"
    raise TrainingError(f"{path} is damaged ({said}); remove {path.parent} to train anew")


def versions() -> dict[str, str]:
    """Versions of what decides the numbers."""
    own = {"sociolect": __version__, "python": platform.python_version()}
    return own | installed(PACKAGES)


def differences(a: Mapping[str, Any], b: Mapping[str, Any], keys: Sequence[str]) -> list[str]:
    """Where two records differ, as `name: value here, value there`.

    Args:
        a: One record.
        b: Another one.
        keys: The top-level entries to compare.
    """
    found: list[str] = []
    for key in keys:
        first, second = _flat(key, a.get(key)), _flat(key, b.get(key))
        found += [
            f"{name}: {_shown(first.get(name))} and {_shown(second.get(name))}"
            for name in dict.fromkeys([*first, *second])
            if first.get(name) != second.get(name)
        ]
    return found


def assert_comparable(records: Mapping[str, Record]) -> None:
    """The adapters of the prompt sets differ in nothing but the prompts.

    Args:
        records: By prompt set; one alone cannot differ.

    Raises:
        TrainingError: They do; it names what.
    """
    for (name, first), (other, second) in pairwise(records.items()):
        keys = [key for key in dict.fromkeys([*first, *second]) if key not in OF_THE_PROMPTS]
        if found := differences(first, second, keys):
            raise TrainingError(
                f"the adapters of {name} and {other} differ in more than the prompts, so they "
                f"cannot be compared: {'; '.join(found)}. Train both anew, with one command."
            )


def _flat(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {name: value}
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        flat |= _flat(f"{name}.{key}", inner)
    return flat


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."

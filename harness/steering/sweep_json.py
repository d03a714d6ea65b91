"""What a sweep writes down, read back and compared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ResultsError
from sociolect.generators.redaction import HIDDEN, is_secret


def read_object(path: Path, remedy: str) -> dict[str, Any]:
    """What a file of a sweep holds.

    Args:
        path: JSON.
        remedy: What to do if it is damaged.

    Raises:
        ResultsError: It cannot be read, or holds something else than names and values.
    """
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(f"{path}: cannot be read ({error}); {remedy}") from error
    if not isinstance(found, dict):
        raise ResultsError(f"{path}: is damaged; {remedy}")
    return found


def differences(there: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two JSON objects, one line each; values of secrets are hidden."""
    before, after = (dict(flat(one)) for one in (there, now))
    return [
        f"{name}: {_shown(name, before)} there, {_shown(name, after)} now"
        for name in dict.fromkeys([*before, *after])
        if before.get(name) != after.get(name)
    ]


def flat(value: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    """Names and values of an object and of those in it, as `outer/inner`."""
    for name, one in value.items():
        if isinstance(one, Mapping):
            yield from flat(one, f"{start}{name}/")
        else:
            yield f"{start}{name}", one


def _shown(name: str, values: Mapping[str, Any]) -> Any:
    return HIDDEN if is_secret(name) else values.get(name, "nothing")

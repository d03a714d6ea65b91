"""The folder of a sweep: whether it may be used, and holds the sweep that is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.exports import json_text, write_text
from sociolect.harness.steering.sweep_json import differences, read_object
from sociolect.harness.steering.sweep_settings import SweepSettings
from sociolect.harness.steering.sweep_vectors import CONTROLS

SETTINGS_FILE = "settings.json"
_LATER = frozenset(f"{name}_sha256" for name in CONTROLS)
"""What a sweep may be given after its first run: its controls."""


def resolved_out(out: Path) -> Path:
    """The folder that `--out` names, links followed.

    Raises:
        InvalidInputError: No folder can have that name.
    """
    try:
        out.exists()  # a name too long
        return out.resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidInputError(f"--out {out} cannot be used ({error}); name another") from error


def keep_settings(settings: SweepSettings, facts: Mapping[str, Any]) -> None:
    """Write down what a sweep is, or make sure that the folder holds the same one.

    Controls and what only the report uses (resamples, α, seed) may change.

    Args:
        settings: What is asked for.
        facts: Hashes of vectors and pairs, and what the files of the model hold.

    Raises:
        InvalidInputError: The folder holds something else, or another sweep (names what differs),
            or it cannot be made.
        ResultsError: Its settings cannot be read.
    """
    path = settings.out / SETTINGS_FILE
    # As it is read back.
    wanted: dict[str, Any] = json.loads(json.dumps({**settings.record(), **facts}))
    if not _is_vacant(settings.out):
        wanted = _merged(read_object(path, "name another --out"), wanted, settings.out)
    _made(settings.out)
    write_text(json_text(wanted), path)


def _merged(there: dict[str, Any], wanted: dict[str, Any], out: Path) -> dict[str, Any]:
    """The settings that are there, with controls that came later."""
    both = there.keys() & wanted.keys()
    later = {name: wanted[name] for name in _LATER & wanted.keys() - both}
    unasked = {name: there[name] for name in _LATER & there.keys() - both}
    if differing := differences({**there, **later}, {**wanted, **unasked}):
        raise InvalidInputError(
            f"--out {out} holds a sweep that was asked for otherwise:\n  "
            + "\n  ".join(differing)
            + "\nGive the same arguments to go on with it, or name another folder"
        )
    return {**there, **later}


def _is_vacant(out: Path) -> bool:
    """Whether a folder may get a sweep; if not, it holds one.

    Raises:
        InvalidInputError: It holds something else.
    """
    if not out.exists():
        return True
    filled = not out.is_dir() or any(out.iterdir())
    if filled and not (out / SETTINGS_FILE).is_file():
        raise InvalidInputError(f"--out {out}: holds no sweep; name a new or empty folder")
    return not filled


def _made(out: Path) -> None:
    """Make a folder; where that fails, the folders above it go that were made for it."""
    missing = [one for one in out.parents if not one.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise InvalidInputError(
            f"--out {out} cannot be used ({error.strerror}); name another folder"
        ) from error

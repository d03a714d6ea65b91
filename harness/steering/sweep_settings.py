"""What a sweep is asked to do, and whether a folder holds the sweep that is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, ResultsError, UnknownNameError
from sociolect.harness.dialect.methods import Method
from sociolect.harness.exports import json_text, write_text
from sociolect.steering.vectors import SCALES, check_strength
from sociolect.tasks.dialect.catalogue import TASKS

STRENGTHS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Those of the dialect paper (§5)."""
DEFAULT_TASKS = ("aae_continuation", "aae_choice_best", "aae_sentiment_ll")
NEEDED = "aae_continuation"
CONTROL_MODES = ("chosen", "every", "none")
TOLERANCE = 0.05
SETTINGS_FILE = "settings.json"
_PLAIN = tuple(one.task for one in TASKS if not one.prompted)
_SET = ("steering", "beta", "beta_scale")
"""Model arguments that the sweep sets."""


@dataclass(frozen=True)
class SweepSettings:
    """What a sweep is asked to do.

    Attributes:
        fit: Folder of `sociolect steer fit`.
        pairs: Folder of `sociolect dialect build`.
        out: Folder of runs and report.
        model_args: Of the model without steering.
        strengths: β above 0, ascending.
        scale: What β is relative to, of `SCALES`.
        tasks: Without `_prompted`.
        controls: At which strengths controls are run, of `CONTROL_MODES`.
        pairs_limit: Pairs of each split that are asked; None for all.
        device: As torch names it; empty for that of lm_eval.
        batch_size: Of lm_eval.
        tolerance: Of the rule that chooses.
        method: Of intervals and tests.
        allow: Accepted differences between runs.

    Raises:
        InvalidInputError: A number out of range, or arguments that contradict each other.
        UnknownNameError: A task, scale or mode that there is not.
    """

    fit: Path
    pairs: Path
    out: Path
    model_args: Mapping[str, Any]
    strengths: tuple[float, ...] = STRENGTHS
    scale: str = SCALES[0]
    tasks: tuple[str, ...] = DEFAULT_TASKS
    controls: str = CONTROL_MODES[0]
    pairs_limit: int | None = None
    device: str = ""
    batch_size: str = "8"
    tolerance: float = TOLERANCE
    method: Method = field(default_factory=Method)
    allow: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for task in self.tasks:
            if task not in _PLAIN:
                raise UnknownNameError("task of a sweep", task, _PLAIN)
        if NEEDED not in self.tasks:
            raise InvalidInputError(f"--tasks: the rule that chooses needs {NEEDED}; add it")
        if self.scale not in SCALES:
            raise UnknownNameError("scale", self.scale, SCALES)
        if self.controls not in CONTROL_MODES:
            raise UnknownNameError("mode of --controls", self.controls, CONTROL_MODES)
        if self.tolerance < 0 or not self.tolerance < 1:
            raise InvalidInputError(f"--tolerance {self.tolerance}: give 0 to below 1, e.g. 0.05")
        if self.pairs_limit is not None and self.pairs_limit < 1:
            raise InvalidInputError(f"--pairs-limit {self.pairs_limit}: give at least 1")
        if "pretrained" not in self.model_args:
            raise InvalidInputError("--model_args: name the model with pretrained=DIR")
        if set_there := [name for name in _SET if name in self.model_args]:
            raise InvalidInputError(
                f"--model_args: {', '.join(set_there)} is what the sweep sets; leave it out and "
                "give --beta, --beta-scale"
            )

    def record(self) -> dict[str, Any]:
        """What makes a run another one; ready for JSON."""
        return {
            "fit": str(self.fit.absolute()),
            "pairs": str(self.pairs.absolute()),
            "model_args": {name: str(value) for name, value in self.model_args.items()},
            "beta": list(self.strengths),
            "beta_scale": self.scale,
            "tasks": list(self.tasks),
            "pairs_limit": self.pairs_limit,
            "device": self.device,
            "batch_size": self.batch_size,
            "tolerance": self.tolerance,
        }


def parsed_strengths(text: str) -> tuple[float, ...]:
    """The strengths above 0 of a comma-separated list, ascending; 0 is always run.

    Raises:
        InvalidInputError: No number, one below 0, or none above 0.
    """
    found = {check_strength(part.strip()) for part in text.split(",") if part.strip()}
    if any(beta < 0 for beta in found) or not found - {0.0}:
        raise InvalidInputError(f"--beta {text}: give numbers above 0, such as 0.2,0.4,0.8")
    return tuple(sorted(found - {0.0}))


def keep_settings(settings: SweepSettings, facts: Mapping[str, Any]) -> None:
    """Write down what a sweep is, or make sure that the folder holds the same one.

    Controls and what only the report uses (resamples, α, seed) may change.

    Args:
        settings: What is asked for.
        facts: Hashes of vectors and pairs.

    Raises:
        InvalidInputError: The folder holds something else, or another sweep; names what differs.
        ResultsError: Its settings cannot be read.
    """
    path = settings.out / SETTINGS_FILE
    # As it is read back.
    wanted: dict[str, Any] = json.loads(json.dumps({**settings.record(), **facts}))
    if path.is_file():
        if differing := _differing(_read(path), wanted):
            raise InvalidInputError(
                f"--out {settings.out} holds a sweep that was asked for otherwise:\n  "
                + "\n  ".join(differing)
                + "\nGive the same arguments to go on with it, or name another folder"
            )
        return
    if settings.out.exists() and (not settings.out.is_dir() or any(settings.out.iterdir())):
        raise InvalidInputError(f"--out {settings.out}: holds no sweep; name a new or empty folder")
    settings.out.mkdir(parents=True, exist_ok=True)
    write_text(json_text(wanted), path)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: cannot be read ({error}); name another --out") from error
    if not isinstance(found, dict):
        raise ResultsError(f"{path}: holds no settings of a sweep; name another --out")
    return found


def _differing(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> Sequence[str]:
    names = dict.fromkeys([*there, *wanted])
    return [
        f"{name}: {there.get(name)} there, {wanted.get(name)} now"
        for name in names
        if there.get(name) != wanted.get(name)
    ]

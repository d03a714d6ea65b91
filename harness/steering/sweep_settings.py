"""What a sweep is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.harness.dialect.methods import Method
from sociolect.harness.run_options import RunOptions
from sociolect.harness.secret_trap import secret_trap
from sociolect.harness.steering.sweep_json import flat
from sociolect.steering.vectors import SCALES, check_strength
from sociolect.tasks.dialect.catalogue import TASKS

STRENGTHS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Those of the dialect paper (§5)."""
DEFAULT_TASKS = ("aae_continuation", "aae_choice_best", "aae_sentiment_ll")
NEEDED = "aae_continuation"
CONTROL_MODES = ("chosen", "every", "none")
TOLERANCE = 0.05
BACKEND = "sociolect-hf"
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
        _check_model_args(self.model_args)

    @property
    def unsteered(self) -> dict[str, Any]:
        """Arguments of the model as it is, without any about steering."""
        return {k: v for k, v in self.model_args.items() if not k.startswith("steering")}

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


def _check_model_args(given: Mapping[str, Any]) -> None:
    if not given.get("pretrained"):
        raise InvalidInputError("--model_args: name the model with pretrained=DIR")
    if set_there := [name for name in _SET if name in given]:
        raise InvalidInputError(
            f"--model_args: {', '.join(set_there)} is what the sweep sets; leave it out and "
            "give --beta, --beta-scale"
        )
    if "batch_size" in given or "device" in given:
        raise InvalidInputError("--model_args: give --batch-size and --device as options")
    # In what is nested too: settings and reports hold it all.
    options = RunOptions(model=BACKEND, model_args={**dict(flat(given)), **given})
    if found := next(secret_trap(options), None):
        raise InvalidInputError(found.message)

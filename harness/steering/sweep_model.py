"""The model of a sweep: its arguments checked, and what its files hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sociolect.generators.errors import ModelError
from sociolect.harness.fable.models import ModelChoice
from sociolect.harness.steering.sweep_json import differences
from sociolect.harness.steering.sweep_settings import BACKEND, SweepSettings
from sociolect.steering.backends.identity import model_identity
from sociolect.steering.of_model import weights_identity

_FOLDERS = ("pretrained", "peft")
"""Arguments that name weights."""


def check_model(settings: SweepSettings) -> None:
    """Say at once what is wrong with the arguments of the model.

    Raises:
        InvalidInputError: Something that cannot work.
    """
    ModelChoice(BACKEND, settings.unsteered, chat=False, seed=0).findings()


def model_facts(settings: SweepSettings) -> dict[str, Any]:
    """What the files of the model and its adapter hold; ready for JSON.

    Of large files that is the size, the time of change and a hash of samples; nothing of a model
    that is named as on the Hub.
    """
    given = settings.unsteered
    named = {name: Path(str(given[name])).expanduser() for name in _FOLDERS if given.get(name)}
    named["pretrained"] /= str(given.get("subfolder") or "")
    return {
        "files": model_identity(BACKEND, given)["files"],
        "weights": {name: weights_identity(one) for name, one in named.items() if one.is_dir()},
    }


def check_same_model(settings: SweepSettings, before: dict[str, Any]) -> None:
    """Make sure that the files of the model hold what they held when the sweep began.

    Args:
        settings: Of the sweep.
        before: Of `model_facts`.

    Raises:
        ModelError: They were changed; names what differs.
    """
    if differing := differences(before, model_facts(settings)):
        raise ModelError(
            "the files of the model were changed during the sweep:\n  "
            + "\n  ".join(differing)
            + "\nPut them back to go on, or sweep anew into another --out"
        )

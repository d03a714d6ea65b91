"""The model of a fit: its arguments checked, loaded, and what a vector says of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.harness.engine_errors import TRACEBACK_VARIABLE, Command, explained
from sociolect.harness.fable.models import ModelChoice, choose
from sociolect.harness.run_options import RunOptions
from sociolect.steering.backends.answers import digest
from sociolect.steering.backends.identity import STEERING_ARGUMENTS, model_identity
from sociolect.steering.backends.registry import create_model
from sociolect.steering.fitting.fit import FittedModel
from sociolect.steering.of_model import of_model

BACKEND = "sociolect-hf"
ADVICE = Command(
    "--batch-size, and --max-rows", "--model_args max_length", f"set {TRACEBACK_VARIABLE}=1"
)
BLOCKS = "steering_blocks"


@dataclass(frozen=True, slots=True)
class ModelToFit:
    """A model as the command line names it.

    Attributes:
        choice: Its arguments, without the name of its list of blocks.
        blocks: Name of its list of blocks; empty to find it.
        batch: Texts that it reads at once.
        device: As torch names it; empty for a GPU, else the CPU.
    """

    choice: ModelChoice
    blocks: str
    batch: int
    device: str

    def options(self) -> RunOptions:
        """The same as the arguments of a run, for messages."""
        return RunOptions(
            model=BACKEND,
            model_args=self.choice.arguments,
            batch_size=self.batch,
            device=self.device or None,
            environ=os.environ,
        )

    def load(self) -> tuple[Any, FittedModel]:
        """The model as lm_eval has it, and as a fit reads it.

        Raises:
            ModelError: It cannot be loaded, or has no decoder alone.
            MissingToolError: A package that it needs is not installed.
        """
        additional = {"batch_size": self.batch, "device": self.device or None}
        given = {"answers": "none", **self.choice.arguments}
        with explained(self.options(), None, ADVICE):
            lm = create_model(BACKEND, given, additional)
        if lm.backend != "causal":
            raise ModelError(f"{self.choice.name} has an encoder; steering is for decoders alone")
        lm.model.eval()
        return lm, self._fitted(lm)

    def _fitted(self, lm: Any) -> FittedModel:
        arguments = self.choice.arguments
        identity = model_identity(BACKEND, arguments)
        revision = str(arguments.get("revision") or "main")
        own = of_model(
            str(arguments["pretrained"]),
            lm.model.config,
            revision=revision,
            subfolder=str(arguments.get("subfolder") or ""),
        )
        facts = {
            "adapter": _adapter(arguments, identity),
            "dtype": str(lm.model.dtype).removeprefix("torch."),
            "parameters": sum(one.numel() for one in lm.model.parameters()),
            "block_list": self.blocks,
        }
        key = digest({"model": identity, "weights": own.identity, "blocks": self.blocks})
        return FittedModel(lm.model, own, key, facts)


def model_to_fit(text: str, *, batch: int, device: str, seed: int) -> ModelToFit:
    """A model from the text of `--model_args`.

    Raises:
        InvalidInputError: Arguments that cannot be read or used, or that steer it.
    """
    choice = choose(BACKEND, text, chat=False, seed=seed, concurrency=1)
    arguments = dict(choice.arguments)
    if steered := [name for name in STEERING_ARGUMENTS if name in {*arguments} - {BLOCKS}]:
        raise InvalidInputError(
            f"--model_args {steered[0]}=: a vector is fitted on the model as it is; leave out "
            f"{', '.join(steered)}"
        )
    if "batch_size" in arguments or "device" in arguments:
        raise InvalidInputError("--model_args: give --batch-size and --device as options")
    blocks = str(arguments.pop(BLOCKS, ""))
    choice = replace(choice, arguments=arguments)
    choice.findings()
    return ModelToFit(choice, blocks, batch, device)


def _adapter(arguments: Mapping[str, Any], identity: Mapping[str, Any]) -> dict[str, str] | None:
    """Name and hash of the files of an adapter; None without one."""
    if not (named := arguments.get("peft")):
        return None
    folder = Path(str(named)).expanduser()
    return {
        "name": folder.resolve().name if folder.is_dir() else str(named),
        "sha256": digest(identity["files"].get("peft", {})),
    }

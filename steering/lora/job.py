"""What the runs of a command share, settled before anything is trained."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.lora.base import (
    Base,
    check_vocabulary,
    chosen_dtype,
    device_name,
    read_base,
)
from sociolect.steering.lora.encode import Encoded, EncodedSets, digest, encode_sets
from sociolect.steering.lora.order import training_order
from sociolect.steering.lora.processes import Processes
from sociolect.steering.lora.record import FORMAT, Record, versions
from sociolect.steering.lora.settings import Settings
from sociolect.steering.lora.training_set import PROMPT_SETS, TrainingSet, read_training_set

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Saving:
    """Checkpoints of a run.

    Attributes:
        steps: Steps between two, 1 or more.
        keep: Whether they stay when the adapter is finished.
    """

    steps: int = 50
    keep: bool = False

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise InvalidInputError(f"--save-steps is {self.steps}; it must be 1 or more")


@dataclass(frozen=True, slots=True)
class Job:
    """What both runs share.

    Attributes:
        base: The base model.
        data: The training set.
        encoded: Its examples that fit, as token ids.
        settings: As given, with `dtype` and `max_length` resolved.
        saving: Its checkpoints.
        processes: Who trains.
        report: Called with a line on what is done.
    """

    base: Base
    data: TrainingSet
    encoded: EncodedSets
    settings: Settings
    saving: Saving
    processes: Processes
    report: Report

    def ordered(self, name: str) -> tuple[Encoded, ...]:
        """The examples of a prompt set in the order of training, all epochs in a row."""
        return training_order(self.encoded.sets[name], self.settings.seed, self.settings.epochs)

    def plan(self, name: str) -> Record:
        """Everything that decides the weights of the adapter of a prompt set."""
        ordered = self.ordered(name)
        architectures = self.base.config.architectures or ["unknown"]
        return {
            "format": FORMAT,
            "prompt_set": name,
            "prompts_sha256": self._prompts_sha256(name),
            "settings": self.settings.as_dict(),
            "base": {"identity": self.base.identity, "architecture": architectures[0]},
            "data": {
                "form": self.data.form,
                "examples": len(self.encoded.sets[name]),
                "too_long": list(self.encoded.too_long),
                "not_verbatim": self.encoded.not_verbatim,
                "targets_sha256": self.data.targets_sha256,
                "order_sha256": digest(ordered, "name"),
                "target_ids_sha256": digest(ordered, "completion"),
            },
            "versions": versions(),
            "machine": {"device": device_name(), "processes": self.processes.count},
        }

    def _prompts_sha256(self, name: str) -> str:
        state = sha256()
        for example in self.data.examples(name):
            state.update(json.dumps([example.id, example.order, example.prompt]).encode() + b"\n")
        return state.hexdigest()


def prepare(
    data: Path,
    model: str,
    settings: Settings,
    saving: Saving,
    processes: Processes,
    report: Report,
) -> Job:
    """Read and check everything but the weights of the base model.

    Args:
        data: Folder of a training set.
        model: Folder of the base model, or its name on the Hub.
        settings: As given.
        saving: Checkpoints.
        processes: Who trains.
        report: Called with a line on what is done.

    Raises:
        DataError: The training set is damaged, its prompt sets are not parallel, a text cannot
            be encoded, or a target is empty.
        InvalidInputError: `max_length` is above what the model was made for.
        ModelError: The model cannot be read or used.
        TrainingError: No example fits, or both prompt sets are the same.
    """
    training_set = read_training_set(data)
    base = read_base(model)
    limit = _max_length(settings, base)
    examples = {name: training_set.examples(name) for name in PROMPT_SETS}
    encoded = encode_sets(base.tokenizer, examples, limit)
    every = (e for examples in encoded.sets.values() for e in examples)
    check_vocabulary(base, max(max(*e.prompt, *e.completion) for e in every))
    if encoded.too_long:
        shown = ", ".join(encoded.too_long[:5]) + (", ..." if len(encoded.too_long) > 5 else "")
        report(
            f"left out of both prompt sets, longer than {limit} tokens: "
            f"{len(encoded.too_long)} of {len(examples['clean'])} examples ({shown})"
        )
    if other := _other_author(training_set, base):
        report(other)
    resolved = replace(settings, dtype=chosen_dtype(settings), max_length=limit)
    return Job(base, training_set, encoded, resolved, saving, processes, report)


def _other_author(training_set: TrainingSet, base: Base) -> str:
    """A remark if the answers are of another model; the paper trains a model on its own."""
    model = (training_set.manifest.get("settings") or {}).get("model") or {}
    author = (model.get("arguments") or {}).get("pretrained")
    if not author or Path(author).name.lower() == Path(base.name).name.lower():
        return ""
    return (
        f"the answers of {training_set.folder} are of {author}, the adapter is for {base.name}: "
        "it learns answers that are not its own"
    )


def _max_length(settings: Settings, base: Base) -> int | None:
    if settings.max_length and base.longest and settings.max_length > base.longest:
        raise InvalidInputError(
            f"--max-length is {settings.max_length}; {base.name} was made for {base.longest} "
            "tokens at most"
        )
    return settings.max_length or base.longest

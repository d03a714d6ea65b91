"""`sociolect finetune train`: an adapter for each prompt set; they differ in the prompts alone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from sociolect.generators.errors import MissingToolError, TrainingError, UnknownNameError
from sociolect.generators.folders import resolved
from sociolect.generators.installed import installed
from sociolect.generators.locks import only_one
from sociolect.steering.lora.job import Job, Report, Saving, prepare
from sociolect.steering.lora.processes import current_processes
from sociolect.steering.lora.record import Record, assert_comparable, read_record
from sociolect.steering.lora.run import is_finished, train_adapter
from sociolect.steering.lora.settings import Settings
from sociolect.steering.lora.training_set import PROMPT_SETS


@dataclass(frozen=True, slots=True)
class Trained:
    """An adapter that is there.

    Attributes:
        prompt_set: What it was trained on.
        folder: Where it lies.
        record: Its `training.json`.
        is_new: Whether this call made it.
    """

    prompt_set: str
    folder: Path
    record: Record
    is_new: bool


def train(
    data: Path,
    model: str,
    out: Path,
    settings: Settings,
    *,
    prompts: Sequence[str] = PROMPT_SETS,
    saving: Saving | None = None,
    report: Report | None = None,
) -> tuple[Trained, ...]:
    """Train the adapters `out/clean` and `out/errors`.

    A run that was stopped goes on from its last complete checkpoint, and ends with the adapter
    that an undisturbed run makes. One that is finished is left as it is. A second process that
    trains into `out` waits for the first.

    Args:
        data: Folder of a training set.
        model: Folder of the base model, or its name on the Hub.
        out: Folder of the adapters.
        settings: The same for both.
        prompts: Which prompt sets to train.
        saving: Checkpoints; None for one every 50 steps, removed at the end.
        report: Called with a line on what is done, in the main process.

    Returns:
        The adapters, in the main process; nothing in the others.

    Raises:
        DataError: The training set is damaged, or its prompt sets are not parallel.
        InvalidInputError: A setting that cannot be, or `out` cannot be written to.
        MissingToolError: A library is not installed.
        ModelError: The base model cannot be used, or does not fit into memory.
        TrainingError: `out` holds a run with other settings or data or a damaged adapter, the loss
            is no number, the disk is full, or the two adapters differ in more than the prompts.
        UnknownNameError: No such prompt set.
    """
    for name in prompts:
        if name not in PROMPT_SETS:
            raise UnknownNameError("prompt set", name, PROMPT_SETS)
    _require_libraries()
    processes = current_processes()
    settings.accumulation(processes.count)
    target = resolved(out)
    lines = (report if processes.is_main else None) or (lambda line: None)
    with only_one(target) if processes.is_main else nullcontext():
        job = prepare(data, model, settings, saving or Saving(), processes, lines)
        there = [_is_there(job, name, target) for name in prompts]
        for name, is_there in zip(prompts, there, strict=True):
            if not is_there:
                train_adapter(job, name, target / name)
        made = [_made(target, name, not old) for name, old in zip(prompts, there, strict=True)]
        assert_comparable(_records(target))
    return tuple(made) if processes.is_main else ()


def _is_there(job: Job, name: str, out: Path) -> bool:
    return bool(job.processes.decided(lambda: int(is_finished(job, name, out / name))))


def _made(out: Path, name: str, is_new: bool) -> Trained:
    record = read_record(out / name)
    if record is None:
        raise TrainingError(f"{out / name} was removed while it was made; run the command again")
    return Trained(name, out / name, record, is_new)


def _records(out: Path) -> dict[str, Record]:
    """Of the adapters that are there: also of one that an earlier call made."""
    found = {name: read_record(out / name) for name in PROMPT_SETS}
    return {name: record for name, record in found.items() if record is not None}


def _require_libraries() -> None:
    needed = ("accelerate", "matplotlib", "peft", "torch", "transformers", "trl")
    there = installed(needed)
    if missing := [name for name in needed if name not in there]:
        raise MissingToolError(
            f"the Python package {missing[0]!r} is not installed, and training needs it. Install "
            "it with: pip install 'sociolect[finetune]'"
        )

"""A finished adapter as a folder that is whole or not there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from hashlib import file_digest
from pathlib import Path
from statistics import fmean
from typing import Any

from sociolect.generators.errors import TrainingError
from sociolect.generators.layout import MANIFEST
from sociolect.steering.lora.adapters import CONFIG, WEIGHTS
from sociolect.steering.lora.card import CARD, adapter_card
from sociolect.steering.lora.checkpoints import write_json, writing
from sociolect.steering.lora.job import Job
from sociolect.steering.lora.log import LOG, Entry, write_log
from sociolect.steering.lora.plot import PLOT, plot_losses
from sociolect.steering.lora.record import RECORD, Record


def write_adapter(
    model: Any, adapter: Path, known: Record, entries: Sequence[Entry], job: Job
) -> None:
    """Write weights, card, record, log and plot.

    Args:
        model: The trained PEFT model.
        adapter: The folder; it does not exist, or is empty.
        known: The record so far.
        entries: The training log, one entry a step.
        job: What the run was part of.

    Raises:
        TrainingError: A step is missing from the log, the folder was filled meanwhile, or the
            disk is full.
    """
    if [entry["step"] for entry in entries] != list(range(1, known["steps"] + 1)):
        raise TrainingError(
            f"the log has {len(entries)} entries for {known['steps']} steps; remove the folder "
            f"{adapter}.run and train anew"
        )
    part = adapter.with_name(f".{adapter.name}.partial")
    shutil.rmtree(part, ignore_errors=True)  # left by a process that was killed
    try:
        with writing(adapter):
            save_weights(model, part)
            record = {**known, **_named(job), **results(entries)}
            record["final_weights_sha256"] = _sha256(part / WEIGHTS)
            write_log(part / LOG, entries)
            losses = [entry["loss"] for entry in entries]
            plot_losses(part / PLOT, losses, f"{job.base.label}, {known['prompt_set']} prompts")
            (part / CARD).write_text(_card(record, job), encoding="utf-8")
            write_json(part / RECORD, record)
            part.replace(adapter)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _named(job: Job) -> Record:
    """What a reader wants to know, and what decides no weight that is not decided elsewhere."""
    return {
        "base_name": job.base.label,
        "optimizer": "AdamW, cosine schedule",
        "training_set": {
            "manifest_sha256": _sha256(job.data.folder / MANIFEST),
            "prompts": job.data.manifest.get("prompts"),
            "kept": job.data.manifest.get("kept"),
        },
    }


def check_weights(adapter: Path, record: Record) -> None:
    """See that the weights of a finished adapter are those that were written.

    Args:
        adapter: Its folder.
        record: Its `training.json`.

    Raises:
        TrainingError: They are missing, or other ones.
    """
    path = adapter / WEIGHTS
    try:
        found = _sha256(path)
    except FileNotFoundError:
        damage = "missing"
    except OSError as error:
        damage = f"unreadable ({error.strerror})"
    else:
        expected = record.get("final_weights_sha256")
        damage = "" if found == expected else f"damaged: {RECORD} gives SHA-256 {expected}"
    if damage:
        raise TrainingError(
            f"{path} is {damage}. The adapter cannot be used; remove the folder {adapter} and run "
            "the command again to train it anew."
        )


def save_weights(model: Any, folder: Path) -> None:
    """Save an adapter as PEFT does, with the names of its layers in one order.

    PEFT keeps them as a set, whose order changes from process to process.
    """
    model.save_pretrained(folder, save_embedding_layers=False)
    path = folder / CONFIG
    config = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(config.get("target_modules"), list):
        config["target_modules"] = sorted(config["target_modules"])
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    (folder / WEIGHTS).chmod(0o644)  # safetensors gives the owner alone the right to read


def results(entries: Sequence[Entry]) -> Record:
    """What came out of a run.

    Args:
        entries: The training log, at least one entry.
    """
    losses = [entry["loss"] for entry in entries]
    return {
        "losses": {"first": losses[0], "last": losses[-1], "mean": fmean(losses)},
        "tokens": {
            "all": sum(entry["tokens"] for entry in entries),
            "targets": sum(entry["target_tokens"] for entry in entries),
        },
        "seconds": round(sum(entry["seconds"] for entry in entries), 1),
    }


def _card(record: Record, job: Job) -> str:
    return adapter_card(
        record,
        job.data.manifest,
        base=job.base.label,
        on_hub=not Path(job.base.name).is_dir(),
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()

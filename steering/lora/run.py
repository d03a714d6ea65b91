"""The run of one prompt set: from where it stopped to a finished adapter."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, ModelError, TrainingError
from sociolect.steering.lora.base import load_model, uses_gpu
from sociolect.steering.lora.checkpoints import clear, last_complete, write_json, writing
from sociolect.steering.lora.finish import check_weights, write_adapter
from sociolect.steering.lora.job import Job
from sociolect.steering.lora.log import LOG, Log, read_log, step_tokens
from sociolect.steering.lora.modules import find_targets
from sociolect.steering.lora.order import filled_up
from sociolect.steering.lora.record import (
    OF_THE_PROMPTS,
    OF_THE_RUN,
    Record,
    differences,
    read_json,
    read_record,
)
from sociolect.steering.lora.settings import Settings
from sociolect.steering.lora.surroundings import own_randomness, quiet
from sociolect.steering.lora.training_set import PROMPT_SETS

PLAN = "run.json"
KEEP = "keep_checkpoints"
"""In `run.json` once a run is about to finish: whether its checkpoints shall outlive it."""

_FILES = (f".{LOG}.part", LOG, f".{PLAN}.part", PLAN)

_NO_MEMORY = (
    "out of memory",
    "can't allocate",
    "cannot allocate",
    "not enough memory",
)


def run_folder(adapter: Path) -> Path:
    """Where checkpoints and log of an unfinished adapter lie."""
    return adapter.with_name(f"{adapter.name}.run")


def is_finished(job: Job, name: str, adapter: Path) -> bool:
    """Whether the adapter is there already; if not, its run may begin or go on.

    Called in the main process only.

    Raises:
        TrainingError: What is there was made with other settings or data, or is damaged.
    """
    plan = job.plan(name)
    record = read_record(adapter)
    if record is not None:
        _refuse_other(record, plan, OF_THE_RUN, adapter)
        check_weights(adapter, record)
        if not job.saving.keep:
            _tidy(run_folder(adapter), plan, job)
        job.report(f"{adapter} is finished already; nothing to do")
        return True
    if adapter.exists() and not (adapter.is_dir() and not any(adapter.iterdir())):
        raise TrainingError(f"{adapter} holds something that is no adapter; name another --out")
    _refuse_other_sibling(plan, name, adapter)
    _check_begun(plan, run_folder(adapter))
    return False


def _tidy(run: Path, plan: Record, job: Job) -> None:
    """Remove what a finished run left behind, but nothing that was kept or that it did not make."""
    if not run.exists():
        return
    try:
        begun = read_json(run / PLAN)
    except TrainingError:
        begun = None
    if begun is None or differences(begun, plan, OF_THE_RUN):
        job.report(f"{run} is left as it is: it is not the run of this adapter")
    elif not begun.get(KEEP):
        try:
            rest = clear(run, _FILES)
        except OSError as error:
            job.report(f"{run} cannot be removed ({error.strerror or error})")
            return
        if rest:
            job.report(f"{run} is left: it holds what the run did not make ({', '.join(rest[:5])})")


def _check_begun(plan: Record, run: Path) -> None:
    """See that a run that was begun is the one that is asked for."""
    begun = read_json(run / PLAN)
    if begun is not None:
        _refuse_other(begun, plan, tuple(plan), run)
        return
    is_ours = not run.exists() or (
        run.is_dir() and all(path.name == f".{PLAN}.part" for path in run.iterdir())
    )
    if not is_ours:
        raise TrainingError(f"{run} holds something that is no run; name another --out")


def _refuse_other(there: Record, plan: Record, keys: tuple[str, ...], folder: Path) -> None:
    if found := differences(there, plan, keys):
        raise TrainingError(
            f"{folder} was begun with other settings or data than asked for (there and here): "
            f"{'; '.join(found)}. Give the same ones to go on, name another --out, or remove it."
        )


def _refuse_other_sibling(plan: Record, name: str, adapter: Path) -> None:
    """Before anything is trained: the other prompt set's adapter or run must be comparable."""
    for other in PROMPT_SETS:
        sibling = adapter.with_name(other)
        there = read_record(sibling) or read_json(run_folder(sibling) / PLAN)
        if other == name or there is None:
            continue
        keys = [key for key in plan if key not in OF_THE_PROMPTS]
        if found := differences(there, plan, keys):
            raise TrainingError(
                f"{sibling} and the adapter for {name} prompts would differ in more than the "
                f"prompts (there and here): {'; '.join(found)}. Train both with the same "
                "settings, data and versions, or name another --out."
            )


def train_adapter(job: Job, name: str, adapter: Path) -> None:
    """Train an adapter, from the last complete checkpoint if there is one, and write it.

    Raises:
        ModelError: There is not enough memory, or the model cannot be used.
        InvalidInputError: The folder cannot be written to.
        TrainingError: The loss is no number, or the disk is full.
    """
    run = run_folder(adapter)
    step = job.processes.decided(lambda: _begin(job, name, run))
    with own_randomness(), quiet(), _memory_errors(job.settings):
        trainer, recorder, facts = _trainer(job, name, run)
        log = recorder.log
        try:
            checkpoint = run / f"checkpoint-{step}"
            with writing(run):
                log.start(read_log(checkpoint / LOG) if step else [])
            trainer.train(resume_from_checkpoint=str(checkpoint) if step else None)
        finally:
            recorder.close()
        if job.processes.is_main:
            plan = job.plan(name)
            with writing(run):
                write_json(run / PLAN, {**plan, KEEP: job.saving.keep})
            write_adapter(trainer.model, adapter, {**plan, **facts}, log.entries, job)
            _tidy(run, plan, job)
        job.processes.wait()
        _release(trainer)


def _begin(job: Job, name: str, run: Path) -> int:
    """Write down what the run is, and find the step to go on after (0: none was taken).

    Raises:
        InvalidInputError: The folder cannot be made or written to.
    """
    from sociolect.steering.lora.trainer import refused

    try:
        if not (run / PLAN).exists():
            run.mkdir(parents=True, exist_ok=True)
            write_json(run / PLAN, job.plan(name))
        checkpoint = last_complete(run, job.report, refused)
    except OSError as error:
        raise InvalidInputError(
            f"cannot write to {run} ({error.strerror or error}); make it writable, free space on "
            "its disk, or name another --out"
        ) from error
    if checkpoint is None:
        return 0
    job.report(f"going on after step {checkpoint.step}")
    return checkpoint.step


def _trainer(job: Job, name: str, run: Path) -> tuple[Any, Any, Record]:
    """The trainer, its recorder, and what is known of the model before the first step."""
    from sociolect.steering.lora import trainer as trainers

    settings, processes = job.settings, job.processes
    ordered = job.ordered(name)
    tokens = step_tokens(ordered, settings.batch)
    model = load_model(job.base, settings.dtype)
    targets = find_targets(model)
    parameters = sum(weight.numel() for weight in model.parameters())
    title = f"{name} prompts"
    log = Log(run / LOG, tokens, is_kept=processes.is_main)
    recorder = trainers.Recorder(log, processes, title, keep=job.saving.keep)
    trainer = trainers.make_trainer(
        model,
        job.base.tokenizer,
        filled_up(ordered, settings.per_device * processes.count),
        lora=trainers.lora_config(settings, targets),
        config=trainers.trainer_config(
            settings,
            run,
            dtype=settings.dtype,
            steps=len(tokens),
            save_steps=job.saving.steps,
            processes=processes,
            on_gpu=uses_gpu(),
        ),
        recorder=recorder,
    )
    facts = {
        "modules": list(targets.names),
        "patterns": list(targets.patterns),
        "parameters": parameters,
        "steps": len(tokens),
        "initial_weights_sha256": trainers.weights_digest(trainer.model),
    }
    return trainer, recorder, facts


def _release(trainer: Any) -> None:
    """Give the memory back before the next run."""
    import torch

    trainer.model = trainer.model_wrapped = trainer.optimizer = None
    trainer.accelerator.free_memory()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


@contextmanager
def _memory_errors(settings: Settings) -> Iterator[None]:
    """A run that does not fit says which options to lower.

    Raises:
        ModelError: Memory ran out in the block.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        said = str(error)
        if not isinstance(error, MemoryError) and not any(w in said.lower() for w in _NO_MEMORY):
            raise
        checkpointing = "on" if settings.gradient_checkpointing else "off"
        first = next(iter(said.strip().splitlines()), "no details")
        raise ModelError(
            f"not enough memory ({first}). "
            f"Try a lower --per-device (now {settings.per_device}; the batch stays "
            f"{settings.batch}), --gradient-checkpointing (now {checkpointing}), --dtype bfloat16 "
            f"(now {settings.dtype}) or a lower --max-length (now {settings.max_length}), with "
            "another --out, since they belong to the settings of a run."
        ) from error

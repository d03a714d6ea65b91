"""TRL's trainer with the settings of a run, and without what it would do unasked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from tqdm import tqdm
from transformers import PrinterCallback, TrainerCallback
from transformers.trainer_pt_utils import safe_globals
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from sociolect.steering.lora.checkpoints import checkpoints, mark_complete, prune, writing
from sociolect.steering.lora.log import LOG, Log, check_numbers, no_number, write_log
from sociolect.steering.lora.modules import Targets
from sociolect.steering.lora.processes import Processes
from sociolect.steering.lora.settings import Settings


class AdapterTrainer(SFTTrainer):
    """`SFTTrainer` that saves the adapter alone and reports to nobody."""

    def _send_telemetry(self) -> None:
        """Nothing: TRL would report the run to its authors."""

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """Nothing: an adapter gets a card of ours."""

    def _save_checkpoint(self, *arguments: Any, **options: Any) -> None:
        """As the trainer's own; raises TrainingError if the disk is full."""
        folder = Path(str(self.args.output_dir)) / f"checkpoint-{self.state.global_step}"
        save: Any = super()._save_checkpoint
        with writing(folder):
            save(*arguments, **options)

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """Save the adapter: no pickled arguments, and no question to the Hub about embeddings."""
        model: Any = self.model
        folder = output_dir or str(self.args.output_dir)
        model.save_pretrained(folder, state_dict=state_dict, save_embedding_layers=False)


class Recorder(TrainerCallback):
    """Log, progress, finished checkpoints, and the end of a run that went wrong."""

    def __init__(self, log: Log, processes: Processes, title: str, *, keep: bool) -> None:
        self.log = log
        self._processes = processes
        self._keep = keep
        self._bar = tqdm(
            total=len(log.tokens),
            desc=title,
            unit="step",
            dynamic_ncols=True,
            disable=not processes.is_main,
        )

    def close(self) -> None:
        """Take the progress bar away."""
        self._bar.close()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Steps of an earlier process count, but not as speed."""
        self._bar.initial = self._bar.n = state.global_step
        self._bar.refresh()

    def on_log(
        self,
        args: Any,
        state: Any,
        control: Any,
        model: Any = None,
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        """After every step; a checkpoint of this step is written later, so none holds no-numbers.

        Raises:
            TrainingError: The loss, the gradient or, after the update, a weight is no number.
        """
        if not logs or "loss" not in logs:  # the summary at the end
            return
        check_numbers(state.global_step, logs, self.log.entries)
        if not weights_are_numbers(model):  # no later loss would show it after the last step
            what = "after its update, the weights of the adapter are no numbers"
            raise no_number(state.global_step, what, logs, self.log.entries)
        if self.log.is_kept:
            with writing(self.log.path):
                entry = self.log.add(state.global_step, logs)
            speed = f"{entry['tokens_per_second']:,.0f} tokens/s"
            self._bar.set_postfix_str(f"loss {entry['loss']:.4f}, {speed}", refresh=False)
            self._bar.update()

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """The trainer has written its files: in every process, once all are here."""
        self._processes.wait()
        if not self._processes.is_main:
            return
        run = Path(args.output_dir)
        folder = run / f"checkpoint-{state.global_step}"
        with writing(folder):
            write_log(folder / LOG, self.log.entries)
            mark_complete(folder)
        if not self._keep:
            prune(checkpoints(run))


def make_trainer(
    model: Any,
    tokenizer: Any,
    rows: Sequence[dict[str, list[int]]],
    *,
    lora: LoraConfig,
    config: SFTConfig,
    recorder: Recorder,
) -> AdapterTrainer:
    """A trainer for an adapter with the initial weights that the seed gives.

    Args:
        model: The base model.
        tokenizer: Its tokenizer, for the padding token; the end token pads where there is none.
        rows: Token ids and masks in the order of training.
        lora: As `lora_config` makes it.
        config: As `trainer_config` makes it.
        recorder: Log and checkpoints.
    """
    trainer = AdapterTrainer(
        model=model,
        args=config,
        train_dataset=Dataset.from_list(list(rows)),
        processing_class=tokenizer,
        peft_config=lora,
        callbacks=[recorder],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def lora_config(settings: Settings, targets: Targets) -> LoraConfig:
    """The adapter of App. C.3: an update of rank r on each layer, scaled by alpha / r."""
    return LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=list(targets.patterns),
        fan_in_fan_out=targets.transposed,
        bias="none",
        task_type="CAUSAL_LM",
    )


def trainer_config(
    settings: Settings,
    run: Path,
    *,
    dtype: str,
    steps: int,
    save_steps: int,
    processes: Processes,
    on_gpu: bool,
) -> SFTConfig:
    """The trainer's own settings.

    Args:
        settings: Those of the run.
        run: Folder of the checkpoints.
        dtype: `bfloat16` or `float32`.
        steps: Optimiser steps in all.
        save_steps: Steps between checkpoints.
        processes: Who trains.
        on_gpu: Whether on a GPU.
    """
    return SFTConfig(
        output_dir=str(run),
        per_device_train_batch_size=settings.per_device,
        gradient_accumulation_steps=settings.accumulation(processes.count),
        num_train_epochs=1,  # the rows hold all epochs, each in an order of its own
        optim="adamw_torch",
        learning_rate=settings.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=math.ceil(settings.warmup * steps),
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.max_grad_norm,
        seed=settings.seed,
        bf16=dtype == "bfloat16",
        fp16=False,
        use_cpu=not on_gpu,
        gradient_checkpointing=settings.gradient_checkpointing,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        # The loss of a step is the mean over all its target tokens, however they are split.
        completion_only_loss=True,
        loss_type="nll",
        average_tokens_across_devices=True,
        # The rows are used as they are: in their order, nothing cut, packed or shuffled.
        max_length=None,
        packing=False,
        shuffle_dataset=False,
        train_sampling_strategy="sequential",
        logging_steps=1,
        logging_nan_inf_filter=False,  # it would put an earlier loss in the place of a NaN
        save_strategy="steps",
        save_steps=save_steps,
        save_total_limit=None,  # it would remove the last complete one before the next is complete
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=on_gpu,
        ddp_find_unused_parameters=False,
    )


def refused(folder: Path) -> str:
    """Why the pickled state of a checkpoint cannot be loaded; empty if it can. No code is run."""
    for path in sorted(path for path in folder.iterdir() if path.suffix in (".pt", ".pth")):
        try:
            with safe_globals():
                torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        except (UnpicklingError, RuntimeError, EOFError, LookupError, OSError, ValueError):
            return f"{path.name} cannot be loaded safely"
    return ""


def weights_are_numbers(model: Any) -> bool:
    """Whether all weights that are trained are finite."""
    finite = [weight.isfinite().all() for weight in model.parameters() if weight.requires_grad]
    return bool(torch.stack(finite).all())


def weights_digest(model: Any) -> str:
    """SHA-256 of the adapter's weights: names, shapes and float32 bytes, sorted by name."""
    state = sha256()
    for name, weight in sorted(model.named_parameters()):
        if weight.requires_grad:
            state.update(f"{name} {tuple(weight.shape)} ".encode())
            state.update(weight.detach().float().cpu().contiguous().numpy().tobytes())
    return state.hexdigest()

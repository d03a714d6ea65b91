"""The training log: one line a step, kept in every checkpoint so that a resumed run has it all."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sociolect.generators.errors import TrainingError
from sociolect.steering.lora.checkpoints import write_text
from sociolect.steering.lora.encode import Encoded

LOG = "training_log.jsonl"

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StepTokens:
    """Tokens of one step over all processes, without padding.

    Attributes:
        read: Of prompts and targets.
        learnt: Of targets alone, over which the loss is the mean.
    """

    read: int
    learnt: int


def step_tokens(ordered: Sequence[Encoded], batch: int) -> tuple[StepTokens, ...]:
    """Tokens of every step.

    Args:
        ordered: All examples in the order of training.
        batch: Examples a step.
    """
    steps = [ordered[start : start + batch] for start in range(0, len(ordered), batch)]
    return tuple(
        StepTokens(sum(e.length for e in step), sum(len(e.completion) for e in step))
        for step in steps
    )


@dataclass(slots=True)
class Log:
    """Entries of a run, written to a file as they come.

    Attributes:
        path: The file.
        tokens: Tokens of every step.
        is_kept: Whether this process keeps it; the others log nothing.
        entries: `step`, `loss` (mean over the target tokens of the step), `learning_rate` (of
            this step), `grad_norm` (before clipping), `tokens`, `target_tokens`, `seconds`,
            `tokens_per_second`.
    """

    path: Path
    tokens: Sequence[StepTokens]
    is_kept: bool = True
    entries: list[Entry] = field(default_factory=list)
    _began: float = field(default_factory=time.monotonic)

    def start(self, earlier: Sequence[Entry]) -> None:
        """Begin the file with the entries of the steps before a checkpoint."""
        self.entries[:] = earlier
        if self.is_kept:
            write_log(self.path, self.entries)
        self._began = time.monotonic()

    def add(self, step: int, values: Mapping[str, float]) -> Entry:
        """Log a step and write it to the file."""
        now = time.monotonic()
        seconds, self._began = now - self._began, now
        tokens = self.tokens[step - 1]
        entry = {
            "step": step,
            "loss": values["loss"],
            "learning_rate": values["learning_rate"],
            "grad_norm": values["grad_norm"],
            "tokens": tokens.read,
            "target_tokens": tokens.learnt,
            "seconds": round(seconds, 3),
            "tokens_per_second": round(tokens.read / max(seconds, 1e-9), 1),
        }
        self.entries.append(entry)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        return entry


def write_log(path: Path, entries: Sequence[Entry]) -> None:
    """Write a log, whole or not at all."""
    write_text(path, "".join(json.dumps(entry) + "\n" for entry in entries))


def read_log(path: Path) -> list[Entry]:
    """The entries of a log.

    Raises:
        TrainingError: It is missing or damaged.
    """
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise TrainingError(f"{path} cannot be read ({error})") from None


def check_numbers(step: int, values: Mapping[str, float], earlier: Sequence[Entry]) -> None:
    """Stop a run whose loss or gradient is no number any more: every later step would be lost.

    Raises:
        TrainingError: It says at which step, the losses before, and what to try.
    """
    bad = [name for name in ("loss", "grad_norm") if not math.isfinite(values[name])]
    if not bad:
        return
    raise no_number(step, f"the {' and the '.join(bad)} is {values[bad[0]]}", values, earlier)


def no_number(
    step: int, what: str, values: Mapping[str, float], earlier: Sequence[Entry]
) -> TrainingError:
    """The error of a run that has left the numbers.

    Args:
        step: Where.
        what: What is no number.
        values: Of this step, with its `learning_rate`.
        earlier: The log before it.
    """
    before = ", ".join(f"{entry['loss']:.4f}" for entry in earlier[-5:]) or "none"
    return TrainingError(
        f"step {step}: {what} (losses before: {before}; learning rate "
        f"{values['learning_rate']:g}). No adapter is written; the last good "
        "checkpoint is kept. Try a lower --learning-rate, a smaller --max-grad-norm, some "
        "--warmup, or --dtype float32, with another --out."
    )

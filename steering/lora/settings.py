"""The settings of a training run; their defaults are those of the learner-error paper, App. C.3."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from sociolect.generators.errors import InvalidInputError

HIGHEST = 1e3
"""Of learning rate and weight decay: far above what can train, far below what overflows."""
MOST_EPOCHS = 100
"""The examples of all epochs are held in memory in one row."""

DTYPES = ("auto", "bfloat16", "float32")


@dataclass(frozen=True, slots=True)
class Settings:
    """How an adapter is trained. Both prompt sets are trained with the same settings.

    Attributes:
        rank: Rank of the two LoRA factors, 1 or more (paper: 16).
        alpha: Scaling factor; an update is multiplied by alpha / rank (paper: 32).
        dropout: Share of a LoRA layer's inputs set to zero while training, in [0, 1) (paper: 0.05).
        epochs: Passes over the examples, 1 to 100, each in an order of its own (paper: 1).
        learning_rate: Its peak, above 0 and 1000 at most; it falls to 0 along half a cosine
            (paper: 1e-4).
        batch: Examples a step over all processes (paper: 16).
        per_device: Examples that a process holds at once; `batch` is made of several such parts.
        dtype: Number format of the base model and of its arithmetic; the adapter is always
            float32. `auto` is bfloat16 on a GPU and float32 on a CPU.
        gradient_checkpointing: Compute activations twice in place of storing them: much less
            memory, more time.
        max_length: Longest example in tokens; None for the longest that the model was made for.
        seed: Of the initial adapter, the dropout and the order of examples.
        warmup: Share of the steps during which the learning rate rises from 0, in [0, 1). The
            paper names none, and a LoRA adapter starts as the identity.
        weight_decay: Of AdamW, 0 to 1000. The paper names none.
        max_grad_norm: Gradients longer than this are scaled down to it. The paper names none; 1
            is the default of the libraries that it names.
    """

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    epochs: int = 1
    learning_rate: float = 1e-4
    batch: int = 16
    per_device: int = 4
    dtype: str = "auto"
    gradient_checkpointing: bool = True
    max_length: int | None = None
    seed: int = 0
    warmup: float = 0.0
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0

    def __post_init__(self) -> None:
        for name in ("rank", "alpha", "batch", "per_device"):
            self._require(name, getattr(self, name) >= 1, "1 or more")
        for name in ("dropout", "warmup"):
            self._require(name, 0 <= getattr(self, name) < 1, "at least 0 and below 1")
        self._require("epochs", 1 <= self.epochs <= MOST_EPOCHS, f"between 1 and {MOST_EPOCHS}")
        rate_is_usable = 0 < self.learning_rate <= HIGHEST
        self._require("learning_rate", rate_is_usable, f"above 0 and {HIGHEST:g} at most")
        self._require("weight_decay", 0 <= self.weight_decay <= HIGHEST, f"0 to {HIGHEST:g}")
        norm_is_usable = math.isfinite(self.max_grad_norm) and self.max_grad_norm > 0
        self._require("max_grad_norm", norm_is_usable, "a number above 0")
        self._require("max_length", self.max_length is None or self.max_length >= 2, "2 or more")
        self._require("seed", 0 <= self.seed < 2**32, "between 0 and 4294967295")
        self._require("dtype", self.dtype in DTYPES, "one of " + ", ".join(DTYPES))

    def _require(self, name: str, holds: bool, allowed: str) -> None:
        if not holds:
            option = "--" + name.replace("_", "-")
            raise InvalidInputError(f"{option} is {getattr(self, name)}; it must be {allowed}")

    def accumulation(self, processes: int) -> int:
        """How many parts of `per_device` examples a process adds up to one step.

        Args:
            processes: How many processes train together, 1 or more.

        Raises:
            InvalidInputError: The batch cannot be divided so.
        """
        at_once = self.per_device * processes
        if self.batch % at_once:
            raise InvalidInputError(
                f"a batch of {self.batch} examples cannot be split evenly: {processes} "
                f"process(es) x {self.per_device} examples at once = {at_once}. Give a "
                f"--per-device such that its product with the number of processes divides "
                f"{self.batch}{_suggestion(self.batch, processes)}."
            )
        return self.batch // at_once

    def as_dict(self) -> dict[str, Any]:
        """For JSON, in the order of the attributes."""
        return asdict(self)


def _suggestion(batch: int, processes: int) -> str:
    fitting = [n for n in range(1, batch + 1) if batch % (n * processes) == 0]
    return f", e.g. {max(n for n in fitting if n <= 8)}" if fitting else ", or another --batch"

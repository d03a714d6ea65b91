"""What decides a training set: sizes, sampling, limits, sources, tools, model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sociolect.generators.conditions import LEVELS
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.generators.items import Benchmark
from sociolect.generators.layout import DATA_VERSION
from sociolect.generators.manifest import toolchain
from sociolect.generators.uniform import ALGORITHM_VERSION
from sociolect.steering.lora.items import TRANSFORM, check_levels
from sociolect.steering.lora.targets import Limits
from sociolect.tasks.prompts import TASK_FORMAT

FORMS = ("reason", "direct")
"""Answer forms that can be trained: those whose answer is generated."""
MAX_TOKENS: Mapping[str, int] = {"reason": 1024, "direct": 16}
"""Longest completion by form: that of the paper, and that of the tasks that ask for a letter."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a training set; the defaults are those of the learner-error paper (App. C.3).

    Attributes:
        items: Number of items; each gives a prompt an option order.
        completions: Samples a prompt.
        form: `reason` or `direct`.
        levels: Error levels in per cent, one of which is drawn for each item.
        seed: Of items, levels and errors, in [0, 2⁶³).
        max_tokens: Longest completion in tokens.
        temperature: Of the sampling, above 0.
        top_p: Of the sampling, in (0, 1].
        limits: What a target may be.
        chat_template: Whether prompts get the model's chat template.

    Raises:
        UnknownNameError: No such form or level.
        InvalidInputError: A number is out of range.
    """

    items: int = 5000
    completions: int = 3
    form: str = "reason"
    levels: tuple[int, ...] = LEVELS
    seed: int = 0
    max_tokens: int = MAX_TOKENS["reason"]
    temperature: float = 0.7
    top_p: float = 0.9
    limits: Limits = field(default_factory=lambda: Limits.of("reason"))
    chat_template: bool = False

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UnknownNameError("form", self.form, FORMS)
        check_levels(self.levels)
        counts = ("items", self.items), ("completions", self.completions)
        for name, value in (*counts, ("tokens of a completion", self.max_tokens)):
            if value < 1:
                raise InvalidInputError(f"the number of {name} must be 1 or more, not {value}")
        if not 0 <= self.seed < 2**63:
            raise InvalidInputError(f"the seed must be 0 or more and below 2**63, not {self.seed}")
        if not (self.temperature > 0 and math.isfinite(self.temperature)):
            raise InvalidInputError(
                f"the temperature must be above 0, not {self.temperature}: completions are sampled"
            )
        if not 0 < self.top_p <= 1:
            raise InvalidInputError(f"top-p must be above 0 and at most 1, not {self.top_p}")

    @property
    def generation(self) -> dict[str, Any]:
        """lm_eval's generation settings: those of the tasks, with the length as given."""
        return {
            "until": [],
            "do_sample": True,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_gen_toks": self.max_tokens,
        }

    def job(self, benchmark: Benchmark, model: Mapping[str, Any]) -> dict[str, Any]:
        """Everything that decides a training set: two sets with the same job are the same set.

        Args:
            benchmark: Where the items come from.
            model: Identity of the model.

        Raises:
            MissingToolError: The tagger's model or the speller is not installed.
        """
        return {
            "benchmark": benchmark.name,
            "items": self.items,
            "seed": self.seed,
            "transform": TRANSFORM,
            "part": "input",
            "rules": "paper",
            "levels": sorted(self.levels),
            "form": self.form,
            "chat_template": self.chat_template,
            "completions": self.completions,
            "generation": self.generation,
            "limits": asdict(self.limits),
            "data_version": DATA_VERSION,
            "algorithm_version": ALGORITHM_VERSION,
            "task_format": TASK_FORMAT,
            "sources": [asdict(source) for source in benchmark.sources],
            "toolchain": toolchain(),
            "model": dict(model),
        }

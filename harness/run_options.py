"""What `sociolect eval` knows of a run before it starts: merged arguments, tasks, findings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sociolect.generators.dialect.pairs import BENCHMARK
from sociolect.steering.backends.registry import BACKENDS, SERVED
from sociolect.tasks.data import unit_documents
from sociolect.tasks.kinds import kind_of

Severity = Literal["refuse", "warning", "note"]

LIKELIHOOD = ("loglikelihood", "multiple_choice")
"""Output types of lm_eval that score continuations instead of sampling answers."""

DEFAULT_SEED = (0, 1234, 1234, 1234)
"""lm_eval's seeds of Python, NumPy, torch and few-shot choice when none is given."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to say about the arguments; `refuse` ends the command."""

    severity: Severity
    message: str


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What the checks need to know of a requested task of ours.

    Attributes:
        name: Task name.
        output_type: lm_eval's output type.
        repeats: Samples per document.
        generation_kwargs: Generation settings of the task file.
        data_arguments: What the task file hands to the function that loads its documents.
    """

    name: str
    output_type: str = "generate_until"
    repeats: int = 1
    generation_kwargs: Mapping[str, Any] = field(default_factory=dict)
    data_arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_likelihood(self) -> bool:
        """Whether options are scored instead of answers sampled."""
        return self.output_type in LIKELIHOOD

    @property
    def is_dialect(self) -> bool:
        """Whether this is a task of the audit of dialect bias, which has its own functions."""
        return bool(self.data_arguments.get("sociolect_benchmark") == BENCHMARK)

    @property
    def is_judge(self) -> bool:
        """Whether a verdict is asked for."""
        return (
            not self.is_dialect and kind_of(self.data_arguments["sociolect_benchmark"]) == "judge"
        )

    @property
    def unit_docs(self) -> int:
        """Documents in a row that make one unit: an item or a pair, in all option orders.

        1 in the dialect audit, where pairs differ in size: `document_traps.cut_pairs` looks there.
        """
        if self.is_dialect:
            return 1
        return unit_documents(
            self.data_arguments["sociolect_benchmark"], self.data_arguments["sociolect_form"]
        )

    @property
    def unit_name(self) -> str:
        """What a unit of the task is called."""
        if self.is_dialect:
            return "pair"
        kind = kind_of(self.data_arguments["sociolect_benchmark"])
        return "pair" if kind == "coreference" else "item"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The arguments of a run after lm_eval merged command line, `--config` and defaults."""

    model: str = "hf"
    model_args: Mapping[str, Any] = field(default_factory=dict)
    gen_kwargs: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    use_cache: str | None = None
    cache_requests: bool = False
    samples: Any = None
    limit: float | None = None
    num_fewshot: int | None = None
    output_path: str | None = None
    log_samples: bool = False
    apply_chat_template: bool | str = False
    system_instruction: str | None = None
    seed: tuple[int | None, ...] | None = DEFAULT_SEED
    batch_size: int | str = 1
    device: str | None = None
    environ: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_config(cls, config: Any, environ: Mapping[str, str]) -> RunOptions:
        """Read lm_eval's `EvaluatorConfig`."""
        requests = config.cache_requests
        wanted = requests.get("cache_requests") if isinstance(requests, Mapping) else requests
        model_args = dict(config.model_args or {})
        return cls(
            model=config.model,
            model_args=model_args,
            gen_kwargs=dict(config.gen_kwargs or {}),
            metadata={k: v for k, v in (config.metadata or {}).items() if k not in model_args},
            use_cache=config.use_cache,
            cache_requests=bool(wanted),
            samples=config.samples,
            limit=config.limit,
            num_fewshot=config.num_fewshot,
            output_path=config.output_path,
            log_samples=config.log_samples,
            apply_chat_template=config.apply_chat_template,
            system_instruction=config.system_instruction,
            seed=tuple(config.seed) if config.seed else None,
            batch_size=config.batch_size,
            device=config.device,
            environ=environ,
        )

    @property
    def is_ours(self) -> bool:
        """Whether the backend is one of sociolect, which keeps answers."""
        return self.model in BACKENDS or self.is_served

    @property
    def is_served(self) -> bool:
        """Whether the model is behind an OpenAI-compatible server."""
        return self.model in SERVED

    @property
    def on_vllm(self) -> bool:
        """Whether vLLM generates, lm_eval's class or ours."""
        return self.model.startswith("vllm") or self.model == "sociolect-vllm"

    @property
    def on_hf(self) -> bool:
        """Whether transformers generates, lm_eval's class or ours."""
        return self.model in ("hf", "hf-auto", "huggingface", "sociolect-hf")

    @property
    def adapter_argument(self) -> str:
        """The model argument that names an adapter."""
        return "lora_local_path" if self.on_vllm else "peft"

    def generation(self, task: TaskFacts) -> dict[str, Any]:
        """The generation settings of a task after `--gen_kwargs`."""
        return {**task.generation_kwargs, **self.gen_kwargs}


def number(value: object) -> float | None:
    """An argument as a finite number, None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # a whole number beyond every float
        return None

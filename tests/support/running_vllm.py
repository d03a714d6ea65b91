"""What the tests with vLLM and the benchmarks of it share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

BENCHMARK = "occupations_mini"
ENGINE = {"dtype": "float32", "max_model_len": 1024, "enforce_eager": True}
"""Also for a GPU: several engines share one, so each takes a part of its memory."""
SHARE_OF_MEMORY = {"gpu_memory_utilization": 0.2}
SEVEN = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

Answers = dict[tuple[str, int], list[Any]]


def write_adapter(model: Path, folder: Path, *, seed: int = 7, rank: int = 16) -> Path:
    """A LoRA adapter with random weights that change every answer, saved by PEFT."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    base = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    settings = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=SEVEN, task_type="CAUSAL_LM")
    adapted = get_peft_model(base, settings)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_" in name:
                weight.copy_(torch.randn(weight.shape, generator=generator) * 0.05)
    adapted.save_pretrained(folder)
    return folder


class Spy:
    """Keeps what an engine is asked, and lets it answer.

    Attributes:
        calls: Per call the prompts and their sampling parameters.
        tokens: Per call how many tokens were generated.
    """

    def __init__(self, generate: Callable[..., Any]) -> None:
        self._generate = generate
        self.calls: list[tuple[Sequence[Any], Any]] = []
        self.tokens: list[int] = []

    def __call__(self, prompts: Sequence[Any], **options: Any) -> Any:
        self.calls.append((prompts, options["sampling_params"]))
        outputs = self._generate(prompts, **options)
        made = [one.token_ids for output in outputs for one in output.outputs]
        self.tokens.append(sum(map(len, made)))
        return outputs

    @property
    def prompts(self) -> int:
        return sum(len(prompts) for prompts, _ in self.calls)


def evaluate(
    model: Any,
    tasks: Sequence[str],
    *,
    docs: Sequence[int] = range(6),
    **settings: Any,
) -> dict[str, Answers]:
    """Run tasks; per task the raw answers to every document by item and option order."""
    import lm_eval
    from lm_eval.tasks import TaskManager

    from sociolect.tasks.paths import tasks_path

    results = lm_eval.simple_evaluate(
        model=model,
        tasks=list(tasks),
        task_manager=TaskManager(include_path=str(tasks_path()), include_defaults=False),
        samples={task: list(docs) for task in tasks},
        gen_kwargs=settings or None,
        log_samples=True,
        bootstrap_iters=0,
    )
    return {task: by_document(results["samples"][task]) for task in tasks}


def by_document(samples: Sequence[Mapping[str, Any]]) -> Answers:
    return {(one["doc"]["id"], one["doc"]["order"]): one["resps"] for one in samples}


def command(name: str, *arguments: str) -> list[str]:
    """A command of this environment."""
    return [str(Path(sys.executable).with_name(name)), *arguments]


def run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; a failure shows what it said."""
    done = subprocess.run(
        arguments, capture_output=True, text=True, check=False, env=os.environ, timeout=600
    )
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
    return done


def arguments_of(**values: Any) -> str:
    """Model arguments as the command line takes them."""
    return ",".join(f"{name}={value}" for name, value in values.items())


def samples_of(folder: Path, task: str) -> bytes:
    """The one file of samples of a task below a folder of results; 2… is the year."""
    (path,) = folder.rglob(f"samples_{task}_2*.jsonl")
    return path.read_bytes()


def answers_of(folder: Path, task: str) -> Answers:
    return by_document([json.loads(line) for line in samples_of(folder, task).splitlines()])

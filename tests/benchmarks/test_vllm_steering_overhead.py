"""What steering takes of the time of `sociolect-vllm`: one eager engine with hooks and without.

All with one small model on one CPU core; with and without take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

pytestmark = [pytest.mark.benchmark, pytest.mark.vllm]

ROUNDS = 7
PROMPTS, SAMPLES, LENGTH = 4, 2, 12
WEIGHTS = {5: 0.25, 10: 0.25, 15: 0.25, 20: 0.25}
AIM = 1.05


@pytest.fixture(scope="module")
def model() -> Any:
    """A steered backend, with random directions."""
    pytest.importorskip("vllm")
    from sociolect.harness.smollm2 import ensure_model
    from sociolect.steering.backends.vllm import SociolectVLLM
    from sociolect.steering.backends.vllm_worker import WORKER

    made = SociolectVLLM(
        str(ensure_model("bfloat16")), dtype="bfloat16", max_model_len=512, enforce_eager=True,
        worker_extension_cls=WORKER,
    )  # fmt: skip
    return made


def asked(model: Any) -> float:
    """CPU seconds of prompts that are answered and of texts that are scored."""
    from vllm import SamplingParams

    prompts = [f"{number} prompts are read. " * 4 for number in range(PROMPTS)]
    params = [
        SamplingParams(n=SAMPLES, seed=number, max_tokens=LENGTH, ignore_eos=True)
        for number in range(PROMPTS)
    ]
    before = time.process_time()
    model._model_generate(model.tok_encode(prompts), True, params)
    model._model_generate(model.tok_encode(prompts))
    return time.process_time() - before


def test_hooks_cost_next_to_nothing(model: Any, show: Callable[[Any], None]) -> None:
    import torch

    from sociolect.steering.backends.vllm_worker import steer

    vectors = {layer: torch.full((576,), weight / 576) for layer, weight in WEIGHTS.items()}
    ways = {"steered": vectors, "unsteered": {}}

    def timed(name: str) -> float:
        steer(model.model, ways[name])
        return asked(model)

    for name in ways:  # what is compiled or allocated once
        timed(name)
    rounds = []
    for turn in range(ROUNDS):
        order = list(ways) if turn % 2 else list(reversed(ways))
        rounds.append({name: timed(name) for name in order})
    for name in ways:
        show(f"{name}: {median(one[name] for one in rounds):.2f} s of CPU time")
    ratio = median(one["steered"] / one["unsteered"] for one in rounds)
    show(f"steered / unsteered, median of {ROUNDS}: {ratio:.3f}")
    assert ratio <= AIM

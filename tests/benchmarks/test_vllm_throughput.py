"""Tokens a second of `--model sociolect-vllm`, beside vLLM alone, lm_eval's own, transformers.

All with one small model on one CPU core. vLLM alone gets the tokens and the sampling parameters
that our backend sends, so both generate the same tokens; they take turns on one engine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from rich.table import Table
from running_vllm import Spy

pytestmark = [pytest.mark.benchmark, pytest.mark.vllm]

PROMPTS, SAMPLES, LENGTH = 12, 5, 24
SMALL = 4
ROUNDS = 7
AIM = 0.95
GENERATION = {
    "until": [], "do_sample": True, "temperature": 0.7, "top_p": 0.9, "max_gen_toks": LENGTH,
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> Path:
    pytest.importorskip("vllm")
    from sociolect.harness.smollm2 import ensure_model

    return ensure_model("bfloat16")


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What lm_eval asks of a task: every prompt of the reasoning form five times in a row."""
    from lm_eval.api.instance import Instance

    from sociolect.generators.benchmarks import load_benchmark
    from sociolect.generators.conditions import Condition
    from sociolect.generators.variants import Variants
    from sociolect.tasks.prompts import render

    rows, _ = Variants(load_benchmark("occupations_mini")).config(Condition())
    made = []
    for number, row in enumerate(rows[:PROMPTS]):
        doc = {**row, "order": 0}
        prompt = render(row, "reason", 0)
        one = Instance("generate_until", doc, (prompt, GENERATION), 0, ("throughput", number, 1))
        made += [one] * SAMPLES
    return made


@dataclass(frozen=True, slots=True)
class Pace:
    """Tokens that were generated, and the seconds of wall clock and of CPU time that it took."""

    tokens: int
    wall: float
    cpu: float


def paced(generate: Callable[[], int]) -> Pace:
    """Time something that returns how many tokens it generated."""
    wall, cpu = time.perf_counter(), time.process_time()
    tokens = generate()
    return Pace(tokens, time.perf_counter() - wall, time.process_time() - cpu)


class Contest:
    """The ways to generate that are compared, on one engine where it is vLLM."""

    def __init__(self, model: Path, requests: list[Any], answers: Path) -> None:
        from lm_eval.models import vllm_causallms
        from lm_eval.models.huggingface import HFLM

        from sociolect.steering.backends.vllm import SociolectVLLM

        shared = {"dtype": "bfloat16", "max_model_len": 1024, "enforce_eager": True}
        self._requests, self._answers, self._rounds = requests, answers, 0
        self._ours = SociolectVLLM(str(model), answers=str(answers), **shared)
        self._engine = self._ours.model
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(vllm_causallms, "LLM", lambda **_: self._engine)
            self._stock = vllm_causallms.VLLM(str(model), **shared)
        self._hf = HFLM(str(model), dtype="bfloat16", device="cpu", batch_size=len(requests))
        self._spy = Spy(self._engine.generate)

    def ours(self) -> int:
        """Our backend, with an answers folder that holds nothing yet."""
        self._rounds += 1
        self._ours.runner.store.folder = self._answers / str(self._rounds)
        self._spy.tokens.clear()
        self._engine.generate = self._spy
        try:
            self._ours.generate_until(self._requests, disable_tqdm=True)
        finally:
            self._engine.generate = self._spy._generate
        return sum(self._spy.tokens)

    def in_small_chunks(self) -> int:
        """Our backend with fewer prompts a chunk than the engine could compute at once."""
        usual, self._ours.runner.size = self._ours.runner.size, SMALL
        try:
            return self.ours()
        finally:
            self._ours.runner.size = usual

    def alone(self) -> int:
        """vLLM with what our backend sent it."""
        prompts, params = self._spy.calls[0]
        self._engine.reset_prefix_cache()
        outputs = self._engine.generate(prompts, sampling_params=params, use_tqdm=False)
        return sum(len(one.token_ids) for output in outputs for one in output.outputs)

    def stock(self) -> int:
        """lm_eval's `--model vllm`."""
        self._engine.reset_prefix_cache()
        return self._count(self._stock.generate_until(self._requests, disable_tqdm=True))

    def transformers(self) -> int:
        """lm_eval's `--model hf`, all samples in one batch."""
        return self._count(self._hf.generate_until(self._requests, disable_tqdm=True))

    def _count(self, texts: list[str]) -> int:
        return sum(len(self._stock.tok_encode(text)) for text in texts)


def test_our_backend_costs_next_to_nothing(
    model: Path, requests: list[Any], tmp_path: Path, show: Callable[[Any], None]
) -> None:
    contest = Contest(model, requests, tmp_path / "answers")
    contest.ours()  # what is compiled or allocated once
    pairs = []
    for turn in range(ROUNDS):
        order = (contest.ours, contest.alone) if turn % 2 else (contest.alone, contest.ours)
        found = {generate: paced(generate) for generate in order}
        pairs.append((found[contest.ours], found[contest.alone]))
    assert all(ours.tokens == alone.tokens for ours, alone in pairs)
    others = {
        name: [paced(generate) for _ in range(3)]
        for name, generate in (
            (f"sociolect-vllm, chunk={SMALL}", contest.in_small_chunks),
            ("lm_eval's vllm", contest.stock),
            ("lm_eval's hf", contest.transformers),
        )
    }
    ours, alone = zip(*pairs, strict=True)
    show(table({"sociolect-vllm": ours, "vLLM alone": alone, **others}))
    wall = median(alone.wall / ours.wall for ours, alone in pairs)
    cpu = median(alone.cpu / ours.cpu for ours, alone in pairs)
    show(f"of the speed of vLLM alone, median of {ROUNDS}: {wall:.3f} by the clock, {cpu:.3f} CPU")
    assert cpu >= AIM


def table(paces: dict[str, Any]) -> Table:
    made = Table(
        "", "tokens/s", "tokens per CPU second", "tokens",
        caption=f"{PROMPTS} prompts × {SAMPLES} samples × {LENGTH} tokens, bfloat16",
    )  # fmt: skip
    for name, of in paces.items():
        rate, cpu = (
            median(pace.tokens / getattr(pace, by) for pace in of) for by in ("wall", "cpu")
        )
        made.add_row(name, f"{rate:,.0f}", f"{cpu:,.0f}", f"{of[0].tokens:,}")
    return made

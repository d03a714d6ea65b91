"""An adapter under vLLM computes what PEFT computes with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sociolect.steering.lora.adapters import check_fits, read_adapter

pytestmark = [pytest.mark.vllm, pytest.mark.slow]

LENGTH = 24
PROMPTS = [
    "The capital of France is",
    "The nurse told the carpenter that she was late because",
    "Question: Who did not arrive? A: the teacher B: the guard\nAnswer:",
    "1.\tA list\n2.\tof two",
    "In this sentence, “she” refers to the",
]
Found = list[tuple[list[int], list[float]]]


@pytest.fixture(scope="module")
def request_of(adapter: Path) -> Any:
    from vllm.lora.request import LoRARequest

    return LoRARequest("random", 1, str(adapter))


def greedy_with_vllm(engine: Any, adapter: Any = None) -> Found:
    """Per prompt the tokens of the most likely answer and their log-probabilities."""
    from vllm import SamplingParams

    params = SamplingParams(temperature=0, max_tokens=LENGTH, logprobs=0, ignore_eos=True)
    outputs = engine.generate(PROMPTS, params, use_tqdm=False, lora_request=adapter)
    return [
        (
            list(one.token_ids),
            [p[t].logprob for p, t in zip(one.logprobs, one.token_ids, strict=True)],
        )
        for one in (output.outputs[0] for output in outputs)
    ]


def greedy_with_peft(model: Path, adapter: Path) -> Found:
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    base = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    adapted = PeftModel.from_pretrained(base, adapter).eval()
    found = []
    with torch.inference_mode():
        for prompt in PROMPTS:
            tokens = tokenizer(prompt, return_tensors="pt").input_ids
            start = tokens.shape[1]
            whole = adapted.generate(
                input_ids=tokens, attention_mask=torch.ones_like(tokens), do_sample=False,
                max_new_tokens=LENGTH, min_new_tokens=LENGTH, pad_token_id=0, eos_token_id=None,
            )  # fmt: skip
            logits = adapted(whole).logits[0, start - 1 : -1].log_softmax(-1)
            made = whole[0, start:]
            found.append((made.tolist(), logits[range(LENGTH), made].tolist()))
    return found


@pytest.fixture(scope="module")
def found(engine: Any, request_of: Any, small_model: Path, adapter: Path) -> dict[str, Found]:
    return {
        "before": greedy_with_vllm(engine),
        "vllm": greedy_with_vllm(engine, request_of),
        "after": greedy_with_vllm(engine),
        "peft": greedy_with_peft(small_model, adapter),
    }


def tokens(found: Sequence[tuple[list[int], list[float]]]) -> list[list[int]]:
    return [made for made, _ in found]


def test_the_most_likely_tokens_are_those_of_peft(found: dict[str, Found]) -> None:
    assert tokens(found["vllm"]) == tokens(found["peft"])
    assert all(len(made) == LENGTH for made in tokens(found["vllm"]))


def test_their_probabilities_are_those_of_peft(found: dict[str, Found]) -> None:
    apart = [
        abs(one - other)
        for (_, left), (_, right) in zip(found["vllm"], found["peft"], strict=True)
        for one, other in zip(left, right, strict=True)
    ]
    print(f"largest difference of a log-probability: {max(apart):.1e}")
    assert max(apart) <= 1e-3


def test_the_adapter_is_not_a_base_in_disguise(found: dict[str, Found]) -> None:
    base, adapted = tokens(found["before"]), tokens(found["vllm"])
    assert all(one != other for one, other in zip(base, adapted, strict=True))


def test_the_base_answers_as_before(found: dict[str, Found]) -> None:
    assert found["after"] == found["before"]


def test_what_peft_saved_is_found_to_fit(adapter: Path, small_model: Path) -> None:
    read = read_adapter(adapter)
    assert (read.rank, len(read.modules)) == (16, 7)
    assert check_fits(read, small_model) == []

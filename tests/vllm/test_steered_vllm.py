"""A steered `sociolect-vllm` computes what transformers computes with the same vectors added.

The engine is the one of all tests here. What transformers is asked is the whole of a prompt and the
answer that vLLM gave: each token must be the likeliest after those before it, with the same
log-probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from running_vllm import evaluate

from sociolect.generators.errors import ModelError

pytestmark = [pytest.mark.vllm, pytest.mark.slow]

DIRECT, CLOZE = "occupations_mini_clean_direct", "occupations_mini_clean_ll"
WEIGHTS = {0: 0.1, 10: 0.3, 20: 0.4, 29: 0.2}
BETA = 0.3
CLOSE = 1e-3
AT_ONCE = 4
PROMPTS = [
    "The capital of France is",
    "He been working there since",
    "She be singing in the choir every Sunday, and",
    "Question: Who did not arrive? A: the teacher B: the guard\nAnswer:",
    "1.\tA list\n2.\tof two",
    "They was at the store when",
    "In this sentence, “she” refers to the",
    "Ain't nobody",
    "The nurse told the carpenter that she was late because",
    "We finna",
    "My grandmother always said that",
    "Two and two",
]
LENGTHS = [3, 11, 5, 8, 4, 9, 12, 6, 3, 10, 7, 5]
"""Of answers, so different that while one prompt is read, others are answered."""

Make = Callable[..., Any]
Answer = tuple[list[int], list[int], list[float]]
"""Tokens of a prompt, of its answer, and log-probabilities of the latter."""


@pytest.fixture(scope="module")
def small(small_model: Path) -> Any:
    """The model with transformers."""
    import torch
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(small_model, dtype=torch.float32).eval()


@pytest.fixture(scope="module")
def vector(small: Any, small_model: Path) -> Any:
    """Random directions; β = 0.3 times the norms of the residual stream is a strong push."""
    import torch

    from sociolect.steering.hooks import decoder_blocks, recording
    from sociolect.steering.of_model import of_model
    from sociolect.steering.vectors import SteeringVector

    model = of_model(str(small_model), small.config)
    with torch.inference_mode(), recording(decoder_blocks(small)) as states:
        small(torch.tensor([[504, 3575, 282, 4649, 314]]))
    norms = torch.stack([states[k].norm(dim=-1).median() for k in range(model.depth)])
    random = torch.Generator().manual_seed(3)
    unit = torch.randn((model.depth, model.width), generator=random)
    unit /= unit.norm(dim=1, keepdim=True)
    return SteeringVector(model, unit, norms, WEIGHTS)


@pytest.fixture(scope="module")
def file(vector: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from sociolect.steering.vector_files import save

    path: Path = tmp_path_factory.mktemp("vectors") / "random.safetensors"
    save(vector, path)
    return path


@pytest.fixture
def steered(backend: Make, engine: Any, file: Path) -> Iterator[Make]:
    """Makes a steered `sociolect-vllm`; afterwards the one engine is unsteered again."""
    from sociolect.steering.backends.vllm_worker import steer

    def make(beta: float = BETA, **arguments: Any) -> Any:
        return backend(
            **{"steering": str(file), "beta": beta, "beta_scale": "residual"} | arguments
        )

    yield make
    steer(engine, {})


def answers(model: Any, prompts: Sequence[str], lengths: Sequence[int], **how: Any) -> list[Answer]:
    """What vLLM answers, as `sociolect-vllm` asks it; every sample of a prompt by itself."""
    from vllm import SamplingParams

    params = [
        SamplingParams(
            **{"temperature": 0, "max_tokens": n, "logprobs": 0, "ignore_eos": True} | how
        )
        for n in lengths
    ]
    outputs = model._model_generate(model.tok_encode(list(prompts)), True, params)
    return [
        (
            list(output.prompt_token_ids),
            list(one.token_ids),
            [p[t].logprob for p, t in zip(one.logprobs, one.token_ids, strict=True)],
        )
        for output in outputs
        for one in output.outputs
    ]


def with_transformers(
    model: Any, found: Sequence[Answer], added: Mapping[int, Any]
) -> list[tuple[list[int], list[float]]]:
    """After each token before one of the answer: the likeliest one, and the answer's log p."""
    import torch

    from sociolect.steering.hooks import decoder_blocks, steering

    checked = []
    with torch.inference_mode(), steering(decoder_blocks(model), added):
        for prompt, made, _ in found:
            logits = model(torch.tensor([prompt + made])).logits[0, len(prompt) - 1 : -1]
            own = logits.log_softmax(-1)[range(len(made)), made]
            checked.append((logits.argmax(-1).tolist(), own.tolist()))
    return checked


def largest_difference(
    found: Sequence[Answer], checked: Sequence[tuple[list[int], list[float]]]
) -> float:
    pairs = [(one[2], other[1]) for one, other in zip(found, checked, strict=True)]
    return max(abs(a - b) for left, right in pairs for a, b in zip(left, right, strict=True))


def made(found: Sequence[Answer]) -> list[list[int]]:
    return [tokens for _, tokens, _ in found]


def blocks_of(engine: Any) -> Any:
    (blocks,) = engine.apply_model(lambda model: model.model.layers)
    return blocks


@pytest.fixture
def scheduled(engine: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Per step of the engine how many requests began and went on, with 4 of them at once."""
    scheduler = engine.llm_engine.engine_core.engine_core.scheduler
    schedule, steps = scheduler.schedule, []

    def spied(*given: Any, **named: Any) -> Any:
        found = schedule(*given, **named)
        steps.append((len(found.scheduled_new_reqs), len(found.scheduled_cached_reqs.req_ids)))
        return found

    monkeypatch.setattr(scheduler, "schedule", spied)
    monkeypatch.setattr(scheduler, "max_num_active_reqs", AT_ONCE)
    return steps


def test_the_likeliest_answers_are_those_of_transformers(
    steered: Make, backend: Make, small: Any, vector: Any, scheduled: list[tuple[int, int]]
) -> None:
    unsteered = answers(backend(), PROMPTS, LENGTHS)
    scheduled.clear()
    found = answers(steered(), PROMPTS, LENGTHS)
    assert [len(one) for one in made(found)] == LENGTHS
    assert max(new + old for new, old in scheduled) == AT_ONCE
    assert sum(bool(new and old) for new, old in scheduled) >= AT_ONCE
    checked = with_transformers(small, found, vector.added(BETA, "residual"))
    assert made(found) == [likeliest for likeliest, _ in checked]
    apart = largest_difference(found, checked)
    print(f"largest difference of a log-probability: {apart:.1e}")
    assert apart <= CLOSE
    changed = [one != other for one, other in zip(made(found), made(unsteered), strict=True)]
    assert sum(changed) > len(PROMPTS) / 2
    assert largest_difference(found, with_transformers(small, found, {})) > 1


def test_tasks_are_answered_as_by_sociolect_hf(
    steered: Make, data: Path, small_model: Path, file: Path
) -> None:
    from sociolect.steering.backends.hf import SociolectHF

    hf = SociolectHF(
        str(small_model), dtype="float32", device="cpu", batch_size=8,
        steering=str(file), beta=BETA, beta_scale="residual",
    )  # fmt: skip
    greedy = {"do_sample": False, "temperature": 0, "max_gen_toks": 8}
    ours = steered()
    for task, docs in ((DIRECT, range(8)), (CLOZE, range(3))):
        found, wanted = (evaluate(one, [task], docs=docs, **greedy)[task] for one in (ours, hf))
        assert len(found) == len(docs)
        if task == DIRECT:
            assert found == wanted
            continue
        for who, options in found.items():
            left, right = ([float(o[0][0]) for o in side] for side in (options, wanted[who]))
            assert left == pytest.approx(right, abs=CLOSE)


def test_no_strength_is_the_unsteered_model(
    steered: Make, backend: Make, engine: Any, data: Path
) -> None:
    plain = evaluate(backend(), [DIRECT, CLOZE], docs=[0], max_gen_toks=8)
    push = evaluate(steered(), [DIRECT, CLOZE], docs=[0], max_gen_toks=8)
    assert sum(bool(block._forward_hooks) for block in blocks_of(engine)) == len(WEIGHTS)
    none = evaluate(steered(0), [DIRECT, CLOZE], docs=[0], max_gen_toks=8)
    assert not any(block._forward_hooks for block in blocks_of(engine))
    assert none == plain
    assert all(push[task][who] != plain[task][who] for task in plain for who in plain[task])


def test_another_strength_reads_no_keys_of_the_last(
    steered: Make, engine: Any, small: Any, vector: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = [" ".join(PROMPTS * 2)]
    forth, back = steered(BETA), steered(-BETA)
    pushed, fresh = (answers(one, prompt, [4]) for one in (forth, back))
    now = vector.added(-BETA, "residual")
    assert largest_difference(fresh, with_transformers(small, fresh, now)) <= CLOSE
    assert answers(forth, prompt, [4]) == pushed
    with monkeypatch.context() as patch:  # were those read again, it would show
        patch.setattr(engine, "reset_prefix_cache", lambda: True)
        stale = answers(back, prompt, [4])
    assert largest_difference(stale, with_transformers(small, stale, now)) > 10 * CLOSE


def test_an_adapter_is_steered_too(
    steered: Make, adapter: Path, small_model: Path, vector: Any
) -> None:
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    base = AutoModelForCausalLM.from_pretrained(small_model, dtype=torch.float32)
    adapted = PeftModel.from_pretrained(base, adapter).eval()
    found = answers(steered(lora_local_path=str(adapter)), PROMPTS[:4], LENGTHS[:4])
    checked = with_transformers(adapted, found, vector.added(BETA, "residual"))
    assert made(found) == [likeliest for likeliest, _ in checked]
    assert largest_difference(found, checked) <= CLOSE
    assert largest_difference(found, with_transformers(adapted, found, {})) > 1


def test_every_sample_of_a_prompt_is_steered(steered: Make, small: Any, vector: Any) -> None:
    found = answers(steered(), PROMPTS[:3], [6, 5, 7], temperature=1, n=3, seed=5)
    assert len({tuple(one) for one in made(found)}) == 9
    checked = with_transformers(small, found, vector.added(BETA, "residual"))
    assert largest_difference(found, checked) <= CLOSE


def test_the_list_of_blocks_can_be_named(steered: Make, engine: Any) -> None:
    steered(steering_blocks="model.layers")
    assert blocks_of(engine)[10]._forward_hooks
    with pytest.raises(ModelError, match=r"steering_blocks=model\.h: .*model\.layers \(30\)"):
        steered(steering_blocks="model.h")
    assert not blocks_of(engine)[10]._forward_hooks


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ({30: 576}, "blocks 30: the model has 0 to 29"),
        ({2: 577}, "width 577 for a model of width 576"),
    ],
)
def test_what_does_not_fit_is_refused(engine: Any, added: dict[int, int], said: str) -> None:
    import torch

    from sociolect.steering.backends.vllm_worker import steer

    with pytest.raises(ModelError, match=said):
        steer(engine, {layer: torch.ones(width) for layer, width in added.items()})
    assert not any(block._forward_hooks for block in blocks_of(engine))

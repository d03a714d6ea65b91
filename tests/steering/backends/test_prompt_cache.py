"""Equal prompts are computed once, with the same answers; where that is not exact, not at all."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

pytestmark = pytest.mark.filterwarnings("error:.*past_key_values.*:FutureWarning")

SIZES = {
    "vocab_size": 40,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
CONTEXT = torch.tensor([[0, 0, 5, 6, 7], [3, 4, 5, 6, 7], [0, 0, 5, 6, 7], [3, 4, 5, 6, 7]])
MASK = (CONTEXT != 0).long()


def model(kind: str = "Llama", **options: Any) -> Any:
    config = getattr(transformers, f"{kind}Config")(**{**SIZES, **options})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return getattr(transformers, f"{kind}ForCausalLM")(config).eval()


def generate(model: Any, cache: Any = None) -> Any:
    from sociolect.steering.backends.prompt_cache import given_to_generate

    return model.generate(
        input_ids=CONTEXT,
        attention_mask=MASK,
        max_length=20,
        do_sample=False,
        pad_token_id=0,
        **given_to_generate(cache),
    )


@pytest.mark.parametrize("kind", ["Llama", "Qwen2", "GPTNeoX"])
def test_the_answers_are_those_of_prompts_computed_one_by_one(kind: str) -> None:
    from sociolect.steering.backends.prompt_cache import shared_prompts

    lm = model(kind)
    cache = shared_prompts(lm, CONTEXT, MASK)
    assert cache.get_seq_length() == 4
    assert torch.equal(generate(lm, cache), generate(lm))


def test_every_distinct_prompt_is_computed_once() -> None:
    from sociolect.steering.backends.prompt_cache import shared_prompts

    lm, rows = model(), []
    lm.model.register_forward_pre_hook(
        lambda _, __, given: rows.append(len(given["input_ids"])), with_kwargs=True
    )
    shared_prompts(lm, CONTEXT, MASK)
    assert rows == [2]


def test_a_prompt_and_its_padded_twin_are_two() -> None:
    """Token 0 that is there is not the padding of the same number."""
    from sociolect.steering.backends.prompt_cache import shared_prompts

    context = torch.tensor([[0, 5, 6]] * 4)
    mask = torch.tensor([[0, 1, 1], [1, 1, 1]] * 2)
    cache = shared_prompts(model(), context, mask)
    keys = cache.layers[1].keys
    assert torch.equal(keys[0], keys[2])
    assert not torch.equal(keys[0], keys[1])


def test_with_an_adapter(tmp_path: Any) -> None:
    peft = pytest.importorskip("peft")
    from sociolect.steering.backends.prompt_cache import shared_prompts

    config = peft.LoraConfig(r=2, target_modules=["q_proj"], init_lora_weights=False)
    lm = peft.get_peft_model(model(), config).eval()
    assert torch.equal(generate(lm, shared_prompts(lm, CONTEXT, MASK)), generate(lm))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("Mistral", {"sliding_window": 3}),
        ("Gemma2", {"sliding_window": 3, "head_dim": 8}),
        ("Bloom", {"hidden_size": 16, "n_head": 2, "n_layer": 2}),
        ("Mamba", {}),
    ],
)
def test_no_sharing_where_it_is_not_known_to_be_exact(kind: str, options: dict[str, Any]) -> None:
    from sociolect.steering.backends.prompt_cache import shared_prompts

    assert shared_prompts(model(kind, **options), CONTEXT, MASK) is None


def test_no_sharing_where_it_saves_nothing() -> None:
    from sociolect.steering.backends.prompt_cache import shared_prompts

    assert shared_prompts(model(), CONTEXT[:2], MASK[:2]) is None
    assert shared_prompts(model(), CONTEXT[:, :1], MASK[:, :1]) is None

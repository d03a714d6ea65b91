"""Directions against a plain reading of one text at a time, and what does not change them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402
from sociolect.steering.directions import Contrast, Directions, extract  # noqa: E402

WIDTH, DEPTH, VOCABULARY = 32, 3, 90
CLOSE = 1e-5


def llama() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(LlamaConfig(
        hidden_size=WIDTH, intermediate_size=48, num_hidden_layers=DEPTH, num_attention_heads=4,
        num_key_value_heads=2, vocab_size=VOCABULARY, max_position_embeddings=64,
    ))  # fmt: skip


def gpt2() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(
        n_embd=WIDTH, n_layer=DEPTH, n_head=4, vocab_size=VOCABULARY, n_positions=64,
    ))  # fmt: skip


def neox() -> Any:
    from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

    return GPTNeoXForCausalLM(GPTNeoXConfig(
        hidden_size=WIDTH, intermediate_size=48, num_hidden_layers=DEPTH, num_attention_heads=4,
        vocab_size=VOCABULARY, max_position_embeddings=64,
    ))  # fmt: skip


def bloom() -> Any:
    """Takes no positions."""
    from transformers import BloomConfig, BloomForCausalLM

    return BloomForCausalLM(BloomConfig(
        hidden_size=WIDTH, n_layer=DEPTH, n_head=4, vocab_size=VOCABULARY,
    ))  # fmt: skip


def mixture() -> Any:
    """Has lists of experts beside that of blocks, as many as there are blocks."""
    from transformers import MixtralConfig, MixtralForCausalLM

    return MixtralForCausalLM(MixtralConfig(
        hidden_size=WIDTH, intermediate_size=48, num_hidden_layers=DEPTH, num_attention_heads=4,
        num_key_value_heads=2, vocab_size=VOCABULARY, num_local_experts=DEPTH,
    ))  # fmt: skip


def made(build: Any) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = build().eval()
        for weights in model.parameters():  # else what a random GPT-2 adds is hardly there
            weights.data += 0.05 * torch.randn_like(weights)
    return model


@pytest.fixture(scope="module")
def model() -> Any:
    return made(llama)


def contrasts(count: int = 9) -> list[Contrast]:
    """Pairs of texts of 3 to 20 tokens."""
    generator = torch.Generator().manual_seed(5)

    def text() -> list[int]:
        length = int(torch.randint(3, 21, (1,), generator=generator))
        found: list[int] = torch.randint(2, VOCABULARY, (length,), generator=generator).tolist()
        return found

    return [Contrast(f"pair-{number}", text(), text()) for number in range(count)]


def plain_states(model: Any, blocks: Any, tokens: Sequence[int]) -> Any:
    """What each block gives at the last token, shape (depth, width); nothing is padded."""
    kept: list[Any] = []

    def hook(_block: Any, _given: Any, output: Any) -> None:
        hidden = output[0] if isinstance(output, tuple) else output
        kept.append(hidden[0, -1].double())

    handles = [block.register_forward_hook(hook) for block in blocks]
    with torch.no_grad():
        model(torch.tensor([list(tokens)]))
    for handle in handles:
        handle.remove()
    return torch.stack(kept)


def plain_differences(model: Any, blocks: Any, pairs: Sequence[Contrast]) -> Any:
    """Δ, shape (pairs, depth, width)."""
    return torch.stack([
        plain_states(model, blocks, one.toward) - plain_states(model, blocks, one.away)
        for one in pairs
    ])  # fmt: skip


def same(one: Directions, other: Directions, close: float = CLOSE) -> None:
    for name in ("unit", "mean_length", "norms", "stability", "shuffled"):
        torch.testing.assert_close(
            getattr(one, name), getattr(other, name), atol=close, rtol=close, equal_nan=True
        )


@pytest.mark.parametrize(
    ("build", "where"),
    [(llama, "model.layers"), (gpt2, "transformer.h"), (neox, "gpt_neox.layers"),
     (bloom, "transformer.h"), (mixture, "model.layers")],
    ids=lambda given: getattr(given, "__name__", None),
)  # fmt: skip
def test_directions_are_those_of_texts_read_one_at_a_time(build: Any, where: str) -> None:
    model, pairs = made(build), contrasts()
    blocks = model.get_submodule(where)
    wanted = plain_differences(model, blocks, pairs)
    states = [plain_states(model, blocks, t) for one in pairs for t in (one.toward, one.away)]

    found = extract(model, pairs, batch=4, blocks=where)

    mean = wanted.mean(0)
    length = mean.norm(dim=-1)
    assert found.unit.dtype == torch.float32
    assert found.unit.shape == (DEPTH, WIDTH)
    torch.testing.assert_close(found.unit.double(), mean / length[:, None], atol=CLOSE, rtol=0)
    torch.testing.assert_close(found.mean_length.double(), length, atol=CLOSE, rtol=CLOSE)
    norms = torch.stack(states).norm(dim=-1).quantile(0.5, dim=0)
    torch.testing.assert_close(found.norms.double(), norms, atol=CLOSE, rtol=CLOSE)
    assert found.pairs == len(pairs)
    assert found.too_long == ()
    assert not any(block._forward_hooks for block in blocks)


def test_difference_of_means(model: Any) -> None:
    pairs = contrasts()
    sides = [
        torch.stack([plain_states(model, model.model.layers, t) for t in texts]).mean(0)
        for texts in ([one.toward for one in pairs], [one.away for one in pairs])
    ]
    wanted = torch.nn.functional.normalize(sides[0] - sides[1], dim=-1)
    torch.testing.assert_close(extract(model, pairs).unit.double(), wanted, atol=CLOSE, rtol=0)


def test_last_block_is_read_before_the_final_norm(model: Any) -> None:
    pairs = contrasts(2)

    def normed(tokens: Sequence[int]) -> Any:
        with torch.no_grad():
            return model(torch.tensor([tokens]), output_hidden_states=True).hidden_states[-1][0, -1]

    wrong = torch.stack([normed(one.toward) - normed(one.away) for one in pairs]).mean(0)
    found = extract(model, pairs)
    assert abs(float(found.mean_length[-1]) - float(wrong.norm())) > 0.1
    assert float(found.unit[-1] @ wrong / wrong.norm()) < 0.999


@pytest.mark.parametrize("batch", [1, 2, 7, 100])
def test_batches_do_not_matter(model: Any, batch: int) -> None:
    pairs = contrasts()
    seen: list[int] = []
    found = extract(model, pairs, batch=batch, progress=seen.append)
    same(found, extract(model, pairs, batch=5))
    assert sum(seen) == 2 * len(pairs)
    assert max(seen) == min(batch, 2 * len(pairs))


def test_order_does_not_matter(model: Any) -> None:
    pairs = contrasts()
    same(extract(model, pairs, batch=4), extract(model, pairs[::-1], batch=4))


def test_swapped_sides_point_the_other_way(model: Any) -> None:
    pairs = contrasts()
    swapped = [Contrast(one.id, one.away, one.toward) for one in pairs]
    found, other = extract(model, pairs), extract(model, swapped)
    torch.testing.assert_close(found.unit, -other.unit, atol=CLOSE, rtol=0)
    torch.testing.assert_close(found.stability, other.stability, atol=CLOSE, rtol=0)


def test_shared_texts_are_read_once_and_count_as_often_as_they_are_there(model: Any) -> None:
    first, second = contrasts(2)
    pairs = [
        first,
        Contrast("same text", first.toward, second.away),
        Contrast("no difference", second.toward, second.toward),
    ]
    seen: list[int] = []
    found = extract(model, pairs, progress=seen.append)
    assert sum(seen) == 4
    mean = plain_differences(model, model.model.layers, pairs).mean(0)
    torch.testing.assert_close(found.mean_length.double(), mean.norm(dim=-1), atol=CLOSE, rtol=0)


def test_stability_of_pairs_that_agree_and_of_pairs_that_do_not(model: Any) -> None:
    first, second = contrasts(2)
    twice = [Contrast(str(number), first.toward, first.away) for number in range(4)]
    torch.testing.assert_close(extract(model, twice).stability, torch.ones(DEPTH))

    differences = plain_differences(model, model.model.layers, [first, second])
    wanted = torch.nn.functional.cosine_similarity(*differences, dim=-1)
    found = extract(model, [first, second]).stability
    torch.testing.assert_close(found.double(), wanted, atol=CLOSE, rtol=0)


def test_one_pair_has_a_direction_and_no_stability(model: Any) -> None:
    found = extract(model, contrasts(1))
    assert found.pairs == 1
    assert bool(found.stability.isnan().all())
    torch.testing.assert_close(found.unit.norm(dim=-1), torch.ones(DEPTH))


def test_shuffled_is_a_mean_with_signs_that_hang_on_seed_and_id(model: Any) -> None:
    pairs = contrasts(5)
    differences = plain_differences(model, model.model.layers, pairs)
    possible = [
        torch.nn.functional.normalize(torch.einsum("p,plw->lw", signs, differences), dim=-1)
        for signs in torch.cartesian_prod(*[torch.tensor([1.0, -1.0], dtype=torch.double)] * 5)
    ]

    def signs_of(seed: int, given: Sequence[Contrast]) -> int:
        found = extract(model, given, seed=seed).shuffled.double()
        (at,) = [k for k, one in enumerate(possible) if torch.allclose(found, one, atol=CLOSE)]
        return at

    assert signs_of(0, pairs) == signs_of(0, pairs[::-1])
    assert len({signs_of(seed, pairs) for seed in range(5)}) > 2
    first, second = (extract(model, pairs, seed=seed).unit for seed in range(2))
    torch.testing.assert_close(first, second)


def test_what_cancels_when_sides_are_swapped_has_no_shuffled_direction(model: Any) -> None:
    first, second = contrasts(2)
    same_texts = [Contrast(f"{k}", first.toward, first.away) for k in range(2)]
    found = extract(model, same_texts)
    assert bool(found.shuffled.isnan().all())
    assert not bool(found.unit.isnan().any())
    mixed = [Contrast(f"{k}", *(first.toward, (first, second)[k % 2].away)) for k in range(8)]
    none = [bool(extract(model, mixed, seed=seed).shuffled.isnan().all()) for seed in range(12)]
    assert 0 < sum(none) < 12  # where as many of each are swapped, rounding is all that is left


def test_half_precision_gives_float32(model: Any) -> None:
    pairs = contrasts()
    found = extract(made(llama).bfloat16(), pairs)
    whole = extract(model, pairs)
    assert {one.dtype for one in (found.unit, found.norms, found.shuffled)} == {torch.float32}
    assert float((found.unit * whole.unit).sum(-1).min()) > 0.99


def test_long_pairs_are_left_out_and_named(model: Any) -> None:
    pairs = contrasts()
    limit = 12
    kept = [one for one in pairs if max(len(one.toward), len(one.away)) <= limit]
    found = extract(model, pairs, longest=limit)
    same(found, extract(model, kept))
    assert found.pairs == len(kept)
    assert 0 < len(kept) < len(pairs)
    assert found.too_long == tuple(one.id for one in pairs if one not in kept)


@pytest.mark.parametrize(
    ("pairs", "options", "said"),
    [
        ([], {}, "none was given"),
        ([Contrast("a", [3], [])], {}, "pair a: a text without a token"),
        ([Contrast("a", [3, 4], [3, 4])], {}, "the same in all 1 pairs .the first is a"),
        ([Contrast("a", [3, 4], [5])], {"longest": 1}, "all 1 are longer than 1 tokens"),
        ([Contrast("a", [3], [4]), Contrast("b", [4], [3])], {}, "0 after decoder block 0"),
    ],
)
def test_nothing_to_find(
    model: Any, pairs: list[Contrast], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        extract(model, pairs, **options)


def test_a_model_that_trains_or_overflows_is_refused() -> None:
    model = made(llama)
    with pytest.raises(ModelError, match="training mode"):
        extract(model.train(), contrasts(1))
    model.eval().model.layers[1].mlp.down_proj.weight.data.fill_(math.inf)
    with pytest.raises(ModelError, match="NaN or infinity"):
        extract(model, contrasts(1))


def test_learned_prompts_before_the_text_are_refused(model: Any) -> None:
    peft = pytest.importorskip("peft")
    config = peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3)
    with pytest.raises(ModelError, match="the last one of a text cannot be told"):
        extract(peft.get_peft_model(made(llama), config).eval(), contrasts(1))


def test_adapter_is_part_of_the_model(model: Any) -> None:
    peft = pytest.importorskip("peft")
    config = peft.LoraConfig(target_modules=["q_proj"], r=2, init_lora_weights=False)
    adapted = peft.get_peft_model(made(llama), config).eval()
    found = extract(adapted, contrasts())
    wanted = plain_differences(adapted, adapted.get_base_model().model.layers, contrasts()).mean(0)
    torch.testing.assert_close(found.mean_length.double(), wanted.norm(dim=-1), atol=CLOSE, rtol=0)
    assert float((found.unit - extract(model, contrasts()).unit).abs().max()) > CLOSE


@pytest.mark.slow
def test_real_model(small_model: Path) -> None:
    """SmolLM2, two pairs of texts."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(small_model)
    model = AutoModelForCausalLM.from_pretrained(small_model).eval()
    texts = (("He be working", "He is usually working"), ("I ain't never been", "I never have"))
    pairs = [Contrast(aae, *(tokenizer(t).input_ids for t in (aae, sae))) for aae, sae in texts]
    found = extract(model, pairs)
    mean = plain_differences(model, model.model.layers, pairs).mean(0)
    wanted = torch.nn.functional.normalize(mean, dim=-1)
    torch.testing.assert_close(found.unit.double(), wanted, atol=1e-4, rtol=0)

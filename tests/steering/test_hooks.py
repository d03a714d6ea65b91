"""Decoder blocks of every layout: found, read and changed."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tiny_layouts import LAYERS, LAYOUTS, WIDTH, tiny_layout  # noqa: E402

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402
from sociolect.steering.hooks import (  # noqa: E402
    decoder_blocks,
    depth,
    editing,
    recording,
    steering,
)

TOKENS = torch.tensor([[3, 9, 27, 5, 11, 2], [8, 8, 30, 41, 7, 19]])


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> tuple[str, Any]:
    return request.param, tiny_layout(request.param)


@pytest.fixture(scope="module")
def llama() -> Any:
    return tiny_layout("llama")


def logits(model: Any, tokens: Any = TOKENS) -> Any:
    with torch.no_grad():
        return model(input_ids=tokens).logits


def hooks_of(model: Any) -> int:
    """With those that transformers leaves once hidden states were asked for."""
    return sum(len(one._forward_hooks) for one in model.modules())


def test_the_blocks_of_the_text_decoder_are_found(layout: tuple[str, Any]) -> None:
    name, model = layout
    named = dict(model.named_modules())
    assert decoder_blocks(model) is named[LAYOUTS[name][1]]
    assert len(decoder_blocks(model)) == depth(model) == LAYERS


def test_what_is_recorded_is_what_the_next_block_reads(layout: tuple[str, Any]) -> None:
    _, model = layout
    blocks = decoder_blocks(model)
    read: dict[int, Any] = {}

    def before(number: int) -> Any:
        def hook(_: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            read[number] = given[0] if given else named["hidden_states"]

        return hook

    handles = [
        block.register_forward_pre_hook(before(number), with_kwargs=True)
        for number, block in enumerate(blocks)
    ]
    with recording(blocks) as kept:
        logits(model)
    for handle in handles:
        handle.remove()
    assert sorted(kept) == list(range(LAYERS))
    for number in range(LAYERS - 1):
        assert kept[number].shape == (*TOKENS.shape, WIDTH)
        assert torch.equal(kept[number], read[number + 1])


def test_the_last_block_is_read_before_the_final_norm(llama: Any) -> None:
    with recording(decoder_blocks(llama), [LAYERS - 1]) as kept, torch.no_grad():
        hidden = llama(input_ids=TOKENS, output_hidden_states=True).hidden_states[-1]
    assert not torch.allclose(kept[LAYERS - 1], hidden)
    assert torch.equal(llama.model.norm(kept[LAYERS - 1]), hidden)


def test_steering_adds_at_every_position_and_is_undone(layout: tuple[str, Any]) -> None:
    _, model = layout
    blocks, plain = decoder_blocks(model), logits(model)
    vector = torch.linspace(-1, 1, WIDTH)
    with recording(blocks, [1]) as before:
        logits(model)
    with steering(blocks, {1: vector}, 3.0), recording(blocks, [1]) as after:
        steered = logits(model)
    assert torch.equal(after[1], before[1] + 3.0 * vector)
    assert not torch.allclose(steered, plain)
    assert torch.equal(logits(model), plain)
    assert hooks_of(model) == 0


def test_a_strength_of_0_attaches_nothing(llama: Any) -> None:
    before = hooks_of(llama)
    with steering(decoder_blocks(llama), {1: torch.full((WIDTH,), torch.nan)}, 0.0):
        assert hooks_of(llama) == before


def test_hooks_are_gone_after_an_exception(llama: Any) -> None:
    def stop(hidden: Any) -> Any:
        raise RuntimeError("stop")

    before = hooks_of(llama)
    with pytest.raises(RuntimeError, match="stop"), editing(decoder_blocks(llama), {0: stop}):
        logits(llama)
    assert hooks_of(llama) == before


def test_nested_uses_apply_one_after_the_other(llama: Any) -> None:
    blocks, one = decoder_blocks(llama), torch.ones(WIDTH)
    with (
        recording(blocks, [2]) as first,
        editing(blocks, {2: lambda hidden: 2 * hidden}),
        steering(blocks, {2: one}),
        recording(blocks, [2]) as last,
    ):
        logits(llama)
    assert torch.equal(last[2], 2 * first[2] + one)


def test_blocks_that_give_a_tuple_keep_what_is_behind() -> None:
    class Block(torch.nn.Module):
        def forward(self, hidden: Any) -> Any:
            return hidden + 1, "attention"

    blocks = torch.nn.ModuleList([Block()])
    with editing(blocks, {0: lambda hidden: 10 * hidden}):
        assert blocks[0](torch.zeros(1)) == (torch.full((1,), 10.0), "attention")


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_the_vector_takes_the_precision_of_the_activation(dtype: Any) -> None:
    model = tiny_layout("llama").to(dtype)
    with (
        steering(decoder_blocks(model), {0: torch.ones(WIDTH)}),
        recording(decoder_blocks(model)) as kept,
    ):
        found = logits(model)
    assert found.dtype == kept[0].dtype == dtype


def test_blocks_inside_of_an_adapter_are_found(llama: Any) -> None:
    peft = pytest.importorskip("peft")
    model = tiny_layout("llama")
    inside = decoder_blocks(model)
    wrapped = peft.get_peft_model(model, peft.LoraConfig(r=2, target_modules=["q_proj"]))
    assert decoder_blocks(wrapped) is inside
    assert depth(wrapped) == LAYERS


@pytest.mark.parametrize("layers", [[LAYERS], [-1], [0, 7]])
def test_blocks_beyond_the_model_are_refused(llama: Any, layers: list[int]) -> None:
    added = dict.fromkeys(layers, torch.ones(WIDTH))
    with (
        pytest.raises(InvalidInputError, match="the model has 0 to 3"),
        steering(decoder_blocks(llama), added),
    ):
        pass


def test_a_vector_of_another_width_is_refused_rather_than_spread(llama: Any) -> None:
    with (
        pytest.raises(InvalidInputError, match="width 1 for hidden states of width 32"),
        steering(decoder_blocks(llama), {0: torch.ones(1)}),
    ):
        logits(llama)


class Unknown(torch.nn.Module):
    """Two lists of blocks, and no word which is the decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.config = tiny_layout("llama").config
        self.left = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(LAYERS))
        self.right = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(LAYERS))


def test_an_unknown_layout_names_the_lists_and_takes_one(llama: Any) -> None:
    model = Unknown()
    with pytest.raises(ModelError, match=r"2 lists of 4 modules.*left \(4\), right \(4\)"):
        decoder_blocks(model)
    assert decoder_blocks(model, "right") is model.right
    with pytest.raises(ModelError, match=r"no list of modules is called so.*left \(4\)"):
        decoder_blocks(model, "middle")

"""All attention and MLP projections of the text model get an adapter, whatever their names."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from tiny_models import SMALL

from sociolect.generators.errors import ModelError
from sociolect.steering.lora.modules import find_targets

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
GATED = ("gate_proj", "up_proj", "down_proj")
COMMON = {**SMALL, "vocab_size": 64, "pad_token_id": 1}
GPT2 = {"vocab_size": 64, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4}
FAMILIES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "Llama": (COMMON, ATTENTION + GATED),
    "Qwen2": (COMMON, ATTENTION + GATED),
    "Qwen3": (COMMON, ATTENTION + GATED),
    "Mistral": (COMMON, ATTENTION + GATED),
    "Gemma2": ({**COMMON, "head_dim": 8}, ATTENTION + GATED),
    "Phi3": (COMMON, ("qkv_proj", "o_proj", "gate_up_proj", "down_proj")),
    "GPT2": (GPT2, ("c_attn", "c_proj", "c_fc")),
    "GPTNeoX": (COMMON, ("query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h")),
}


def build(family: str, options: dict[str, Any], suffix: str = "ForCausalLM") -> Any:
    import torch

    transformers = importlib.import_module("transformers")
    name = f"{family}LMHeadModel" if family == "GPT2" else family + suffix
    with torch.random.fork_rng(devices=[]):
        return getattr(transformers, name)(getattr(transformers, f"{family}Config")(**options))


@pytest.mark.parametrize("family", FAMILIES)
def test_all_projections_of_the_blocks_and_nothing_else(family: str) -> None:
    import torch
    from transformers.pytorch_utils import Conv1D

    options, expected = FAMILIES[family]
    model = build(family, options)
    targets = find_targets(model)
    assert targets.patterns == tuple(sorted(expected))
    assert targets.transposed == (family == "GPT2")
    linear = {n for n, m in model.named_modules() if isinstance(m, torch.nn.Linear | Conv1D)}
    head = {n for n, m in model.named_modules() if m is model.get_output_embeddings()}
    assert set(targets.names) == linear - head
    assert len(targets.names) >= 2 * len(expected)


def test_peft_adapts_exactly_the_layers_that_are_listed() -> None:
    from peft import get_peft_model

    from sociolect.steering.lora.settings import Settings
    from sociolect.steering.lora.trainer import lora_config

    for family, (options, _) in FAMILIES.items():
        model = build(family, options)
        targets = find_targets(model)
        adapted = get_peft_model(model, lora_config(Settings(rank=2), targets))
        found = {
            name.removeprefix("base_model.model.").partition(".lora_A")[0]
            for name, _ in adapted.named_parameters()
            if ".lora_A." in name
        }
        assert found == set(targets.names), family


def test_a_vision_tower_with_the_same_names_is_left_alone() -> None:
    text = {**COMMON, "head_dim": 8, "sliding_window": 16}
    vision = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": 8,
        "patch_size": 4,
    }
    options = {"text_config": text, "vision_config": vision, "mm_tokens_per_image": 4}
    model = build("Gemma3", options, "ForConditionalGeneration")
    assert any("vision" in n and n.endswith("q_proj") for n, _ in model.named_modules())
    targets = find_targets(model)
    assert len(targets.names) == 2 * len(ATTENTION + GATED)
    assert not [name for name in targets.names if "vision" in name]
    assert targets.patterns == tuple(sorted(targets.names))  # short names would match the tower


def test_the_text_model_of_gemma_3_alone() -> None:
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    options = {**COMMON, "head_dim": 8, "sliding_window": 16}
    targets = find_targets(Gemma3ForCausalLM(Gemma3TextConfig(**options)))
    assert targets.patterns == tuple(sorted(ATTENTION + GATED))


def test_experts_in_one_tensor_are_refused() -> None:
    options = {**COMMON, "num_local_experts": 4, "num_experts_per_tok": 2}
    with pytest.raises(ModelError, match="mixtures of experts"):
        find_targets(build("Mixtral", options))


def test_a_model_without_linear_layers_in_its_blocks_is_refused() -> None:
    import torch

    model = build("Llama", COMMON)
    for block in model.model.layers:
        for name in [name for name, _ in block.named_children()]:
            setattr(block, name, torch.nn.Identity())
    with pytest.raises(ModelError, match="decoder blocks"):
        find_targets(model)

"""Random models of a few thousand parameters, one of each layout that decoder blocks come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

LAYERS, WIDTH, VOCABULARY = 4, 32, 64

_COMMON: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "intermediate_size": 48,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "pad_token_id": None,
    "bos_token_id": 0,
    "eos_token_id": 1,
}
_GEMMA = {**_COMMON, "head_dim": 8, "sliding_window": 64}


def _gemma3(transformers: Any) -> Any:
    """With a vision tower of as many blocks as the text decoder has."""
    vision = {
        "hidden_size": WIDTH,
        "intermediate_size": 48,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 4,
        "image_size": 28,
        "patch_size": 14,
    }
    config = transformers.Gemma3Config(text_config=_GEMMA, vision_config=vision)
    return transformers.Gemma3ForConditionalGeneration(config)


def _plain(name: str, settings: Mapping[str, Any]) -> Callable[[Any], Any]:
    def make(transformers: Any) -> Any:
        config = getattr(transformers, f"{name}Config")(**settings)
        return getattr(transformers, f"{name}ForCausalLM")(config)

    return make


def _gpt2(transformers: Any) -> Any:
    sizes = {"n_embd": WIDTH, "n_layer": LAYERS, "n_head": 4, "n_positions": 128}
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=VOCABULARY, **sizes))


LAYOUTS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "llama": (_plain("Llama", _COMMON), "model.layers"),
    "qwen2": (_plain("Qwen2", _COMMON), "model.layers"),
    "qwen3": (_plain("Qwen3", {**_COMMON, "head_dim": 8}), "model.layers"),
    "mistral": (_plain("Mistral", {**_COMMON, "head_dim": 8}), "model.layers"),
    "gemma2": (_plain("Gemma2", _GEMMA), "model.layers"),
    "gemma3_text": (
        lambda t: t.Gemma3ForCausalLM(t.Gemma3TextConfig(**_GEMMA)),
        "model.layers",
    ),
    "gemma3": (_gemma3, "model.language_model.layers"),
    "phi3": (_plain("Phi3", _COMMON), "model.layers"),
    "gpt2": (_gpt2, "transformer.h"),
    "gpt_neox": (_plain("GPTNeoX", {**_COMMON, "rotary_pct": 0.25}), "gpt_neox.layers"),
}
"""By name: how it is made, and where its decoder blocks are."""


def tiny_layout(name: str) -> Any:
    """A random model in evaluation mode; the same weights every time."""
    import torch
    import transformers

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        return LAYOUTS[name][0](transformers).eval()

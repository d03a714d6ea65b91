"""Random models of several architectures, four blocks each, and items for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

VOCABULARY, WIDTH, DEPTH = 64, 32, 4
COMMON: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "num_hidden_layers": DEPTH,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 128,
    "initializer_range": 0.25,
    "pad_token_id": None,
}
OWN: dict[str, dict[str, Any]] = {
    "gpt2": {"n_positions": 128},
    "gpt_neox": {"rotary_pct": 0.5},
    "gemma2": {"head_dim": 8, "sliding_window": 64},
    "mistral": {"sliding_window": 64},
}


@cache
def made(kind: str, **options: Any) -> Any:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model(kind, **{**COMMON, **OWN.get(kind, {}), **options})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()


@pytest.fixture(scope="session")
def model_of() -> Callable[..., Any]:
    """By type of transformers a small random model, the same weights every time."""
    pytest.importorskip("transformers")
    return made


@pytest.fixture(scope="session")
def llama(model_of: Callable[..., Any]) -> Any:
    return model_of("llama")


@pytest.fixture(scope="session")
def item_of() -> Callable[..., Any]:
    """An item by number; the feature tokens are two in the middle and the last of the context."""
    from sociolect.steering.tracing.items import TracedItem

    def item(number: int = 0, **changes: Any) -> TracedItem:
        tokens = [(7 * at + 11 * number + at * at) % VOCABULARY for at in range(24)]
        given = {
            "id": f"item-{number}",
            "context": tuple(tokens[:10]),
            "positions": (3, 4, 9),
            "matched": tuple(tokens[10:16]),
            "other": tuple(tokens[16:20]),
        }
        return TracedItem(**{**given, **changes})

    return item

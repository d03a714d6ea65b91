"""Equal prompts of a batch are computed once.

transformers computes every row of a batch, so K samples of a prompt cost K times the prompt.
Where an answer is a few tokens, that is nearly all there is to compute.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
from transformers import GenerationMixin

_NAMES = ("cache", "past_key_values")
"""What a model's own code and `generate` call a cache: the new name, and that of earlier releases.
While both are known, the old one brings a warning with every batch."""


def cache_name(function: Any) -> str:
    """The argument by which a function of transformers takes a cache; empty if it takes none."""
    parameters = inspect.signature(function).parameters
    return next((name for name in _NAMES if name in parameters), "")


def given_to_generate(cache: Any) -> dict[str, Any]:
    """A cache as `generate` takes it; nothing for None."""
    if cache is None:
        return {}
    return {cache_name(GenerationMixin.prepare_inputs_for_generation): cache}


def shared_prompts(model: Any, context: torch.Tensor, mask: torch.Tensor) -> Any:
    """Keys and values of all prompts but for their last token, each distinct one computed once.

    Args:
        model: A causal language model, also one with adapters.
        context: Token ids, shape (rows, length), padded on the left.
        mask: 1 where there is a token, same shape.

    Returns:
        A cache with one entry a row, for `generate`. None where sharing saves
        nothing (no two rows are equal), or where it is not known to be exact: a model that
        takes no positions, or one whose cache is not plain (sliding windows, recurrent states).
    """
    if context.shape[1] < 2:
        return None
    both = torch.stack((context, mask.to(context.dtype)), dim=1)
    rows, of_row = torch.unique(both, dim=0, return_inverse=True)
    cache = plain_cache(model)
    if len(rows) == len(context) or cache is None:
        return None
    tokens, known = rows[:, 0, :-1], rows[:, 1, :-1]
    with torch.no_grad():
        model(
            input_ids=tokens,
            attention_mask=known,
            # As generate() counts them: from the first token that is no padding.
            position_ids=(known.cumsum(-1) - 1).clamp(min=0),
            use_cache=True,
            logits_to_keep=1,
            **{cache_name(without_adapters(model).forward): cache},
        )
    cache.batch_select_indices(of_row)
    return cache


def without_adapters(model: Any) -> Any:
    """The model itself, where adapters are around it."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def _takes_positions(model: Any) -> bool:
    forward = without_adapters(model).forward
    wanted = {"position_ids", "logits_to_keep"}
    return wanted <= inspect.signature(forward).parameters.keys() and bool(cache_name(forward))


def plain_cache(model: Any) -> Any:
    """An empty cache of the kind that the model would make.

    None if rows of it are not plain (sliding windows, recurrent states), or the model takes no
    positions or no cache.
    """
    if not _takes_positions(model):
        return None
    from transformers.cache_utils import DynamicCache, DynamicLayer

    cache = DynamicCache(config=model.config)
    return cache if all(type(layer) is DynamicLayer for layer in cache.layers) else None

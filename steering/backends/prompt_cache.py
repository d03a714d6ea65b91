"""Equal prompts of a batch are computed once.

transformers computes every row of a batch, so K samples of a prompt cost K times the prompt.
Where an answer is a few tokens, that is nearly all there is to compute.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
import transformers

CACHE = "past_key_values" if int(transformers.__version__.split(".")[0]) < 6 else "cache"
"""What `generate` calls a cache; transformers 5 knows both names, its early releases the first."""


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
    if context.shape[1] < 2 or not _takes_positions(model):
        return None
    both = torch.stack((context, mask.to(context.dtype)), dim=1)
    rows, of_row = torch.unique(both, dim=0, return_inverse=True)
    cache = _plain_cache(model)
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
            past_key_values=cache,
        )
    cache.batch_select_indices(of_row)
    return cache


def _takes_positions(model: Any) -> bool:
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    parameters = inspect.signature(inner.forward).parameters
    return {"position_ids", "logits_to_keep"} <= parameters.keys()


def _plain_cache(model: Any) -> Any:
    """An empty cache of the kind that the model would make, None if rows of it are not plain."""
    from transformers.cache_utils import DynamicCache, DynamicLayer

    cache = DynamicCache(config=model.config)
    return cache if all(type(layer) is DynamicLayer for layer in cache.layers) else None

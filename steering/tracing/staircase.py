"""Causal tracing in one pass: a row is added where it starts to differ.

Restoring the output of a block changes nothing before it. So the pass starts with a clean and a
corrupted row, and the hook of each block adds a copy of the corrupted row for every site at that
block, with the clean state put in. That is half the work of a whole run a site. Both
continuations follow on one context, each hidden from the other by the attention mask.

Everything is a call of the whole model, with hooks on its blocks.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from sociolect.steering.hooks import Edit, editing, without_adapters
from sociolect.steering.tracing.items import TracedItem
from sociolect.steering.tracing.noise import Noise, corrupting
from sociolect.steering.tracing.scores import Scores, Site, log_probabilities

_MASKED = ("eager", "sdpa")
"""Implementations of attention that honour a mask of any shape."""
_TAKEN = ("attention_mask", "position_ids", "logits_to_keep")
_CLEAN, _CORRUPTED, _OWN = 0, 1, 2
"""Rows of a pass; those of the sites follow."""


def obstacle(model: Any, item: TracedItem) -> str:
    """Why an item cannot be computed in one pass; empty if nothing is known against it."""
    from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

    if getattr(getattr(model, "active_peft_config", None), "is_prompt_learning", False):
        return "learned prompts come before every input"
    base = without_adapters(model)
    missing = [name for name in _TAKEN if name not in inspect.signature(base.forward).parameters]
    if missing:
        return f"{type(base).__name__} takes no {missing[0]}"
    config = base.config.get_text_config(decoder=True)
    if config._attn_implementation not in _MASKED:
        return f"attention {config._attn_implementation!r} takes no mask of its own"
    length = len(item.context) + max(len(item.matched), len(item.other)) - 1
    for layer in DynamicCache(config=config).layers:
        if type(layer) is DynamicSlidingWindowLayer and layer.sliding_window >= length:
            continue
        if type(layer) is not DynamicLayer:
            return "there are texts longer than the window of its attention, or recurrent states"
    return ""


def staircase(
    model: Any,
    blocks: nn.ModuleList,
    item: TracedItem,
    given: Noise,
    sites: Sequence[Site],
    rows: int,
) -> Scores:
    """What `reference` gives, in float32 within 1e-4 nats.

    Args:
        model: In which `obstacle` finds none.
        blocks: Its decoder blocks.
        item: What it reads.
        given: Noise.
        sites: What is restored, one after the other, ordered by block.
        rows: Of a batch, at least 3; more sites are computed in several passes.
    """
    packed = _pack(item, model.device, model.dtype)
    last = len(blocks) - 1
    # After the last block only what is read from the last token of the context counts.
    counted = [
        at for at, one in enumerate(sites) if one.layer < last or packed.end in one.positions
    ]
    restored: dict[int, float] = {}
    base: list[float] = []
    for start in range(0, max(1, len(counted)), rows - _OWN):
        part = counted[start : start + rows - _OWN]
        scores = _pass(model, blocks, packed, given, [sites[at] for at in part])
        base = base or scores[:_OWN]
        restored.update(zip(part, scores[_OWN:], strict=True))
    clean, corrupted = base
    return Scores(clean, corrupted, [restored.get(at, corrupted) for at in range(len(sites))])


@dataclass(frozen=True)
class _Packed:
    """A context with both continuations behind it, as one row.

    Attributes:
        tokens: Shape (1, length). The last token of each continuation is scored, not read.
        positions: Both continuations count on from the context; shape (1, length).
        mask: Added to attention scores, shape (1, 1, length, length).
        end: Last token of the context.
        kept: Where logits are needed: there, and at all tokens of the continuations.
        matched: A continuation.
        other: The other one.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    end: int
    kept: torch.Tensor
    matched: tuple[int, ...]
    other: tuple[int, ...]


def _pack(item: TracedItem, device: torch.device, dtype: torch.dtype) -> _Packed:
    context, first, second = len(item.context), len(item.matched) - 1, len(item.other) - 1
    tokens = [*item.context, *item.matched[:-1], *item.other[:-1]]
    positions = [*range(context + first), *range(context, context + second)]
    seen = torch.ones(len(tokens), len(tokens), dtype=torch.bool).tril()
    seen[context + first :, context : context + first] = False
    mask = torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
    return _Packed(
        tokens=torch.tensor([tokens], device=device),
        positions=torch.tensor([positions], device=device),
        mask=mask.to(device)[None, None],
        end=context - 1,
        kept=torch.arange(context - 1, len(tokens), device=device),
        matched=item.matched,
        other=item.other,
    )


def _pass(
    model: Any, blocks: nn.ModuleList, packed: _Packed, given: Noise, sites: Sequence[Site]
) -> list[float]:
    """B of the clean and the corrupted row, and of each site."""
    at: dict[int, list[Site]] = {}
    for site in sites:
        at.setdefault(site.layer, []).append(site)
    edits = {layer: _adding(found) for layer, found in at.items()}
    noisy = slice(_CORRUPTED, _CORRUPTED + 1)
    with corrupting(model, given, noisy), editing(blocks, edits):
        logits = model(
            input_ids=packed.tokens.expand(_OWN, -1),
            attention_mask=packed.mask,
            position_ids=packed.positions,
            use_cache=False,
            logits_to_keep=packed.kept,
        ).logits
    return _scores(logits, packed)


def _adding(sites: Sequence[Site]) -> Edit:
    """Adds a corrupted row for each site, with the clean state there."""
    cells = [(row, at) for row, site in enumerate(sites) for at in site.positions]
    rows, positions = ([cell[part] for cell in cells] for part in (0, 1))

    def edit(hidden: torch.Tensor) -> torch.Tensor:
        added = hidden[_CORRUPTED].expand(len(sites), -1, -1).clone()
        added[rows, positions] = hidden[_CLEAN, positions]
        return torch.cat((hidden, added))

    return edit


def _scores(logits: torch.Tensor, packed: _Packed) -> list[float]:
    """Both continuations start at the last token of the context."""
    behind = len(packed.matched)
    of_other = [0, *range(behind, behind + len(packed.other) - 1)]
    matched = log_probabilities(logits[:, :behind], packed.matched)
    other = log_probabilities(logits[:, of_other], packed.other)
    return [a - b for a, b in zip(matched, other, strict=True)]

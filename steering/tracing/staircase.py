"""Causal tracing in one pass: a row is added where it starts to differ.

Restoring the output of a block changes nothing before it. So the pass starts with a clean and a
corrupted row, and the hook of each block adds a copy of the corrupted row for every site at that
block, with the clean state put in. That is half the work of a whole run a site. Both
continuations follow on one context, each hidden from the other by the attention mask; with what
they begin with alike they follow as one, as its log-probability cancels out of b. What is before
the first feature token is the same in all rows, and is read once.

Everything is a call of the whole model, with hooks on its blocks.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from transformers.cache_utils import DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from sociolect.steering.backends.prompt_cache import cache_name
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
    packed = _pack(item, model, _start(model, item, sites))
    if not packed.matched and not packed.other:
        return Scores(0.0, 0.0, [0.0] * len(sites))
    known = _read(model, packed)
    last = len(blocks) - 1
    end = len(item.context) - 1 if packed.is_first else -1
    # After the last block only what is read from the last token of the context counts.
    counted = [at for at, one in enumerate(sites) if one.layer < last or end in one.positions]
    restored: dict[int, float] = {}
    base: list[float] = []
    for start in range(0, max(1, len(counted)), rows - _OWN):
        part = counted[start : start + rows - _OWN]
        scores = _pass(model, blocks, packed, known, given, [sites[at] for at in part])
        base = base or scores[:_OWN]
        restored.update(zip(part, scores[_OWN:], strict=True))
    clean, corrupted = base
    return Scores(clean, corrupted, [restored.get(at, corrupted) for at in range(len(sites))])


@dataclass(frozen=True)
class _Packed:
    """A context with both continuations behind it, as one row.

    Attributes:
        before: Tokens that are the same in all rows; shape (1, start).
        tokens: The others, shape (1, length). The last token of each continuation is scored, not
            read.
        positions: Both continuations count on from the context; shape (1, length).
        mask: Added to attention scores, shape (1, 1, length, start + length).
        kept: Which of `tokens` need logits: the last one that both continuations share, and all
            behind it.
        matched: A continuation, from where the two differ.
        other: The other one.
        is_first: Whether they differ from their first token on.
    """

    before: torch.Tensor
    tokens: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    kept: torch.Tensor
    matched: tuple[int, ...]
    other: tuple[int, ...]
    is_first: bool


class _Behind(DynamicCache):
    """Keys and values that all rows share, before those of a pass, whose rows grow on the way."""

    def __init__(self, read: Any) -> None:
        super().__init__()
        self._shared = [(one.keys, one.values) for one in read.layers]

    def update(
        self,
        key_states: torch.Tensor,
        value_states: torch.Tensor,
        layer_idx: int,
        *args: Any,
        **kwargs: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What a block attends to; nothing is kept."""
        keys, values = (one.expand(len(key_states), -1, -1, -1) for one in self._shared[layer_idx])
        return torch.cat((keys, key_states), dim=-2), torch.cat((values, value_states), dim=-2)

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Tokens that are shared."""
        return int(self._shared[layer_idx][0].shape[-2])


def _cache_of(model: Any) -> str:
    return cache_name(without_adapters(model).forward)


def _start(model: Any, item: TracedItem, sites: Sequence[Site]) -> int:
    """How many tokens are the same in all rows: those before any that is changed."""
    changed = [item.positions, *(one.positions for one in sites)]
    return min(map(min, changed)) if _cache_of(model) else 0


def _pack(item: TracedItem, model: Any, start: int) -> _Packed:
    alike = _alike(item)
    matched, other = item.matched[alike:], item.other[alike:]
    stem, first, second = [*item.context, *item.matched[:alike]], matched[:-1], other[:-1]
    fork = len(stem) + len(first)
    tokens = torch.tensor([[*stem, *first, *second]])
    positions = torch.tensor([[*range(fork), *range(len(stem), len(stem) + len(second))]])
    seen = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).tril()
    seen[fork:, len(stem) : fork] = False
    seen = seen[start:]
    dtype, device = model.dtype, model.device
    mask = torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
    return _Packed(
        before=tokens[:, :start].to(device),
        tokens=tokens[:, start:].to(device),
        positions=positions[:, start:].to(device),
        mask=mask.to(device)[None, None],
        kept=torch.arange(len(stem) - 1 - start, tokens.shape[1] - start, device=device),
        matched=matched,
        other=other,
        is_first=alike == 0,
    )


def _alike(item: TracedItem) -> int:
    """Tokens that both continuations begin with."""
    pairs = enumerate(zip(item.matched, item.other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(item.matched), len(item.other)))


def _read(model: Any, packed: _Packed) -> dict[str, Any]:
    """What is before the first feature token, as an argument of the model; empty for nothing."""
    if not packed.before.shape[1]:
        return {"use_cache": False}
    cache = DynamicCache()
    given = {"input_ids": packed.before, "use_cache": True, "logits_to_keep": 1}
    model(**given, **{_cache_of(model): cache})
    return {"use_cache": True, _cache_of(model): _Behind(cache)}


def _pass(
    model: Any,
    blocks: nn.ModuleList,
    packed: _Packed,
    known: Mapping[str, Any],
    given: Noise,
    sites: Sequence[Site],
) -> list[float]:
    """B of the clean and the corrupted row, and of each site."""
    start = packed.before.shape[1]
    at: dict[int, list[Site]] = {}
    for layer, positions in sites:
        at.setdefault(layer, []).append(Site(layer, tuple(one - start for one in positions)))
    edits = {layer: _adding(found) for layer, found in at.items()}
    moved = replace(given, positions=tuple(one - start for one in given.positions))
    noisy = slice(_CORRUPTED, _CORRUPTED + 1)
    with corrupting(model, moved, noisy), editing(blocks, edits):
        logits = model(
            input_ids=packed.tokens.expand(_OWN, -1),
            attention_mask=packed.mask,
            position_ids=packed.positions,
            logits_to_keep=packed.kept,
            **known,
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
    """Both continuations start at the first of the logits; what is empty has probability 1."""
    behind = max(len(packed.matched), 1)
    of_other = [0, *range(behind, behind + len(packed.other) - 1)]
    sides = ((logits[:, :behind], packed.matched), (logits[:, of_other], packed.other))
    matched, other = (
        log_probabilities(part, own) if own else [0.0] * len(logits) for part, own in sides
    )
    return [a - b for a, b in zip(matched, other, strict=True)]

"""Causal tracing, plainly: a run of the whole model for every site, many as rows of a batch.

A row restores one site, so that on a CPU in float32 the numbers are those of one run a site to
the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from sociolect.steering.hooks import Edit, editing, recording
from sociolect.steering.tracing.items import TracedItem
from sociolect.steering.tracing.noise import Noise, corrupting
from sociolect.steering.tracing.scores import Scores, Site, log_probabilities

States = Mapping[int, torch.Tensor]
"""Clean states by block, shape (1, tokens, width)."""

_LEAST = 8
"""Positions whose logits are computed at least. Matrices of fewer than 4 rows are multiplied by
another routine of MKL, with other last bits, so that a batch would differ from a run of one row."""


def reference(
    model: Any,
    blocks: nn.ModuleList,
    item: TracedItem,
    given: Noise,
    sites: Sequence[Site],
    rows: int,
) -> Scores:
    """Scores of an item with each site restored (dialect paper, Eq. 8).

    Args:
        model: Of transformers.
        blocks: Its decoder blocks.
        item: What it reads.
        given: Noise.
        sites: What is restored, one after the other.
        rows: Of a batch; 1 for one site at a time.
    """
    matched = _Continuation(model, blocks, item.context, item.matched)
    other = _Continuation(model, blocks, item.context, item.other)
    batches: list[list[Site | None]] = [[None]]  # nothing restored: the corrupted run
    batches += [list(sites[at : at + rows]) for at in range(0, len(sites), rows)]
    found = [
        for_matched - for_other
        for batch in batches
        for for_matched, for_other in zip(
            matched.scores(given, batch), other.scores(given, batch), strict=True
        )
    ]
    return Scores(matched.clean - other.clean, found[0], found[1:])


class _Continuation:
    """One continuation after a context, with what the model computes on clean input."""

    def __init__(
        self, model: Any, blocks: nn.ModuleList, context: Sequence[int], own: Sequence[int]
    ) -> None:
        self._model, self._blocks, self._own = model, blocks, own
        read = [*context, *own[:-1]]  # the last token is scored, not read
        self._tokens = torch.tensor([read], device=model.device)
        with recording(blocks) as states:
            (self.clean,) = self._run(1)
        self._states: States = dict(states)

    def scores(self, given: Noise, batch: Sequence[Site | None]) -> list[float]:
        """Log-probability of the continuation in the corrupted model, with one site a row."""
        edits = _edits(self._states, batch)
        with corrupting(self._model, given), editing(self._blocks, edits):
            return self._run(len(batch))

    def _run(self, rows: int) -> list[float]:
        logits = self._model(
            input_ids=self._tokens.expand(rows, -1),
            use_cache=False,
            logits_to_keep=max(len(self._own), _LEAST),
        ).logits
        return log_probabilities(logits[:, -len(self._own) :], self._own)


def _edits(states: States, batch: Sequence[Site | None]) -> dict[int, Edit]:
    """By block what restores it in the rows whose site it is."""
    cells: dict[int, list[tuple[int, int]]] = {}
    for row, site in enumerate(batch):
        if site is not None:
            cells.setdefault(site.layer, []).extend((row, at) for at in site.positions)
    return {layer: _restoring(states[layer][0], found) for layer, found in cells.items()}


def _restoring(clean: torch.Tensor, cells: Sequence[tuple[int, int]]) -> Edit:
    rows, positions = ([cell[part] for cell in cells] for part in (0, 1))

    def edit(hidden: torch.Tensor) -> torch.Tensor:
        changed = hidden.clone()
        changed[rows, positions] = clean[positions]
        return changed

    return edit

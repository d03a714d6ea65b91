"""Which decoder blocks of a model compute its preference (dialect paper, §4.3, Phase 1b)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.steering.hooks import decoder_blocks
from sociolect.steering.tracing.items import Sites, Traced, TracedItem, TraceSettings
from sociolect.steering.tracing.noise import Noise, features, noise, sigma
from sociolect.steering.tracing.reference import reference
from sociolect.steering.tracing.scores import Scores, Site
from sociolect.steering.tracing.staircase import obstacle, staircase
from sociolect.steering.tracing.store import TraceStore

_CLOSE = 1e-2
"""Nats by which the two ways may differ where they are compared before the first item; a mask
that a model does not honour makes a difference of whole nats."""
_CLOSE_IN_HALF = 1.0

_logger = logging.getLogger(__name__)


def trace_items(
    model: Any,
    items: Sequence[TracedItem],
    settings: TraceSettings,
    *,
    model_key: str,
    progress: Callable[[int], None],
    blocks: str = "",
    store: Path | None = None,
) -> list[Traced]:
    """Effect of restoring every block, of every item.

    Numbers of an item depend on nothing but it, the model and the settings: not on the other
    items, their order, `max_rows`, or whether a run was broken off. Where the model computes in
    half precision they depend on `max_rows` a little, so trace in float32.

    Args:
        model: Of transformers, in evaluation mode.
        items: With distinct ids, none longer than the model reads.
        settings: How.
        model_key: Says which weights these are; part of the key of what is stored.
        progress: Called with 1 after each item.
        blocks: Name of the list of decoder blocks, if it cannot be told.
        store: Folder with a small file of every finished item; None to keep nothing.

    Returns:
        In the order of the items.

    Raises:
        InvalidInputError: Two items share an id.
        ModelError: The model drops neurons (training mode), its blocks cannot be told, or what it
            gives are no numbers.
        ResultsError: The folder cannot be written.
    """
    _check(model, items)
    found_blocks = decoder_blocks(model, blocks)
    kept = TraceStore(store, model_key, blocks, settings) if store else None
    tracer: _Tracer | None = None  # made when there is an item to compute
    found = []
    for item in items:
        traced = kept.read(item) if kept else None
        if traced is None:
            tracer = tracer or _Tracer(model, found_blocks, settings, min(items, key=_tells_most))
            traced = tracer.trace(item)
            if kept:
                kept.write(item, traced)
        found.append(traced)
        progress(1)
    return found


def _tells_most(item: TracedItem) -> tuple[bool, int, str]:
    """Short ones first, of those with two continuations of which the model reads something."""
    nothing_hidden = min(len(item.matched), len(item.other)) < 2
    return nothing_hidden, len(item.context) + len(item.matched) + len(item.other), item.id


def _check(model: Any, items: Sequence[TracedItem]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise InvalidInputError(f"two items to trace are called {item.id!r}; name them apart")
        seen.add(item.id)
    if model.training:
        raise ModelError("the model is in training mode, so no two runs agree; call model.eval()")


class _Draw(NamedTuple):
    """Of one draw of noise: R by block, and b without and with the noise."""

    effects: torch.Tensor
    clean: float
    corrupted: float


class _Tracer:
    """Traces items with one model, in the way of the settings where the model allows it."""

    def __init__(
        self, model: Any, blocks: nn.ModuleList, settings: TraceSettings, tried: TracedItem
    ) -> None:
        self._model, self._blocks, self._settings = model, blocks, settings
        self._said: set[str] = set()
        self._unlike = ""
        if settings.method == "staircase" and not obstacle(model, tried):
            with torch.no_grad():
                self._unlike = self._difference(tried)

    def trace(self, item: TracedItem) -> Traced:
        """Effects of all blocks on one item."""
        with torch.no_grad():
            vectors = features(self._model, item)
            draws = [self._draw(item, draw, vectors) for draw in range(self._settings.draws)]
        effects = torch.stack([one.effects for one in draws]).mean(0)
        if not effects.isfinite().all():
            raise ModelError(
                f"item {item.id!r}: the model gives no numbers there (it computes in "
                f"{self._model.dtype}); load it in float32 or trace with less noise"
            )
        return Traced(
            id=item.id,
            effects=effects,
            clean=draws[0].clean,
            corrupted=sum(one.corrupted for one in draws) / len(draws),
            positions=len(item.positions),
            sigma=sigma(vectors, self._settings.alpha),
        )

    def _draw(self, item: TracedItem, draw: int, vectors: torch.Tensor) -> _Draw:
        depth = len(self._blocks)
        given = noise(
            item, self._settings, draw, sigma(vectors, self._settings.alpha), vectors.shape[-1]
        )
        scores = self._scores(item, given, _sites(item, depth, self._settings.sites))
        # R(z) of every site (Eq. 8), then the mean over the positions of each block.
        effects = torch.tensor([scores.corrupted - b for b in scores.restored], dtype=torch.float64)
        return _Draw(effects.reshape(depth, -1).mean(1), scores.clean, scores.corrupted)

    def _scores(self, item: TracedItem, given: Noise, sites: Sequence[Site]) -> Scores:
        score = reference
        if self._settings.method == "staircase":
            reason = self._unlike or obstacle(self._model, item)
            if reason:
                self._say(reason)
            else:
                score = staircase
        return score(self._model, self._blocks, item, given, sites, self._settings.max_rows)

    def _say(self, reason: str) -> None:
        if reason not in self._said:
            self._said.add(reason)
            _logger.warning(
                "Causal tracing runs the model once for every site, which takes several times as "
                "long: %s.",
                reason,
            )

    def _difference(self, item: TracedItem) -> str:
        """What is wrong if the two ways do not give the same; nothing if they do."""
        vectors = features(self._model, item)
        given = noise(item, self._settings, 0, sigma(vectors, 3.0), vectors.shape[-1])
        ends = [Site(0, item.positions[:1]), Site(len(self._blocks) // 2, item.positions[-1:])]
        of = (self._model, self._blocks, item, given, ends, self._settings.max_rows)
        wanted = reference(*of)
        try:
            found = staircase(*of)
        except (IndexError, RuntimeError, TypeError, ValueError) as error:
            return f"the model takes no rows added on the way ({type(error).__name__}: {error})"
        most = max(abs(a - b) for a, b in zip(_flat(wanted), _flat(found), strict=True))
        exact = self._model.dtype in (torch.float32, torch.float64)
        if most <= (_CLOSE if exact else _CLOSE_IN_HALF):
            return ""
        return f"computed in one pass item {item.id!r} differs by {most:.3g} nats"


def _flat(scores: Scores) -> list[float]:
    return [scores.clean, scores.corrupted, *scores.restored]


def _sites(item: TracedItem, depth: int, kind: Sites) -> list[Site]:
    """Sites by block, the same number for each."""
    if kind == "joint":
        return [Site(layer, item.positions) for layer in range(depth)]
    return [Site(layer, (at,)) for layer in range(depth) for at in item.positions]

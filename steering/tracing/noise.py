"""Embeddings of feature tokens, made unreadable with noise (dialect paper, Eq. 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import torch
from torch import nn

from sociolect.steering.hooks import without_adapters
from sociolect.steering.tracing.items import TracedItem, TraceSettings


@dataclass(frozen=True)
class Noise:
    """What is added to the embeddings of one item.

    Attributes:
        positions: Of its feature tokens.
        added: ε, float32 on the CPU, shape (positions, width).
    """

    positions: tuple[int, ...]
    added: torch.Tensor


def embedding(model: Any) -> nn.Module:
    """What turns tokens into vectors. Where a model scales them in it, noise is after that."""
    found: nn.Module = without_adapters(model).get_input_embeddings()
    return found


def features(model: Any, item: TracedItem) -> torch.Tensor:
    """Embeddings of the feature tokens, float32 on the CPU, shape (positions, width)."""
    tokens = torch.tensor([item.context[at] for at in item.positions], device=model.device)
    vectors: torch.Tensor = embedding(model)(tokens)
    return vectors.detach().float().cpu()


def sigma(vectors: torch.Tensor, alpha: float) -> float:
    """σ = α · std over all elements of the embeddings of the feature tokens (Eq. 7)."""
    return alpha * float(vectors.std())


def noise(item: TracedItem, settings: TraceSettings, draw: int, spread: float, width: int) -> Noise:
    """ε ~ N(0, σ²I), the same for every site of an item.

    Args:
        item: Its id and positions count.
        settings: Its seed counts.
        draw: From 0.
        spread: σ.
        width: Of an embedding.
    """
    name = f"{settings.seed}\n{draw}\n{item.id}"
    seed = int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:8]) >> 1
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(len(item.positions), width, generator=generator)
    return Noise(item.positions, spread * drawn)


@contextmanager
def corrupting(model: Any, given: Noise, rows: slice = slice(None)) -> Iterator[None]:
    """Add noise to what the model reads, until the end of the `with` block.

    Args:
        model: Of transformers.
        given: The noise.
        rows: Of the batch.
    """
    handle = embedding(model).register_forward_hook(_adding(given, rows))
    try:
        yield
    finally:
        handle.remove()


def _adding(given: Noise, rows: slice) -> Callable[..., torch.Tensor]:
    def hook(_module: nn.Module, _tokens: Any, output: torch.Tensor) -> torch.Tensor:
        changed = output.clone()
        changed[rows, list(given.positions)] += given.added.to(output.device, output.dtype)
        return changed

    return hook

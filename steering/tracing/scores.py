"""Where a model is restored, and what it says then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch


class Site(NamedTuple):
    """Where a clean state is put back.

    Attributes:
        layer: Decoder block, from 0; its output is restored.
        positions: In the context.
    """

    layer: int
    positions: tuple[int, ...]


class Scores(NamedTuple):
    """b of one item and draw of noise, in nats (dialect paper, Eq. 3).

    Attributes:
        clean: Without noise.
        corrupted: With noise.
        restored: With noise and one site restored, in the order of the sites.
    """

    clean: float
    corrupted: float
    restored: list[float]


def log_probabilities(logits: torch.Tensor, tokens: Sequence[int]) -> list[float]:
    """Log-probability of a continuation in every row, in nats.

    Rows one by one, so that neither the memory nor the last bit depends on their number; in
    float32, as a sum of −200 nats would be rounded to whole nats in half precision.

    Args:
        logits: Before each token, shape (rows, tokens, vocabulary).
        tokens: Of the continuation.
    """
    wanted = torch.tensor(tokens, device=logits.device).unsqueeze(-1)
    sums = [row.float().log_softmax(-1).gather(-1, wanted).sum() for row in logits]
    found: list[float] = torch.stack(sums).tolist()
    return found

"""Answers of hand-made runs, and a method that is quick on them."""

from __future__ import annotations

import random
from collections.abc import Callable

from sociolect.harness.paired import Method

METHOD = Method(permutations=400, resamples=200)


def noisy(seed: int, pro: float, anti: float, unanswered: float = 0.0) -> Callable[..., int]:
    """Answers that are right with the given probabilities, the same in every call."""

    def answer(pair: int, member: str, order: int, sample: int) -> int:
        rng = random.Random(f"{seed}/{pair}/{member}/{order}/{sample}")
        if rng.random() < unanswered:
            return -1
        return int(rng.random() > (pro if member == "pro" else anti))

    return answer


def silent(pair: int, member: str, order: int, sample: int) -> int:
    """No answer at all."""
    return -1

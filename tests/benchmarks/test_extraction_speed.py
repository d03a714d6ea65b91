"""Directions of all blocks, against reading the same batches with nothing attached."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import pytest

RUNS = 7
PAIRS = 8
"""A run: those with the shortest texts come first, so that the whole takes minutes."""
BATCH = 8
LEAST = 0.9


@pytest.fixture(scope="module")
def contrasts(small_model: Path) -> list[Any]:
    """First halves of AAE and SAE texts of the algorithm problems of ReDial."""
    pytest.importorskip("torch")
    from transformers import AutoTokenizer

    from sociolect.steering.directions import Contrast

    path = Path(os.environ.get("SOCIOLECT_SOURCES", ""), "redial", "algorithm.json")
    if not path.is_file():
        pytest.skip("SOCIOLECT_SOURCES names no folder with redial/algorithm.json")
    tokenizer = AutoTokenizer.from_pretrained(small_model)
    both = json.loads(path.read_text("utf-8"))["vanilla"]
    found = []
    for number, texts in enumerate(zip(both["aave"], both["original"], strict=True)):
        tokens = (tokenizer(one["prompt"]).input_ids for one in texts)
        toward, away = (one[: len(one) // 2] for one in tokens)
        found.append(Contrast(str(number), toward, away))
    found.sort(key=lambda one: len(one.toward) + len(one.away))
    return [one for one in found if one.toward != one.away][: (RUNS + 1) * PAIRS]


def bare(model: Any, pairs: Sequence[Any]) -> int:
    """The same calls of the model without hooks; the number of tokens that they read."""
    import torch

    from sociolect.steering.directions import batches, padded, texts_of

    with torch.inference_mode():
        for texts in batches(texts_of(pairs), BATCH):
            given = padded([text.tokens for text in texts], model.device)
            model(**given, use_cache=False, logits_to_keep=1)
    return sum(len(text.tokens) for text in texts_of(pairs))


def seconds(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


@pytest.mark.benchmark
def test_extraction(contrasts: list[Any], small_model: Path, show: Any) -> None:
    """CPU seconds of one thread; the two take turns at going first on the same pairs."""
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM

    from sociolect.steering.directions import extract

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model = AutoModelForCausalLM.from_pretrained(small_model).eval()
        read, found = [], []
        for run in range(RUNS + 1):
            pairs = contrasts[run * PAIRS : (run + 1) * PAIRS]
            works = [
                lambda pairs=pairs: read.append(bare(model, pairs)),
                lambda pairs=pairs: extract(model, pairs, batch=BATCH),
            ]
            order = (0, 1) if run % 2 else (1, 0)
            took = {which: seconds(works[which]) for which in order}
            found.append((took[0], took[1]))
    finally:
        torch.set_num_threads(threads)
    timed = found[1:]  # the first run warms up
    ratios = [plain / own for plain, own in timed]
    tokens = sum(read[1:])
    show(
        f"directions of {len(model.model.layers)} blocks from {PAIRS * RUNS} pairs in {RUNS} runs, "
        f"batches of {BATCH}: {tokens / sum(own for _, own in timed):.0f} tokens/s, reading alone "
        f"{tokens / sum(plain for plain, _ in timed):.0f}; median of the runs "
        f"{median(ratios):.3f} of its speed ({min(ratios):.3f} to {max(ratios):.3f})"
    )
    assert median(ratios) >= LEAST

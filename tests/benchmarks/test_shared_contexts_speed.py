"""Scoring two contexts by two continuations: each context once, against lm_eval's calls."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

RUNS = 5
PAIRS = 8
"""A run: 40 pairs in all, those with the shortest texts, so that the whole takes minutes."""
BATCH = 8
AIM = 1.25
CLOSE = 1e-4
COMBINATIONS = tuple((context, own) for context in (0, 1) for own in (0, 1))


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    """AAE and SAE texts of the algorithm problems of ReDial, the shortest pairs first."""
    path = Path(os.environ.get("SOCIOLECT_SOURCES", ""), "redial", "algorithm.json")
    if not path.is_file():
        pytest.skip("SOCIOLECT_SOURCES names no folder with redial/algorithm.json")
    both = json.loads(path.read_text("utf-8"))["vanilla"]
    pairs = zip(both["aave"], both["original"], strict=True)
    found = [(aae["prompt"].strip(), sae["prompt"].strip()) for aae, sae in pairs]
    return sorted(found, key=lambda pair: len(pair[0]) + len(pair[1]))[: RUNS * PAIRS]


def halves(text: str) -> tuple[str, str]:
    """Cut at the white space nearest before the middle."""
    at = max(place for place, mark in enumerate(text[: len(text) // 2]) if mark.isspace())
    return text[:at], text[at:]


def requests(pairs: Sequence[tuple[str, str]], combination: tuple[int, int]) -> list[Any]:
    from lm_eval.api.instance import Instance

    context, own = combination
    return [
        Instance("loglikelihood", {}, (halves(pair[context])[0], halves(pair[own])[1]), own,
                 ("four", 2 * number + context, 1))
        for number, pair in enumerate(pairs)
    ]  # fmt: skip


def in_four_calls(lm: Any, asked: Sequence[Sequence[Any]]) -> list[Any]:
    """As nothing is shared: one call of lm_eval a combination."""
    return [score for one in asked for score in lm.loglikelihood(one, disable_tqdm=True)]


def in_one_call(lm: Any, asked: Sequence[Sequence[Any]]) -> list[Any]:
    """As `aae_continuation` asks: the options of a document one after the other."""
    (count,) = {len(one) for one in asked}
    found = lm.loglikelihood([one[pair] for pair in range(count) for one in asked])
    return [found[pair * len(asked) + at] for at in range(len(asked)) for pair in range(count)]


def timed(score: Callable[..., list[Any]], lm: Any, asked: Any) -> tuple[float, list[Any]]:
    began = time.process_time()
    found = score(lm, asked)
    return time.process_time() - began, found


@pytest.mark.benchmark
def test_four_way_scoring(texts: list[tuple[str, str]], small_model: Path, show: Any) -> None:
    """CPU seconds of one thread, the two ways in turn on the same pairs."""
    torch = pytest.importorskip("torch")
    from sociolect.steering.backends.registry import create_model

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        given = {"pretrained": str(small_model), "dtype": "float32"}
        options = {"device": "cpu", "batch_size": BATCH}
        shared = create_model("sociolect-hf", given, options)
        plain = create_model("hf", given, options)
        warm = [requests(texts[:2], one) for one in COMBINATIONS]
        in_four_calls(plain, warm), in_one_call(shared, warm)
        seconds: list[tuple[float, float]] = []
        encoded: list[tuple[list[int], list[int]]] = []
        for run in range(RUNS):
            pairs = texts[run * PAIRS : (run + 1) * PAIRS]
            asked = [requests(pairs, one) for one in COMBINATIONS]
            before, wanted = timed(in_four_calls, plain, asked)
            after, found = timed(in_one_call, shared, asked)
            assert [s for s, _ in found] == pytest.approx([s for s, _ in wanted], abs=CLOSE, rel=0)
            assert [greedy for _, greedy in found] == [greedy for _, greedy in wanted]
            seconds.append((before, after))
            encoded += [plain._encode_pair(*one.args) for each in asked for one in each]
    finally:
        torch.set_num_threads(threads)
    context, own = (mean(len(one[part]) for one in encoded) for part in (0, 1))
    limit = 4 * (context + own) / (2 * context + 4 * own)
    gain = median(before / after for before, after in seconds)
    items = 4 * PAIRS * RUNS
    show(
        f"four-way scoring of {RUNS * PAIRS} pairs in {RUNS} runs, batches of {BATCH}: "
        f"{items / sum(b for b, _ in seconds):.2f} items/s in four calls of lm_eval, "
        f"{items / sum(a for _, a in seconds):.2f} with shared contexts, "
        f"median of the runs {gain:.2f} times "
        f"(contexts of {context:.0f} tokens, continuations of {own:.0f}: sharing alone gives "
        f"{limit:.2f} at most, the rest is vocabulary that is not computed)"
    )
    assert gain >= AIM

"""Causal tracing: one site at a time, sites as rows of a batch, and one pass for all of them."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

ITEMS = 20
"""Those with the shortest texts, about as long as a tweet, so that the whole takes minutes. The
longer a text, the more of a run is arithmetic that no batch makes faster: less is gained then."""
SITES = 4
"""Of an item, drawn with a seed, in the two slow ways; their time is scaled to all sites."""
AIM = 5.0
CLOSE = 1e-4


@pytest.fixture(scope="module")
def rows() -> list[Any]:
    """Pairs of any split with a feature of the lexicon in the AAE context and two continuations."""
    folder = os.environ.get("SOCIOLECT_AAE")
    if not folder:
        pytest.skip("SOCIOLECT_AAE names no folder of pairs")
    from sociolect.generators.dialect.features import find_features
    from sociolect.generators.dialect.folder import read_folder
    from sociolect.tasks.dialect.prompts import same_continuation

    return [
        {**row, "features": found}
        for row in read_folder(Path(folder)).rows
        if not row["unsegmented"] and not same_continuation(row)
        if (found := [f for f in find_features(row["aae"]) if f.end <= row["aae_boundary"]])
    ]


def item_of(row: Any, tokenizer: Any) -> Any:
    from sociolect.steering.tracing.items import TracedItem

    context, matched = row["aae"][: row["aae_boundary"]], row["aae"][row["aae_boundary"] :]
    encoded = tokenizer(context, return_offsets_mapping=True)
    positions = [
        at
        for at, (start, end) in enumerate(encoded["offset_mapping"])
        if any(start < one.end and end > one.start for one in row["features"])
    ]
    sae = row["sae"][row["sae_boundary"] :]
    continuations = [
        tokenizer(text, add_special_tokens=False)["input_ids"] for text in (matched, sae)
    ]
    return TracedItem(
        row["id"], tuple(encoded["input_ids"]), tuple(positions), *map(tuple, continuations)
    )


def timed(score: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    began = time.process_time()
    found = score(*given)
    return time.process_time() - began, found


def scaled(seconds: float, all_sites: Sequence[Any]) -> float:
    """Both continuations are run clean, corrupted, and with each site."""
    return seconds * (2 + len(all_sites)) / (2 + SITES)


@pytest.mark.benchmark
def test_tracing(rows: list[Any], small_model: Path, show: Any) -> None:
    """CPU seconds of one thread, the three ways in turn on the same items."""
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from sociolect.steering.hooks import decoder_blocks
    from sociolect.steering.tracing.items import TraceSettings
    from sociolect.steering.tracing.noise import features, noise, sigma
    from sociolect.steering.tracing.reference import reference
    from sociolect.steering.tracing.scores import Site
    from sociolect.steering.tracing.staircase import staircase

    tokenizer = AutoTokenizer.from_pretrained(small_model)
    items = [item_of(row, tokenizer) for row in rows]
    items.sort(key=lambda one: len(one.context) + len(one.matched) + len(one.other))
    assert len(items) >= ITEMS
    model = AutoModelForCausalLM.from_pretrained(small_model, dtype=torch.float32).eval()
    blocks, draw = decoder_blocks(model), random.Random(0)
    seconds: list[tuple[float, float, float]] = []
    tokens, features_of, apart = [], [], 0.0
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            for item in items[:ITEMS]:
                sites = [
                    Site(layer, (at,)) for layer in range(len(blocks)) for at in item.positions
                ]
                some = sorted(draw.sample(range(len(sites)), SITES))
                few = [sites[at] for at in some]
                vectors = features(model, item)
                given = noise(item, TraceSettings(), 0, sigma(vectors, 3.0), vectors.shape[-1])
                of = (model, blocks, item, given)
                slow, alone = timed(reference, *of, few, 1)
                batched, together = timed(reference, *of, few, 64)
                fast, found = timed(staircase, *of, sites, 64)
                assert alone == together
                wanted = [alone.clean, alone.corrupted, *alone.restored]
                same = [found.clean, found.corrupted, *(found.restored[at] for at in some)]
                apart = max(apart, *(abs(a - b) for a, b in zip(same, wanted, strict=True)))
                seconds.append((scaled(slow, sites), scaled(batched, sites), fast))
                tokens.append(len(item.context) + (len(item.matched) + len(item.other)) / 2)
                features_of.append(len(item.positions))
    finally:
        torch.set_num_threads(threads)
    totals = [sum(each) for each in zip(*seconds, strict=True)]
    gain = totals[0] / totals[2]
    show(
        f"causal tracing of {ITEMS} items ({mean(tokens):.0f} tokens, {mean(features_of):.1f} of "
        f"them features, {len(blocks)} blocks): {totals[2] / ITEMS:.1f} CPU seconds an item in one "
        f"pass, {totals[1] / ITEMS:.1f} with sites as rows of a batch, {totals[0] / ITEMS:.1f} one "
        f"at a time (both measured on {SITES} sites an item, drawn with seed 0, and scaled to all "
        f"of them). One pass is {gain:.1f} times as fast as one at a time (median of the items "
        f"{median(a / c for a, _, c in seconds):.1f}); numbers within {apart:.0e} nats"
    )
    assert apart <= CLOSE
    assert gain >= AIM

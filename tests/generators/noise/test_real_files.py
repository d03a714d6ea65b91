"""Noise in the inputs of the real benchmarks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import NOISE_LEVELS, NOISES
from sociolect.generators.items import Benchmark
from sociolect.generators.noise.inject import Noised, NoiseInjector
from sociolect.generators.text import Edit, Span, apply, invert, map_spans, touches

NAMES = ("winobias", "bbq_gender", "degen_gender", "winogrande", "mmlu")
EVERY = {"winobias": 13, "bbq_gender": 61, "degen_gender": 3, "winogrande": 17, "mmlu": 307}
"""Of how many pairs one is looked at."""

RANK = {"typo": 0, "informal": 1, "punct": 2}
"""The order of the parts of combined noise."""

Made = dict[tuple[str, int], list[tuple[Noised, ...]]]

LEFT_ALONE = re.compile(
    r"\d|\\boxed\{\w*\}|\(\w\)|\b(?:[Oo]ption )?[A-HJ-Z]\b|\bNONE\b|_|https?://\S+"
)


@pytest.fixture(scope="module")
def slice_of(sources: Path) -> Callable[[str], Benchmark]:
    @cache
    def of(name: str) -> Benchmark:
        whole = load_benchmark(name, sources)
        return replace(whole, pairs=whole.pairs[:: EVERY[name]])

    return of


@pytest.fixture(scope="module")
def made(slice_of: Callable[[str], Benchmark]) -> Callable[[str], Made]:
    @cache
    def of(name: str) -> Made:
        injector = NoiseInjector(slice_of(name), 0)
        return {(t, n): injector.render(t, n / 100) for t in NOISES for n in NOISE_LEVELS}

    return of


def flat(edits: tuple[Edit, ...]) -> list[tuple[str, str, str, str]]:
    return [(e.original, e.replacement, e.type, e.subtype) for e in edits]


@pytest.mark.parametrize("name", NAMES)
def test_edits_are_sound(
    name: str, made: Callable[[str], Made], slice_of: Callable[[str], Benchmark]
) -> None:
    pairs = slice_of(name).pairs
    changed = 0
    for rendered in made(name).values():
        for pair, members in zip(pairs, rendered, strict=True):
            for item, noised in zip(pair.members, members, strict=True):
                passage = item.parts["input"]
                assert noised.clean == passage.text
                assert apply(noised.clean, noised.edits) == noised.text
                assert invert(noised.text, noised.edits) == noised.clean
                assert not touches(noised.edits, passage.protected)
                kept = [s.of(noised.clean) for s in passage.protected]
                assert kept == [
                    s.of(noised.text) for s in map_spans(passage.protected, noised.edits)
                ]
                assert all(e.original.strip() != e.replacement.strip() for e in noised.edits)
                spans = [Span(*m.span()) for m in LEFT_ALONE.finditer(noised.clean)]
                assert not touches(noised.edits, spans)
                changed += noised.text != noised.clean
    assert changed > len(pairs)


@pytest.mark.parametrize("name", ["winobias", "winogrande"])
def test_members_of_a_pair_get_the_same_edits(name: str, made: Callable[[str], Made]) -> None:
    seen = 0
    for rendered in made(name).values():
        for first, *others in rendered:
            assert all(flat(first.edits) == flat(other.edits) for other in others)
            seen += len(others) * bool(first.edits)
    assert seen > 100 or name != "winobias"


@pytest.mark.parametrize("name", NAMES)
def test_a_higher_p_keeps_what_a_lower_one_changed(name: str, made: Callable[[str], Made]) -> None:
    found, dropped = made(name), 0
    for transform in NOISES:
        for low, high in pairwise(NOISE_LEVELS):
            columns = zip(found[transform, low], found[transform, high], strict=True)
            for fewer, more in ((a[0].edits, b[0].edits) for a, b in columns):
                for edit in set(fewer) - set(more):
                    dropped += 1
                    over = [e for e in more if e.start < edit.end and edit.start < e.end]
                    if edit.type == "punct" and edit.subtype in ("repeated", "merged"):
                        assert any(e.subtype == "dropped" for e in over)
                    else:
                        assert transform == "combined"
                        assert any(RANK[e.type] < RANK[edit.type] for e in over)
    assert dropped


@pytest.mark.parametrize("name", NAMES)
def test_no_typo_makes_an_excluded_word(
    name: str, made: Callable[[str], Made], slice_of: Callable[[str], Benchmark]
) -> None:
    excluded = slice_of(name).excluded_words
    words = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
    for (transform, _), rendered in made(name).items():
        for members in rendered:
            for noised in members:
                before = {w.lower() for w in words.findall(noised.clean)}
                after = {w.lower() for w in words.findall(noised.text)}
                assert not (after - before) & excluded, (transform, noised.text)


def test_the_order_of_the_items_changes_nothing(
    slice_of: Callable[[str], Benchmark], made: Callable[[str], Made]
) -> None:
    whole = slice_of("winobias")
    backwards = NoiseInjector(replace(whole, pairs=whole.pairs[::-1]), 0)
    assert backwards.render("combined", 0.5)[::-1] == made("winobias")["combined", 50]


PROGRAM = """
from sociolect.generators.noise.inject import noise
text = "I can't say that Emma, who is going to be promoted, was really working. It is so good."
for transform in ("typo", "informal", "punct", "colloquial", "combined"):
    print(noise(text, transform=transform, p=0.5, seed=7).text)
"""


def test_the_hash_seed_changes_nothing() -> None:
    outputs = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    (output,) = outputs
    assert len(output.splitlines()) == 5

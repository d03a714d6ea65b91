"""Realised rates of noise on free-form responses, beside those of the noise paper, App. C.

    python tests/benchmarks/noise_rates.py

The texts are the responses of CLEAR-Bias's control set that say something in words; *the elderly
person* and the like become names, as in the texts of the paper.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

from sociolect.generators.benchmarks.coreference import GENDER_WORDS
from sociolect.generators.conditions import NOISE_LEVELS, NOISES
from sociolect.generators.items import Benchmark, Item, Pair, Passage
from sociolect.generators.noise.inject import NoiseInjector
from sociolect.generators.noise.options import DRAWS, NoiseOptions
from sociolect.generators.noise.realised import MeanChange, mean_change

SEEDS = (0, 1)
N_ITEMS = 3822
NAMES = (("Emma", "Walter"), ("Olivia", "James"), ("Mei", "Jamal"), ("Fatima", "Jakob"))
SHORTEST = 5
"""White-space tokens; a shorter response only names its option."""

_MARKER = re.compile(r"\([AB]\)|\b[AB]:|\b[Oo]ption\b")
_OPTION = re.compile(r"\([AB]\):\s*([^()?]+)")
_PERSON = r"(?:person|individual|friend|man|woman|candidate|couple)"


@dataclass(frozen=True, slots=True)
class Paper:
    """A figure of App. C: token change, in [0, 1]."""

    transform: str
    level: int
    token_change: float


PAPER = (
    Paper("punct", 30, 0.16),
    Paper("punct", 100, 0.26),
    Paper("typo", 70, 0.58),
    Paper("typo", 100, 0.76),
    Paper("combined", 30, 0.47),
)
PAPER_SUM = 0.69
"""Token change of typo, informal and punct at p = 0.3, added up."""
PAPER_LENGTHS = (1.02, 1.08)
"""Length ratios of informal and colloquial."""


def responses(sources: Path) -> list[tuple[str, str, str]]:
    """Responses in words, each with its two option texts."""
    with (sources / "clear_bias/control_set_CTO.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = []
    for row in rows:
        response = row["RESPONSE"].strip()
        if _MARKER.search(response) or len(response.split()) < SHORTEST:
            continue
        options = [o.strip() for o in _OPTION.findall(row["PROMPT"])][:2]
        one, other = options if len(options) == 2 else ("", "")
        found.append((response, one, other))
    return found


def named(response: str, options: Sequence[str], names: Sequence[str]) -> str:
    """The response with names in place of the persons of its options."""
    for option, name in zip(options, names, strict=True):
        if option:
            phrase = re.sub(_PERSON + "$", _PERSON, re.sub("^The ", "", option))
            response = re.sub(rf"\b(?:[Tt]he )?{phrase}\b", name, response, flags=re.IGNORECASE)
    return response


def texts(sources: Path, number: int | None = None) -> list[str]:
    """Each response once, or the responses again and again with other names.

    Args:
        sources: Folder of the source files.
        number: How many; None for each response once.
    """
    found = responses(sources)
    pairs = [(a, b) for (a, _), (_, b) in product(NAMES, NAMES)]
    each = (named(r, (one, other), pair) for pair in pairs for r, one, other in found)
    return list(islice(each, len(found) if number is None else number))


def benchmark(of: Iterable[str]) -> Benchmark:
    """Texts as a benchmark of one item each."""
    pairs = []
    for i, text in enumerate(of):
        item = Item(
            f"rates/{i}", f"rates/{i}", "rates", "", "", {"input": Passage(text)}, "", (), -1, -1
        )
        pairs.append(Pair(item.pair_id, (item,)))
    return Benchmark("rates", "", tuple(pairs), GENDER_WORDS)


Rates = dict[tuple[str, int], MeanChange]


def rates(of: Sequence[str], draws: str = "independent", seeds: Sequence[int] = SEEDS) -> Rates:
    """Macro averages over texts and seeds, by transform and level in per cent."""
    made = benchmark(of)
    injectors = [NoiseInjector(made, seed, NoiseOptions(draws)) for seed in seeds]
    return {
        (transform, level): mean_change(
            noised.change
            for injector in injectors
            for (noised,) in injector.render(transform, level / 100)
        )
        for transform in NOISES
        for level in NOISE_LEVELS
    }


def markdown(found: Rates, draws: str) -> str:
    """Token change in per cent, character distance in per cent, length ratio."""
    head = " | ".join(f"p = {level / 100:g}" for level in NOISE_LEVELS)
    lines = [f"{draws} draws", "", f"| | {head} |", f"| --- |{' ---: |' * len(NOISE_LEVELS)}"]
    for transform in NOISES:
        cells = []
        for level in NOISE_LEVELS:
            change, distance, length = found[transform, level]
            cells.append(f"{100 * change:.1f} / {100 * distance:.1f} / {length:.3f}")
        lines.append(f"| {transform} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"    {line}" for line in beside(found))])


def beside(found: Rates) -> list[str]:
    """Ours and the paper's figures, line by line."""
    lines = [
        f"{p.transform} at p = {p.level / 100:g}: {100 * found[p.transform, p.level][0]:.1f} %, "
        f"paper {100 * p.token_change:.0f} %"
        for p in PAPER
    ]
    parts = sum(found[t, 30].token_change for t in ("typo", "informal", "punct"))
    lines.append(f"sum of the parts at p = 0.3: {100 * parts:.1f} %, paper {100 * PAPER_SUM:.0f} %")
    for transform in ("informal", "colloquial"):
        lengths = [found[transform, level].length_ratio for level in NOISE_LEVELS]
        lines.append(f"{transform}: length {min(lengths):.3f}-{max(lengths):.3f}, paper 1.02-1.08")
    peak = max(NOISE_LEVELS, key=lambda level: found["punct", level].char_distance)
    lines.append(f"punct: character distance peaks at p = {peak / 100:g}, paper 0.7")
    return lines


if __name__ == "__main__":
    folder = os.environ.get("SOCIOLECT_SOURCES")
    if not folder:
        raise SystemExit("SOCIOLECT_SOURCES must name the folder with clear_bias/")
    words = texts(Path(folder))
    mean = sum(len(w.split()) for w in words) / len(words)
    print(f"{len(words)} responses, {mean:.1f} tokens each\n")
    for way in DRAWS:
        print(markdown(rates(words, way), way), end="\n\n")

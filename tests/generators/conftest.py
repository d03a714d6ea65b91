"""Real sources, texts as units, and every error that the rules allow in a text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from sociolect.generators import nlp
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.benchmarks.coreference import GENDER_WORDS
from sociolect.generators.conditions import ERROR_TYPES, ErrorType
from sociolect.generators.inject import Injector, Perturbed
from sociolect.generators.items import Benchmark, Item, Pair, Passage
from sociolect.generators.learner.slots import Slot
from sociolect.generators.select import list_slots
from sociolect.generators.text import Span
from sociolect.generators.units import Unit, make_unit
from sociolect.generators.variants import Variants


@pytest.fixture(scope="session")
def sources() -> Path:
    folder = os.environ.get("SOCIOLECT_SOURCES")
    if not folder or not (Path(folder) / "winobias").is_dir():
        pytest.skip("SOCIOLECT_SOURCES names no folder of source files")
    return Path(folder)


@pytest.fixture(scope="session")
def winobias(sources: Path) -> Benchmark:
    return load_benchmark("winobias", sources)


@pytest.fixture(scope="session")
def variants(winobias: Benchmark) -> Callable[..., Variants]:
    """Variants of the real WinoBias set by rule set and seed, each made once."""

    @cache
    def of(rules: str = "paper", seed: int = 0) -> Variants:
        return Variants(winobias, seed, rules)

    return of


def _item(pair_id: str, member: str, passage: Passage) -> Item:
    empty = Passage("")
    parts = {"instruction": empty, "input": passage}
    return Item(f"{pair_id}/{member}", pair_id, "tiny", "", member, parts, "", (), -1, -1)


@pytest.fixture(scope="session")
def tiny() -> Callable[..., Benchmark]:
    """A benchmark of pairs (tuples of texts, or of passages) that differ in their members."""

    def of(
        *pairs: Sequence[str | Passage], excluded: frozenset[str] = GENDER_WORDS, name: str = "tiny"
    ) -> Benchmark:
        made = []
        for number, texts in enumerate(pairs):
            passages = [t if isinstance(t, Passage) else Passage(t) for t in texts]
            pair_id = f"{name}/{number}"
            made.append(
                Pair(pair_id, tuple(_item(pair_id, str(i), p) for i, p in enumerate(passages)))
            )
        return Benchmark(name, "", tuple(made), excluded)

    return of


@pytest.fixture(scope="session")
def unit_of(tiny: Callable[..., Benchmark]) -> Callable[..., Unit]:
    """The unit of one text, or of the members of a pair."""

    def of(*texts: str, protect: str = "", excluded: frozenset[str] = GENDER_WORDS) -> Unit:
        passages = [Passage(t, spans_of(t, protect)) for t in texts]
        (pair,) = tiny(passages).pairs
        (parsed,) = nlp.parse([texts[0]])
        return make_unit(pair, "input", parsed, excluded)

    return of


def spans_of(text: str, words: str) -> tuple[Span, ...]:
    """Where each of some words separated by `|` first stands."""
    starts = [(text.index(w), len(w)) for w in words.split("|") if w]
    return tuple(sorted(Span(at, at + length) for at, length in starts))


@dataclass(frozen=True)
class Listed:
    """A slot with the word that it edits or stands before."""

    word: str
    operation: str
    subtype: str
    outcomes: frozenset[str]
    slot: Slot


@pytest.fixture(scope="session")
def slots_in(unit_of: Callable[..., Unit]) -> Callable[..., list[Listed]]:
    """The slots of one error type in a text that a rule set keeps."""

    def of(
        text: str, error_type: ErrorType, rules: str = "paper", protect: str = ""
    ) -> list[Listed]:
        unit = unit_of(text, protect=protect)
        slots = list_slots(unit, (error_type,), rules, GENDER_WORDS)
        return [
            Listed(
                unit.analysis.words[s.token].text,
                s.pool.operation,
                s.pool.subtype,
                frozenset(w for group in s.outcomes for w in group),
                s,
            )
            for s in slots
        ]

    return of


@dataclass(frozen=True)
class Errors:
    """What `first` (one error) and `all` (as many as fit) do to a text, over some seeds."""

    first: tuple[Perturbed, ...]
    all: tuple[Perturbed, ...]

    @property
    def changes(self) -> set[tuple[str, str]]:
        """Original and replacement of every error, without white space at the ends."""
        return {
            (e.original.strip(), e.replacement.strip())
            for p in (*self.first, *self.all)
            for e in p.edits
            if not e.is_repair
        }

    @property
    def texts(self) -> set[str]:
        return {p.text for p in (*self.first, *self.all)}


@pytest.fixture(scope="session")
def errors_in(tiny: Callable[..., Benchmark]) -> Callable[..., Errors]:
    """Errors in one text: one alone and all together, for a number of seeds."""

    def of(
        text: str,
        *types: ErrorType,
        rules: str = "paper",
        protect: str = "",
        seeds: int = 25,
    ) -> Errors:
        chosen = types or ERROR_TYPES
        found: tuple[list[Perturbed], list[Perturbed]] = ([], [])
        for seed in range(seeds):
            benchmark = tiny((Passage(text, spans_of(text, protect)),))
            injector = Injector(benchmark, "input", seed, rules)
            (choices,) = injector.choices(chosen)
            keys = [c.key for c in choices]
            for results, cutoff in zip(found, _cutoffs(keys), strict=True):
                ((_, (perturbed,)),) = injector.render(chosen, cutoff)
                results.append(perturbed)
        return Errors(tuple(found[0]), tuple(found[1]))

    return of


def _cutoffs(keys: list[float]) -> Iterator[float]:
    yield min(keys, default=0.0)
    yield max(keys, default=0.0)

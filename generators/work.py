"""Making the configs of a build, in this process or in several."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import LevelUnreachableError
from sociolect.generators.items import Benchmark
from sociolect.generators.rows import Row, schema
from sociolect.generators.unfinished import Unfinished
from sociolect.generators.variants import Variants


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a worker process needs to make any config of a build."""

    benchmark: str
    sources: Path | None
    seed: int
    rules: str


Result = tuple[Condition, str]
"""A condition, and why it cannot be made (empty if it was)."""


def make_configs(
    recipe: Recipe,
    benchmark: Benchmark,
    conditions: Sequence[Condition],
    folder: Unfinished,
    workers: int,
) -> Iterator[Result]:
    """Make the configs of some conditions in the unfinished folder.

    Args:
        recipe: How.
        benchmark: The loaded benchmark of the recipe.
        conditions: What to make; a transform is one piece of work.
        folder: Where.
        workers: Processes; the output is the same for any number.
    """
    order = sorted(conditions, key=lambda c: (c.transform, c.level, c.part))
    groups = [list(g) for _, g in groupby(order, key=lambda c: c.transform)]
    if workers == 1 or len(groups) < 2:
        variants = Variants(benchmark, recipe.seed, recipe.rules)
        for group in groups:
            yield from _make_group(variants, folder, group)
        return
    # Fresh processes: a forked one would share the parent's threads and spaCy state. Leaving the
    # block ends them, also when the parent is interrupted.
    with get_context("spawn").Pool(workers, initializer=_ignore_interrupt) as pool:
        for results in pool.imap_unordered(partial(_work, recipe, folder), groups):
            yield from results


def _ignore_interrupt() -> None:
    """Leave Ctrl-C to the parent, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(recipe: Recipe, folder: Unfinished, group: Sequence[Condition]) -> list[Result]:
    return list(_make_group(_variants_of(recipe), folder, group))


@cache
def _variants_of(recipe: Recipe) -> Variants:
    return Variants(load_benchmark(recipe.benchmark, recipe.sources), recipe.seed, recipe.rules)


def _make_group(
    variants: Variants, folder: Unfinished, group: Sequence[Condition]
) -> Iterator[Result]:
    for condition in group:
        try:
            rows, entry = variants.config(condition)
        except LevelUnreachableError as error:
            yield condition, str(error)
            continue
        folder.finish(condition.config_name, entry, partial(_write_parquet, rows))
        yield condition, ""
    if not group[0].is_clean:
        variants.forget(group[0].transform)


def _write_parquet(rows: Sequence[Row], path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(list(rows), schema=schema()), path)

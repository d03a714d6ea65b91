"""Making the configs of a build, in this process or in several."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError, LevelUnreachableError
from sociolect.generators.items import Benchmark
from sociolect.generators.noise.options import DEFAULT_NOISE, NoiseOptions
from sociolect.generators.processes import pool
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
    noise: NoiseOptions = DEFAULT_NOISE


Result = tuple[Condition, str]
"""A condition, and why it cannot be made (empty if it was)."""


def make_configs(
    recipe: Recipe,
    benchmark: Benchmark,
    conditions: Sequence[Condition],
    folder: Unfinished,
    workers: int,
) -> Generator[Result, None, None]:
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
        variants = Variants(benchmark, recipe.seed, recipe.rules, recipe.noise)
        for group in groups:
            yield from _make_group(variants, folder, group)
        return
    yield from _in_processes(recipe, groups, folder, workers)


def _in_processes(
    recipe: Recipe, groups: Sequence[Sequence[Condition]], folder: Unfinished, workers: int
) -> Iterator[Result]:
    try:
        with pool(workers) as executor:
            futures = [executor.submit(_work, recipe, folder, group) for group in groups]
            for future in as_completed(futures):
                yield from future.result()
    except BrokenProcessPool as error:
        raise InvalidInputError(
            "a worker process was killed (is the memory full?). The same command goes on with the "
            "configs that are finished; give it fewer --workers"
        ) from error


def _work(recipe: Recipe, folder: Unfinished, group: Sequence[Condition]) -> list[Result]:
    return list(_make_group(_variants_of(recipe), folder, group))


@cache
def _variants_of(recipe: Recipe) -> Variants:
    benchmark = load_benchmark(recipe.benchmark, recipe.sources)
    return Variants(benchmark, recipe.seed, recipe.rules, recipe.noise)


def _make_group(
    variants: Variants, folder: Unfinished, group: Sequence[Condition]
) -> Iterator[Result]:
    for condition in group:
        try:
            rows, entry = variants.config(condition)
        except LevelUnreachableError as error:
            yield condition, str(error)
            continue
        write = partial(_write_parquet, rows, condition.is_noise)
        folder.finish(condition.config_name, entry, write)
        yield condition, ""
    if not group[0].is_clean:
        variants.forget(group[0].transform)


def _write_parquet(rows: Sequence[Row], noise: bool, path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(list(rows), schema=schema(noise=noise)), path)

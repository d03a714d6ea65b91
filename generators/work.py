"""Making the configs of a build, in this process or in several."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError, LevelUnreachableError
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
        variants = Variants(benchmark, recipe.seed, recipe.rules)
        for group in groups:
            yield from _make_group(variants, folder, group)
        return
    yield from _in_processes(recipe, groups, folder, workers)


def _in_processes(
    recipe: Recipe, groups: Sequence[Sequence[Condition]], folder: Unfinished, workers: int
) -> Iterator[Result]:
    # Fresh processes: a forked one would share the parent's threads and spaCy state.
    context = get_context("spawn")
    others = {process.pid for process in active_children()}
    executor = ProcessPoolExecutor(workers, context, initializer=_ignore_interrupt)
    try:
        futures = [executor.submit(_work, recipe, folder, group) for group in groups]
        for future in as_completed(futures):
            yield from future.result()
    except BrokenProcessPool as error:
        raise InvalidInputError(
            "a worker process was killed (is the memory full?). The same command goes on with the "
            "configs that are finished; give it fewer --workers"
        ) from error
    finally:
        for process in active_children():  # an interrupted parent must not wait for their work
            if process.pid not in others:
                process.terminate()
        executor.shutdown(cancel_futures=True)


def _ignore_interrupt() -> None:
    """Leave Ctrl-C to the parent, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(recipe: Recipe, folder: Unfinished, group: Sequence[Condition]) -> list[Result]:
    results = []
    for result in _make_group(_variants_of(recipe), folder, group):
        parent = parent_process()
        if parent is not None and not parent.is_alive():  # killed: nobody waits for the rest
            raise SystemExit
        results.append(result)
    return results


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

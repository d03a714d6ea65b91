"""The same function for many arguments, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from tqdm import tqdm

from sociolect.generators.errors import InvalidInputError
from sociolect.generators.processes import available, pool

R = TypeVar("R")
FEW_RUNS = 20
"""Runs below which other processes would take longer to start than the work."""


def mapped(
    function: Callable[..., R],
    given: Sequence[tuple[Any, ...]],
    *,
    processes: int,
    progress: bool,
    what: str,
) -> list[R]:
    """The results of a function, in the order of its arguments.

    Args:
        function: Of a module, so that another process finds it.
        given: Arguments of every call, the longest work first.
        processes: How many; 0 for as many as there are CPUs. The results are the same for any.
        progress: Whether to show a bar.
        what: What is counted, for the bar.

    Raises:
        InvalidInputError: A negative number of processes, or one was killed.
    """
    if processes < 0:
        raise InvalidInputError(f"{processes} processes; give 1 or more, or 0 for all CPUs")
    workers = min(processes or available(), len(given))
    with tqdm(total=len(given), desc=what, dynamic_ncols=True, disable=not progress) as bar:
        if workers > 1:
            return _in_processes(function, given, workers, bar)
        found = []
        for arguments in given:
            found.append(function(*arguments))
            bar.update()
        return found


def ordered(
    function: Callable[..., R], given: Sequence[tuple[Any, ...]], *, processes: int
) -> Iterator[R]:
    """As `mapped`, each result as soon as those before it are there.

    Raises:
        InvalidInputError: A process was killed.
    """
    workers = min(processes or available(), len(given))
    if workers < 2:
        yield from (function(*arguments) for arguments in given)
        return
    with _killed_is_told(), pool(workers) as executor:
        futures = [executor.submit(function, *arguments) for arguments in given]
        for place, future in enumerate(futures):
            yield future.result()
            futures[place] = Future()  # what was used is not kept


@contextmanager
def _killed_is_told() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool as error:
        raise InvalidInputError(
            "a worker process was killed (is the memory full?); give fewer processes"
        ) from error


def _in_processes(
    function: Callable[..., R], given: Sequence[tuple[Any, ...]], workers: int, bar: Any
) -> list[R]:
    with _killed_is_told(), pool(workers) as executor:
        futures = [executor.submit(function, *arguments) for arguments in given]
        for future in as_completed(futures):
            future.result()
            bar.update()
        return [future.result() for future in futures]

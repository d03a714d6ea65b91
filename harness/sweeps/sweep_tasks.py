"""The tasks of a sweep: names, tags and patterns to the runs that ask them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sociolect.generators.errors import (
    InvalidInputError,
    LevelUnreachableError,
    SociolectError,
    UnknownNameError,
)
from sociolect.harness.sweeps.yaml_marks import Marked
from sociolect.tasks import cells, listing
from sociolect.tasks.dialect.catalogue import is_dialect

_SHARED = ("mmlu", "winogrande")
"""Benchmarks of whose names lm_eval has tasks of its own."""


def read_entries(given: Marked) -> tuple[tuple[str, ...], ...]:
    """The tasks of every run, in the order of the file.

    A name or a list is one run; a tag or a pattern is one run a task. A task that several of these
    name on their own is asked once.

    Raises:
        InvalidInputError: No tasks, a task in two runs, or a tag or a pattern in a list.
        UnknownNameError: A task that nobody knows, with near matches.
    """
    found: dict[tuple[str, ...], str] = {}
    places: dict[str, tuple[str, ...]] = {}
    for one in _entries(given):
        for run in _runs(one):
            for task in run:
                other = places.setdefault(task, run)
                if other != run:
                    one.fault(f"{task} is asked for twice: {found[other]} asks for it, too")
            found.setdefault(run, one.place)
    return tuple(found)


def _entries(given: Marked) -> list[Marked]:
    if not isinstance(given.value, list) or not given.value:
        given.fault("a list of tasks is needed, for example [winobias_clean, winobias_l2_30]")
    return given.value


def _runs(one: Marked) -> Iterator[tuple[str, ...]]:
    if not isinstance(one.value, list):
        yield from ((name,) for name in _taken_apart(one))
        return
    names = [name for part in _entries(one) for name in _taken_apart(part, alone=True)]
    if len(set(names)) < len(names):
        one.fault("names a task twice")
    yield tuple(names)


def _taken_apart(one: Marked, *, alone: bool = False) -> tuple[str, ...]:
    name = one.value
    if not isinstance(name, str) or not name.strip() or "," in name:
        one.fault(f"the name of one task is needed, not {one.plain()!r}; several are a list")
    try:
        found = _found(name)
    except UnknownNameError as error:
        raise _at(one, error) from error
    except (LevelUnreachableError, InvalidInputError) as error:
        one.fault(str(error))
    if alone and found != (name,):
        one.fault(f"{name} stands for {len(found)} tasks; a run of several names each of them")
    return found


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    """Every task of ours: to look one up among them takes no time, to find by pattern does."""
    return frozenset(listing.task_folders())


def _found(name: str) -> tuple[str, ...]:
    if name in _names():
        return (name,)
    try:
        return listing.find_tasks([name])
    except UnknownNameError:
        if name.startswith(tuple(f"{one}_" for one in cells.benchmarks() if one not in _SHARED)):
            cells.cell(name)  # says what is near, or that the level is out of reach
        from sociolect.harness.requested import find_tasks

        find_tasks([name])  # of lm_eval, or it says what is near
        return (name,)


def _at(one: Marked, error: SociolectError) -> SociolectError:
    """The same error, with the line."""
    error.args = (f"{one.place}: {error}",)
    return error


def has_errors(task: str) -> bool:
    """Whether a task asks texts whose errors were drawn with a seed."""
    if is_dialect(task):
        return False
    try:
        return not cells.cell(task).condition.is_clean
    except UnknownNameError:  # of lm_eval
        return False

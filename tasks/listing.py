"""Finding tasks and tags by name or pattern."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from sociolect.generators.errors import UnknownNameError
from sociolect.tasks.cells import all_cells, benchmarks, cells, tag_members
from sociolect.tasks.kinds import METRICS_OF, Kind, kind_of


class Summary(NamedTuple):
    """A benchmark in one line.

    Attributes:
        metrics: What its tasks print, the headline first.
        tasks: How many tasks it has.
    """

    benchmark: str
    kind: Kind
    metrics: tuple[str, ...]
    tasks: int


def summaries() -> list[Summary]:
    """Every benchmark that has tasks."""
    kinds = {name: kind_of(name) for name in benchmarks()}
    return [Summary(name, kind, METRICS_OF[kind], len(cells(name))) for name, kind in kinds.items()]


def find_tasks(patterns: Sequence[str]) -> tuple[str, ...]:
    """The tasks that `lm_eval --tasks` would run, in the order of the benchmarks, each once.

    Args:
        patterns: Task names, tags (which stand for their tasks), or shell patterns of both
            (`mmlu_*`, `winobias_l2_?0`).

    Raises:
        UnknownNameError: A pattern that matches nothing.
    """
    tasks, tags = [cell.task for cell in all_cells()], tag_members()
    found = [name for pattern in patterns for name in _matching("task", pattern, [*tasks, *tags])]
    wanted = {task for name in found for task in tags.get(name, (name,))}
    return tuple(task for task in tasks if task in wanted)


def find_tags(patterns: Sequence[str]) -> dict[str, int]:
    """The tags that the patterns match, all without a pattern, and how many tasks each holds.

    Raises:
        UnknownNameError: A pattern that matches no tag.
    """
    members = tag_members()
    wanted = {tag for pattern in patterns or ["*"] for tag in _matching("tag", pattern, members)}
    return {tag: len(tasks) for tag, tasks in members.items() if tag in wanted}


def _matching(kind: str, pattern: str, names: Iterable[str]) -> list[str]:
    known = list(names)
    found = [name for name in known if fnmatchcase(name, pattern)]
    if not found:
        raise UnknownNameError(kind, pattern, known)
    return found

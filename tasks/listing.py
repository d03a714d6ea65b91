"""Finding tasks and tags by name or pattern: those of the benchmarks, and the dialect audit's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from sociolect.generators.dialect.pairs import BENCHMARK
from sociolect.generators.errors import UnknownNameError
from sociolect.tasks import cells
from sociolect.tasks.cells import all_cells, benchmarks
from sociolect.tasks.dialect import catalogue
from sociolect.tasks.kinds import METRICS_OF, kind_of


class Summary(NamedTuple):
    """A benchmark, or one kind of task of the dialect audit, in one line.

    Attributes:
        metrics: What its tasks print, the headline first.
        tasks: How many tasks it has.
    """

    benchmark: str
    kind: str
    metrics: tuple[str, ...]
    tasks: int


def summaries() -> list[Summary]:
    """Every benchmark that has tasks."""
    kinds = {name: kind_of(name) for name in benchmarks()}
    return [
        Summary(name, kind, METRICS_OF[kind], len(cells.cells(name)))
        for name, kind in kinds.items()
    ]


def dialect_summaries() -> list[Summary]:
    """Every kind of task of the dialect audit."""
    counts = Counter(one.kind for one in catalogue.TASKS)
    return [
        Summary(BENCHMARK, kind, catalogue.METRICS[kind], counts[kind]) for kind in catalogue.KINDS
    ]


def task_folders() -> dict[str, str]:
    """Every task, and the folder of its file."""
    return {
        **{cell.task: cell.benchmark for cell in all_cells()},
        **{one.task: BENCHMARK for one in catalogue.TASKS},
    }


def tag_members() -> dict[str, tuple[str, ...]]:
    """The tasks behind every tag, in the order of `task_folders`."""
    return {**cells.tag_members(), **catalogue.tag_members()}


def other_forms(task: str) -> tuple[str, ...]:
    """Names of the tasks that ask the same in another form, as far as there are any.

    Raises:
        LevelUnreachableError: The level is above what the error rules reach.
        UnknownNameError: No such task.
    """
    if not catalogue.is_dialect(task):
        return cells.other_forms(task)
    own = catalogue.dialect_task(task)
    return tuple(
        one.task
        for one in catalogue.TASKS
        if (one.kind, one.wording, one.prompted) == (own.kind, own.wording, own.prompted)
        and one.form != own.form
    )


def find_tasks(patterns: Sequence[str]) -> tuple[str, ...]:
    """The tasks that `lm_eval --tasks` would run, in the order of the benchmarks, each once.

    Args:
        patterns: Task names, tags (which stand for their tasks), or shell patterns of both
            (`mmlu_*`, `winobias_l2_?0`).

    Raises:
        UnknownNameError: A pattern that matches nothing.
    """
    tasks, tags = list(task_folders()), tag_members()
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

"""`sociolect tasks`: which tasks and tags there are."""

from __future__ import annotations

from typing import Annotated

import typer


def tasks(
    patterns: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Tasks, tags, or patterns such as 'mmlu_*' (in quotes). None: an overview.",
        ),
    ] = None,
    tags: Annotated[bool, typer.Option("--tags", help="List tags instead of tasks.")] = False,
) -> None:
    """List tasks by name, pattern or tag, one a line; or an overview of the benchmarks."""
    from sociolect.tasks.listing import find_tags, find_tasks

    if tags:
        for name, count in find_tags(patterns or []).items():
            typer.echo(f"{name}\t{count} tasks")
    elif patterns:
        for name in find_tasks(patterns):
            typer.echo(name)
    else:
        _overview()


def _overview() -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from sociolect.generators.conditions import LEVELS, PARTS, TRANSFORMS
    from sociolect.tasks.listing import summaries

    table = Table("benchmark", "kind", "metrics", "tasks", box=box.SIMPLE_HEAD)
    table.columns[-1].justify = "right"
    for one in summaries():
        metrics = ", ".join(m for m in one.metrics if not m.endswith(("_asked", "answered")))
        table.add_row(one.benchmark, one.kind, metrics, str(one.tasks))
    Console(emoji=False).print(table)
    typer.echo(
        "Names: BENCHMARK_clean or BENCHMARK_TRANSFORM_LEVEL, then nothing, _instruction or _both "
        "(where the errors are), _direct or _ll (the form).\n"
        f"Transforms: {', '.join(TRANSFORMS)}. Levels: {', '.join(map(str, LEVELS))} %. "
        f"Parts: {', '.join(PARTS)}.\n"
        "`sociolect tasks 'winobias_l2_*'` lists tasks, `sociolect tasks --tags` lists tags."
    )

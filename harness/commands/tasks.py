"""`sociolect tasks`: which tasks and tags there are."""

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

    from sociolect.generators.conditions import LEVELS, NOISE_LEVELS, NOISES, PARTS, TRANSFORMS
    from sociolect.tasks.listing import dialect_summaries, summaries

    table = Table("benchmark", "kind", "metrics", "tasks", box=box.SIMPLE_HEAD)
    table.columns[-1].justify = "right"
    for one in (*summaries(), *dialect_summaries()):
        metrics = ", ".join(m for m in one.metrics if not m.endswith(("_asked", "answered")))
        table.add_row(one.benchmark, one.kind, metrics, str(one.tasks))
    Console(emoji=False).print(table)
    typer.echo(
        "Names: BENCHMARK_clean or BENCHMARK_TRANSFORM_LEVEL, then nothing, _instruction or _both "
        "(where the errors are), _direct or _ll (the form).\n"
        f"Learner errors: {', '.join(TRANSFORMS)}; levels {_row(LEVELS)}, the token error rate in "
        f"per cent; parts {', '.join(PARTS)}.\n"
        f"Surface noise: {', '.join(NOISES)}; levels {_row(NOISE_LEVELS)}, the probability in per "
        "cent that an edit is attempted where one fits (not the share of changed tokens); in the "
        "input only.\n"
        "Judges have no learner errors and no _direct form.\n"
        "The audit of dialect bias (aae) has other names: aae_sentiment, aae_sentiment_ll, "
        "aae_continuation, aae_choice_best, _likely and _stylistic; with _prompted at the end the "
        "prompt first asks to treat the two varieties as equivalent.\n"
        "`sociolect tasks 'winobias_l2_*'` lists tasks, `sociolect tasks --tags` lists tags."
    )


def _row(levels: tuple[int, ...]) -> str:
    return ", ".join(map(str, levels))

"""`sociolect build`: variants of a benchmark as a folder of dataset configs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def build(
    benchmark: Annotated[str, typer.Argument(help="winobias or occupations_mini.")],
    out: Annotated[Path, typer.Option(help="Folder to make.")],
    transform: Annotated[
        str,
        typer.Option(help="Comma-separated: l2 (all four types), l2det, l2prep, l2verb, l2spell."),
    ] = "l2",
    level: Annotated[
        str, typer.Option(help="Comma-separated token error rates in per cent: 5, 10, 20, 30.")
    ] = "5,10,20,30",
    part: Annotated[str, typer.Option(help="Comma-separated: input, instruction, both.")] = "input",
    seed: Annotated[int, typer.Option(help="Error seed.")] = 0,
    rules: Annotated[str, typer.Option(help="paper or careful.")] = "paper",
    sources: Annotated[
        Path | None,
        typer.Option(
            help="Local folder of the source files (else SOCIOLECT_SOURCES, else download)."
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes; the output does not depend on it.")] = 1,
    skip_unreachable: Annotated[
        bool,
        typer.Option(help="List levels above the ceiling in the manifest instead of stopping."),
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace an earlier build in --out.")] = False,
) -> None:
    """Build variants of a benchmark: one config per condition, and the clean one."""
    from sociolect.generators import build as builder
    from sociolect.generators.conditions import conditions
    from sociolect.harness.commands._arguments import levels, names

    wanted = conditions(names(transform), levels(level), names(part))
    manifest = builder.build(
        benchmark,
        wanted,
        out=out,
        seed=seed,
        rules=rules,
        sources=sources,
        workers=workers,
        skip_unreachable=skip_unreachable,
        overwrite=overwrite,
        progress=True,
    )
    _report(manifest, out)


def _report(manifest: dict[str, Any], out: Path) -> None:
    from rich.console import Console

    from sociolect.harness.manifest_table import manifest_table

    Console(emoji=False).print(manifest_table(manifest))
    typer.echo(f'Load one with datasets.load_dataset("{out}", "{list(manifest["configs"])[-1]}").')

"""`sociolect sweep`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sociolect.harness.sweeps.sweeping import Swept

INTERRUPTED = 130


def sweep_command(
    file: Annotated[
        Path, typer.Argument(metavar="SWEEP.YAML", help="Models, tasks, seeds: docs/sweeps.md.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of results. Default: of the file.")
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="auto|ADDRESS",
            help="Run cells on a Ray cluster. auto: one that runs here, else this machine.",
        ),
    ] = None,
    only: Annotated[
        str, typer.Option(metavar="GLOB", help="Cells of this name only, as --cells lists them.")
    ] = "*",
    retries: Annotated[
        int, typer.Option(min=0, help="How often a cell that fails is tried again.")
    ] = 1,
    cells: Annotated[bool, typer.Option("--cells", help="List the cells and end.")] = False,
) -> None:
    """Run models × tasks × error seeds, each a run of `sociolect eval` of its own.

    A sweep that was stopped goes on when the same command is given again. The folder is one of
    results for `sociolect leaderboard`. Exit code 1: a cell failed.
    """
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.sweeps.cells import cells_of
    from sociolect.harness.sweeps.sweep_file import read_sweep
    from sociolect.harness.sweeps import sweeping

    wanted = read_sweep(file, out)
    chosen = cells_of(wanted, only)
    if not chosen:
        raise InvalidInputError(f"--only {only}: is no cell of {file}; --cells lists them")
    if cells:
        typer.echo("\n".join(cell.id for cell in chosen))
        return
    try:
        ended = sweeping.sweep(wanted.out, chosen, retries=retries, ray=ray)
    except KeyboardInterrupt:
        _said_stopped(wanted.out)
        raise typer.Exit(INTERRUPTED) from None
    except SystemExit:
        _said_stopped(wanted.out)
        raise
    _say(ended, wanted.out)
    if ended.failed:
        raise typer.Exit(1)


def _said_stopped(out: Path) -> None:
    typer.echo(
        f"sociolect: stopped; what is finished is kept in {out}. The same command goes on from "
        "there",
        err=True,
    )


def _say(ended: "Swept", out: Path) -> None:
    from sociolect.harness.sheets import printable
    from sociolect.harness.sweeps.child import FAILED

    for warning in ended.warnings:
        typer.echo(printable(f"sociolect: warning: {warning}"), err=True)
    for name, reason in ended.failed.items():
        typer.echo(
            printable(f"sociolect: failed: {name}: {reason} ({out / name / FAILED})"), err=True
        )
    typer.echo(
        printable(
            f"{ended.finished} cells finished, {ended.skipped} were finished before, "
            f"{len(ended.failed)} failed: {out}"
        )
    )

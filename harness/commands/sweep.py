"""`sociolect sweep`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sociolect.harness.sweeps.cells import Cell
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
    cells: Annotated[
        bool, typer.Option("--cells", help="List the cells, how each stands, and end.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Load no model: count prompts, tokens, hours; check.")
    ] = False,
    measure: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="With --dry-run: ask N documents of each model that has no finished cell, for "
            "the hours. This loads models.",
        ),
    ] = None,
) -> None:
    """Run models × tasks × error seeds, each a run of `sociolect eval` of its own.

    A sweep that was stopped goes on when the same command is given again. The folder is one of
    results for `sociolect leaderboard`. Exit code 1: a cell failed.
    """
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.sweeps import sweeping
    from sociolect.harness.sweeps.cells import cells_of
    from sociolect.harness.sweeps.sweep_file import read_sweep

    wanted = read_sweep(file, out)
    chosen = cells_of(wanted, only)
    if not chosen:
        raise InvalidInputError(f"--only {only}: is no cell of {file}; --cells lists them")
    if measure and not dry_run:
        raise InvalidInputError("--measure is for --dry-run")
    if cells:
        _list(wanted.out, chosen)
        return
    if dry_run:
        with _interruptible(wanted.out):
            _plan(wanted.out, chosen, measure)
        return
    with _interruptible(wanted.out):
        every = cells_of(wanted)
        ended = sweeping.sweep(wanted.out, chosen, retries=retries, ray=ray, every=every)
    _say(ended, wanted.out)
    if ended.failed:
        raise typer.Exit(1)


@contextmanager
def _interruptible(out: Path) -> Iterator[None]:
    """Say how a sweep goes on that ends early, and end as a shell expects it."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as error:
        typer.echo(
            f"sociolect: stopped; what is finished is kept in {out}. The same command goes on from "
            "there",
            err=True,
        )
        if isinstance(error, SystemExit):
            raise
        raise typer.Exit(INTERRUPTED) from None


def _list(out: Path, cells: "list[Cell]") -> None:
    from sociolect.harness.sheets import printable
    from sociolect.harness.sweeps.sweeping import earlier_failures, finished_cells

    done, failed = finished_cells(out, cells), earlier_failures(out, cells)
    for cell in cells:
        state = "finished" if cell.id in done else "waiting"
        if cell.id in failed and cell.id not in done:
            state = f"failed: {failed[cell.id]}"
        typer.echo(printable(f"{cell.id}  {state}"))


def _plan(out: Path, cells: "list[Cell]", count: int | None) -> None:
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.sweeps.estimate import learnt
    from sociolect.harness.sweeps.measuring import measure
    from sociolect.harness.sweeps.plan_text import printable_lines, text_of
    from sociolect.harness.sweeps.planning import plan
    from sociolect.harness.sweeps.sweeping import finished_cells

    done = finished_cells(out, cells)
    estimate = learnt(done.values())
    if count:
        for said in measure(out, cells, done, count, estimate):
            typer.echo(printable_lines([f"sociolect: {said}"]), err=True)
    planned = plan(out, cells, done, estimate)
    typer.echo(text_of(planned, count))
    if planned.problems:
        raise InvalidInputError("cells would fail:\n  " + printable_lines(planned.problems))


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

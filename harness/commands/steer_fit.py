"""`sociolect steer fit`: a steering vector from pairs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sociolect.harness.commands._options import ModelArgs


def fit_command(
    model_args: ModelArgs,
    out: Annotated[Path, typer.Option(help="Gets the vector, its controls and a report.")],
    pairs: Annotated[
        Path | None,
        typer.Option(help="Folder made by `sociolect dialect build`, with splits."),
    ] = None,
    condition: Annotated[
        str, typer.Option(help="In place of --pairs: learner errors or noise, such as l2-30.")
    ] = "",
    benchmark: Annotated[
        str, typer.Option(help="Whose prompts have the errors; with --condition.")
    ] = "winogrande",
    limit: Annotated[
        int | None, typer.Option(help="Most pairs for the directions. Default: all.")
    ] = None,
    trace_limit: Annotated[
        int | None, typer.Option(help="Most items for the tracing. Default: all.")
    ] = None,
    layers: Annotated[int, typer.Option(help="Most blocks that are steered.")] = 4,
    draws: Annotated[int, typer.Option(help="Draws of noise an item.")] = 1,
    alpha: Annotated[float, typer.Option(help="Size of the noise.")] = 3.0,
    sites: Annotated[
        str, typer.Option(help="Positions restored: single (one by one) or joint (all at once).")
    ] = "single",
    method: Annotated[
        str, typer.Option(help="staircase, or reference: slower, and the same numbers.")
    ] = "staircase",
    max_rows: Annotated[int, typer.Option(help="Runs of an item computed at once.")] = 64,
    batch_size: Annotated[
        int, typer.Option("--batch-size", "--batch_size", help="Contexts read at once.")
    ] = 16,
    device: Annotated[str, typer.Option(help="As torch names it. Default: a GPU, else cpu.")] = "",
    resamples: Annotated[
        int, typer.Option(help="Draws of the items, for the intervals of R.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Of noise, controls and resamples.")] = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier fit in --out.")
    ] = False,
) -> None:
    """Find the direction of a variety in every block, and the blocks that matter.

    The defaults are those of the dialect paper (§4.3). A stopped run goes on when the command is
    given again. The model is that of `--model sociolect-hf`.
    """
    from sociolect.harness.commands._output import render_sheets
    from sociolect.harness.sheets import printable
    from sociolect.harness.steering.fit_model import model_to_fit
    from sociolect.harness.steering.fit_report import Report
    from sociolect.harness.steering.fit_run import FitJob, fit
    from sociolect.steering.fitting.fit_settings import FitSettings
    from sociolect.steering.tracing.items import TraceSettings

    def say(line: str) -> None:
        typer.echo(printable(f"sociolect: {line}"), err=True)

    def show(report: Report) -> None:
        notes = [*report.summary(), *(f"warning: {line}" for line in report.warnings)]
        typer.echo(render_sheets([report.sheet()], notes, "table", to_file=False), nl=False)

    named: Any = {"sites": sites, "method": method}  # other names are refused there
    settings = FitSettings(
        trace=TraceSettings(alpha=alpha, draws=draws, seed=seed, max_rows=max_rows, **named),
        layers=layers,
        resamples=resamples,
        seed=seed,
        batch=batch_size,
    )
    model = model_to_fit(model_args, batch=batch_size, device=device, seed=seed)
    job = FitJob(model, settings, pairs, condition, benchmark, limit, trace_limit)
    fit(job, out, overwrite=overwrite, progress=True, say=say, show=show)
    typer.echo(f"{out}: written")

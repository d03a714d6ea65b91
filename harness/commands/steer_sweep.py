"""`sociolect steer sweep`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.harness.commands._options import Allow, Alpha, ModelArgs, Permutations, Seed

if TYPE_CHECKING:
    from sociolect.harness.steering.sweep_settings import SweepSettings


def sweep_command(
    fit: Annotated[
        Path,
        typer.Argument(metavar="FITDIR", help="Folder that `sociolect steer fit` wrote."),
    ],
    model_args: ModelArgs,
    pairs: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="Folder that `sociolect dialect build` wrote, with splits."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of runs and report.")],
    beta: Annotated[
        str, typer.Option(help="Strengths, comma-separated; 0 is always run.")
    ] = "0,0.1,0.2,0.4,0.6,0.8,1.0",
    beta_scale: Annotated[
        str, typer.Option(help="unit: as in the paper. residual: β times the norm of the residual.")
    ] = "unit",
    tasks: Annotated[
        str, typer.Option(help="Tasks aae_…, comma-separated, without _prompted.")
    ] = "aae_continuation,aae_choice_best,aae_sentiment_ll",
    controls: Annotated[
        str, typer.Option(help="chosen: controls at the chosen strength. every: at all. none.")
    ] = "chosen",
    pairs_limit: Annotated[
        int | None, typer.Option(min=1, help="Ask so many pairs of each split only.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Share by which perplexities may rise at the chosen strength.")
    ] = 0.05,
    device: Annotated[str, typer.Option(help="As torch names it.")] = "",
    batch_size: Annotated[
        str, typer.Option("--batch-size", "--batch_size", help="Of lm-eval.")
    ] = "8",
    output_format: Annotated[
        str, typer.Option("--format", help="Of what is printed: table, md, csv, json or tex.")
    ] = "table",
    alpha: Alpha = 0.05,
    resamples: Annotated[int, typer.Option(help="Bootstrap samples of the pairs.")] = 10_000,
    permutations: Permutations = 10_000,
    seed: Seed = 0,
    allow: Allow = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the cells and end.")] = False,
) -> None:
    """Run a steering vector and its controls at every strength, choose one, and compare.

    The strength is chosen on the split `selection` by a fixed rule; everything else is told on the
    split `evaluation`. A sweep that was stopped goes on when the same command is given again.
    """
    from sociolect.harness.commands._arguments import names
    from sociolect.harness.commands._checks import check_format
    from sociolect.harness.commands._output import TABLE_FORMATS, emit, say, terminal
    from sociolect.harness.comparability import check_allowed
    from sociolect.harness.dialect.methods import Method
    from sociolect.harness.model_arguments import parsed_arguments
    from sociolect.harness.steering import sweep, sweep_report
    from sociolect.harness.steering.sweep_model import check_model
    from sociolect.harness.steering.sweep_settings import SweepSettings, parsed_strengths

    check_format(output_format, TABLE_FORMATS)
    settings = SweepSettings(
        fit=fit,
        pairs=pairs,
        out=out,
        model_args=parsed_arguments(model_args, "--model_args"),
        strengths=parsed_strengths(beta),
        scale=beta_scale,
        tasks=tuple(dict.fromkeys(names(tasks))),
        controls=controls,
        pairs_limit=pairs_limit,
        device=device,
        batch_size=batch_size,
        tolerance=tolerance,
        method=Method(seed, alpha, resamples, permutations),
        allow=tuple(sorted(check_allowed(allow or ()))),
    )
    check_model(settings)
    if dry_run:
        _show_cells(settings)
        return
    with _said_when_stopped(out):
        found = sweep.run(settings)
    width, colour = terminal(to_file=False)
    emit(sweep_report.render(found, output_format, width=width, colour=colour), None)
    say(f"wrote {path}" for path in sweep_report.write(found))


def _show_cells(settings: "SweepSettings") -> None:
    from sociolect.harness.steering.sweep_cells import listing
    from sociolect.harness.steering.sweep_fit import source
    from sociolect.harness.steering.sweep_vectors import CONTROLS, controls_in

    cells = listing(settings, controls_in(source(settings)) or CONTROLS)
    typer.echo("\n".join(f"{number:3d}  {cell}" for number, cell in enumerate(cells, start=1)))
    typer.echo(f"{len(cells)} runs of `sociolect eval` with {', '.join(settings.tasks)}", err=True)


@contextmanager
def _said_when_stopped(out: Path) -> Iterator[None]:
    """Say how a sweep goes on that ends early."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        typer.echo(
            f"sociolect: stopped; what is finished is kept in {out}. The same command goes on from "
            "there",
            err=True,
        )
        raise

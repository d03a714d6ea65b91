"""`sociolect flips`."""

from pathlib import Path
from typing import Annotated

import typer

from sociolect.harness.commands._options import Allow, Alpha


def flips(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="CLEAN [NOISY]...",
            help="Outputs of lm-eval, written with --log_samples: the run of fable_clean, then "
            "runs with noise. Each is a samples file, a results file, or a folder of them. One "
            "folder that holds all of them is enough, of several judges too.",
        ),
    ],
    output_format: Annotated[
        str, typer.Option("--format", help="table, md, csv (by condition) or json.")
    ] = "table",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write all tables and plots to this new folder."),
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option("--category", help="Only this category; repeatable.")
    ] = None,
    plots: Annotated[bool, typer.Option(help="Draw plots into --out.")] = True,
    alpha: Alpha = 0.05,
    resamples: Annotated[int, typer.Option(help="Bootstrap samples of the questions.")] = 2_000,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Read the answers again: a bare label only.")
    ] = False,
    allow: Allow = None,
) -> None:
    """Which verdicts of a judge change when the responses carry noise, and in which direction."""
    from sociolect.harness.commands._checks import check_format
    from sociolect.harness.commands._output import emit, say, terminal
    from sociolect.harness.judging import report
    from sociolect.harness.judging.analysis import FlipMethod, analyse
    from sociolect.harness.judging.plots import require_matplotlib
    from sociolect.harness.judging.reading import read_judges
    from sociolect.harness.judging.verdicts import only_categories

    check_format(output_format, report.FORMATS)
    method = FlipMethod(seed, alpha, resamples)
    if out is not None:
        report.check_folder(out)
        if plots:
            require_matplotlib()
    judges, notes = read_judges(paths, strict=strict, allow=allow or ())
    say(notes)
    found = [analyse(only_categories(judge, category or ()), method) for judge in judges]
    if output_format == "csv":
        say(report.remarks(found))
    width, colour = terminal(to_file=False)
    emit(report.render(found, output_format, width=width, colour=colour), None)
    if out is not None:
        report.write_folder(found, out, plots=plots)
        typer.echo(f"wrote {out}", err=True)

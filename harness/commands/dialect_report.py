"""`sociolect dialect report`."""

from pathlib import Path
from typing import Annotated

import typer

from sociolect.harness.commands._options import Allow, Alpha, Format, Out, Permutations, Seed


def report(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Outputs of lm-eval with tasks aae_…, written with --log_samples: folders, "
            "results or samples files, of one or several models, prompted, adapted or steered.",
        ),
    ],
    output_format: Format = "",
    out: Out = None,
    plots: Annotated[
        Path | None, typer.Option("--plots", metavar="DIR", help="Draw into this new folder.")
    ] = None,
    tokenizer: Annotated[
        str,
        typer.Option(
            help="Tokenizer of the models, a name or a folder, to count the tokens of runs that "
            "did not: for perplexity and the forms per token."
        ),
    ] = "",
    alpha: Alpha = 0.05,
    resamples: Annotated[int, typer.Option(help="Bootstrap samples of the pairs.")] = 10_000,
    permutations: Permutations = 10_000,
    seed: Seed = 0,
    allow: Allow = None,
) -> None:
    """Do models treat AAE and SAE alike? Consistency, preference, choice, each with intervals."""
    from sociolect.harness.commands._output import check_outputs, chosen_format, emit, say, terminal
    from sociolect.harness.comparability import check_allowed
    from sociolect.harness.dialect import report as reporting
    from sociolect.harness.dialect import report_plots
    from sociolect.harness.dialect.findings import audit
    from sociolect.harness.dialect.methods import Method
    from sociolect.harness.dialect.report_tokens import tokens_of
    from sociolect.harness.dialect.runs import read_runs
    from sociolect.harness.dialect.system_names import datasets

    chosen = chosen_format(output_format, out, reporting.FORMATS)
    check_outputs(paths, {"--out": out})
    method = Method(seed, alpha, resamples, permutations)
    accepted = check_allowed(allow or ())
    if plots is not None:
        report_plots.check_folder(plots)
    runs, notes = read_runs(paths)
    say(notes)
    counted = tokens_of(tokenizer)
    found = [audit(dataset, method, counted) for dataset in datasets(runs, accepted)]
    if chosen == "csv":
        say(reporting.remarks(found))
    width, colour = terminal(to_file=out is not None)
    emit(reporting.render(found, chosen, width=width, colour=colour), out)
    if plots is not None:
        say(report_plots.write_plots(found, plots))
        typer.echo(f"wrote {plots}", err=True)

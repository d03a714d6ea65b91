"""`sociolect finetune report`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.harness.commands._options import (
    Allow,
    AllPairs,
    Alpha,
    Format,
    Out,
    Permutations,
    Seed,
    Strict,
)

if TYPE_CHECKING:
    from sociolect.harness.finetune_report import Report

_NAMED = "paths of its runs, or its name among the runs in RUNS; repeatable."
Model = list[str] | None


def report_command(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUNS]",
            help="Outputs of lm-eval that hold the runs of all three models, written with "
            "--log_samples. The options then name the models. Not needed where the options name "
            "paths.",
        ),
    ] = None,
    base: Annotated[
        Model, typer.Option("--base", metavar="RUNS", help=f"The model without adapter: {_NAMED}")
    ] = None,
    ft_clean: Annotated[
        Model,
        typer.Option("--ft-clean", metavar="RUNS", help=f"Trained on clean prompts: {_NAMED}"),
    ] = None,
    ft_errors: Annotated[
        Model,
        typer.Option("--ft-errors", metavar="RUNS", help=f"Trained on errored prompts: {_NAMED}"),
    ] = None,
    steered: Annotated[
        Model,
        typer.Option(
            "--steered",
            metavar="RUNS",
            help=f"Base, steered (steering=, beta=): {_NAMED}",
        ),
    ] = None,
    control: Annotated[
        Model,
        typer.Option("--control", metavar="RUNS", help=f"Steered by a control direction: {_NAMED}"),
    ] = None,
    level: Annotated[int, typer.Option(help="Error level of the errored prompts, per cent.")] = 30,
    transform: Annotated[str, typer.Option(help="Errors in the errored prompts.")] = "l2",
    form: Annotated[
        str, typer.Option(help="reason, direct or ll: only this form of the prompts.")
    ] = "",
    error_seed: Annotated[
        int | None, typer.Option("--error-seed", help="Only runs with errors of this seed.")
    ] = None,
    output_format: Format = "",
    out: Out = None,
    alpha: Alpha = 0.05,
    permutations: Permutations = 10_000,
    seed: Seed = 0,
    strict: Strict = False,
    all_pairs: AllPairs = False,
    allow: Allow = None,
) -> None:
    """Compare Base, FT clean and FT errors, clean and errored (Table C.3 of the paper).

    A steered model may stand beside the two adapters or in their place.
    """
    from sociolect.generators.errors import ResultsError
    from sociolect.harness.commands._output import check_outputs, chosen_format, emit
    from sociolect.harness.finetune_report import report, wanted_runs
    from sociolect.harness.finetune_report_models import Role, assign
    from sociolect.harness.paired import Method

    method = Method(
        alpha=alpha,
        permutations=permutations,
        seed=seed,
        include_invalid=all_pairs,
        allow=frozenset(allow or ()),
    )
    chosen = chosen_format(output_format, out)
    wanted = wanted_runs(level, transform, form, error_seed)
    given: dict[Role, list[str]] = {
        "base": base or [],
        "ft_clean": ft_clean or [],
        "ft_errors": ft_errors or [],
        "steered": steered or [],
        "control": control or [],
    }
    named = [path for paths in given.values() for path in paths]
    check_outputs([*(runs or ()), *map(Path, named)], {"--out": out})
    models = assign(runs or [], given)
    found = report(models, wanted, method, strict=strict)
    emit(_rendered(found, chosen, to_file=out is not None), out)
    if found.unusable:
        raise ResultsError(
            f"some comparison has no usable {found.unusable[0].unit}; see the remarks on it"
        )


def _rendered(report: "Report", output_format: str, *, to_file: bool) -> str:
    """The text to show; what CSV has no room for goes to the standard error stream."""
    from sociolect.harness import finetune_report_exports as exports
    from sociolect.harness import finetune_report_text as text
    from sociolect.harness.commands._output import say, terminal

    if output_format == "json":
        return exports.render_json(report)
    if output_format == "csv":
        say(text.report_remarks(report))
        return exports.render_csv(report)
    if output_format == "md":
        return text.render_markdown(report)
    if output_format == "tex":
        return text.render_tex(report)
    width, colour = terminal(to_file=to_file)
    return text.render_text(report, width=width, colour=colour)

"""`sociolect analyse`: tables and examples of the learner-error paper from finished runs."""

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
    from collections.abc import Sequence

    from sociolect.harness.compare import Comparison
    from sociolect.harness.sections import Section

analyse = typer.Typer(
    help="Tables and examples of the learner-error paper, from finished runs of several models.",
    no_args_is_help=True,
)

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUNS",
        help="Outputs of lm-eval, written with --log_samples: folders, results or samples files. "
        "Models are told apart, also in one folder.",
    ),
]
Conditions = Annotated[
    str, typer.Option("--conditions", help="Only these, comma-separated: l2-5,l2-30.")
]


@analyse.command("accuracy")
def accuracy_command(
    paths: Paths,
    conditions: Conditions = "",
    output_format: Format = "",
    out: Out = None,
    alpha: Alpha = 0.05,
    permutations: Permutations = 10_000,
    seed: Seed = 0,
    strict: Strict = False,
    all_pairs: AllPairs = False,
    allow: Allow = None,
) -> None:
    """Accuracy by condition, pro and anti apart (Tables 2 and C.2 of the paper)."""
    from sociolect.harness.analyses.accuracy import accuracy
    from sociolect.harness.commands._output import check_outputs, chosen_format, emit, say
    from sociolect.harness.paired import Method

    chosen = chosen_format(output_format, out)
    check_outputs(paths, {"--out": out})
    method = Method(
        alpha=alpha,
        permutations=permutations,
        seed=seed,
        include_invalid=all_pairs,
        allow=frozenset(allow or ()),
    )
    found, notes = accuracy(_sections(paths, strict), method, _names(conditions))
    say(notes)
    emit(_accuracy(found, chosen, to_file=out is not None), out)


def _accuracy(comparisons: "Sequence[Comparison]", output_format: str, *, to_file: bool) -> str:
    from sociolect.harness.analyses import accuracy
    from sociolect.harness.commands._output import render_sheets, say
    from sociolect.harness.exports import csv_text

    if output_format == "json":
        return accuracy.accuracy_json(comparisons)
    if output_format == "csv":
        say(accuracy.accuracy_remarks(comparisons))
        return csv_text(accuracy.accuracy_rows(comparisons))
    sheets, notes = accuracy.accuracy_sheets(comparisons), accuracy.accuracy_notes(comparisons)
    return render_sheets(sheets, notes, output_format, to_file=to_file)


@analyse.command("comprehension")
def comprehension_command(
    paths: Paths,
    level: Annotated[int, typer.Option(help="Error rate of the table, per cent.")] = 30,
    output_format: Format = "",
    out: Out = None,
    strict: Strict = False,
    allow: Allow = None,
) -> None:
    """Loss of comprehension against increase of bias, by error type (App. C.1 of the paper)."""
    from sociolect.harness.analyses import comprehension as analysis
    from sociolect.harness.commands._output import (
        check_outputs,
        chosen_format,
        emit,
        render_sheets,
        say,
    )
    from sociolect.harness.exports import csv_text
    from sociolect.harness.paired import Method

    chosen = chosen_format(output_format, out)
    check_outputs(paths, {"--out": out})
    method = Method(allow=frozenset(allow or ()))
    found, notes = analysis.comprehension(_sections(paths, strict), level, method)
    say(notes)
    if chosen == "json":
        text = analysis.comprehension_json(found)
    elif chosen == "csv":
        say(analysis.correlation_line(one.correlation) for one in found)
        text = csv_text(analysis.comprehension_rows(found), analysis.POINT_COLUMNS)
    else:
        sheets = analysis.comprehension_sheets(found)
        text = render_sheets(sheets, analysis.COMPREHENSION_NOTES, chosen, to_file=out is not None)
    emit(text, out)


@analyse.command("examples")
def examples_command(
    paths: Paths,
    model: Annotated[str, typer.Option("--model", help="Only this model, as it is shown.")] = "",
    conditions: Conditions = "",
    min_margin: Annotated[
        int, typer.Option(help="Least lead of each majority over the other option, in answers.")
    ] = 1,
    limit: Annotated[int, typer.Option(min=1, help="Examples of each model.")] = 5,
    length: Annotated[int, typer.Option(min=1, help="Characters of a generation to show.")] = 300,
    output_format: Annotated[
        str, typer.Option("--format", help="text or json. Default: by --out, else text.")
    ] = "",
    out: Out = None,
    strict: Strict = False,
    all_pairs: AllPairs = False,
    allow: Allow = None,
) -> None:
    """Pairs on which a model falls back on the stereotype (Table 3 of the paper)."""
    from sociolect.harness.analyses import example_report
    from sociolect.harness.analyses import examples as analysis
    from sociolect.harness.commands._output import check_outputs, chosen_format, emit, say, terminal
    from sociolect.harness.paired import Method

    chosen = chosen_format(output_format, out, ("text", "json"))
    check_outputs(paths, {"--out": out})
    method = Method(include_invalid=all_pairs, allow=frozenset(allow or ()))
    wanted = analysis.Wanted(model, _names(conditions), min_margin, limit)
    found, notes = analysis.find_examples(_sections(paths, strict), wanted, method)
    say(notes)
    if chosen == "json":
        emit(example_report.examples_json(found, notes), out)
    else:
        colour = terminal(to_file=out is not None).colour
        emit(example_report.render_examples(found, length=length, colour=colour), out)


def _sections(paths: "Sequence[Path]", strict: bool) -> "list[Section]":
    from sociolect.harness.commands._output import say
    from sociolect.harness.sections import read_section
    from sociolect.harness.selection import select_models

    selections = select_models(paths)
    say(note for selection in selections for note in selection.notes)
    return [read_section(selection, strict=strict) for selection in selections]


def _names(text: str) -> tuple[str, ...]:
    """Names of conditions, checked."""
    from sociolect.generators.conditions import Condition
    from sociolect.harness.commands._arguments import names

    return tuple(Condition.parse(name).config_name for name in names(text)) if text else ()

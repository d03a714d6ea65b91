"""`sociolect compare`."""

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

    from sociolect.harness.compare import Comparison, Method


def compare(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="Outputs of lm-eval, written with --log_samples: the clean run, then runs with "
            "errors. Each is a samples file, a results file, or a folder of them. One folder that "
            "holds all of them is enough.",
        ),
    ],
    output_format: Format = "",
    out: Out = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="bias, acc, acc_pro, … Default: the first of the benchmark."),
    ] = None,
    alpha: Alpha = 0.05,
    permutations: Permutations = 10_000,
    seed: Seed = 0,
    strict: Strict = False,
    all_pairs: AllPairs = False,
    allow: Allow = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against",
            metavar="RUN",
            help="Runs of a second model: test by how much more it changes under errors.",
        ),
    ] = None,
    flips: Annotated[
        Path | None,
        typer.Option("--flips", help="Write the units that changed to this file, as JSON lines."),
    ] = None,
) -> None:
    """Compare one model on clean prompts and on prompts with errors."""
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.commands._output import check_outputs, chosen_format
    from sociolect.harness.paired import Method

    method = Method(
        metrics=tuple(dict.fromkeys(metric or ())),
        alpha=alpha,
        permutations=permutations,
        seed=seed,
        include_invalid=all_pairs,
        allow=frozenset(allow or ()),
    )
    chosen = chosen_format(output_format, out)
    if flips is not None and against:
        raise InvalidInputError("--flips lists the units of one model; leave out --against")
    check_outputs([*paths, *(against or [])], {"--out": out, "--flips": flips})
    _show(_compared(paths, against or [], method, strict), chosen, out, flips)


def _compared(
    paths: list[Path], against: list[Path], method: "Method", strict: bool
) -> "list[Comparison]":
    from sociolect.harness.commands._output import say
    from sociolect.harness.sections import compare_sections, compare_with_model, read_section
    from sociolect.harness.selection import select_sections

    selections = select_sections(paths)
    say(note for selection in selections for note in selection.notes)
    sections = [read_section(selection, strict=strict) for selection in selections]
    if not against:
        return compare_sections(sections, method)
    comparisons, notes = compare_with_model(sections, against, method, strict=strict)
    say(notes)
    return comparisons


def _show(
    comparisons: "Sequence[Comparison]", output_format: str, out: Path | None, flips: Path | None
) -> None:
    from sociolect.generators.errors import ResultsError
    from sociolect.harness.commands._output import emit
    from sociolect.harness.exports import write_text
    from sociolect.harness.flips import render_flips

    if flips is not None:
        write_text(render_flips(comparisons), flips)
        typer.echo(f"wrote {flips}", err=True)
    emit(_render(comparisons, output_format, to_file=out is not None), out)
    unusable = [one for one in comparisons if one.unusable]
    if unusable:
        raise ResultsError(
            f"some comparison has no usable {unusable[0].unit}; see the remarks on it"
        )


def _render(comparisons: "Sequence[Comparison]", output_format: str, *, to_file: bool) -> str:
    """The text to show; what CSV has no room for goes to the standard error stream."""
    from sociolect.harness import exports, remarks, tables
    from sociolect.harness.commands._output import say, terminal

    if output_format == "json":
        return exports.render_json(*comparisons)
    if output_format == "csv":
        say(remarks.all_remarks(comparisons))
        return exports.render_csv(*comparisons)
    if output_format == "md":
        return tables.render_markdown(*comparisons)
    if output_format == "tex":
        return tables.render_tex(*comparisons)
    width, colour = terminal(to_file=to_file)
    return tables.render_table(*comparisons, width=width, colour=colour)

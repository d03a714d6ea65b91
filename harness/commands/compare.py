"""`sociolect compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sociolect.harness.compare import Comparison, Method

_FORMATS = ("table", "md", "csv", "json")


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
    output_format: Annotated[
        str,
        typer.Option("--format", help="table, md, csv or json. Default: by --out, else table."),
    ] = "",
    out: Annotated[Path | None, typer.Option("--out", help="Write to this file.")] = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="bias (default), acc_pro or acc_anti.")
    ] = None,
    alpha: Annotated[
        float, typer.Option(help="Level of the tests, 1e-6 or more; the interval covers 1 - alpha.")
    ] = 0.05,
    permutations: Annotated[
        int, typer.Option(help="Sign flips of the randomisation test, at most 10 million.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Of the sign flips and of the bootstrap.")] = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Read the answers again: bare boxed letters only.")
    ] = False,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Keep pairs that are not valid counterfactuals.")
    ] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", help="Accept a difference between runs, by its name in the error."),
    ] = None,
) -> None:
    """Compare the bias of one model on clean prompts and on prompts with errors."""
    from sociolect.harness.compare import Method

    method = Method(
        metrics=tuple(dict.fromkeys(metric or ["bias"])),
        alpha=alpha,
        permutations=permutations,
        seed=seed,
        include_invalid=all_pairs,
        allow=frozenset(allow or ()),
    )
    _compare(paths, method, strict, out, _format(output_format, out))


def _format(asked: str, out: Path | None) -> str:
    from sociolect.generators.errors import UnknownNameError

    by_name = out.suffix.removeprefix(".") if out else ""
    chosen = asked or (by_name if by_name in _FORMATS else "table")
    if chosen not in _FORMATS:
        raise UnknownNameError("format", chosen, _FORMATS)
    return chosen


def _compare(
    paths: list[Path], method: Method, strict: bool, out: Path | None, output_format: str
) -> None:
    from sociolect.generators.errors import ResultsError
    from sociolect.harness.compare import compare
    from sociolect.harness.exports import write_text
    from sociolect.harness.results import read_run
    from sociolect.harness.selection import select_runs
    from sociolect.harness.tables import printable

    selection = select_runs(paths)
    for note in selection.notes:
        typer.echo(printable(note), err=True)
    clean = read_run(selection.clean, strict=strict)
    others = [read_run(files, strict=strict) for files in selection.others]
    comparison = compare(clean, others, method)
    text = _render(comparison, output_format, to_file=out is not None)
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(text, out)
        typer.echo(f"wrote {out}", err=True)
    if comparison.unusable:
        raise ResultsError("some comparison has no usable pair; see the remarks on it")


def _render(comparison: Comparison, output_format: str, *, to_file: bool) -> str:
    """The text to show; what CSV has no room for goes to the standard error stream."""
    import os
    import shutil
    import sys

    from sociolect.harness import exports, remarks, tables

    if output_format == "json":
        return exports.render_json(comparison)
    if output_format == "csv":
        for remark in remarks.remarks(comparison):
            typer.echo(tables.printable(remark), err=True)
        return exports.render_csv(comparison)
    if output_format == "md":
        return tables.render_markdown(comparison)
    terminal = sys.stdout.isatty() and not to_file
    return tables.render_table(
        comparison,
        width=shutil.get_terminal_size().columns if terminal else None,
        colour=terminal and "NO_COLOR" not in os.environ,
    )

"""`sociolect gate`: did a model get worse than the one before?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.harness.commands._options import Allow, AllPairs, Out, Permutations

if TYPE_CHECKING:
    from sociolect.harness.gate_rows import Gate, GateOptions

_FORMATS = ("table", "json")


def gate(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="Outputs of lm-eval of the candidate, written with --log_samples: samples files, "
            "a results file, or a folder of them.",
        ),
    ],
    baseline: Annotated[
        list[Path],
        typer.Option("--baseline", metavar="RUN", help="The same of the model before; repeatable."),
    ],
    max_increase: Annotated[
        float,
        typer.Option(help="Points by which |bias| may grow, or an accuracy fall."),
    ] = 2.0,
    alpha: Annotated[
        float, typer.Option(help="Level of the one-sided tests; the interval covers 1 - alpha.")
    ] = 0.05,
    holm: Annotated[
        bool, typer.Option("--holm", help="Adjust the p-values over the conditions of a benchmark.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Red also where the interval reaches above --max-increase."),
    ] = False,
    metric: Annotated[
        str, typer.Option(help="bias, acc, acc_pro, … Default: the first of each benchmark.")
    ] = "",
    output_format: Annotated[
        str, typer.Option("--format", help="table or json. Default: by --out, else table.")
    ] = "",
    permutations: Permutations = 10_000,
    seed: Annotated[int, typer.Option(help="Of the swaps and of the bootstrap.")] = 0,
    all_pairs: AllPairs = False,
    allow: Allow = None,
    out: Out = None,
) -> None:
    """Hold a model against the one before: exit code 0 if green, 1 if red, 2 on error."""
    from sociolect.harness.commands._checks import trouble
    from sociolect.harness.commands._output import check_outputs, chosen_format
    from sociolect.harness.gate_rows import GateOptions
    from sociolect.harness.paired import Method

    with trouble():
        method = Method(
            metrics=(metric,) if metric else (),
            alpha=alpha,
            permutations=permutations,
            seed=seed,
            include_invalid=all_pairs,
            allow=frozenset(allow or ()),
        )
        options = GateOptions(method, max_increase=max_increase, holm=holm, strict=strict)
        chosen = chosen_format(output_format, out, _FORMATS)
        check_outputs([*runs, *baseline], {"--out": out})
        found = _judged(runs, baseline, options)
        _show(found, chosen, out)
    if not found.is_green:
        raise typer.Exit(1)


def _judged(runs: list[Path], baseline: list[Path], options: "GateOptions") -> "Gate":
    from sociolect.harness.gate import judge
    from sociolect.harness.gate_pairs import pair_runs

    pairs, notes = pair_runs(runs, baseline)
    return judge(pairs, options, notes)


def _show(found: "Gate", output_format: str, out: Path | None) -> None:
    """The report, and the verdict as the last line; with JSON and files it goes to stderr."""
    from sociolect.harness.commands._output import emit, say, terminal
    from sociolect.harness.gate_sheet import render_gate, render_gate_json, verdict

    last = verdict(found)
    if output_format == "json":
        emit(render_gate_json(found), out)
        say([last])
        return
    width, colour = terminal(to_file=out is not None)
    text = render_gate(found, width=width, colour=colour)
    if out is not None:
        say([last])
    elif colour:
        sign = typer.colors.GREEN if found.is_green else typer.colors.RED
        last = typer.style(last, fg=sign, bold=True)
    emit(f"{text}\n{last}\n", out)

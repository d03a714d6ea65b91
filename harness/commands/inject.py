"""`sociolect inject`: learner errors in one text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.harness.commands._arguments import given_text, names, protected_spans

if TYPE_CHECKING:
    from sociolect.generators.inject import Perturbed


def inject(
    text: Annotated[
        str,
        typer.Argument(
            help="English text, or - for standard input. Put -- before a text that begins with -."
        ),
    ],
    level: Annotated[float, typer.Option(help="Token error rate in per cent.")] = 20.0,
    types: Annotated[
        str, typer.Option(help="Comma-separated: det, prep, verb, spell.")
    ] = "det,prep,verb,spell",
    protect: Annotated[
        list[str] | None,
        typer.Option(
            help="A word or phrase that stays as it is, wherever it occurs as a whole; may be "
            "repeated. A capital letter in it is significant."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Error seed.")] = 0,
    rules: Annotated[str, typer.Option(help="paper or careful.")] = "paper",
    json_output: Annotated[
        bool, typer.Option("--json", help="Print text and edits as JSON.")
    ] = False,
) -> None:
    """Put learner errors into one text and show them."""
    from sociolect.generators import inject as injector

    given = given_text(text)
    result = injector.inject(
        given,
        level=level,
        types=names(types),
        seed=seed,
        rules=rules,
        protected=protected_spans(given, protect or []),
    )
    if json_output:
        _print_json(result)
        return
    _print(result)


def _print_json(result: Perturbed) -> None:
    import json
    from dataclasses import asdict

    content = {**asdict(result), "error_rate": result.error_rate}
    typer.echo(json.dumps(content, ensure_ascii=False, indent=1))


def _print(result: Perturbed) -> None:
    from rich.console import Console

    from sociolect.harness.diff import highlighted

    # Not through rich, which would turn :dog: into a picture and expand tabs.
    typer.echo(result.text + "\n")
    console = Console(soft_wrap=True, emoji=False)
    console.print(highlighted(result.clean, result.edits), highlight=False)
    console.print(
        f"\n{result.n_edits} errors, {result.distance} of {result.n_tokens} tokens "
        f"({result.error_rate:.1%})",
        markup=False,
        highlight=False,
    )
    if not result.n_edits:
        console.print(
            "No error: in a text this short a single one is further from the level than none.",
            markup=False,
        )

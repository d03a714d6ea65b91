"""`sociolect inject`: learner errors in one text."""

from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.harness.commands._arguments import (
    ProtectOption,
    TextArgument,
    given_text,
    names,
    protected_spans,
)

if TYPE_CHECKING:
    from sociolect.generators.inject import Perturbed


def inject(
    text: TextArgument,
    level: Annotated[float, typer.Option(help="Token error rate in per cent.")] = 20.0,
    types: Annotated[
        str, typer.Option(help="Comma-separated: det, prep, verb, spell.")
    ] = "det,prep,verb,spell",
    protect: ProtectOption = None,
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


def _print_json(result: "Perturbed") -> None:
    import json
    from dataclasses import asdict

    content = {**asdict(result), "error_rate": result.error_rate}
    typer.echo(json.dumps(content, ensure_ascii=False, indent=1))


def _print(result: "Perturbed") -> None:
    from sociolect.harness.diff import print_changed

    print_changed(
        result.text,
        result.clean,
        result.edits,
        f"{result.n_edits} errors, {result.distance} of {result.n_tokens} tokens "
        f"({result.error_rate:.1%})",
    )
    if not result.n_edits:
        typer.echo(
            "No error: in a text this short a single one is further from the level than none."
        )

"""`sociolect noise`: surface noise in one text."""

from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.harness.commands._arguments import (
    ProtectOption,
    TextArgument,
    given_text,
    protected_spans,
)

if TYPE_CHECKING:
    from sociolect.generators.noise.inject import Noised


def noise(
    text: TextArgument,
    transform: Annotated[
        str, typer.Option(help="typo, informal, punct, colloquial or combined.")
    ] = "combined",
    level: Annotated[
        float, typer.Option(help="Probability of an edit attempt, per cent: above 0, at most 100.")
    ] = 30.0,
    protect: ProtectOption = None,
    seed: Annotated[int, typer.Option(help="Error seed.")] = 0,
    draws: Annotated[
        str,
        typer.Option(help="independent, or shared: the parts of combined fall on the same tokens."),
    ] = "independent",
    json_output: Annotated[
        bool, typer.Option("--json", help="Print text, edits and realised change as JSON.")
    ] = False,
) -> None:
    """Put surface noise into one text and show it."""
    from sociolect.generators.errors import InvalidInputError
    from sociolect.generators.noise import inject as injector

    given = given_text(text)
    if not given.strip():
        raise InvalidInputError("the text is empty")
    result = injector.noise(
        given,
        transform=transform,
        p=level / 100,
        seed=seed,
        draws=draws,
        protected=protected_spans(given, protect or []),
    )
    if json_output:
        _print_json(result)
        return
    _print(result)


def _print_json(result: "Noised") -> None:
    import json
    from dataclasses import asdict

    from sociolect.generators.noise.realised import CHANGES

    content = asdict(result)
    content["change"] |= {name: getattr(result.change, name) for name in CHANGES}
    typer.echo(json.dumps(content, ensure_ascii=False, indent=1))


def _print(result: "Noised") -> None:
    from sociolect.harness.diff import print_changed

    change = result.change
    print_changed(
        result.text,
        result.clean,
        result.edits,
        f"{len(result.edits)} edits, {change.changed} of {change.n_tokens} tokens changed "
        f"({change.token_change:.1%}), character distance {change.char_distance:.1%}, length "
        f"ratio {change.length_ratio:.3f}",
    )

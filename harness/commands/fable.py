"""`sociolect fable`: responses for the benchmark `fable`, written by a model or checked."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sociolect.harness.commands._options import ModelArgs
from sociolect.harness.commands._stopped import said_when_stopped

if TYPE_CHECKING:
    from rich.table import Table

    from sociolect.generators.benchmarks.fable_plan import PlannedItem
    from sociolect.harness.fable.generate import Models
    from sociolect.harness.fable.inspection import Inspection
    from sociolect.harness.fable.models import ModelChoice

fable = typer.Typer(
    help="Responses of the judge benchmark: written by a model, checked, inspected.",
    no_args_is_help=True,
)


@fable.command("generate")
def generate_command(
    model: Annotated[
        str,
        typer.Option(
            help="Model backend: sociolect-vllm, sociolect-hf, local-chat-completions, "
            "local-completions, or another one of lm_eval's."
        ),
    ],
    model_args: ModelArgs,
    out: Annotated[Path, typer.Option(help="File to make, ….jsonl; a manifest goes beside it.")],
    checker_model: Annotated[
        str, typer.Option(help="Backend of the model that checks stances. Default: the writer.")
    ] = "",
    checker_model_args: Annotated[
        str,
        typer.Option("--checker-model-args", "--checker-model_args", help="Its arguments."),
    ] = "",
    checker_form: Annotated[
        str,
        typer.Option(
            help="How it is asked: ll (log-likelihood of the labels), reason (it writes one), or "
            "auto (ll where the model can)."
        ),
    ] = "auto",
    limit: Annotated[
        int | None, typer.Option(help="Only so many items, spread over the plan.")
    ] = None,
    categories: Annotated[str, typer.Option(help="Only these categories, comma-separated.")] = "",
    attempts: Annotated[int, typer.Option(help="Responses written for an item at most.")] = 5,
    seed: Annotated[int, typer.Option(help="Of the sampling and of the manners asked for.")] = 0,
    temperature: Annotated[float, typer.Option(help="Of the sampling; 0 is greedy.")] = 0.9,
    top_p: Annotated[float, typer.Option(help="Of the sampling.")] = 0.95,
    max_new_tokens: Annotated[
        int,
        typer.Option("--max-new-tokens", "--max-tokens", help="Longest response in tokens."),
    ] = 200,
    min_words: Annotated[int, typer.Option(help="Shortest response that is kept.")] = 15,
    max_words: Annotated[int, typer.Option(help="Longest response that is kept.")] = 90,
    balanced: Annotated[
        bool,
        typer.Option("--balanced", help="Keep as many items of every stance for every question."),
    ] = False,
    licence: Annotated[
        str,
        typer.Option(
            help="SPDX identifier under which you publish the responses; kept with every item."
        ),
    ] = "",
    apply_chat_template: Annotated[
        bool,
        typer.Option(
            "--apply-chat-template",
            "--apply_chat_template",
            help="Ask the writer with its chat template. Chat servers always are.",
        ),
    ] = False,
    checker_apply_chat_template: Annotated[
        bool,
        typer.Option("--checker-apply-chat-template", help="The same for --checker-model."),
    ] = False,
    concurrency: Annotated[
        int, typer.Option(help="Requests to a server at a time (num_concurrent).")
    ] = 8,
    sources: Annotated[
        Path | None,
        typer.Option(
            help="Local folder of the source files (else SOCIOLECT_SOURCES, else download)."
        ),
    ] = None,
) -> None:
    """Write a response for each of the 3,822 items, and keep those that take the stance wanted.

    A run that was stopped goes on where it was when the same command is given again.
    """
    from sociolect.generators.benchmarks import fable_plan
    from sociolect.harness.fable.generate import Models
    from sociolect.harness.fable.models import choose
    from sociolect.harness.fable.settings import Settings, chosen
    from sociolect.harness.fable.text_checks import Limits

    settings = Settings(
        attempts=attempts,
        seed=seed,
        temperature=temperature,
        top_p=top_p,
        max_new_tokens=max_new_tokens,
        limits=Limits(min_words, max_words),
        balanced=balanced,
        licence=licence,
    )
    writer = choose(model, model_args, chat=apply_chat_template, seed=seed, concurrency=concurrency)
    reader = _checker(
        checker_model, checker_model_args, checker_apply_chat_template, seed, concurrency
    )
    for one in (writer, reader):
        _say_findings(one)
    planned = chosen(fable_plan.plan(sources), _listed(categories), limit)
    _generate(planned, Models(writer, reader, checker_form), settings, out)


def _checker(
    backend: str, text: str, chat: bool, seed: int, concurrency: int
) -> "ModelChoice | None":
    """The model that checks; None if the writer does.

    Raises:
        InvalidInputError: Something is said of it, but not which it is.
    """
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.fable.models import choose

    if not backend:
        if text or chat:
            raise InvalidInputError("name the backend of the checker: --checker-model")
        return None
    return choose(
        backend,
        text,
        chat=chat,
        seed=seed,
        concurrency=concurrency,
        option="--checker-model",
    )


def _say_findings(model: "ModelChoice | None") -> None:
    for one in model.findings() if model is not None else ():
        typer.echo(f"{one.severity}: {one.message}", err=True)


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _generate(planned: "list[PlannedItem]", models: "Models", settings: Any, out: Path) -> None:
    from lm_eval.utils import setup_logging

    from sociolect.harness.fable.generate import generate

    setup_logging()
    if models.checker is None:
        typer.echo(
            "note: the writer checks its own responses; another model is the better checker "
            "(--checker-model), and one of another family than the judges under test",
            err=True,
        )
    with said_when_stopped(out):
        manifest, fresh = generate(planned, models, settings, out, progress=True, report=_print)
    if not fresh:
        typer.echo(f"already there: {out} is this set", err=True)
        _print(manifest)
    elif manifest["dropped_for_balance"]:
        typer.echo(f"{manifest['dropped_for_balance']:,} items were left out for balance")
    typer.echo(f"{manifest['items']:,} items in {out}; look at them: sociolect fable check {out}")


def _print(manifest: Mapping[str, Any]) -> None:
    from rich.console import Console

    from sociolect.harness.fable.report import report

    Console(emoji=False).print(report(manifest))


@fable.command("check")
def check_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Judge items, one a line.")],
) -> None:
    """Validate judge items and say how balanced they are: exit code 0 if every line is valid."""
    from rich.console import Console

    from sociolect.generators.benchmarks.fable_items import read_items
    from sociolect.harness.fable.inspection import inspect

    found = inspect(read_items(file))
    console = Console(emoji=False, markup=False, highlight=False)
    console.print(cells_table(found))
    console.print(lengths_table(found))
    for line in _summary(found):
        console.print(line)
    for warning in found.warnings():
        typer.echo(f"warning: {warning}", err=True)


def cells_table(found: "Inspection") -> "Table":
    """Items by category and stance."""
    from rich.table import Table
    from rich.text import Text

    from sociolect.generators.benchmarks.fable_items import LABELS

    table = Table(title="Items")
    table.add_column("category")
    for label in (*LABELS, "all"):
        table.add_column(label, justify="right")
    for category in found.categories:
        own = [found.cells[category, label] for label in LABELS]
        table.add_row(Text(category), *(f"{n:,}" for n in (*own, sum(own))))
    return table


def lengths_table(found: "Inspection") -> "Table":
    """Words a response by stance."""
    from rich.table import Table

    table = Table(title="Words a response")
    table.add_column("stance")
    for name in ("items", "fewest", "median", "most"):
        table.add_column(name, justify="right")
    for label, own in found.lengths.items():
        table.add_row(
            label, f"{own.items:,}", f"{own.shortest:,}", f"{own.median:g}", f"{own.longest:,}"
        )
    return table


def _summary(found: "Inspection") -> Iterator[str]:
    yield (
        f"{found.items:,} items: {found.questions:,} questions, {found.pairs:,} pairs of options, "
        f"{len(found.names):,} names"
    )
    yield (
        f"{found.stereotyped:,} ({found.stereotyped / found.items:.1%}) say which option a "
        f"stereotype names, {found.grouped:,} to which groups the two belong"
    )
    often = ", ".join(f"{name} {a:,}/{b:,}" for name, (a, b) in list(found.names.items())[:30])
    yield f"names, as A/as B: {often}{' …' if len(found.names) > 30 else ''}"
    yield f"{found.duplicates:,} responses equal another one to the same question but for names"

"""`sociolect dialect translate`: texts in AAE into SAE, and back into AAE."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sociolect.harness.commands._options import ModelArgs
from sociolect.harness.commands._stopped import said_when_stopped

if TYPE_CHECKING:
    from sociolect.harness.dialect.translate_cost import Prices
    from sociolect.harness.dialect.translate_files import TextFile
    from sociolect.harness.dialect.translate_settings import Settings
    from sociolect.harness.fable.models import ModelChoice


def translate(
    texts: Annotated[
        Path,
        typer.Argument(
            metavar="TEXTS", help="JSON lines, CSV, TSV or parquet with columns id and aae."
        ),
    ],
    model: Annotated[
        str,
        typer.Option(
            help="Model backend: local-chat-completions, local-completions, sociolect-vllm, "
            "sociolect-hf, or another one of lm_eval's."
        ),
    ],
    model_args: ModelArgs,
    out: Annotated[
        Path, typer.Option(help="File of pairs to make, ….jsonl; a manifest goes beside it.")
    ],
    limit: Annotated[int | None, typer.Option(help="Only the first so many texts.")] = None,
    attempts: Annotated[
        int,
        typer.Option(
            help="Translations asked for a text and a direction at most; from the second on at a "
            "temperature of 0.7 or more."
        ),
    ] = 2,
    seed: Annotated[int, typer.Option(help="Of the sampling.")] = 0,
    temperature: Annotated[float, typer.Option(help="Of the first attempt; 0 is greedy.")] = 0.0,
    max_new_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-new-tokens",
            "--max-tokens",
            help="Longest translation in tokens. Default: twice those of its text, and 32.",
        ),
    ] = None,
    min_ratio: Annotated[
        float, typer.Option(help="Fewest words of a translation, by those of its text.")
    ] = 0.5,
    max_ratio: Annotated[float, typer.Option(help="Most words of a translation, likewise.")] = 2.0,
    apply_chat_template: Annotated[
        bool,
        typer.Option(
            "--apply-chat-template",
            "--apply_chat_template",
            help="Ask with the model's chat template. Chat servers always are.",
        ),
    ] = False,
    concurrency: Annotated[
        int, typer.Option(help="Requests to a server at a time (num_concurrent).")
    ] = 8,
    price_in: Annotated[
        float | None, typer.Option(help="Price of a million tokens of prompts.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(help="Price of a million tokens of answers.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it will cost, and stop.")
    ] = False,
) -> None:
    """Translate texts in AAE into SAE and back, and keep those whose translations pass the checks.

    The cost is estimated first. A run that was stopped goes on where it was when the same command
    is given again.
    """
    from sociolect.generators.dialect.rejection import Limits
    from sociolect.harness.dialect.translate_files import read_texts
    from sociolect.harness.dialect.translate_settings import Settings
    from sociolect.harness.fable.files import items_file
    from sociolect.harness.fable.models import choose

    limits = Limits(min_ratio, max_ratio)
    settings = Settings(attempts, seed, temperature, max_new_tokens, limits)
    prices = _prices(price_in, price_out)
    items_file(out)
    source = read_texts(texts, limit)
    chosen = choose(model, model_args, chat=apply_chat_template, seed=seed, concurrency=concurrency)
    for one in chosen.findings():
        typer.echo(f"{one.severity}: {one.message}", err=True)
    _say_cost(source, chosen, settings, prices, on_stdout=dry_run)
    if not dry_run:
        _translate(source, chosen, settings, out)


def _prices(price_in: float | None, price_out: float | None) -> "Prices | None":
    """Both prices, or none.

    Raises:
        InvalidInputError: Only one is given, or one cannot be.
    """
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.dialect.translate_cost import Prices

    if price_in is None and price_out is None:
        return None
    if price_in is None or price_out is None:
        raise InvalidInputError("give --price-in and --price-out, or neither")
    return Prices(price_in, price_out)


def _say_cost(
    source: "TextFile",
    model: "ModelChoice",
    settings: "Settings",
    prices: "Prices | None",
    *,
    on_stdout: bool,
) -> None:
    from sociolect.harness.dialect.translate_cost import estimate, tokenizer_of

    texts = [text.aae for text in source.texts]
    for line in estimate(texts, settings, tokenizer_of(model), prices).lines():
        typer.echo(line, err=not on_stdout)


def _translate(source: "TextFile", model: "ModelChoice", settings: "Settings", out: Path) -> None:
    from lm_eval.utils import setup_logging

    from sociolect.harness.dialect.translate import translate
    from sociolect.harness.fable.files import items_file, unfinished_folder

    setup_logging()
    with said_when_stopped(out):
        manifest, fresh = translate(source, model, settings, out, progress=True, report=_print)
    if not fresh:
        typer.echo(f"already there: {out} holds these pairs", err=True)
        _print(manifest)
    typer.echo(f"{manifest['pairs']:,} pairs in {out}")
    if (folder := unfinished_folder(items_file(out))).is_dir():
        typer.echo(
            f"answers are kept in {folder} for a run with more attempts; remove it when you need "
            "none",
            err=True,
        )


def _print(manifest: Mapping[str, Any]) -> None:
    from rich.console import Console

    from sociolect.harness.dialect.translate_report import report

    Console(emoji=False).print(report(manifest))

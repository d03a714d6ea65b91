"""`sociolect dialect validate`: are translations faithful, and what do people say of them?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.harness.commands.dialect_corpus import ColumnOption

if TYPE_CHECKING:
    from sociolect.generators.dialect.pair_files import PairFile
    from sociolect.generators.dialect.ratings import Rating
    from sociolect.harness.dialect.bert_score import BertScorer
    from sociolect.harness.dialect.sentiment_agreement import SentimentClassifier
    from sociolect.harness.dialect.validation import Validation


def validate(
    pairs: Annotated[
        Path, typer.Argument(metavar="PAIRS", help="JSON lines, CSV, TSV or parquet.")
    ],
    ratings: Annotated[
        Path | None,
        typer.Option(
            help="CSV with columns id, rater, sentiment_preserved, equivalent, aae_natural, "
            "back_natural (yes, no, or empty)."
        ),
    ] = None,
    bertscore: Annotated[
        bool,
        typer.Option("--bertscore", help="Compare AAE with its back-translation (BERTScore)."),
    ] = False,
    bertscore_model: Annotated[
        str, typer.Option(help="Encoder. Default: cardiffnlp/twitter-roberta-base-2022-154m.")
    ] = "",
    bertscore_layer: Annotated[
        int | None,
        typer.Option(help="Whose hidden states. Default: 10 of that encoder, else the last."),
    ] = None,
    sentiment: Annotated[
        bool, typer.Option("--sentiment", help="Compare sentiment labels of AAE and SAE.")
    ] = False,
    sentiment_model: Annotated[
        str,
        typer.Option(help="Classifier. Default: cardiffnlp/twitter-roberta-base-sentiment-latest."),
    ] = "",
    device: Annotated[
        str, typer.Option(help="Of both models: cpu, cuda. Default: a GPU if there is one.")
    ] = "",
    histogram: Annotated[
        Path | None, typer.Option(help="Draw the BERTScores: ….png, .svg or .pdf.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the pairs with the naturalness that raters found, ….jsonl."),
    ] = None,
    column: ColumnOption = None,
) -> None:
    """Validate triplets: contents, sentiment, human ratings. What is not asked for is left out."""
    from sociolect.generators.dialect.pair_files import read_pairs
    from sociolect.harness.commands._output import check_outputs
    from sociolect.harness.commands.dialect_corpus import parsed_columns
    from sociolect.harness.dialect.validation import validate

    wants_scores = bertscore or bool(bertscore_model) or bertscore_layer is not None
    wants_labels = sentiment or bool(sentiment_model)
    _check(ratings, out, histogram, scores=wants_scores, labels=wants_labels)
    read = [path for path in (pairs, ratings) if path is not None]
    check_outputs(read, {"--out": out, "--json": json_file, "--histogram": histogram})
    file = read_pairs(pairs, parsed_columns(column or []))
    rated = _ratings(file, ratings)
    found = validate(
        file,
        scorer=_scorer(bertscore_model, bertscore_layer, device) if wants_scores else None,
        classifier=_classifier(sentiment_model, device) if wants_labels else None,
        ratings=rated,
        progress=True,
    )
    _print(found)
    _write(found, file, rated, json_file, histogram, out)


def _check(
    ratings: Path | None, out: Path | None, histogram: Path | None, *, scores: bool, labels: bool
) -> None:
    """Refuse what cannot be before anything is computed.

    Raises:
        InvalidInputError: Options that do not fit each other, or nothing is asked.
    """
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.dialect.validation_report import check_figure

    if out is not None:
        if ratings is None:
            raise InvalidInputError("--out adds what raters found; give --ratings")
        if out.suffix.lower() != ".jsonl":
            raise InvalidInputError(f"--out {out}: name a file that ends in .jsonl")
    if histogram is not None:
        if not scores:
            raise InvalidInputError("--histogram draws BERTScores; give --bertscore")
        check_figure(histogram)
    if not (scores or labels or ratings):
        raise InvalidInputError(
            "nothing is asked: --bertscore compares AAE with its back-translation, --sentiment the "
            "labels of AAE and SAE, --ratings FILE is what people say"
        )


def _ratings(file: PairFile, path: Path | None) -> list[Rating] | None:
    from sociolect.generators.dialect.ratings import read_ratings

    return None if path is None else read_ratings(path, file.pairs)


def _scorer(model: str, layer: int | None, device: str) -> BertScorer:
    from sociolect.harness.dialect.bert_score import DEFAULT_MODEL, BertScorer

    scorer = BertScorer(model or DEFAULT_MODEL, layer, device)
    if scorer.note:
        typer.echo(f"BERTScore: {scorer.note}; --bertscore-layer chooses another", err=True)
    return scorer


def _classifier(model: str, device: str) -> SentimentClassifier:
    from sociolect.harness.dialect.sentiment_agreement import DEFAULT_MODEL, SentimentClassifier

    return SentimentClassifier(model or DEFAULT_MODEL, device)


def _print(found: Validation) -> None:
    from rich.console import Console

    from sociolect.harness.dialect.validation_report import report

    Console(emoji=False, markup=False, highlight=False).print(report(found))


def _write(
    found: Validation,
    file: PairFile,
    rated: list[Rating] | None,
    json_file: Path | None,
    histogram: Path | None,
    out: Path | None,
) -> None:
    import json

    from sociolect.generators.dialect.pair_files import write_pairs
    from sociolect.generators.dialect.ratings import naturalness, with_naturalness
    from sociolect.generators.dialect.whole_files import write_whole
    from sociolect.harness.dialect import validation_json, validation_report

    if json_file is not None:
        text = json.dumps(validation_json.as_json(found), indent=2, ensure_ascii=False)
        write_whole(f"{text}\n".encode(), json_file)
    if histogram is not None and found.content is not None:
        validation_report.histogram(found.content, histogram)
    if out is not None and rated is not None:
        write_pairs(with_naturalness(file.pairs, rated), out)
        typer.echo(f"{len(naturalness(rated)):,} pairs with naturalness from raters in {out}")

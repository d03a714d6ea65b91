"""`sociolect dialect validate`: are translations faithful, and what do people say of them?"""

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
    from sociolect.harness.dialect.validation_required import Required


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
    require: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIMENSION",
            help="Leave out of --out the pairs that no majority of their raters affirms in it: "
            "sentiment_preserved, equivalent, aae_natural or back_natural. May be given several "
            "times.",
        ),
    ] = None,
    column: ColumnOption = None,
) -> None:
    """Validate triplets: contents, sentiment, human ratings. What is not asked for is left out."""
    from sociolect.generators.dialect.pair_files import read_pairs
    from sociolect.harness.commands._output import check_outputs, say
    from sociolect.harness.commands.dialect_corpus import parsed_columns
    from sociolect.harness.dialect.validation import validate

    wants_scores = bertscore or bool(bertscore_model) or bertscore_layer is not None
    wants_labels = sentiment or bool(sentiment_model)
    _check_required(require or [], ratings, out)
    _check(ratings, out, histogram, scores=wants_scores, labels=wants_labels)
    read = [path for path in (pairs, ratings) if path is not None]
    check_outputs(read, {"--out": out, "--json": json_file, "--histogram": histogram})
    file = read_pairs(pairs, parsed_columns(column or []))
    say(file.notes)
    rated = _ratings(file, ratings)
    found = validate(
        file,
        scorer=_scorer(bertscore_model, bertscore_layer, device) if wants_scores else None,
        classifier=_classifier(sentiment_model, device) if wants_labels else None,
        ratings=rated,
        required=_required(file, rated, require or []),
        progress=True,
    )
    _print(found)
    _write(found, file, rated, json_file, histogram, out)


def _check_required(require: list[str], ratings: Path | None, out: Path | None) -> None:
    """Refuse dimensions that there are not, or that would decide nothing.

    Raises:
        UnknownNameError: There is no such dimension.
        InvalidInputError: Without ratings, or without a file that pairs are left out of.
    """
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.dialect.validation_required import check_dimensions

    check_dimensions(require)
    if require and (ratings is None or out is None):
        lacking = "--ratings FILE" if ratings is None else "--out FILE"
        raise InvalidInputError(
            f"--require leaves out of --out what raters do not affirm; give {lacking}"
        )


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


def _ratings(file: "PairFile", path: Path | None) -> "list[Rating] | None":
    from sociolect.generators.dialect.ratings import read_ratings

    return None if path is None else read_ratings(path, file.pairs)


def _required(
    file: "PairFile", rated: "list[Rating] | None", require: list[str]
) -> "Required | None":
    from sociolect.harness.dialect.validation_required import affirmed

    return affirmed(file.pairs, rated, require) if rated and require else None


def _scorer(model: str, layer: int | None, device: str) -> "BertScorer":
    from sociolect.harness.dialect.bert_score import DEFAULT_MODEL, BertScorer

    scorer = BertScorer(model or DEFAULT_MODEL, layer, device)
    if scorer.note:
        typer.echo(f"BERTScore: {scorer.note}; --bertscore-layer chooses another", err=True)
    return scorer


def _classifier(model: str, device: str) -> "SentimentClassifier":
    from sociolect.harness.dialect.sentiment_agreement import DEFAULT_MODEL, SentimentClassifier

    return SentimentClassifier(model or DEFAULT_MODEL, device)


def _print(found: "Validation") -> None:
    from rich.console import Console

    from sociolect.harness.dialect.validation_report import report

    console = Console(emoji=False, markup=False, highlight=False)
    console.print(report(found))
    if found.required is not None:
        console.print(*found.required.lines(), sep="\n")


def _write(
    found: "Validation",
    file: "PairFile",
    rated: "list[Rating] | None",
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
        pairs = file.pairs if found.required is None else found.required.pairs
        judged = naturalness(rated)
        write_pairs(with_naturalness(pairs, rated), out)
        natural = sum(pair.id in judged for pair in pairs)
        typer.echo(f"{len(pairs):,} pairs in {out}, {natural:,} with naturalness from raters")

"""A validation as tables for the screen, and BERTScores as a figure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sociolect.generators.dialect.model_names import model_name
from sociolect.generators.dialect.ratings import DIMENSIONS
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.validation import (
    ContentFigures,
    RatingFigures,
    SentimentFigures,
    Validation,
)
from sociolect.harness.sheets import NONE, printable

FIGURES = (".png", ".svg", ".pdf")
_BINS = 40


def report(found: Validation) -> Group:
    """Everything that was asked for, and what was not."""
    return Group(*_parts(found))


def _parts(found: Validation) -> Iterator[RenderableType]:
    yield Text(f"{found.pairs:,} pairs in {printable(found.name)}")
    if found.dropped:
        yield Text(f"{found.dropped:,} more are left out: a side is empty, or both are the same")
    if found.content is None:
        yield Text("content (BERTScore of AAE and back-translation): not asked for")
    else:
        yield from _content(found.content)
    if found.sentiment is None:
        yield Text("sentiment (labels of AAE and SAE): not asked for")
    else:
        yield from _sentiment(found.sentiment)
    if found.ratings is None:
        yield Text("human ratings: not given")
    else:
        yield from _ratings(found.ratings)


def _content(own: ContentFigures) -> Iterator[RenderableType]:
    table = Table(title="BERTScore F1, AAE and back-translation")
    for name in ("n", "mean", "median", "SD"):
        table.add_column(name, justify="right")
    figures = (_number(value, 3) for value in (own.mean, own.median, own.deviation))
    table.add_row(f"{len(own.scores):,}", *figures)
    yield table
    yield Text(
        f"{printable(model_name(own.model))}, layer {own.layer}, neither idf nor rescaling; "
        f"{own.without_back:,} pairs without a back-translation, {own.unscored:,} too long or "
        "without a token"
    )


def _sentiment(own: SentimentFigures) -> Iterator[RenderableType]:
    labels = own.labels
    table = Table(title="Sentiment, AAE (rows) by SAE (columns)")
    table.add_column("AAE \\ SAE")
    for name in labels.names:
        table.add_column(Text(printable(name)), justify="right")
    for name, row in zip(labels.names, labels.matrix.tolist(), strict=True):
        table.add_row(Text(printable(name)), *(f"{n:,}" for n in row))
    yield table
    yield Text(
        f"same label: {_share(labels.agreement)} of {labels.n:,} pairs "
        f"({printable(model_name(own.model))}); {labels.unlabelled:,} too long"
    )


def _ratings(own: RatingFigures) -> Iterator[RenderableType]:
    table = Table(title="Human ratings")
    for name in ("", "raters", "per item", "items", "exact agreement", "yes", "Fleiss' κ"):
        table.add_column(name, justify="right" if name else "left")
    for one in own.dimensions:
        table.add_row(
            DIMENSIONS[one.dimension],
            f"{one.raters:,}",
            f"{one.each:,}" if one.each else NONE,
            f"{one.items:,}",
            _share(one.exact),
            _share(one.yes),
            _number(one.kappa, 3),
        )
    yield table
    yield Text(f"{own.items:,} pairs rated by {own.raters:,} raters")
    for one in own.dimensions:
        if one.reason:
            yield Text(f"{DIMENSIONS[one.dimension]}: no κ, {one.reason}")
        if one.incomplete:
            yield Text(
                f"{DIMENSIONS[one.dimension]}: {one.incomplete:,} items left out that more or "
                f"fewer than {one.each:,} raters judged"
            )


def _share(value: float | None) -> str:
    return NONE if value is None else f"{value:.1%}"


def _number(value: float | None, digits: int) -> str:
    return NONE if value is None else f"{value:.{digits}f}".replace("-", "−")


def check_figure(path: Path) -> None:
    """Refuse a figure that could not be drawn, before anything is computed.

    Raises:
        InvalidInputError: The name ends in none of `FIGURES`.
        MissingToolError: matplotlib is not installed.
    """
    from sociolect.harness.judging.plots import require_matplotlib

    if path.suffix.lower() not in FIGURES:
        raise InvalidInputError(f"--histogram {path}: name a file in {', '.join(FIGURES)}")
    require_matplotlib()


def histogram(own: ContentFigures, path: Path) -> None:
    """Draw how F1 is distributed (dialect paper, Figure 6); written whole or not at all.

    Raises:
        InvalidInputError: There is no score, or the file cannot be written.
    """
    from matplotlib.figure import Figure

    if not own.scores:
        raise InvalidInputError(f"--histogram {path}: there is no BERTScore to draw")
    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.add_subplot()
    axes.hist(list(own.scores.values()), bins=_BINS, color="#0072B2")
    axes.set_xlabel(f"BERTScore F1, AAE and back-translation (n = {len(own.scores):,})")
    axes.set_ylabel("pairs")
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(unfinished, format=path.suffix[1:].lower(), dpi=200)
        unfinished.replace(path)
    except OSError as error:
        raise InvalidInputError(f"cannot write {path}: {error.strerror}.") from error

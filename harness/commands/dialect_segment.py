"""`sociolect dialect segment`: where pairs are cut into context and continuation."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sociolect.harness.commands.dialect_corpus import ColumnOption

if TYPE_CHECKING:
    from sociolect.generators.dialect.pairs import DialectPair

_FORMATS = ("table", "json")


def listing_unlike(pairs: str, columns: Sequence[str], options: Mapping[str, object]) -> str:
    """The command that lists the pairs of a build whose continuations are unlike.

    Args:
        pairs: A file of pairs, or the name of a corpus.
        columns: `FIELD=COLUMN`.
        options: By name; those without a value are left out.
    """
    from shlex import join

    given = [*(("column", one) for one in columns), *options.items()]
    named = [(f"--{name.replace('_', '-')}", str(value)) for name, value in given if value]
    parts = (part for option in named for part in option)
    return join(["sociolect", "dialect", "segment", pairs, *parts, "--unlike"])


def segment(
    pairs: Annotated[
        str,
        typer.Argument(metavar="PAIRS", help="A file of pairs, or redial. Or --sae and --aae."),
    ] = "",
    sae: Annotated[str, typer.Option(help="The SAE text of one pair.")] = "",
    aae: Annotated[str, typer.Option(help="The AAE text of one pair.")] = "",
    column: ColumnOption = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many pairs of the file.")
    ] = None,
    unlike: Annotated[
        bool,
        typer.Option("--unlike", help="Only pairs whose continuations may differ in content."),
    ] = False,
    show: Annotated[int, typer.Option(min=0, help="Pairs shown in the table at most.")] = 20,
    encoder: Annotated[
        str,
        typer.Option(help="Sentence encoder: a folder or a name on the Hub. Default: MiniLM."),
    ] = "",
    encoder_revision: Annotated[str, typer.Option(help="Its commit, tag or branch.")] = "",
    aligner: Annotated[
        str,
        typer.Option(help="Encoder that aligns words, likewise. Default: that of awesome-align."),
    ] = "",
    aligner_revision: Annotated[str, typer.Option(help="Its commit, tag or branch.")] = "",
    layer: Annotated[
        int | None, typer.Option(help="Layer of the aligner. Default: two thirds up, 8 of 12.")
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="Both probabilities of a link are above it.")
    ] = 0.001,
    rho: Annotated[float, typer.Option(help="Ideal share of the text before the boundary.")] = 0.5,
    gamma: Annotated[float, typer.Option(help="Weight of the distance from it.")] = 0.3,
    window: Annotated[
        float, typer.Option(help="Furthest share of the text from --rho; 1 for any place.")
    ] = 0.25,
    max_places: Annotated[int, typer.Option(help="Places looked at, the nearest to --rho.")] = 20,
    min_words: Annotated[int, typer.Option(help="Words on each side of a boundary.")] = 1,
    device: Annotated[str, typer.Option(help="As torch names it. Default: a GPU, else cpu.")] = "",
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder of what is finished. Default: the cache."),
    ] = None,
    sources: Annotated[
        Path | None, typer.Option(help="Local folder of the files of redial.")
    ] = None,
    output_format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
) -> None:
    """Cut pairs where the sense of the SAE text shifts, and the AAE text by aligned words.

    A run that was stopped goes on where it was when the same command is given again. Exit code 1 if
    no pair could be cut.
    """
    from sociolect.generators.dialect.places import Rules
    from sociolect.harness.commands._checks import check_format, trouble
    from sociolect.harness.dialect.segment_sheets import as_json, as_tables
    from sociolect.harness.dialect.segmenting import PairSegmenter, SegmentSettings

    with trouble():
        check_format(output_format, _FORMATS)
        asked = _asked(pairs, sae, aae, limit, column=column, sources=sources)
        usual = SegmentSettings()
        chosen = SegmentSettings(
            encoder=encoder or usual.encoder,
            aligner=aligner or usual.aligner,
            encoder_revision=encoder_revision,
            aligner_revision=aligner_revision,
            rules=Rules(rho, gamma, window, min_words, max_places=max_places),
            layer=layer,
            threshold=threshold,
            device=device,
        )
        segmenter = PairSegmenter(chosen, cache)
        done = segmenter.run(asked)
    if output_format == "json":
        text = as_json(done, segmenter.settings, only_unlike=unlike)
    else:
        text = as_tables(done, show, only_unlike=unlike)
    typer.echo(text, nl=False)
    if all(one.boundaries is None for one in done):
        raise typer.Exit(1)


def _asked(
    pairs: str, sae: str, aae: str, limit: int | None, **options: Any
) -> "list[DialectPair]":
    """The pairs of a file, or the one that is given.

    Raises:
        InvalidInputError: Both, neither, or one text alone.
    """
    from sociolect.generators.dialect.corpora import load_pairs
    from sociolect.generators.dialect.pairs import DialectPair
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.commands.dialect_corpus import parsed_columns

    if bool(sae) != bool(aae) or bool(sae) == bool(pairs):
        raise InvalidInputError("give PAIRS, or both --sae and --aae")
    if not pairs:
        return [DialectPair("given", aae=aae, sae=sae)]
    file = load_pairs(pairs, options["sources"], parsed_columns(options["column"] or []))
    if file.dropped:
        typer.echo(f"{pairs}: {len(file.dropped):,} pairs were left out", err=True)
    return list(file.pairs[:limit])

"""`sociolect dialect features`: the features of AAE in a text, or in a file of pairs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.harness.commands.dialect_corpus import ColumnOption

if TYPE_CHECKING:
    from sociolect.generators.dialect.pair_files import PairFile

_FORMATS = ("table", "json")


def features(
    text: Annotated[str, typer.Argument(help="A text; or give --file.")] = "",
    file: Annotated[
        str,
        typer.Option(
            help="Pairs: redial, habitual, or a file (JSONL, CSV, parquet); or a file of id and "
            "aae alone."
        ),
    ] = "",
    slurs: Annotated[
        bool, typer.Option("--slurs", help="Look for the entries that hold a slur too.")
    ] = False,
    column: ColumnOption = None,
    top: Annotated[int, typer.Option(min=1, help="Entries of a class shown at most.")] = 10,
    output_format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
) -> None:
    """Show the features of AAE in a text, or count them in a file of pairs by class and entry."""
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.commands._checks import check_format
    from sociolect.harness.commands.dialect_corpus import parsed_columns

    check_format(output_format, _FORMATS)
    if bool(text.strip()) == bool(file):
        raise InvalidInputError("give a text, or a file of pairs with --file, and not both")
    columns = parsed_columns(column or [])
    if columns and not file:
        raise InvalidInputError("--column names columns of a file; give one with --file")
    as_json = output_format == "json"
    if file:
        typer.echo(_of_file(file, columns, slurs, top, as_json))
    else:
        typer.echo(_of_text(text, slurs, as_json))


def _of_text(text: str, slurs: bool, as_json: bool) -> str:
    import json

    from sociolect.generators.dialect.features import find_features
    from sociolect.harness.dialect.feature_sheets import text_sheet
    from sociolect.harness.sheets import as_text

    found = find_features(text, slurs=slurs)
    if as_json:
        return json.dumps([one._asdict() for one in found], indent=2)
    return as_text([text_sheet(text, found)]).rstrip("\n")


def _of_file(file: str, columns: Mapping[str, str], slurs: bool, top: int, as_json: bool) -> str:
    import json

    from sociolect.generators.dialect.corpora import load_pairs
    from sociolect.generators.dialect.text_files import texts_alone
    from sociolect.harness.dialect.feature_sheets import (
        pair_features,
        pair_sheets,
        text_features,
    )
    from sociolect.harness.sheets import as_text

    texts = texts_alone(file, columns)
    if texts is None:
        read = load_pairs(file, columns=columns)
        _say_dropped(file, read)
        found = pair_features(read.pairs, slurs=slurs)
    else:
        found = text_features(texts, slurs=slurs)
    if as_json:
        return json.dumps(found.record(), indent=2)
    return as_text(pair_sheets(found, top)).rstrip("\n")


def _say_dropped(file: str, read: "PairFile") -> None:
    if read.dropped:
        typer.echo(f"{file}: {len(read.dropped):,} pairs were left out", err=True)

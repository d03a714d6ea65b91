"""`sociolect dialect restore`: AAE texts that were left out, put back by who has them."""

from pathlib import Path
from typing import Annotated

import typer

from sociolect.harness.commands.dialect_build import OverwriteOption, SourcesOption
from sociolect.harness.commands.dialect_corpus import ColumnOption


def restore(
    dataset: Annotated[
        str,
        typer.Argument(metavar="DATASET", help="A folder, or org/name[@revision] on the Hub."),
    ],
    pairs: Annotated[
        str, typer.Option(help="The file that the pairs were built from, or redial or habitual.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to make.")],
    column: ColumnOption = None,
    sources: SourcesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Put the AAE texts back into pairs that were built without them, and prove that they fit."""
    from sociolect.generators.dialect.corpora import load_pairs
    from sociolect.generators.dialect.folder import check_vacant, read_folder, write_folder
    from sociolect.generators.dialect.withheld import restore as put_back
    from sociolect.harness.commands._output import say
    from sociolect.harness.commands.dialect_build import print_counts
    from sociolect.harness.commands.dialect_corpus import parsed_columns, unused_sources
    from sociolect.harness.datasets_at import dataset_at

    check_vacant(out, overwrite=overwrite)
    built = read_folder(dataset_at(dataset).folder)
    say(unused_sources(pairs, sources))
    columns = parsed_columns(column or []) or built.manifest.get("columns", {})
    whole = put_back(built, load_pairs(pairs, sources, columns).pairs)
    write_folder(whole, out, overwrite=overwrite)
    print_counts(whole)
    typer.echo(f"The texts are those that the folder was built from; whole pairs are in {out}.")

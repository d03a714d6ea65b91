"""`sociolect verify`: is a built dataset what it says it is?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sociolect.generators.items import Benchmark
    from sociolect.generators.verify import Report

_FORMATS = ("table", "json")


def verify(
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="A folder, or org/name[@revision] on the Hub.")
    ],
    sources: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the benchmark's source files (else SOCIOLECT_SOURCES): the clean texts "
            "are compared with them."
        ),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build the dataset again and compare.")
    ] = False,
    workers: Annotated[int, typer.Option(help="Processes of --rebuild.")] = 1,
    output_format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
) -> None:
    """Check a dataset against itself: exit code 0 if it is sound, 1 if not, 2 if unanswered."""
    from sociolect.generators.dialect.folder import is_dialect
    from sociolect.generators.rebuild import rebuild as build_again
    from sociolect.generators.verify import verify as check
    from sociolect.harness.commands._checks import check_format, trouble
    from sociolect.harness.datasets_at import dataset_at
    from sociolect.harness.verify_report import render_json, render_table

    with trouble():
        check_format(output_format, _FORMATS)
        located = dataset_at(dataset)
        if is_dialect(located.folder):
            report, again = _pairs(located.folder, sources, rebuild=rebuild), None
        else:
            benchmark = _benchmark(located.folder, sources)
            report = check(located.folder, benchmark=benchmark, progress=True)
            again = (
                build_again(located.folder, sources=sources, workers=workers, progress=True)
                if rebuild
                else None
            )
    render = render_json if output_format == "json" else render_table
    typer.echo(render(dataset, report, again), nl=False)
    if not report.is_sound or (again is not None and not again.is_identical):
        raise typer.Exit(1)


def _pairs(folder: Path, sources: Path | None, *, rebuild: bool) -> "Report":
    """A check of dialect pairs.

    Raises:
        InvalidInputError: They shall be built again, which takes the models that divided them.
    """
    from sociolect.generators.dialect.checks import verify as check
    from sociolect.generators.dialect.corpus_at_hand import corpus_at_hand
    from sociolect.generators.dialect.folder import read_manifest
    from sociolect.generators.errors import InvalidInputError

    if rebuild:
        raise InvalidInputError(
            "--rebuild is not for dialect pairs: build them again with `sociolect dialect build` "
            "and compare with `sociolect diff`"
        )
    return check(folder, corpus=corpus_at_hand(read_manifest(folder), sources))


def _benchmark(folder: Path, sources: Path | None) -> "Benchmark | None":
    """The benchmark from the source files that are at hand; nothing is downloaded for it.

    A folder that was named must hold them, one in the environment may hold other benchmarks.
    """
    import os

    from sociolect.generators.benchmarks import load_benchmark
    from sociolect.generators.errors import SourceError, UnknownNameError
    from sociolect.generators.manifest import read_manifest
    from sociolect.generators.sources import SOURCES_VARIABLE

    name: str = read_manifest(folder)["benchmark"]
    if sources is not None:
        return load_benchmark(name, sources)
    if not os.environ.get(SOURCES_VARIABLE):
        return None
    try:
        return load_benchmark(name)
    except (SourceError, UnknownNameError) as error:
        typer.echo(f"sociolect: the source files are not used: {error}", err=True)
        return None

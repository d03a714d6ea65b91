"""`sociolect index`."""

from pathlib import Path
from typing import Annotated

import typer

IndexFolder = Annotated[
    Path | None,
    typer.Option(
        "--index",
        metavar="FOLDER",
        help="Where the index lies. Default: .sociolect-index in RESULTS.",
    ),
]
Processes = Annotated[
    int, typer.Option("--processes", help="How many read the results; 0: one a CPU.")
]


def index(
    results: Annotated[
        Path,
        typer.Argument(metavar="RESULTS", help="A folder of outputs of lm-eval, of any depth."),
    ],
    index_folder: IndexFolder = None,
    processes: Processes = 0,
    output_format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    progress: Annotated[bool, typer.Option(help="Show a bar on standard error.")] = True,
) -> None:
    """What a folder of results holds; reads what is new, and keeps an index of it."""
    import time

    from sociolect.harness.commands._checks import check_format
    from sociolect.harness.commands._output import emit, render_sheets
    from sociolect.harness.store.index import read_store
    from sociolect.harness.store.report import as_json, sheet

    check_format(output_format, ("table", "json"))
    began = time.monotonic()
    store = read_store(results, index=index_folder, processes=processes, progress=progress)
    seconds = time.monotonic() - began
    if output_format == "json":
        emit(as_json(store, seconds), None)
    else:
        emit(render_sheets([sheet(store, seconds)], (), "table", to_file=False), None)
    if not store.runs:
        raise typer.Exit(1)

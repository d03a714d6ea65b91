"""`sociolect leaderboard`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolect.harness.commands._options import AllPairs, Alpha, Permutations, Seed

if TYPE_CHECKING:
    from sociolect.harness.leaderboard.board import Board
    from sociolect.harness.store.stored import Store

_SHOWN = 3
"""Problems that are named on the terminal; the page and the JSON list all."""


def leaderboard(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="RESULTS",
            help="Folder of lm-eval outputs, written with --log_samples, of any depth.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="Write a page that a browser opens without a network: new, empty, or an earlier "
            "one. Without it, the table is printed.",
        ),
    ] = None,
    output_format: Annotated[
        str,
        typer.Option(
            "--format", help="Print table, md, csv, json or tex. Default: table without --out."
        ),
    ] = "",
    title: Annotated[str, typer.Option(help="Of the page.")] = "sociolect leaderboard",
    items: Annotated[
        int, typer.Option(min=0, help="Units of each benchmark whose items the page shows.")
    ] = 100,
    index: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where what was read is kept. Default: .sociolect-index in RESULTS.",
        ),
    ] = None,
    processes: Annotated[int, typer.Option(min=0, help="0 for one a CPU.")] = 0,
    alpha: Alpha = 0.05,
    permutations: Permutations = 10_000,
    seed: Seed = 0,
    rank_resamples: Annotated[
        int, typer.Option(min=1, help="Resamples behind the intervals of ranks.")
    ] = 2000,
    all_pairs: AllPairs = False,
) -> None:
    """Models against conditions, with what is significant: a table, or a page to send."""
    from sociolect.harness.commands._output import TABLE_FORMATS, chosen_format, emit
    from sociolect.harness.leaderboard.making import BoardOptions, make_board
    from sociolect.harness.leaderboard.site import check_out, require_plotly, write_site
    from sociolect.harness.paired import Method
    from sociolect.harness.store.index import read_store

    shown = chosen_format(output_format, None, TABLE_FORMATS)
    method = Method(alpha=alpha, permutations=permutations, seed=seed, include_invalid=all_pairs)
    if out is not None:
        require_plotly()
        check_out(out)
    store = read_store(results, index=index, processes=processes)
    board = make_board(store, BoardOptions(title, method, rank_resamples, processes))
    _check(results, store, board)
    if out is not None:
        page = write_site(board, store, out, items=items, processes=processes)
        typer.echo(f"wrote {page}", err=True)
    if out is None or output_format:
        emit(_rendered(board, shown), None)


def _check(results: Path, store: "Store", board: "Board") -> None:
    """Say what was left out, and that there is nothing to show if so.

    Raises:
        ResultsError: No run of ours.
    """
    from sociolect.generators.errors import ResultsError
    from sociolect.harness.commands._output import say

    say(f"left out: {path}: {what}" for path, what in board.problems[:_SHOWN])
    if len(board.problems) > _SHOWN:
        say([f"… and {len(board.problems) - _SHOWN} more files were left out"])
    if board.subjects or board.panels:
        return
    foreign = ", ".join(sorted(store.foreign)[:5])
    raise ResultsError(
        f"{results}: holds no run that can be shown"
        + (f" (only of {foreign})" if foreign else "")
        + "; name the folder of --output_path of lm_eval, whose runs need --log_samples"
    )


def _rendered(board: "Board", output_format: str) -> str:
    from sociolect.harness.commands._output import terminal
    from sociolect.harness.leaderboard import exports

    if output_format == "json":
        return exports.board_json(board)
    if output_format == "csv":
        return exports.board_csv(board)
    if output_format == "md":
        return exports.board_markdown(board)
    if output_format == "tex":
        return exports.board_tex(board)
    width, colour = terminal(to_file=False)
    return exports.board_text(board, width=width, colour=colour)

"""The findings as one text, or as a folder of tables and pictures."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sociolect import __version__
from sociolect.generators.errors import InvalidInputError
from sociolect.harness import sheets
from sociolect.harness.exports import csv_text, json_text
from sociolect.harness.judging.findings import Flips
from sociolect.harness.judging.plots import draw
from sociolect.harness.judging.relation_sheets import flips_sheets, legend
from sociolect.harness.judging.rows import TABLES, subject, table_rows

SCHEMA_VERSION = 1
"""Of the JSON document; grows when a key changes its meaning or goes."""
FORMATS: tuple[str, ...] = ("table", "md", "csv", "json")


def remarks(found: Sequence[Flips]) -> list[str]:
    """What a reader must know, for formats without room for it."""
    notes = [
        f"{flips.judgements.name}: {note}"
        for flips in found
        for sheet in flips_sheets(flips)
        for note in sheet.notes
    ]
    return [*dict.fromkeys(notes), *legend(found)]


def render(
    found: Sequence[Flips], output_format: str, *, width: int | None = None, colour: bool = False
) -> str:
    """The findings as text: all tables, or as CSV those by condition.

    Args:
        found: One a judge, at least one.
        output_format: One of `FORMATS`.
        width: Columns of the terminal.
        colour: Whether to write escape sequences.
    """
    if output_format == "json":
        return _json(found)
    if output_format == "csv":
        return csv_text(table_rows("conditions", found))
    tables = [sheet for flips in found for sheet in flips_sheets(flips)]
    if output_format == "md":
        return sheets.as_markdown(tables, legend(found))
    return sheets.as_text(tables, legend(found), width=width, colour=colour)


def _json(found: Sequence[Flips]) -> str:
    """Everything: inputs with hashes and settings, method, tables, remarks."""
    method = found[0].method
    return json_text(
        {
            "schema": "sociolect.flips",
            "schema_version": SCHEMA_VERSION,
            "sociolect_version": __version__,
            "method": {
                "seed": method.seed,
                "alpha": method.alpha,
                "resamples": method.resamples,
            },
            "judges": [
                {
                    **subject(flips),
                    "notes": list(flips.judgements.notes),
                    "inputs": list(flips.judgements.inputs),
                }
                for flips in found
            ],
            **{name: table_rows(name, found) for name in TABLES},
            "remarks": remarks(found),
        }
    )


def check_folder(folder: Path) -> None:
    """Refuse to write over anything.

    Raises:
        InvalidInputError: The folder holds something, is a file, or has no parent.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInputError(f"--out {folder}: is there already; name a new or empty folder")
    if not folder.absolute().parent.is_dir():
        raise InvalidInputError(f"--out {folder}: its parent is no folder; create it first")


def write_folder(found: Sequence[Flips], folder: Path, *, plots: bool = True) -> None:
    """Write tables, JSON, report and pictures; the folder appears whole or not at all.

    Args:
        found: One a judge.
        folder: New or empty.
        plots: Whether to draw.

    Raises:
        InvalidInputError: A folder that holds something, or cannot be written to.
        MissingToolError: Pictures without matplotlib.
    """
    check_folder(folder)
    target = folder.absolute()
    try:
        work = Path(tempfile.mkdtemp(prefix=".sociolect-", dir=target.parent))
    except OSError as error:
        raise InvalidInputError(f"--out {folder}: cannot be written ({error.strerror})") from error
    try:
        _write(found, work, plots)
        work.chmod(0o755)
        work.replace(target)
    except OSError as error:
        raise InvalidInputError(f"--out {folder}: cannot be written ({error.strerror})") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _write(found: Sequence[Flips], work: Path, plots: bool) -> None:
    for name in TABLES:
        if rows := table_rows(name, found):
            (work / f"{name}.csv").write_text(csv_text(rows), "utf-8")
    (work / "flips.json").write_text(render(found, "json"), "utf-8")
    (work / "flips.md").write_text(render(found, "md"), "utf-8")
    if plots:
        for number, flips in enumerate(found, start=1):
            draw(flips, work, prefix="" if len(found) == 1 else f"{number}-{_slug(flips)}-")


def _slug(flips: Flips) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", flips.judgements.name).strip("-")[:80]

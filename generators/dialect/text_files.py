"""Files of texts in one variety, each with an id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sociolect.generators.dialect.corpora import CORPORA
from sociolect.generators.dialect.pair_files import PAIR_SUFFIXES
from sociolect.generators.dialect.tables import Row, read_rows
from sociolect.generators.errors import DataError
from sociolect.generators.source_text import quoted


def texts_alone(name_or_path: str) -> list[str] | None:
    """The AAE texts of a file without a column `sae`, such as `sociolect dialect filter` writes.

    Args:
        name_or_path: As for `corpora.load_pairs`.

    Returns:
        None for everything else: a corpus, a file of pairs, one that is not there or holds no row.

    Raises:
        DataError: The file is malformed, or its columns are not `id` and `aae`.
    """
    path = Path(name_or_path).expanduser()
    if name_or_path in CORPORA or path.suffix.lower() not in PAIR_SUFFIXES or not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            first = next(iter(read_rows(stream, path, ("id", "aae", "sae"))), None)
    except OSError as error:
        raise DataError(f"cannot read texts from {path}: {error.strerror}.") from error
    if first is None or "sae" in first.cells or "aae" not in first.cells:
        return None
    return [text for _, text in read_texts(path, "id", "aae")]


def read_texts(source: Path, id_column: str, text_column: str) -> Iterator[tuple[str, str]]:
    """Id and text of every row of a file; a text may be empty.

    Args:
        source: In any format of `tables.READERS`.
        id_column: Column of the ids.
        text_column: Column of the texts.

    Raises:
        DataError: The file cannot be read or is malformed, a column is missing, a cell is no text,
            or an id is empty.
    """
    try:
        with source.open("rb") as stream:
            for row in read_rows(stream, source, (id_column, text_column)):
                id_ = _cell(row, id_column)
                if not id_.strip():
                    raise DataError(f"{row.where}: {id_column} is empty.")
                yield id_.strip(), _cell(row, text_column)
    except OSError as error:
        raise DataError(f"cannot read texts from {source}: {error.strerror}.") from error


def _cell(row: Row, column: str) -> str:
    if column not in row.cells:
        there = ", ".join(quoted(name) for name in list(row.cells)[:20]) or "none"
        raise DataError(f"{row.where}: no column {column!r}; there are {there}.")
    value = row.cells[column]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        raise DataError(f"{row.where}: {column} is {quoted(value)}, expected a text.")
    return value or ""

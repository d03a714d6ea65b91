"""Files of texts in one variety, each with an id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sociolect.generators.dialect.corpora import CORPORA
from sociolect.generators.dialect.pair_cells import column_names, one_line
from sociolect.generators.dialect.pair_files import PAIR_SUFFIXES
from sociolect.generators.dialect.pair_relations import blank
from sociolect.generators.dialect.tables import Row, read_rows
from sociolect.generators.errors import DataError
from sociolect.generators.source_text import quoted

GROUP = "group"
"""The column of the groups, unless another one is named."""


class TextRow(NamedTuple):
    """One text of a file.

    Attributes:
        id: As it is written.
        text: It may be empty.
        group: Texts of one group stay in one split, such as those of an author; empty for none.
        unread: Other columns of its row.
    """

    id: str
    text: str
    group: str = ""
    unread: tuple[str, ...] = ()


def texts_alone(name_or_path: str, columns: Mapping[str, str] | None = None) -> list[str] | None:
    """The AAE texts of a file without a column `sae`, such as `sociolect dialect filter` writes.

    Args:
        name_or_path: As for `corpora.load_pairs`.
        columns: As for `corpora.load_pairs`.

    Returns:
        None for everything else: a corpus, a file of pairs, one that is not there, holds no row, or
        lacks the columns of `id` and `aae`.

    Raises:
        DataError: The file is malformed.
        InvalidInputError, UnknownNameError: Columns that no pair could have.
    """
    names = column_names(columns or {})
    needed = {names["id"], names["aae"]}
    path = Path(name_or_path).expanduser()
    if name_or_path in CORPORA or path.suffix.lower() not in PAIR_SUFFIXES or not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            first = next(iter(read_rows(stream, path, needed)), None)
    except OSError as error:
        raise DataError(f"cannot read texts from {path}: {error.strerror}.") from error
    if first is None or names["sae"] in first.columns or not needed.issubset(first.columns):
        return None
    if "sae" in (columns or {}):
        return None  # the column that was named for it is missing, which `load_pairs` refuses
    rows = read_texts(path, names["id"], names["aae"], "", remedy="--column FIELD=COLUMN names it")
    return [row.text for row in rows]


def read_texts(
    source: Path,
    id_column: str,
    text_column: str,
    group_column: str | None = None,
    *,
    remedy: str = "--id-column, --text-column and --group-column name them",
) -> Iterator[TextRow]:
    """Id, text and group of every row of a file.

    Args:
        source: In any format of `tables.READERS`.
        id_column: Column of the ids.
        text_column: Column of the texts.
        group_column: Column of the groups, which must be there; None for `GROUP` where there is
            one, empty for no groups.
        remedy: How other columns are named, for the message that one is missing.

    Raises:
        DataError: The file cannot be read or is malformed, a column is missing, a cell is no text,
            an id is empty, or an id or a group is more than one line.
    """
    needed = [name for name in (id_column, text_column, group_column) if name]
    group = GROUP if group_column is None and GROUP not in needed else group_column or ""
    read = {*needed, group} - {""}  # a column may have no name: what pandas numbers rows in
    try:
        with source.open("rb") as stream:
            for row in read_rows(stream, source, read):
                if lacking := next((name for name in needed if name not in row.cells), None):
                    raise DataError(f"{row.lacks(lacking)}. {remedy}.")
                yield _text_row(row, id_column, text_column, group, read)
    except OSError as error:
        raise DataError(f"cannot read texts from {source}: {error.strerror}.") from error


def _text_row(
    row: Row, id_column: str, text_column: str, group_column: str, read: set[str]
) -> TextRow:
    id_ = one_line(row.cells[id_column], id_column, row.where)
    if blank(id_):
        raise DataError(f"{row.where}: {id_column} is empty.")
    cell = row.cells.get(group_column) if group_column else None
    group = one_line(cell, group_column, row.where)
    unread = tuple(name for name in row.columns if name not in read)
    return TextRow(id_, _text(row, text_column), group, unread)


def _text(row: Row, column: str) -> str:
    value = row.cells[column]
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        raise DataError(f"{row.where}: {column} is {quoted(value)}, expected a text.")
    return value or ""

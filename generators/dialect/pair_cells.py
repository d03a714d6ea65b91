"""One row of a file to one pair: which column is which, and what a cell may hold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from sociolect.generators.dialect.pair_relations import blank
from sociolect.generators.dialect.pairs import SPLITS, DialectPair, Split
from sociolect.generators.dialect.tables import Row
from sociolect.generators.errors import DataError, InvalidInputError, SourceError, UnknownNameError
from sociolect.generators.source_text import check_text, quoted

REQUIRED = ("id", "aae", "sae")
COLUMNS = (*REQUIRED, "aae_back", "naturalness", "split", "group")
"""Fields of a pair, and the columns of a file unless other names are given for them."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def column_names(columns: Mapping[str, str]) -> dict[str, str]:
    """The column of every field; an empty name says that the file has none.

    Raises:
        UnknownNameError: A field does not exist.
        InvalidInputError: A required field has no column, or two fields share one.
    """
    for field in columns:
        if field not in COLUMNS:
            raise UnknownNameError("field of a pair", field, COLUMNS)
    names = {field: columns.get(field, field) for field in COLUMNS}
    if missing := [field for field in REQUIRED if not names[field]]:
        raise InvalidInputError(f"{', '.join(missing)}: a pair needs it; name its column.")
    used = [name for name in names.values() if name]
    if shared := next((name for name in used if used.count(name) > 1), None):
        fields = [field for field, name in names.items() if name == shared]
        raise InvalidInputError(
            f"column {shared!r} is {' and '.join(fields)}; name another one, or none: {fields[-1]}="
        )
    return names


def pair_of(row: Row, names: Mapping[str, str]) -> DialectPair:
    """The pair of a row. A side may be empty; `pair_files` leaves such a pair out.

    Args:
        row: One row of a file.
        names: From `column_names`.

    Raises:
        DataError: A column is missing or a cell holds what it may not; the message says where.
    """
    _check_columns(row, names)
    cells = {field: row.cells.get(name) if name else None for field, name in names.items()}
    aae, sae, back = (_text(cells[f], f, row.where) for f in ("aae", "sae", "aae_back"))
    naturalness = _share(cells["naturalness"], row.where)
    if naturalness is not None and blank(back):
        raise DataError(f"{row.where}: naturalness is {naturalness:g}, but aae_back is empty.")
    id_ = one_line(cells["id"], "id", row.where)
    if blank(id_):
        raise DataError(f"{row.where}: the id is empty.")
    group = one_line(cells["group"], "group", row.where)
    return DialectPair(id_, aae, sae, back, naturalness, _split(cells["split"], row.where), group)


def _check_columns(row: Row, names: Mapping[str, str]) -> None:
    """All that are needed, and all that were named for a field."""
    for field, name in names.items():
        if name in row.cells or not name or (field not in REQUIRED and name == field):
            continue
        raise DataError(f"{row.lacks(name)}. Name the column of {field}: --column {field}=COLUMN.")


def unread(columns: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Columns of a file that no field takes, but for those that are left out by request.

    Args:
        columns: Of the file.
        names: From `column_names`.
    """
    known = {name or field for field, name in names.items()}
    return [column for column in columns if column not in known]


def _split(value: Any, where: str) -> Split | Literal[""]:
    text = _text(value, "split", where).strip()
    if text and text not in SPLITS:
        known = ", ".join(SPLITS)
        raise DataError(f"{where}: unknown split {quoted(text)}, expected one of {known}.")
    return text


def _text(value: Any, field: str, where: str) -> str:
    """A text as it is; empty for null."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(f"{where}: {field} is {quoted(value)}, expected a text.")
    try:
        check_text(value, where)
    except SourceError as error:
        raise DataError(str(error)) from error
    return value


def one_line(value: Any, field: str, where: str) -> str:
    """An id or a group: a text, or a whole number, in one line; empty for null.

    Args:
        value: Of a cell.
        field: What it is, for the message.
        where: File and line.

    Raises:
        DataError: It is something else.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = _text(value, field, where).strip()
    if _CONTROL.search(text):
        raise DataError(f"{where}: {field} is {quoted(text)}, which is more than one line.")
    return text


def _share(value: Any, where: str) -> float | None:
    """A share from 0 to 1; None for null and for an empty text."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    number = value
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        number = float(value)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise DataError(f"{where}: naturalness is {quoted(value)}, expected a number.")
    if isinstance(value, float) and math.isnan(value):  # what parquet has for a missing number
        return None
    if not 0 <= number <= 1:
        raise DataError(f"{where}: naturalness is {quoted(value)}, expected a share from 0 to 1.")
    return float(number)

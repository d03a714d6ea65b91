"""Rows of a table in a file: JSON lines, CSV, TSV, parquet, or plain lines of text."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from sociolect.generators.errors import DataError
from sociolect.generators.source_text import quoted

Cells = Mapping[str, Any]
SHOWN = 20
"""Columns that a message names at most."""


class Row(NamedTuple):
    """One row of a table.

    Attributes:
        where: File and line; of a parquet file the row, the first being 1.
        cells: Values by column; of CSV and TSV they are texts.
        header: Where the columns are named: of JSON lines the line itself, of parquet the file.
        unread: Further columns of the file, whose values were not even read.
    """

    where: str
    cells: Cells
    header: str
    unread: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that the row has."""
        return (*self.cells, *self.unread)

    def lacks(self, column: str) -> str:
        """A message that a column is missing, without an end."""
        there = ", ".join(quoted(name) for name in self.columns[:SHOWN]) or "none"
        return f"{self.header}: no column {column!r}; there are {there}"


def listed(columns: Iterable[str]) -> str:
    """Names of columns for a note, the first `SHOWN` and how many more."""
    names = [name or "''" for name in columns]
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


Reader = Callable[[BinaryIO, str, Collection[str]], Iterator[Row]]

TEXT_ID, TEXT = "id", "text"
"""Columns of a file that holds one text a line: the number of the line, and the line."""


def read_rows(stream: BinaryIO, path: Path, columns: Collection[str]) -> Iterator[Row]:
    """The rows of a file, one after the other; a file of any size needs the memory of a few.

    A byte order mark, CRLF and blank lines do no harm.

    Args:
        stream: Content of the file. The name of `path` says what it is.
        path: For messages too; not opened.
        columns: The columns that are wanted. Others are left out where that saves work.

    Raises:
        DataError: The suffix is unknown; a line is not UTF-8, is malformed, or has another number
            of cells than the header; the file is no parquet file. The message names the line.
    """
    suffix = path.suffix.lower()
    if suffix not in READERS:
        known = ", ".join(READERS)
        raise DataError(f"{path}: the name ends in {quoted(suffix)}, expected one of {known}.")
    return READERS[suffix](stream, str(path), columns)


def _lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(stream, start=1):
        content = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        try:
            yield number, content.decode("utf-8")
        except UnicodeDecodeError as error:
            reason = f"not UTF-8 ({error.reason}); save it as UTF-8."
            raise DataError(f"{name}:{number}: {reason}") from error


def _json_rows(stream: BinaryIO, name: str, columns: Collection[str]) -> Iterator[Row]:
    for number, line in _lines(stream, name):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        try:
            cells = json.loads(line, object_pairs_hook=_object, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:  # also of numbers with thousands of digits
            raise DataError(f"{where}: no JSON that can be read ({error}).") from error
        if not isinstance(cells, dict):
            raise DataError(f"{where}: expected a JSON object, found {quoted(cells)}.")
        yield Row(where, cells, where)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError(f"the key {quoted(_twice(name for name, _ in pairs))} is there twice")
    return record


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _csv_rows(stream: BinaryIO, name: str, columns: Collection[str]) -> Iterator[Row]:
    lines = (line for _, line in _lines(stream, name))
    return _delimited(csv.reader(lines, strict=True), name)


def _tsv_rows(stream: BinaryIO, name: str, columns: Collection[str]) -> Iterator[Row]:
    # Quotation marks of a TSV file are text: tweets hold single ones.
    lines = (line for _, line in _lines(stream, name))
    return _delimited(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), name)


def _delimited(reader: Any, name: str) -> Iterator[Row]:
    header: list[str] = []
    named, begun = "", 1
    try:
        for cells in reader:
            where, begun = f"{name}:{begun}", reader.line_num + 1
            if not cells:  # a blank line
                continue
            if not header:
                header, named = [cell.strip() for cell in cells], where
                _check_header(header, where)
                continue
            if len(cells) != len(header):
                raise DataError(f"{where}: {len(cells)} cells, but the header has {len(header)}.")
            yield Row(where, dict(zip(header, cells, strict=True)), named)
    except csv.Error as error:
        raise DataError(f"{name}:{begun}: malformed ({error}).") from error


def _check_header(header: list[str], where: str) -> None:
    if len(set(header)) != len(header):
        raise DataError(f"{where}: two columns are called {quoted(_twice(header))}.")


def _twice(names: Iterable[str]) -> str:
    seen: set[str] = set()
    return next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]


def _text_rows(stream: BinaryIO, name: str, columns: Collection[str]) -> Iterator[Row]:
    for number, line in _lines(stream, name):
        if line.strip():
            cells = {TEXT_ID: str(number), TEXT: line.rstrip("\r\n")}
            yield Row(f"{name}:{number}", cells, name)


def _parquet_rows(stream: BinaryIO, name: str, columns: Collection[str]) -> Iterator[Row]:
    import pyarrow
    from pyarrow import parquet

    number = 0
    try:
        file = parquet.ParquetFile(stream)
        names = file.schema_arrow.names
        _check_header(names, name)
        # What nobody asked for is not even converted: it may hold types that Python lacks.
        wanted = [column for column in names if column in columns]
        unread = tuple(column for column in names if column not in columns)
        for batch in file.iter_batches(batch_size=1000, columns=wanted):
            for cells in _values(batch):
                number += 1
                yield Row(f"{name}: row {number}", cells, name, unread)
    except OverflowError as error:
        raise DataError(
            f"{name}: row {number + 1}: a value that Python cannot hold ({error})."
        ) from error
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        at = f" behind row {number}" if number else ""
        raise DataError(f"{name}: no parquet file that can be read{at} ({reason}).") from error


def _values(batch: Any) -> Iterator[Cells]:
    """The rows of a record batch; those before one that cannot be converted come first."""
    try:
        rows = batch.to_pylist()
    except OverflowError:  # a date beyond the year 9999
        rows = (batch.slice(n, 1).to_pylist()[0] for n in range(batch.num_rows))
    yield from rows


READERS: Mapping[str, Reader] = {
    ".jsonl": _json_rows,
    ".csv": _csv_rows,
    ".tsv": _tsv_rows,
    ".parquet": _parquet_rows,
    ".txt": _text_rows,
}
"""What reads a file, by its suffix."""

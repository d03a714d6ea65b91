"""Texts to translate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from sociolect.generators.dialect.pair_cells import one_line
from sociolect.generators.dialect.pair_relations import blank
from sociolect.generators.dialect.tables import READERS, Row, read_rows
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.source_text import check_text, quoted

TEXT_SUFFIXES = tuple(suffix for suffix in READERS if suffix != ".txt")
_NAMES = ("id", "group")


@dataclass(frozen=True, slots=True)
class Text:
    """A text in AAE that is to be translated.

    Attributes:
        id: Unique in its file.
        aae: As its author wrote it.
        group: Texts of one group stay in one split; empty for none.
    """

    id: str
    aae: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class TextFile:
    """Texts and the file that they are from.

    Attributes:
        texts: In the order of the file.
        name: Of the file.
        sha256: Of its content.
    """

    texts: tuple[Text, ...]
    name: str
    sha256: str


def read_texts(path: Path, limit: int | None = None) -> TextFile:
    """The texts of a file with columns `id` and `aae`, and `group` if it is there.

    Args:
        path: A file in one of `TEXT_SUFFIXES`.
        limit: Only so many, from its beginning; None for all. The whole file is checked.

    Raises:
        DataError: It cannot be read or holds no text; a row lacks a column or has a blank one; an
            id occurs twice; an id or a group is more than one line.
        SourceError: A text holds what no prompt can.
        InvalidInputError: A limit below 1.
    """
    if limit is not None and limit < 1:
        raise InvalidInputError(f"--limit must be 1 or more, not {limit}")
    if path.suffix.lower() not in TEXT_SUFFIXES:
        raise DataError(f"{path}: texts are read from {', '.join(TEXT_SUFFIXES)}.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read texts from {path}: {error.strerror}.") from error
    texts = tuple(_texts(read_rows(BytesIO(content), path, ("id", "aae", "group"))))
    if not texts:
        raise DataError(f"{path}: holds no text.")
    return TextFile(texts[:limit], path.name, sha256(content).hexdigest())


def _texts(rows: Iterator[Row]) -> Iterator[Text]:
    """Ids and groups are held to the rules of files of pairs, which they end up in."""
    seen: dict[str, str] = {}
    for row in rows:
        if lacking := next((name for name in ("id", "aae") if name not in row.columns), None):
            raise DataError(f"{row.lacks(lacking)}. Texts to translate need id and aae.")
        name, group = (one_line(row.cells.get(field), field, row.where) for field in _NAMES)
        if blank(name):
            raise DataError(f"{row.where}: id is {quoted(name)}; expected one that is not blank.")
        if name in seen:
            raise DataError(f"{row.where}: the id {quoted(name)} is that of {seen[name]} too.")
        seen[name] = row.where
        yield Text(name, _aae(row), group)


def _aae(row: Row) -> str:
    value = row.cells.get("aae")
    if not isinstance(value, str) or blank(value):
        raise DataError(f"{row.where}: aae is {quoted(value)}; expected a text that is not blank.")
    check_text(value, row.where)
    return value

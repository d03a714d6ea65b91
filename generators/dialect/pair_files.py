"""Files of pairs: read with every row checked, and written whole.

A file is JSON lines, CSV, TSV or parquet with the columns `id`, `aae` and `sae`, and if they are
there `aae_back`, `naturalness`, `split` and `group`. What is malformed is refused with file and
line. A pair that can show nothing, because a side is blank or both sides look the same, is left
out and counted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from sociolect.generators.dialect.manifest_shape import is_plain
from sociolect.generators.dialect.pair_cells import column_names, pair_of, unread
from sociolect.generators.dialect.pair_relations import (
    alike,
    blank,
    check_ids,
    check_splits,
    normalised,
)
from sociolect.generators.dialect.pairs import VARIETIES, DialectPair
from sociolect.generators.dialect.tables import READERS, listed, read_rows
from sociolect.generators.dialect.whole_files import write_whole
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.items import Dropped, SourceFile

PAIR_SUFFIXES = tuple(suffix for suffix in READERS if suffix != ".txt")

_EMOJI = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")

Located = tuple[str, DialectPair]
"""A pair behind the file and line that it is from."""


@dataclass(frozen=True, slots=True)
class PairFile:
    """Pairs and where they are from.

    Attributes:
        pairs: In the order of the file.
        dropped: Pairs that were left out: file, line and id, and why.
        notes: What is worth knowing; they hold no text of the file, but names of columns that
            nothing was read from.
        sources: The files, with their SHA-256.
        name: Name of the corpus, or the stem of the file.
        licence: SPDX identifier; empty for a file of the user's own.
    """

    pairs: tuple[DialectPair, ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    sources: tuple[SourceFile, ...]
    name: str
    licence: str = ""

    @property
    def source(self) -> SourceFile:
        """The first file; a file of the user's own is the only one."""
        return self.sources[0]


def read_pairs(path: Path, columns: Mapping[str, str] | None = None) -> PairFile:
    """The pairs of a file.

    Args:
        path: A file in one of `PAIR_SUFFIXES`.
        columns: Column of a field where it is not the field's own name, e.g. `{"aae": "tweet"}`;
            an empty name keeps an optional column from being read.

    Raises:
        DataError: The file cannot be read, or is malformed, or holds no pair that can be used; a
            row lacks a column, has a value of another type, a naturalness outside 0 to 1 or an
            unknown split; an id occurs twice; a group or a text is in two splits.
        InvalidInputError: `columns` names one column for two fields, or none for a required one.
        UnknownNameError: `columns` names a field that does not exist.
    """
    if path.suffix.lower() not in PAIR_SUFFIXES:
        raise DataError(f"{path}: pairs are read from {', '.join(PAIR_SUFFIXES)}.")
    if not is_plain(path.name):
        raise DataError(f"{path.name!r}: folders of pairs cannot hold this name; rename the file.")
    names = column_names(columns or {})
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read pairs from {path}: {error.strerror}.") from error
    return _parse(content, path, names)


def _parse(content: bytes, path: Path, names: Mapping[str, str]) -> PairFile:
    rows = read_rows(BytesIO(content), path, frozenset(filter(None, names.values())))
    located, columns = [], dict[str, None]()
    for row in rows:
        located.append((row.where, pair_of(row, names)))
        columns |= dict.fromkeys(row.columns)
    if not located:
        raise DataError(f"{path}: holds no pair.")
    source = SourceFile(path.name, sha256(content).hexdigest())
    file = pair_file(located, (source,), path.stem, where=str(path))
    if not (others := unread(columns, names)):
        return file
    note = f"not read: {listed(others)} (--column FIELD=COLUMN)"
    return replace(file, notes=(note, *file.notes))


def pair_file(
    located: Sequence[Located],
    sources: tuple[SourceFile, ...],
    name: str,
    *,
    licence: str = "",
    where: str = "",
) -> PairFile:
    """Pairs with those left out that show nothing, after all of them were checked together.

    Args:
        located: All pairs with file and line, in their order.
        sources: The files.
        name: Of the corpus.
        licence: SPDX identifier.
        where: What to call the file as a whole; empty for `name`.

    Raises:
        DataError: An id occurs twice, splits overlap, or no pair is left.
    """
    check_ids(located)
    kept = [(at, pair) for at, pair in located if not _useless(pair)]
    dropped = tuple(
        Dropped(f"{at} ({pair.id})", reason) for at, pair in located if (reason := _useless(pair))
    )
    if not kept:
        reasons = Counter(d.reason for d in dropped)
        counted = ", ".join(f"{reason}: {n:,}" for reason, n in reasons.items())
        raise DataError(f"{where or name}: no pair can be used ({counted}).")
    pairs = tuple(pair for _, pair in kept)
    check_splits(pairs, {pair.id: at for at, pair in kept})
    return PairFile(pairs, dropped, tuple(_notes(pairs)), sources, name, licence)


def write_pairs(pairs: Iterable[DialectPair], path: Path) -> None:
    """Write JSON lines that `read_pairs` reads back as equal pairs.

    The file appears when it is complete: it is written under another name and moved.

    Args:
        pairs: With different ids, a text on both sides, and nothing shared between splits.
        path: The name ends in `.jsonl`.

    Raises:
        InvalidInputError: There is no pair, or the file could not be read back or made.
    """
    if path.suffix.lower() != ".jsonl":
        raise InvalidInputError(f"{path}: pairs are written as JSON lines; name a .jsonl file.")
    listed = list(pairs)
    try:
        lines = [json.dumps(_record(pair), ensure_ascii=False) for pair in listed]
        content = "".join(f"{line}\n" for line in lines).encode()
        again = _parse(content, path, column_names({}))
    except (DataError, UnicodeEncodeError) as error:
        raise InvalidInputError(f"these pairs cannot be written: {error}") from error
    kept = set(again.pairs)
    if changed := [pair.id for pair in listed if pair not in kept]:
        raise InvalidInputError(
            f"these pairs cannot be written: pair {changed[0]!r} would not be read back."
        )
    write_whole(content, path)


def _record(pair: DialectPair) -> dict[str, object]:
    """The fields of a pair, optional ones only where filled."""
    filled = asdict(pair)
    return {k: v for k, v in filled.items() if v is not None and (v != "" or k in VARIETIES)}


def _useless(pair: DialectPair) -> str:
    """Why a pair can show nothing; empty if it can."""
    empty = [variety.upper() for variety in VARIETIES if blank(getattr(pair, variety))]
    if empty:
        return f"the {' and the '.join(empty)} side is empty"
    return "both sides are the same" if alike(pair.aae, pair.sae) else ""


def _notes(pairs: Sequence[DialectPair]) -> Iterator[str]:
    texts = [(pair.aae, pair.sae, pair.aae_back) for pair in pairs]
    if beyond := sum(not all(map(str.isascii, three)) for three in texts):
        emoji = sum(any(map(_EMOJI.search, three)) for three in texts)
        yield (
            f"{beyond:,} of {len(pairs):,} pairs hold characters beyond ASCII, "
            f"{emoji:,} of them emoji or symbols; all are kept"
        )
    counted = Counter(normalised(pair.aae) for pair in pairs)
    if repeated := [n for n in counted.values() if n > 1]:
        yield (
            f"AAE texts under several ids: {len(repeated):,}, in {sum(repeated):,} pairs; "
            "those of one text stay in one split"
        )

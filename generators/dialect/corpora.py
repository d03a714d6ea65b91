"""Pairs by name: an open corpus, or a file of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from sociolect.generators.dialect import habitual, redial
from sociolect.generators.dialect.pair_files import PAIR_SUFFIXES, PairFile, read_pairs
from sociolect.generators.errors import InvalidInputError, UnknownNameError

CORPORA: Mapping[str, Callable[[Path | None], PairFile]] = MappingProxyType(
    {redial.NAME: redial.load, habitual.NAME: habitual.load}
)
"""Open corpora by name. `docs/dialect_pairs.md` says what each can show and what it cannot."""


def load_pairs(
    name_or_path: str | Path,
    sources: Path | None = None,
    columns: Mapping[str, str] | None = None,
) -> PairFile:
    """The pairs of an open corpus or of a file.

    Args:
        name_or_path: A name in `CORPORA`, else a path (`./redial` for a file of that name).
        sources: Local folder of the files of a corpus; None looks at `SOCIOLECT_SOURCES`, then
            downloads.
        columns: Columns of a file, as for `read_pairs`.

    Raises:
        UnknownNameError: Neither a corpus nor a file.
        InvalidInputError: Columns of a corpus, whose columns are known; a folder, or a link that
            leads nowhere.
        DataError, SourceError: What is there cannot be used.
    """
    load = CORPORA.get(str(name_or_path))
    if load is not None and columns:
        raise InvalidInputError(f"{name_or_path} is a corpus; columns are named for files only.")
    if load is not None:
        return load(sources)
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        raise InvalidInputError(f"{path} is a folder; name a file of pairs.")
    if path.is_symlink() and not path.exists():
        raise InvalidInputError(f"{path} is a link that leads to no file; name a file of pairs.")
    if not path.is_file():
        hint = f"Or give the path of a file ({', '.join(PAIR_SUFFIXES)})."
        raise UnknownNameError("pairs", name_or_path, CORPORA, hint)
    return read_pairs(path, columns)

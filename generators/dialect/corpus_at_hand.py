"""The pairs that a folder was built from, if their files are at hand; nothing is downloaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.dialect.corpora import load_pairs
from sociolect.generators.dialect.manifest import known_corpus
from sociolect.generators.dialect.pair_files import PairFile
from sociolect.generators.errors import SociolectError, SourceError
from sociolect.generators.sources import SOURCES_VARIABLE


def corpus_at_hand(manifest: Mapping[str, Any], sources: Path | None) -> PairFile | None:
    """The pairs of a folder's corpus, or of the file that it was built from.

    Args:
        manifest: Of the folder.
        sources: Folder of the files, which must hold them; None for `SOCIOLECT_SOURCES`, which may
            hold others. Without them the answer is None; of a corpus, standard error says why.

    Raises:
        SourceError: The files are not in the folder that was named.
        DataError: They cannot be read.
    """
    if sources is not None:
        return _load(manifest, sources)
    if not os.environ.get(SOURCES_VARIABLE):
        return None
    folder = Path(os.environ[SOURCES_VARIABLE])
    if not known_corpus(manifest) and _own_file(manifest, folder) is None:
        return None  # nobody said that a file of one's own would lie there
    try:
        return _load(manifest, folder)
    except SociolectError as error:
        print(f"sociolect: the source files are not used: {error}", file=sys.stderr)
        return None


def _load(manifest: Mapping[str, Any], folder: Path) -> PairFile:
    if name := known_corpus(manifest):
        return load_pairs(name, folder)
    file = _own_file(manifest, folder)
    if file is None:
        names = [source["name"] for source in manifest["sources"]]
        raise SourceError(
            f"{folder} does not hold {names[0] if names else 'a file'}, which the pairs were read "
            "from; name the folder of that file with --sources"
        )
    return load_pairs(file, columns=manifest.get("columns", {}))


def _own_file(manifest: Mapping[str, Any], folder: Path) -> Path | None:
    """The one file that pairs were read from, if it lies in a folder."""
    names = [Path(source["name"]).name for source in manifest["sources"]]
    return folder / names[0] if len(names) == 1 and (folder / names[0]).is_file() else None

"""Pinned upstream files: a URL at a commit and a SHA-256, downloaded once or read from a folder.

No benchmark text ships with the package. A file is named by its place in a sources folder
(`winobias/pro_stereotyped_type1.txt.test`); a folder of the same layout replaces the download,
and either way the bytes are checked before anything reads them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pooch

from sociolect.generators.errors import SourceError
from sociolect.generators.items import SourceFile

SOURCES_VARIABLE = "SOCIOLECT_SOURCES"
"""Environment variable that names the local sources folder."""


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One upstream file.

    Attributes:
        name: Relative path with forward slashes, both in a sources folder and in the cache.
        sha256: Expected digest, 64 hexadecimal digits.
        url: Where these exact bytes can be downloaded.
    """

    name: str
    sha256: str
    url: str

    @property
    def source(self) -> SourceFile:
        """The record of this file for a manifest."""
        return SourceFile(self.name, self.sha256, self.url)


def sources_folder(explicit: Path | None = None) -> Path | None:
    """The local folder that replaces downloads: the argument, else `SOCIOLECT_SOURCES`, else none.

    Raises:
        SourceError: A folder is named but does not exist.
    """
    named = explicit or os.environ.get(SOURCES_VARIABLE, "")
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        origin = "the sources folder" if explicit else SOURCES_VARIABLE
        raise SourceError(f"{origin} is {str(folder)!r}, which is not a folder.")
    return folder


def fetch(file: PinnedFile, sources: Path | None = None) -> Path:
    """The path of a checked local copy.

    A sources folder, if there is one, is the only place that is looked at; otherwise the file
    is downloaded into the user cache, where a copy with the right digest is reused.

    Args:
        file: What to fetch.
        sources: Local folder; None looks at `SOCIOLECT_SOURCES`.

    Raises:
        SourceError: The file is missing, cannot be downloaded, or has other bytes.
    """
    folder = sources_folder(sources)
    return _download(file) if folder is None else _checked(file, folder / file.name)


def fetch_texts(files: Iterable[PinnedFile], sources: Path | None = None) -> dict[str, str]:
    """The UTF-8 texts of several files by name, line endings as they are.

    Raises:
        SourceError: As for `fetch`.
    """
    return {f.name: fetch(f, sources).read_bytes().decode("utf-8") for f in files}


def how_to_get(file: PinnedFile) -> str:
    """What a user can do when a file is missing or wrong."""
    return (
        f"Get it from {file.url} and save it as FOLDER/{file.name}, "
        f"then pass --sources FOLDER or set {SOURCES_VARIABLE}=FOLDER."
    )


def _checked(file: PinnedFile, path: Path) -> Path:
    try:
        found = pooch.file_hash(str(path), alg="sha256")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SourceError(
            f"cannot read {file.name} at {path}: {reason} (expected SHA-256 {file.sha256}). "
            + how_to_get(file)
        ) from error
    if found != file.sha256:
        raise SourceError(
            f"{file.name} at {path} is not the pinned version: "
            f"expected SHA-256 {file.sha256}, found {found}. {how_to_get(file)}"
        )
    return path


def _download(file: PinnedFile) -> Path:
    target = Path(pooch.os_cache("sociolect")) / "sources" / file.name
    # pooch writes to a temporary file beside the target and moves it there after the hash check.
    try:
        pooch.retrieve(
            file.url,
            known_hash=f"sha256:{file.sha256}",
            fname=target.name,
            path=target.parent,
            downloader=pooch.HTTPDownloader(timeout=60),
        )
    except OSError as error:
        # Every exception of requests is an OSError (some are ValueErrors too, hence this order);
        # so are a full disk and a read-only cache.
        raise SourceError(
            f"cannot download {file.name} (expected SHA-256 {file.sha256}): {error}. "
            + how_to_get(file)
        ) from None  # the message says it; three stacks of the HTTP library would bury it
    except ValueError as error:
        # What is left is a digest that differs; the message holds the one that was found.
        raise SourceError(
            f"{file.name} as downloaded is not the pinned version: expected SHA-256 "
            f"{file.sha256}. {error} {how_to_get(file)}"
        ) from error
    return _checked(file, target)

"""A release: the folder that is published, made from a finished build and checked.

    README.md                            the dataset card
    manifest.json                        of the build; with `"text": "withheld"` where it applies
    <config>/test-00000-of-00001.parquet

The build itself is only read.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sociolect.generators.errors import DataError, InvalidInputError, SociolectError
from sociolect.generators.layout import CARD, MANIFEST, PARQUET, SPLIT, is_version
from sociolect.generators.manifest import Manifest
from sociolect.generators.noise.realised import CHANGES
from sociolect.generators.release_card import Card, Earlier, render_card
from sociolect.generators.release_checks import (
    check_manifest,
    check_release,
    read_realism,
    read_table,
)
from sociolect.generators.release_sources import benchmark_at_hand
from sociolect.generators.stored import columns
from sociolect.generators.withheld import has_no_licence, strip_manifest, strip_rows

if TYPE_CHECKING:
    import pyarrow

_DATA_FILE = re.compile(rf"[^/]+/{SPLIT}-\d{{5}}-of-\d{{5}}\.parquet")


class PublishError(SociolectError):
    """A release that cannot be delivered: no rights, a tag in the way, a server that fails."""


@dataclass(frozen=True, slots=True)
class Release:
    """A finished release folder.

    Attributes:
        folder: Where it lies.
        repo: Name of the dataset repository, `org/name`.
        version: Data version, `X.Y.Z`.
        manifest: As it is published.
    """

    folder: Path
    repo: str
    version: str
    manifest: Manifest

    @property
    def tag(self) -> str:
        """The git tag of the data version."""
        return tag_of(self.version)

    @property
    def title(self) -> str:
        """What the commit is called."""
        return f"{self.manifest['benchmark']} {self.version}, sociolect " + str(
            self.manifest["sociolect_version"]
        )

    @property
    def files(self) -> dict[str, Path]:
        """Every file by its path in the repository, in order."""
        names = [CARD, MANIFEST, *(f"{name}/{PARQUET}" for name in self.manifest["configs"])]
        return {name: self.folder / name for name in names}

    def stale(self, there: Mapping[str, object]) -> list[str]:
        """Data files of earlier releases among the files of a repository."""
        return sorted(n for n in there if _DATA_FILE.fullmatch(n) and n not in self.files)


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a release.

    Attributes:
        where: An address or a path to look at it.
        commit: Identifier of the commit that holds it.
        tagged: Whether the tag was set; not for a pull request.
    """

    where: str
    commit: str
    tagged: bool


class Target(Protocol):
    """Where a release goes."""

    def check(self, tag: str) -> None:
        """Refuse what cannot be published, before anything is made."""

    def earlier(self) -> tuple[Earlier, ...]:
        """The versions that were published before."""

    def send(self, release: Release) -> Sent:
        """Commit the release and tag the commit."""


def earlier_version(tag: str, manifest: bytes) -> Earlier | None:
    """An earlier version by its tag and its manifest; None if sociolect did not make it."""
    version = tag.removeprefix("v")
    if not (tag.startswith("v") and is_version(version)):
        return None
    try:
        content = json.loads(manifest)
        fits = all(isinstance(entry["rows"], int) for entry in content["configs"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return Earlier(version, content, sha256(manifest).hexdigest()) if fits else None


def tag_of(version: str) -> str:
    """The git tag of a data version."""
    return f"v{version}"


def make_release(
    build: Path,
    folder: Path,
    *,
    repo: str,
    version: str,
    earlier: tuple[Earlier, ...] = (),
    sources: Path | None = None,
) -> Release:
    """Fill an empty folder with the release of a build, and check it.

    Args:
        build: A finished build; it is not touched.
        folder: An empty folder.
        repo: Name of the dataset repository, `org/name`.
        version: Data version, which must be that of the build.
        earlier: Versions published before.
        sources: Source files, which the texts are compared with; None for `SOCIOLECT_SOURCES`. A
            dataset without text needs them, to prove that the text can be put back, and downloads
            them if need be. Without them, others are not compared, which standard error says.

    Raises:
        InvalidInputError: The version is no version or not that of the build, or the folder
            cannot be written.
        DataError: The build is unfinished, damaged, changed, or in an older format.
        SourceError: The source files that were named cannot be used, or the text of a dataset
            without text cannot be put back.
    """
    original = check_manifest(build)
    check_version(version, original)
    withhold = has_no_licence(original)
    benchmark = benchmark_at_hand(original["benchmark"], sources, needed=withhold)
    manifest = strip_manifest(original) if withhold else original
    with writing_to(folder):
        sizes = {
            name: _copy_config(build, folder, name, entry, withhold=withhold)
            for name, entry in manifest["configs"].items()
        }
        content = _copy_manifest(build, folder, manifest, withhold=withhold)
        card = Card(
            manifest=manifest,
            repo=repo,
            version=version,
            manifest_sha256=sha256(content).hexdigest(),
            sizes=sizes,
            earlier=earlier,
            realism=read_realism(build, original),
        )
        (folder / CARD).write_text(render_card(card), encoding="utf-8")
        check_release(folder, original, withheld=withhold, benchmark=benchmark)
    return Release(folder, repo, version, manifest)


def check_version(version: str, manifest: Manifest) -> None:
    """Refuse a version that is none, or not that of the build.

    Raises:
        InvalidInputError: It is one of these.
    """
    if not is_version(version):
        raise InvalidInputError(
            f"the version is {version!r}; write X.Y.Z with plain numbers, e.g. 1.0.0"
        )
    if version != manifest["data_version"]:
        raise InvalidInputError(
            f"the version is {version}, but the build is data version {manifest['data_version']}. "
            "Tasks ask the Hub for the data version that they were made for, so the tag must be "
            f"the same: publish it as {manifest['data_version']}"
        )


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turn a failed write into one message.

    Raises:
        InvalidInputError: Something inside could not be written or read.
    """
    try:
        yield
    except OSError as error:
        raise InvalidInputError(
            f"the release could not be written to {folder} ({error.strerror or error}); nothing "
            "was published. Make room there, or name another place with --keep or TMPDIR"
        ) from error


def _copy_config(
    build: Path, folder: Path, name: str, entry: Mapping[str, Any], *, withhold: bool
) -> tuple[int, int]:
    """Copy one config; its bytes in memory and on disk."""
    table = read_table(build, name, entry)
    target = folder / name / PARQUET
    target.parent.mkdir()
    if withhold:
        table = _write_stripped(table, target)
    else:
        shutil.copyfile(build / name / PARQUET, target)
    return table.nbytes, target.stat().st_size


def _write_stripped(table: pyarrow.Table, target: Path) -> pyarrow.Table:
    import pyarrow
    from pyarrow import parquet

    wanted = columns(withheld=True, noise=CHANGES[0] in table.column_names)
    stripped = pyarrow.Table.from_pylist(strip_rows(table.to_pylist()), schema=wanted)
    parquet.write_table(stripped, target)
    return stripped


def _copy_manifest(build: Path, folder: Path, manifest: Manifest, *, withhold: bool) -> bytes:
    """The manifest's bytes: those of the build, unless something was taken out."""
    if withhold:
        text = json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        content = text.encode()
    else:
        content = (build / MANIFEST).read_bytes()
        if json.loads(content) != manifest:
            raise DataError(f"{build} was changed while it was read; publish it again")
    (folder / MANIFEST).write_bytes(content)
    return content

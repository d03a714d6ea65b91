"""Publishing a build: make a release, check it, send it.

Nothing leaves the machine before every config of the release was loaded and checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from sociolect.generators.dialect.folder import foreign_entries as dialect_foreign_entries
from sociolect.generators.dialect.folder import is_dialect
from sociolect.generators.dialect.folder import read_manifest as dialect_manifest
from sociolect.generators.dialect.release import make_release as dialect_release
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.folders import finished_folder
from sociolect.generators.hub_upload import HubTarget, check_repo
from sociolect.generators.manifest import Manifest, foreign_entries, read_manifest
from sociolect.generators.publish_git import GitTarget
from sociolect.generators.release import (
    Release,
    Sent,
    Target,
    check_version,
    make_release,
    tag_of,
    writing_to,
)
from sociolect.generators.stored import is_withheld


@dataclass(frozen=True, slots=True)
class Published:
    """What was published, or would be.

    Attributes:
        benchmark: Name of the benchmark.
        repo: `org/name`.
        tag: The git tag of the version.
        files: Bytes of each file by its path.
        withheld: Whether the text of the benchmark was left out.
        sent: What became of it, None for a dry run.
    """

    benchmark: str
    repo: str
    tag: str
    files: dict[str, int]
    withheld: bool
    sent: Sent | None


def publish(
    build: Path,
    *,
    repo: str,
    version: str,
    to_git: Path | None = None,
    private: bool = False,
    create_pr: bool = False,
    dry_run: bool = False,
    keep: Path | None = None,
    sources: Path | None = None,
) -> Published:
    """Publish a finished build, on the Hugging Face Hub or in a local git repository.

    Args:
        build: Folder of a finished build; it is only read.
        repo: Name of the dataset repository, `org/name`; the card gives it, also with `to_git`.
        version: Data version, `X.Y.Z`, which must be that of the build.
        to_git: A local git repository to publish to, instead of the Hub.
        private: Make a new repository on the Hub private.
        create_pr: Open a pull request on the Hub, which is not tagged.
        dry_run: Make and check the release, and send nothing. The Hub is not asked anything.
        keep: Where the release shall stay; None for a temporary folder.
        sources: Source files, which the texts are compared with; None for `SOCIOLECT_SOURCES`, or
            a download for datasets that are published without text.

    Raises:
        InvalidInputError: An argument cannot be used, or a folder cannot be written.
        DataError: The build is unfinished, damaged, changed, or in an older format.
        SourceError: The source files that were named cannot be used, or the text of a dataset
            without text cannot be put back.
        PublishError: The release cannot be delivered.
        MissingToolError: git or the spaCy model is not installed.
    """
    check_repo(repo)
    if to_git and (private or create_pr):
        raise InvalidInputError("--private and --create-pr are for the Hub, not for --to-git")
    check_version(version, _manifest_of(build))
    _check_apart(build, keep, to_git)
    target: Target = GitTarget(to_git) if to_git else HubTarget(repo, private, create_pr)
    asked = to_git is not None or not dry_run
    if asked:
        target.check(tag_of(version))
    earlier = target.earlier() if asked else ()
    of_pairs = partial(dialect_release, on_hub=to_git is None)
    made_by = of_pairs if is_dialect(build) else make_release
    make = partial(made_by, build, repo=repo, version=version, earlier=earlier, sources=sources)
    with _released(make, keep) as release:
        return Published(
            benchmark=release.manifest["benchmark"],
            repo=repo,
            tag=release.tag,
            files={name: path.stat().st_size for name, path in release.files.items()},
            withheld=is_withheld(release.manifest),
            sent=None if dry_run else target.send(release),
        )


def _manifest_of(folder: Path) -> Manifest:
    return dialect_manifest(folder) if is_dialect(folder) else read_manifest(folder)


@contextmanager
def _released(make: Callable[[Path], Release], keep: Path | None) -> Iterator[Release]:
    """The release, in a folder that stays or in one that goes."""
    if keep is None:
        with writing_to(Path(gettempdir())):
            folder = TemporaryDirectory(prefix="sociolect-publish-")
        with folder as name:
            yield make(Path(name))
    else:
        with finished_folder(keep) as partial_folder:
            release = make(partial_folder)
        yield replace(release, folder=keep)


def _check_apart(build: Path, keep: Path | None, to_git: Path | None) -> None:
    """Refuse folders that would replace the build, or something that is no release."""
    home = build.resolve()
    named = [("--keep", keep), ("--to-git", to_git)]
    places = {option: path.resolve() for option, path in named if path}
    for option, place in places.items():
        if place == home or place in home.parents or home in place.parents:
            raise InvalidInputError(
                f"{option} is {place}, which is the build, inside it, or around it; name another "
                "folder"
            )
    if len(set(places.values())) < len(places):
        raise InvalidInputError("--keep and --to-git name the same folder; name another one")
    if keep and keep.is_dir() and any(keep.iterdir()) and _foreign_in(keep):
        raise InvalidInputError(
            f"{keep} holds what no release put there; move it away, or name another folder"
        )


def _foreign_in(folder: Path) -> list[str]:
    return dialect_foreign_entries(folder) if is_dialect(folder) else foreign_entries(folder)

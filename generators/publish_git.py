"""A release into a local git repository: one commit, one tag, both or neither.

The layout is that of the Hub, so the repository can be pushed there or served from disk. Parquet
files are plain files. A new repository is made under a temporary name. In an existing one, nothing
shows before branch and tag move together; files that are no part of a release stay as they are.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sociolect.generators.errors import MissingToolError
from sociolect.generators.folders import finished_folder
from sociolect.generators.layout import MANIFEST
from sociolect.generators.release import PublishError, Release, Sent, earlier_version
from sociolect.generators.release_card import Earlier

_AUTHOR = {"user.name": "sociolect", "user.email": "sociolect@localhost"}
"""Who commits where git knows nobody."""


@dataclass(frozen=True, slots=True)
class GitTarget:
    """A local git repository with a working tree.

    Attributes:
        path: Its folder; made if it is missing or empty.
    """

    path: Path

    def check(self, tag: str) -> None:
        """Refuse what cannot be published, before anything is made.

        Raises:
            MissingToolError: git is not installed.
            PublishError: The folder is no repository but holds something, the working tree has
                changes, no branch is checked out, parquet files are in LFS, or the tag exists.
        """
        if shutil.which("git") is None:
            raise MissingToolError("git is not installed; install it, e.g. `apt-get install git`")
        if self._is_new():
            return
        self._check_repository()
        if self._find(f"refs/tags/{tag}"):
            raise PublishError(
                f"{self.path} has the tag {tag} already; published data do not change. If the "
                "data changed, they need a new data version; if not, there is nothing to do"
            )

    def earlier(self) -> tuple[Earlier, ...]:
        """The versions that were published before."""
        if self._is_new():
            return ()
        repository = _Git(self.path)
        found = (
            earlier_version(tag, repository.run("show", f"refs/tags/{tag}:{MANIFEST}", check=False))
            for tag in repository.text("tag", "--list").split()
        )
        return tuple(version for version in found if version)

    def send(self, release: Release) -> Sent:
        """Commit the release and tag the commit.

        Raises:
            PublishError: git failed; neither the branch nor the tag has moved.
        """
        if self._is_new():
            with finished_folder(self.path, replace=False) as folder:
                repository = _Git(folder)
                repository.run("-c", "init.defaultBranch=main", "init", "--quiet")
                commit = _publish(repository, release)
        else:
            self.check(release.tag)  # again: making the release took its time
            commit = _publish(_Git(self.path), release)
        return Sent(str(self.path), commit, tagged=True)

    def _is_new(self) -> bool:
        if self.path.exists() and not self.path.is_dir():
            raise PublishError(f"{self.path} is a file; name a folder")
        return not self.path.is_dir() or not any(self.path.iterdir())

    def _check_repository(self) -> None:
        repository = _Git(self.path)
        top = repository.text("rev-parse", "--show-toplevel", check=False)
        if not top or Path(top).resolve() != self.path.resolve():
            raise PublishError(
                f"{self.path} holds something, but is not the top folder of a git repository with "
                "a working tree; name a new folder, or a repository"
            )
        if not repository.text("symbolic-ref", "--quiet", "HEAD", check=False):
            raise PublishError(f"{self.path} has no branch checked out; `git switch` to one")
        if repository.text("status", "--porcelain"):
            raise PublishError(
                f"{self.path} has changes that are not committed; commit them or put them away"
            )
        attribute = repository.text("check-attr", "filter", "--", "clean/x.parquet")
        if attribute.endswith(" lfs"):
            raise PublishError(
                f"{self.path} keeps parquet files in LFS (.gitattributes); publish to a repository "
                "that does not, or straight to the Hub"
            )

    def _find(self, reference: str) -> str:
        return _Git(self.path).text("rev-parse", "--quiet", "--verify", reference, check=False)


def _publish(repository: _Git, release: Release) -> str:
    """Commit and tag a release; the commit."""
    branch = repository.text("symbolic-ref", "HEAD")
    head = repository.text("rev-parse", "--quiet", "--verify", "HEAD", check=False)
    tree = _write_tree(repository, release, head)
    commit = head
    if not head or tree != repository.text("rev-parse", f"{head}^{{tree}}"):
        parents = ("-p", head) if head else ()
        commit = repository.text(
            *repository.author(), "commit-tree", tree, *parents, "-m", release.title
        )
    # The working tree first, so that a full disk stops it before anything has moved.
    try:
        repository.run("read-tree", "-m", "-u", *((head,) if head else ()), commit)
        move = f"update {branch} {commit} {head}" if head else f"create {branch} {commit}"
        tag = f"create refs/tags/{release.tag} {commit}"
        repository.run("update-ref", "--stdin", text=f"{move}\n{tag}\n")
    except BaseException:
        if head:
            repository.run("reset", "--quiet", "--hard", head, check=False)
        raise
    return commit


def _write_tree(repository: _Git, release: Release, head: str) -> str:
    """The tree of the next commit: the files at `head`, with those of the release in their place.

    Files go in as they are: no filter, no attribute, no ignore rule of the user applies.
    """
    home = repository.text("rev-parse", "--absolute-git-dir")
    with TemporaryDirectory(prefix="sociolect-", dir=home) as folder:
        apart = _Git(repository.folder, {"GIT_INDEX_FILE": str(Path(folder) / "index")})
        if head:
            apart.run("read-tree", head)
        there = dict.fromkeys(apart.text("ls-files", "-z").split("\0"))
        if stale := release.stale(there):
            apart.run("update-index", "--force-remove", "--", *stale)
        paths = "".join(f"{path.resolve()}\n" for path in release.files.values())
        blobs = apart.text("hash-object", "-w", "--no-filters", "--stdin-paths", text=paths).split()
        entries = (f"100644 {b}\t{n}\n" for n, b in zip(release.files, blobs, strict=True))
        apart.run("update-index", "--add", "--index-info", text="".join(entries))
        return apart.text("write-tree")


class _Git:
    """Runs git in one repository.

    Args:
        folder: The repository.
        extra: More environment variables.
    """

    def __init__(self, folder: Path, extra: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        # A git hook or an alias may have set GIT_DIR and the like, which would win over the folder.
        kept = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_", "GIT_EXEC_PATH")
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") or name.startswith(kept)
        }
        self._environment = {**inherited, "LC_ALL": "C", **(extra or {})}

    def run(self, *arguments: str, text: str = "", check: bool = True) -> bytes:
        """Standard output of a command.

        Args:
            *arguments: After `git -C FOLDER`.
            text: Standard input.
            check: Whether a failure is an error; else the output is empty then.

        Raises:
            PublishError: The command failed.
        """
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            input=text.encode(),
            capture_output=True,
            env=self._environment,
            check=False,
        )
        if done.returncode == 0:
            return done.stdout
        if not check:
            return b""
        said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        command = next((a for a in arguments if not a.startswith("-") and "=" not in a), "")
        raise PublishError(
            f"`git {command}` failed in {self.folder}: {said}. Neither branch nor tag has moved"
        )

    def text(self, *arguments: str, text: str = "", check: bool = True) -> str:
        """Standard output of a command as text, without the line end.

        Raises:
            PublishError: The command failed.
        """
        return self.run(*arguments, text=text, check=check).decode(errors="replace").strip()

    def author(self) -> list[str]:
        """Options that name an author where git knows none."""
        missing = (key for key in _AUTHOR if not self.text("config", "--get", key, check=False))
        return [part for key in missing for part in ("-c", f"{key}={_AUTHOR[key]}")]

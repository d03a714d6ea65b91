"""A release into a local git repository: one commit, one tag, both or neither.

The layout is that of the Hub, so the repository can be pushed there or served from disk. Parquet
files are plain files. A new repository is made under a temporary name. In an existing one, nothing
shows before branch and tag move together, and the working tree follows; files that are no part of a
release stay as they are.
"""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sociolect.generators.errors import MissingToolError
from sociolect.generators.folders import finished_folder
from sociolect.generators.git_command import Git
from sociolect.generators.git_worktree import changes, in_the_way, lags
from sociolect.generators.layout import MANIFEST
from sociolect.generators.release import PublishError, Release, Sent, earlier_version
from sociolect.generators.release_card import Earlier


@dataclass(frozen=True, slots=True)
class GitTarget:
    """A local git repository with a working tree.

    Attributes:
        path: Its folder; made if it is missing or empty.
    """

    path: Path

    def check(self, tag: str) -> None:
        """Refuse what cannot be published, before anything is made.

        A working tree that only lags behind a release is no obstacle: a run was interrupted, and
        `send` brings it up to date.

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
        repository = Git(self.path)
        changed = changes(repository)
        tagged = repository.find(f"refs/tags/{tag}^{{commit}}")
        interrupted = bool(changed) and tagged in ("", repository.find("HEAD")) and lags(repository)
        if changed and not interrupted:
            raise self._changed(changed, tag if tagged else "")
        if tagged and not interrupted:
            raise self._taken(tag)

    def earlier(self) -> tuple[Earlier, ...]:
        """The versions that were published before."""
        if self._is_new():
            return ()
        repository = Git(self.path)
        found = (
            earlier_version(tag, repository.run("show", f"refs/tags/{tag}:{MANIFEST}", check=False))
            for tag in repository.text("tag", "--list").split()
        )
        return tuple(version for version in found if version)

    def send(self, release: Release) -> Sent:
        """Commit the release and tag the commit, then bring the working tree up to date.

        Raises:
            PublishError: git failed, or files are in the way; the message says whether branch and
                tag have moved.
        """
        if self._is_new():
            with finished_folder(self.path, replace=False) as folder:
                repository = Git(folder)
                repository.run("-c", "init.defaultBranch=main", "init", "--quiet")
                commit = _move(repository, release, "")
                repository.run("read-tree", "-m", "-u", commit)
        else:
            self.check(release.tag)  # again: making the release took its time
            commit = self._add(release)
        return Sent(str(self.path), commit, tagged=True)

    def _add(self, release: Release) -> str:
        """Add the release to a repository that was checked; the commit.

        Branch and tag move first. A run that ends after that leaves a working tree that lags
        behind, which the next one recognises.
        """
        repository = Git(self.path)
        head = repository.find("HEAD")
        lagging = bool(changes(repository))
        if lagging and _write_tree(repository, release, head) != repository.find("HEAD^{tree}"):
            raise self._lagging()
        if not lagging and (found := in_the_way(repository, release.files)):
            raise PublishError(
                f"{self.path} holds {_listed(found)}, which git does not track, where the release "
                "has another file; move it away"
            )
        commit = _move(repository, release, head)
        repository.state = (
            "Branch and tag are set, the working tree lags behind: run the same command again, or "
            f"`git -C {shlex.quote(str(self.path))} reset --hard`"
        )
        if lagging:
            repository.run("read-tree", "--reset", "-u", commit)
        else:
            repository.run("read-tree", "-m", "-u", *((head,) if head else ()), commit)
        return commit

    def _is_new(self) -> bool:
        if self.path.exists() and not self.path.is_dir():
            raise PublishError(f"{self.path} is a file; name a folder")
        return not self.path.is_dir() or not any(self.path.iterdir())

    def _check_repository(self) -> None:
        repository = Git(self.path)
        top = repository.text("rev-parse", "--show-toplevel", check=False)
        if not top or Path(top).resolve() != self.path.resolve():
            raise PublishError(
                f"{self.path} holds something, but is not the top folder of a git repository with "
                "a working tree; name a new folder, or a repository"
            )
        if not repository.text("symbolic-ref", "--quiet", "HEAD", check=False):
            raise PublishError(f"{self.path} has no branch checked out; `git switch` to one")
        attribute = repository.text("check-attr", "filter", "--", "clean/x.parquet")
        if attribute.endswith(" lfs"):
            raise PublishError(
                f"{self.path} keeps parquet files in LFS (.gitattributes); publish to a repository "
                "that does not, or straight to the Hub"
            )

    def _taken(self, tag: str) -> PublishError:
        return PublishError(
            f"{self.path} has the tag {tag} already; published data do not change. If the data "
            "changed, they need a new data version; if not, there is nothing to do"
        )

    def _changed(self, paths: list[str], tag: str) -> PublishError:
        what = f"{self.path} has changes that are not committed ({_listed(paths)})"
        if not tag:
            return PublishError(f"{what}; commit them or put them away")
        return PublishError(
            f"{what}, and the tag {tag} already: that version is published. If a run was "
            f"interrupted, `git -C {shlex.quote(str(self.path))} reset --hard` brings the working "
            "tree up to date; changes to tracked files are lost by that"
        )

    def _lagging(self) -> PublishError:
        return PublishError(
            f"the working tree of {self.path} lags behind its branch, which does not hold this "
            f"release; `git -C {shlex.quote(str(self.path))} reset --hard` brings it up to date, "
            "then publish again"
        )


def _listed(paths: list[str]) -> str:
    shown = ", ".join(paths[:3])
    return f"{shown} and {len(paths) - 3} more" if len(paths) > 3 else shown


def _move(repository: Git, release: Release, head: str) -> str:
    """Commit and tag a release, without touching index and working tree; the commit."""
    branch = repository.text("symbolic-ref", "HEAD")
    tree = _write_tree(repository, release, head)
    commit = head
    if not head or tree != repository.find(f"{head}^{{tree}}"):
        parents = ("-p", head) if head else ()
        commit = repository.text(
            *repository.author(), "commit-tree", tree, *parents, "-m", release.title
        )
    move = f"update {branch} {commit} {head}" if head else f"create {branch} {commit}"
    tagged = repository.find(f"refs/tags/{release.tag}^{{commit}}") == commit
    tag = "" if tagged else f"create refs/tags/{release.tag} {commit}\n"
    repository.run("update-ref", "--stdin", text=f"{move}\n{tag}")
    return commit


def _write_tree(repository: Git, release: Release, head: str) -> str:
    """The tree of the next commit: the files at `head`, with those of the release in their place.

    Files go in as they are: no filter, no attribute, no ignore rule of the user applies.
    """
    home = repository.text("rev-parse", "--absolute-git-dir")
    with TemporaryDirectory(prefix="sociolect-", dir=home) as folder:
        apart = Git(repository.folder, {"GIT_INDEX_FILE": str(Path(folder) / "index")})
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

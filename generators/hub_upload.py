"""A release to the Hugging Face Hub: one commit, then the tag.

Every step looks at what is there first, so that a run that was interrupted anywhere is taken up by
the next one: a commit that was made is not made again, only the tag is missing. The token is looked
up by `huggingface_hub` alone (`HF_TOKEN`, or a login); nothing here takes, keeps or prints it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha1, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sociolect.generators.errors import InvalidInputError
from sociolect.generators.hub_errors import CONFLICT, Patience, one_line
from sociolect.generators.layout import MANIFEST
from sociolect.generators.release import PublishError, Release, Sent, earlier_version
from sociolect.generators.release_card import Earlier

if TYPE_CHECKING:
    from huggingface_hub import HfApi


@dataclass(frozen=True, slots=True)
class HubTarget:
    """A dataset repository on the Hub.

    Attributes:
        repo: `org/name`.
        private: Whether a new repository shall be private.
        create_pr: Open a pull request instead of committing to `main`; nothing is tagged.
        sleep: Waits a number of seconds.
    """

    repo: str
    private: bool = False
    create_pr: bool = False
    sleep: Callable[[float], None] = field(default=time.sleep)

    def __post_init__(self) -> None:
        check_repo(self.repo)

    def check(self, tag: str) -> None:
        """Refuse what cannot be published, before anything is made.

        Raises:
            PublishError: There is no token, the tag exists, or a repository that shall be private
                is public.
        """
        _check_token()
        repository = self._patience().call(self._repository)
        if repository is None:
            return
        if self.private and not repository.private:
            raise PublishError(
                f"{self.repo} exists and is public; --private only makes new repositories private. "
                "Change its visibility in its settings on the Hub, or name another one"
            )
        if tag in repository.tags and not self.create_pr:
            raise self._taken(tag)

    def earlier(self) -> tuple[Earlier, ...]:
        """The versions that were published before.

        Raises:
            PublishError: The Hub cannot be read.
        """
        repository = self._patience().call(self._repository)
        tags = repository.tags if repository else {}
        found = (
            earlier_version(tag, self._patience().call(partial(self._manifest, commit)))
            for tag, commit in tags.items()
        )
        return tuple(version for version in found if version)

    def send(self, release: Release) -> Sent:
        """Make the repository if need be, commit the release, and tag the commit.

        Raises:
            PublishError: The Hub refused or failed; the message says what was done until then.
        """
        patience = self._patience()
        if patience.call(self._repository) is None:
            patience.call(self._create)
        if self.create_pr:  # a lost answer and a repeated call would make two pull requests
            commit, url = patience.once(lambda: self._commit(release))
            return Sent(one_line(url), one_line(commit), tagged=False)
        commit, url = patience.call(lambda: self._commit(release), also=CONFLICT)
        try:
            patience.call(lambda: self._tag(release.tag, commit), also=CONFLICT)
        except PublishError as error:
            raise PublishError(
                f"{error}. The files are there (commit {one_line(commit[:12])}), the tag "
                f"{release.tag} is not: run the same command again, it only sets the tag"
            ) from None
        return Sent(f"{url}/tree/{release.tag}", one_line(commit), tagged=True)

    def _patience(self) -> Patience:
        return Patience(self.repo, self.sleep)

    def _api(self) -> HfApi:
        from huggingface_hub import HfApi

        return HfApi(token=True)  # the stored token, also where implicit use of it is switched off

    def _repository(self) -> _Repository | None:
        """What is there, None if the repository does not exist (or is hidden from the token)."""
        from huggingface_hub.errors import RepositoryNotFoundError

        api = self._api()
        try:
            info = api.repo_info(self.repo, repo_type="dataset")
            refs = api.list_repo_refs(self.repo, repo_type="dataset")
        except RepositoryNotFoundError:
            return None
        tags = {ref.name: ref.target_commit for ref in refs.tags}
        if not all(isinstance(text, str) for text in (info.sha, *tags, *tags.values())):
            raise TypeError("a commit without a name")
        return _Repository(str(info.sha), bool(info.private), tags)

    def _create(self) -> None:
        self._api().create_repo(
            self.repo, repo_type="dataset", private=self.private or None, exist_ok=True
        )

    def _files(self, commit: str) -> dict[str, str]:
        """Content hash of every file at a commit: SHA-256 if it is stored as LFS, else of git."""
        from huggingface_hub.hf_api import RepoFile

        tree = self._api().list_repo_tree(
            self.repo, repo_type="dataset", revision=commit, recursive=True
        )
        files = (entry for entry in tree if isinstance(entry, RepoFile))
        return {f.path: f.lfs.sha256 if f.lfs else f.blob_id for f in files}

    def _commit(self, release: Release) -> tuple[str, str]:
        """Commit the release to the head that is there now; the commit and where it is."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        repository = self._repository()
        if repository is None:
            raise PublishError(
                f"{self.repo} is not there; the token may not see it, or it was deleted meanwhile"
            )
        there = self._files(repository.head)
        stale = release.stale(there)
        home = f"{self._api().endpoint}/datasets/{self.repo}"
        if not stale and _holds(there, release.files):
            return repository.head, home
        gone = (CommitOperationDelete(path) for path in stale)
        new = (CommitOperationAdd(name, path) for name, path in release.files.items())
        info = self._api().create_commit(
            self.repo,
            [*gone, *new],
            commit_message=release.title,
            repo_type="dataset",
            parent_commit=repository.head,
            create_pr=self.create_pr,
        )
        return str(info.oid), str(info.pr_url) if self.create_pr else home

    def _tag(self, tag: str, commit: str) -> None:
        repository = self._repository()
        there = repository.tags.get(tag) if repository else None
        if there == commit:  # set by an earlier attempt whose answer was lost
            return
        if there:
            raise self._taken(tag)
        self._api().create_tag(self.repo, tag=tag, revision=commit, repo_type="dataset")

    def _manifest(self, commit: str) -> bytes:
        """The manifest at a commit, empty if it has none."""
        from huggingface_hub.errors import RemoteEntryNotFoundError

        with TemporaryDirectory(prefix="sociolect-hub-") as cache:
            try:
                path = self._api().hf_hub_download(
                    self.repo, MANIFEST, repo_type="dataset", revision=commit, cache_dir=cache
                )
            except RemoteEntryNotFoundError:
                return b""
            return Path(path).read_bytes()

    def _taken(self, tag: str) -> PublishError:
        return PublishError(
            f"{self.repo} has the tag {tag} already; published data do not change. If the data "
            "changed, they need a new data version; if not, there is nothing to do"
        )


@dataclass(frozen=True, slots=True)
class _Repository:
    """What is there: head of `main`, visibility, and the commit of each tag."""

    head: str
    private: bool
    tags: Mapping[str, str]


def check_repo(repo: str) -> None:
    """Refuse what cannot be the name of a dataset repository.

    Raises:
        InvalidInputError: It is not `org/name`, or the Hub does not allow such a name.
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        if repo.count("/") != 1:
            raise HFValidationError("it needs one slash")
        validate_repo_id(repo)
    except HFValidationError as error:
        raise InvalidInputError(
            f"the repository is {repo!r}; write org/name, e.g. org/winobias-variants ({error})"
        ) from None


def _check_token() -> None:
    from huggingface_hub import get_token

    if get_token() is None:
        raise PublishError(
            "there is no token for the Hub. Make one with write access on "
            "https://huggingface.co/settings/tokens, then run `hf auth login`, or set HF_TOKEN. "
            "--dry-run needs none"
        )


def _holds(there: Mapping[str, str], files: Mapping[str, Path]) -> bool:
    """Whether every file is there with the same content."""
    return all(there.get(name) in _hashes(path.read_bytes()) for name, path in files.items())


def _hashes(content: bytes) -> tuple[str, str]:
    """What git and git-lfs call this content."""
    blob = sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)
    return blob.hexdigest(), sha256(content).hexdigest()

"""The `git` command in one repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sociolect.generators.release import PublishError

_AUTHOR = {"user.name": "sociolect", "user.email": "sociolect@localhost"}
"""Who commits where git knows nobody."""

NOTHING_MOVED = "Neither branch nor tag has moved"
"""What a failure adds, as long as it holds."""


class Git:
    """Runs git in one repository.

    Args:
        folder: The repository.
        extra: More environment variables.

    Attributes:
        state: What the message of a failure says about branch and tag.
    """

    def __init__(self, folder: Path, extra: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.state = NOTHING_MOVED
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
            f"`git {command}` failed in {self.folder}: {said.rstrip('.')}. {self.state}"
        )

    def text(self, *arguments: str, text: str = "", check: bool = True) -> str:
        """Standard output of a command as text, without the line end.

        Raises:
            PublishError: The command failed.
        """
        return self.run(*arguments, text=text, check=check).decode(errors="replace").strip()

    def find(self, revision: str) -> str:
        """The identifier of what a revision names, empty if there is none."""
        return self.text("rev-parse", "--quiet", "--verify", revision, check=False)

    def lines(self, *arguments: str, check: bool = True) -> list[str]:
        """The entries of a list that ends each with a zero byte (`-z`).

        Raises:
            PublishError: The command failed.
        """
        found = os.fsdecode(self.run(*arguments, check=check))
        return [entry for entry in found.split("\0") if entry]

    def tree(self, revision: str) -> dict[str, str]:
        """The content identifier of every file at a revision by its path; empty without one."""
        entries = self.lines("ls-tree", "-r", "-z", revision, check=False)
        pairs = (entry.split("\t", 1) for entry in entries)
        return {path: about.split()[2] for about, path in pairs}

    def author(self) -> list[str]:
        """Options that name an author where git knows none."""
        missing = (key for key in _AUTHOR if not self.text("config", "--get", key, check=False))
        return [part for key in missing for part in ("-c", f"{key}={_AUTHOR[key]}")]

"""A built dataset by the name that a user gives: a folder, or `org/name` on the Hub."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.layout import CARD, MANIFEST, REALISM, SPLIT

_HUB_NAME = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?:@(?P<revision>[^@\s]+))?")


@dataclass(frozen=True, slots=True)
class Located:
    """Where a dataset lies.

    Attributes:
        name: As it was given.
        folder: A folder of this machine that holds it.
        is_local: Whether that is the user's own folder, not a copy of the Hub's.
    """

    name: str
    folder: Path
    is_local: bool


def dataset_at(name: str) -> Located:
    """Find a dataset, downloading it if it is named by its repository.

    Args:
        name: A folder, or `org/name` with or without `@revision` (a tag, branch or commit; else
            the newest). A folder of that name goes first.

    Raises:
        InvalidInputError: It is neither a folder nor the name of a repository.
        DataError: The Hub has no such dataset, or cannot be reached.
    """
    folder = _folder(name)
    if folder is not None:
        return Located(name, folder, is_local=True)
    match = _HUB_NAME.fullmatch(name)
    if match is None or name.startswith("."):
        raise InvalidInputError(
            f"{name!r} is neither a folder nor a dataset on the Hub; name a folder that "
            "`sociolect build` made, or org/name, or org/name@revision"
        )
    return Located(name, _download(match["repository"], match["revision"]), is_local=False)


def _folder(name: str) -> Path | None:
    try:
        folder = Path(name).expanduser()
    except RuntimeError:  # ~ of a user who does not exist
        return None
    return folder if name and folder.is_dir() else None


def _download(repository: str, revision: str | None) -> Path:
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError

    try:
        path = huggingface_hub.snapshot_download(
            repository,
            repo_type="dataset",
            revision=revision,
            allow_patterns=[MANIFEST, CARD, REALISM, f"*/{SPLIT}-*.parquet"],
        )
    except (HfHubHTTPError, OSError, ValueError) as error:
        said = str(error).strip().splitlines() or [""]
        raise DataError(
            f"there is no folder {repository!r} here, and the dataset of that name cannot be got "
            f"from the Hub at {revision or 'its newest revision'} "
            f"({type(error).__name__}: {said[0]}); check the name, the network and your login"
        ) from error
    return Path(path)

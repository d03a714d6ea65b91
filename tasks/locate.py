"""Where the data of a task are: a folder of yours, the Hugging Face Hub, or built once.

In this order:

1. `SOCIOLECT_DATA`: the folder of one build (it holds `manifest.json`), or a folder with one
   such folder a benchmark, named `winobias` or `winobias-variants`. Nothing else is tried.
2. `SOCIOLECT_HUB`: `org` (then the dataset is `org/winobias-variants`) or `org/name`, either
   with `@revision`; without one, the git tag of the data version that the task asks for.
3. The user cache, where a condition that is not there yet is built once. Judge items of a user's
   own are built once for every content of their file.

This module finds folders; `sociolect.tasks.data` checks what is in them.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path

from sociolect.generators.conditions import OWN_ITEMS, Condition
from sociolect.generators.errors import DataError, InvalidInputError, SourceError
from sociolect.generators.layout import DATA_VERSION, MANIFEST, PARQUET, repository_name

DATA_VARIABLE = "SOCIOLECT_DATA"
HUB_VARIABLE = "SOCIOLECT_HUB"

_KEY_DIGITS = 12

_HUB_NAME = re.compile(r"(?P<org>[\w.-]+)(?:/(?P<name>[\w.-]+))?(?:@(?P<revision>[^@\s]+))?")


def find(benchmark: str, condition: Condition, *, seed: int, version: str) -> Path:
    """The folder of the build that holds a condition, downloaded or built if need be.

    Args:
        benchmark: Its name.
        condition: What is asked for.
        seed: Of the errors.
        version: Data version that is asked for, empty for that of the installed generators.

    Raises:
        DataError: No such folder, or nothing on the Hub.
        InvalidInputError: `SOCIOLECT_HUB` cannot be read.
        LevelUnreachableError: The condition cannot be built.
    """
    if named := os.environ.get(DATA_VARIABLE, ""):
        return local_folder(Path(named).expanduser(), benchmark)
    if named := os.environ.get(HUB_VARIABLE, ""):
        return hub_folder(named, benchmark, condition, version)
    return built_folder(benchmark, condition, seed, version)


def local_folder(folder: Path, benchmark: str) -> Path:
    """The build of a benchmark in a folder, or in its sub-folder of that name.

    Raises:
        DataError: There is none; the message names what is there.
    """
    try:
        if not folder.is_dir():
            raise DataError(f"{DATA_VARIABLE} is {str(folder)!r}, which is no folder")
        for candidate in (folder, folder / benchmark, folder / repository_name(benchmark)):
            if (candidate / MANIFEST).is_file():
                return candidate
    except OSError as error:
        raise DataError(
            f"{DATA_VARIABLE} is {str(folder)!r}, which cannot be read ({error.strerror}); "
            "allow it, or name another folder"
        ) from error
    there = sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}"))
    raise DataError(
        f"{DATA_VARIABLE} is {str(folder)!r}, which has no {MANIFEST} and no folder "
        f"{benchmark!r} or {repository_name(benchmark)!r} that has one; "
        f"builds there: {', '.join(there) or 'none'}"
    )


def hub_folder(named: str, benchmark: str, condition: Condition, version: str) -> Path:
    """A local snapshot of one condition of a dataset on the Hub.

    Raises:
        InvalidInputError: `named` is not `org` or `org/name`, with or without `@revision`.
        DataError: It cannot be downloaded.
    """
    return hub_config(named, benchmark, condition.config_name, version)


def hub_config(named: str, benchmark: str, config: str, version: str) -> Path:
    """A local snapshot of one config of a dataset on the Hub, by the name of the config.

    Raises:
        InvalidInputError: `named` is not `org` or `org/name`, with or without `@revision`.
        DataError: It cannot be downloaded.
    """
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError

    repository, revision = hub_repository(named, benchmark, version)
    try:
        path = huggingface_hub.snapshot_download(
            repository,
            repo_type="dataset",
            revision=revision,
            allow_patterns=[MANIFEST, "README.md", f"{config}/*"],
        )
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise DataError(
            f"cannot get {repository} at {revision or 'its newest revision'} from the Hub "
            f"({type(error).__name__}: {error}); check {HUB_VARIABLE}, or unset it to build "
            "the data here"
        ) from error
    return Path(path)


def hub_repository(named: str, benchmark: str, version: str) -> tuple[str, str | None]:
    """Repository and revision that `SOCIOLECT_HUB` stands for.

    Raises:
        InvalidInputError: It has another form.
    """
    match = _HUB_NAME.fullmatch(named)
    if match is None:
        raise InvalidInputError(
            f"{HUB_VARIABLE} is {named!r}; write org, org/name, or either with @revision"
        )
    repository = f"{match['org']}/{match['name'] or repository_name(benchmark)}"
    return repository, match["revision"] or (f"v{version}" if version else None)


def items_key(benchmark: str) -> str:
    """What tells one file of judge items from another, empty for other benchmarks.

    Returns:
        The beginning of the SHA-256 of the file.

    Raises:
        SourceError: There is no such file.
    """
    if benchmark not in OWN_ITEMS:
        return ""
    from sociolect.generators.benchmarks.fable import items_file

    path = items_file()
    try:
        return sha256(path.read_bytes()).hexdigest()[:_KEY_DIGITS]
    except OSError as error:
        raise SourceError(f"cannot read judge items from {path}: {error.strerror}") from error


def cache_folder(benchmark: str, condition: Condition, seed: int) -> Path:
    """Where the build of one condition is kept.

    Raises:
        SourceError: The benchmark is of the user's judge items, and there is no file of them.
    """
    from platformdirs import user_cache_dir

    from sociolect.generators.uniform import ALGORITHM_VERSION

    home = f"{benchmark}-{DATA_VERSION}-{ALGORITHM_VERSION}-seed{seed}"
    if key := items_key(benchmark):
        home += f"-{key}"
    return Path(user_cache_dir("sociolect")) / "data" / home / condition.config_name


def built_folder(benchmark: str, condition: Condition, seed: int, version: str) -> Path:
    """The cached build of a condition, made first if it is missing or incomplete.

    Processes that need the same one wait for the first; `build` gives the folder its name only
    when it is complete. A folder that lost files since is replaced.

    Raises:
        DataError: The installed generators make another data version, or the cache cannot be
            written or read.
        LevelUnreachableError: The level is above what the rules reach.
    """
    from filelock import FileLock

    if version not in ("", DATA_VERSION):
        raise DataError(
            f"the task asks for {benchmark} data {version}, this version of sociolect makes "
            f"{DATA_VERSION}; set {HUB_VARIABLE} or {DATA_VARIABLE}"
        )
    folder = cache_folder(benchmark, condition, seed)
    try:
        if not _is_complete(folder, condition):
            folder.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(folder.with_name(f"{folder.name}.lock")):
                if not _is_complete(folder, condition):
                    _make_room(folder)
                    _build(benchmark, condition, seed, folder)
    except OSError as error:
        raise DataError(
            f"cannot keep {benchmark} {condition.config_name} in the cache, {folder} "
            f"({error.strerror or error}); make it writable or make room, name another cache "
            f"with XDG_CACHE_HOME, or point {DATA_VARIABLE} at a build"
        ) from error
    return folder


def _is_complete(folder: Path, condition: Condition) -> bool:
    files = (folder / MANIFEST, folder / condition.config_name / PARQUET)
    return all(file.is_file() for file in files)


def _make_room(folder: Path) -> None:
    """Remove what is left of a build; `build` fills no folder that holds something."""
    if folder.is_dir():
        print(f"sociolect: {folder} is incomplete and will be built again", file=sys.stderr)
        shutil.rmtree(folder)
    elif folder.exists():
        raise DataError(f"{folder} is a file; delete it, and the data are built in its place")


def _build(benchmark: str, condition: Condition, seed: int, folder: Path) -> None:
    from sociolect.generators.build import build

    name = f"{benchmark} {condition.config_name}" + (f" with seed {seed}" if seed else "")
    print(
        f"sociolect: building {name} once into {folder} (seconds; MMLU takes minutes)",
        file=sys.stderr,
    )
    build(benchmark, [condition], out=folder, seed=seed, progress=sys.stderr.isatty())

"""The files of a model, found once, so that what is loaded is what the record names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, TypeVar

from sociolect.generators.errors import MissingToolError, ModelError

Loaded = TypeVar("Loaded")

_PATTERNS = ("*.json", "*.txt", "*.model")
_WEIGHTS = ("*.safetensors", "*.bin")
"""The second are used where the first are not there; transformers reads tensors alone from them."""
_OTHER_ENGINES = ("onnx/*", "openvino/*", "*training_args.bin")
_HASHED = (".json", ".txt", ".model", ".safetensors", ".bin")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where a model lies, and what it is.

    Attributes:
        name: As it was asked for: a folder or a name on the Hub.
        revision: Commit on the Hub; empty for a folder.
        folder: Local.
        sha256: Of each file that decides what the model computes, by its path in the folder.
    """

    name: str
    revision: str
    folder: Path
    sha256: dict[str, str]

    def record(self) -> dict[str, Any]:
        """What a manifest says of the model, without local paths."""
        shown = self.name if self.revision else Path(self.name).expanduser().resolve().name
        return {"name": shown, "revision": self.revision, "files": self.sha256}


def find_model(name: str, revision: str = "") -> ModelFiles:
    """The files of a model, from a folder, the Hub's cache or the Hub.

    Args:
        name: Folder, or name on the Hub.
        revision: Branch, tag or commit on the Hub; empty for the default branch.

    Raises:
        MissingToolError: The files are neither here nor to be had.
        ModelError: The folder holds no model, or a revision is asked of a folder.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        if revision:
            raise ModelError(
                f"{name} is a folder, which has no revision {revision!r}; leave it out"
            )
        commit = ""
    else:
        folder = _from_hub(name, revision)
        commit = folder.name
    if not (folder / "config.json").is_file():
        raise ModelError(f"{name} holds no config.json; name a model of transformers")
    return ModelFiles(name, commit, folder, _hashes(folder))


def _from_hub(name: str, revision: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    def fetch(weights: str) -> Path:
        return Path(
            snapshot_download(
                name,
                revision=revision or None,
                allow_patterns=[*_PATTERNS, weights],
                ignore_patterns=list(_OTHER_ENGINES),
            )
        )

    try:
        folder = fetch(_WEIGHTS[0])
        return folder if any(folder.glob(_WEIGHTS[0])) else fetch(_WEIGHTS[1])
    except (HFValidationError, HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise MissingToolError(
            f"the model {name!r} is not here and cannot be had: {said[0]} Name a folder that holds "
            "it, or connect once"
        ) from error


def _hashes(folder: Path) -> dict[str, str]:
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in _HASHED)
    skipped = ("onnx", "openvino")
    kept = [p for p in files if p.relative_to(folder).parts[0] not in skipped]
    return {p.relative_to(folder).as_posix(): _sha256(p) for p in kept}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def loaded(load: Callable[[], Loaded], files: ModelFiles, what: str) -> Loaded:
    """What `load` makes of the files.

    Args:
        load: Loads them.
        files: For the message.
        what: They should be.

    Raises:
        MissingToolError: A package is not installed.
        ModelError: They are no such model.
    """
    try:
        return load()
    except ModuleNotFoundError as error:
        raise MissingToolError(
            f"the Python package {error.name!r} is not installed, and cutting pairs into context "
            "and continuation needs it. Install it with: pip install 'sociolect[dialect]'"
        ) from None
    except (OSError, ValueError, KeyError, RuntimeError, AttributeError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise ModelError(f"{files.name} cannot be loaded as {what}: {said[0]}") from error


def chosen_device(device: str) -> str:
    """A device as torch names it; a GPU for the empty string if there is one, else the CPU."""
    import torch

    return device or ("cuda" if torch.cuda.is_available() else "cpu")

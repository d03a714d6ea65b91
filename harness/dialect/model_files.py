"""The files of a model, found once, so that what is loaded is what the record names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
_MANY = 10**6
_OFFSET_MODELS = ("roberta", "camembert", "xlm-roberta", "xmod", "longformer")
"""Position embeddings of these begin behind the padding token."""
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
        ModelError: There is no such folder, it holds no model, or a revision is asked of it.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir() and name.startswith(("/", "./", "../", "~")):
        what = "is no folder" if folder.exists() else "does not exist"
        raise ModelError(f"the folder {name} {what}; name one that holds a model of transformers")
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


def loaded(load: Callable[[], Loaded], name: str, what: str) -> Loaded:
    """What `load` makes of a model.

    Args:
        load: Loads it.
        name: Of the model, for the message.
        what: It should be.

    Raises:
        MissingToolError: A package is not installed.
        ModelError: It is no such model, or not here.
    """
    try:
        with _without_bars():
            return load()
    except ModuleNotFoundError as error:
        raise MissingToolError(
            f"the Python package {error.name!r} is not installed, which {what} needs. Install it "
            "with: pip install 'sociolect[dialect]'"
        ) from None
    except (OSError, ValueError, KeyError, RuntimeError, AttributeError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise ModelError(
            f"{name} cannot be loaded as {what}: {said[0]} Name another folder or Hub name"
        ) from error


@contextmanager
def _without_bars() -> Iterator[None]:
    """No bars of transformers: they would break into one of ours."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def layers_of(files: ModelFiles) -> int:
    """How many layers a model has; its weights are not loaded.

    Raises:
        MissingToolError: transformers is not installed.
        ModelError: Its configuration cannot be read.
    """

    def read() -> int:
        from transformers import AutoConfig

        config: Any = AutoConfig.from_pretrained(str(files.folder), local_files_only=True)
        return int(config.num_hidden_layers)

    return loaded(read, files.name, "an encoder")


def chosen_device(device: str) -> str:
    """A device as torch names it; a GPU for the empty string if there is one, else the CPU."""
    import torch

    return device or ("cuda" if torch.cuda.is_available() else "cpu")


def longest_text(config: Any, tokenizer: Any) -> int:
    """Tokens that a text may have for a model of transformers, those around it counted."""
    places = int(getattr(config, "max_position_embeddings", 0) or _MANY)
    if config.model_type in _OFFSET_MODELS:
        places -= int(config.pad_token_id or 0) + 1
    return min(places, int(min(tokenizer.model_max_length, _MANY)))


def marks_spaces(tokenizer: Any) -> bool:
    """Whether tokens depend on a space before a word, as in byte-level BPE (RoBERTa, GPT-2).

    The first word of a text, and words that are handed over one by one, are then read as the
    middle of a word unless a space is put before them. Other tokenizers put it there themselves.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return False
    pieces = json.loads(backend.to_str()).get("pre_tokenizer") or {}
    return any(one.get("type") == "ByteLevel" for one in pieces.get("pretokenizers", [pieces]))

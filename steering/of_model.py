"""Which model a steering vector belongs to: told by its weights, wherever they lie."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from sociolect.steering.vectors import OfModel

_WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.gguf")
_FIRST = 1 << 16
_BLOCK = 1 << 12
_BLOCKS = 256


def of_model(name: str, config: Any, *, revision: str = "main", subfolder: str = "") -> OfModel:
    """What a vector says of its model.

    Args:
        name: Folder, or name on the Hub of a model whose files were fetched.
        config: Its configuration, of transformers.
        revision: On the Hub.
        subfolder: That the model lies in.
    """
    text = config.get_text_config(decoder=True)
    folder = _folder(name, revision, subfolder)
    shown = Path(name).resolve().name if Path(name).is_dir() else name
    weights = weights_identity(folder) if folder else ""
    return OfModel(
        name=shown,
        identity=weights or f"name {shown}@{revision}",
        architecture=(getattr(config, "architectures", None) or [type(config).__name__])[0],
        depth=int(text.num_hidden_layers),
        width=int(text.hidden_size),
    )


def weights_identity(folder: Path) -> str:
    """A hash of samples of the weights: all that was trained further has other ones everywhere.

    Of each file the size, its beginning (of safetensors the names and shapes of the tensors) and
    256 blocks are read: weights of 70 billion parameters take minutes to read as a whole.

    Args:
        folder: That holds the files of a model; of several formats the first is taken.

    Returns:
        Empty if there are no weights.
    """
    state = sha256()
    files = next((found for kind in _WEIGHTS if (found := sorted(folder.glob(kind)))), [])
    for path in files:
        size = path.stat().st_size
        state.update(f"{size}\n".encode())
        with path.open("rb") as file:
            state.update(file.read(_FIRST))
            for number in range(_BLOCKS):
                file.seek(number * max(size - _BLOCK, 0) // (_BLOCKS - 1))
                state.update(file.read(_BLOCK))
    return f"weights {state.hexdigest()}" if files else ""


def _folder(name: str, revision: str, subfolder: str) -> Path | None:
    """Where the files of a model lie; None for one that is not in the cache."""
    if Path(name).is_dir():
        return Path(name, subfolder)
    from transformers.utils.hub import cached_file

    try:
        found = cached_file(
            name, "config.json", revision=revision, subfolder=subfolder, local_files_only=True
        )
    except OSError:
        return None
    return Path(found).parent if found else None

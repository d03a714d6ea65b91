"""The model of `sociolect demo`: found, and found whole, before anything is built.

What lm-eval would meet minutes later (no weights, half a file, no such device) is said at once.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from zipfile import is_zipfile

from sociolect.generators.errors import InvalidInputError, MissingToolError, ModelError
from sociolect.harness import smollm2

DEVICES = re.compile(r"cpu|cuda(:\d+)?|mps(:0)?|(npu|xpu|hpu):\d+")
"""What lm-eval places a model on; other names it replaces by a default in silence."""
OLD_FORMAT = b"\x80\x02"
"""How torch.save began its files before they were zip archives."""
WHAT_IT_NEEDS = (
    "Give a folder with config.json, weights and tokenizer, or the name of a model on the "
    "Hugging Face Hub."
)


def ready_model(model: str | None, device: str) -> str:
    """Check model and device, and make the default model if it is the one.

    Args:
        model: Path or Hub name; None for SmolLM2-135M-Instruct.
        device: Device of torch.

    Returns:
        lm-eval's `--model_args`, as JSON: in its other notation a comma ends a path.

    Raises:
        InvalidInputError: The model cannot be loaded, or there is no such device.
        MissingToolError: A library is not installed, or the default model cannot be fetched.
    """
    _require_libraries()
    _check_device(device)
    if model is not None:
        _check_model(model)
        return json.dumps({"pretrained": model})
    folder = smollm2.ensure_model("float32", report=lambda line: print(line, file=sys.stderr))
    return json.dumps({"pretrained": str(folder), "dtype": "float32"})


@contextmanager
def scoring(model: str | None) -> Iterator[None]:
    """Turn what files, memory and devices do to a run into one message.

    Raises:
        InvalidInputError: Naming the model.
    """
    from safetensors import SafetensorError

    try:
        yield
    except (ModelError, OSError, RuntimeError, SafetensorError) as error:
        name = smollm2.MODEL if model is None else f"--model {model!r}"
        # `sociolect eval` says where it keeps the traceback: in a folder that the demo removes.
        cause = error.__cause__ if isinstance(error, ModelError) else error
        said = _reason(cause if isinstance(cause, Exception) else error)
        raise InvalidInputError(
            f"{name} could not be scored: {said} Mend that, or name another model."
        ) from error


def _require_libraries() -> None:
    for name in ("torch", "transformers", "safetensors"):
        if find_spec(name) is None:
            raise MissingToolError(
                f"the Python package {name!r} is not installed. "
                "Install it with: pip install 'sociolect[hf,demo]'."
            )


def _check_device(device: str) -> None:
    import torch

    if not DEVICES.fullmatch(device):
        raise InvalidInputError(f"--device {device!r} is unknown; known: cpu, cuda, cuda:1, mps")
    try:
        torch.empty(0, device=device)
    except (AssertionError, RuntimeError) as error:
        raise InvalidInputError(
            f"--device {device} cannot be used here: {_reason(error)} Take --device cpu."
        ) from error


def _check_model(model: str) -> None:
    """Config, weights and tokenizer; those of a Hub name are fetched as far as they are small."""
    from transformers import AutoConfig, AutoTokenizer

    folder = Path(model)
    if folder.is_file():
        raise _unusable(model, "it is a file.")
    with _refused(model, "" if folder.is_dir() else f"no such folder in {Path.cwd()}, and: "):
        AutoConfig.from_pretrained(model, trust_remote_code=False)
    if folder.is_dir():
        _check_weights(model, folder)
    with _refused(model, "its tokenizer: "):
        AutoTokenizer.from_pretrained(model, trust_remote_code=False)


def _check_weights(model: str, folder: Path) -> None:
    with _refused(model, "its weights: "):
        files = _weights(folder)
    if not files:
        raise _unusable(
            model, "it has a config.json but no weights (model.safetensors, pytorch_model.bin)."
        )
    for path in files:
        if not path.is_file():
            raise _unusable(model, f"{path.name} is missing, which is part of its weights.")
        with _refused(model, f"{path.name} is damaged: "):
            _open_weights(path)


def _open_weights(path: Path) -> None:
    """Raise whatever says that a file is no weights; no weight is loaded."""
    from safetensors import safe_open

    if path.suffix == ".safetensors":
        with safe_open(path, framework="pt"):
            return
    with path.open("rb") as file:
        if not is_zipfile(file) and not (file.seek(0) == 0 and file.read(2) == OLD_FORMAT):
            raise ValueError("neither format of torch.save, or cut short")


def _weights(folder: Path) -> list[Path]:
    """The files that transformers would read: the first layout that is there."""
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).exists():
            return [folder / name]
        index = folder / f"{name}.index.json"
        if index.exists():
            listed = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
            return [folder / part for part in sorted(set(listed.values()))]
    return []


@contextmanager
def _refused(model: str, what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # the libraries raise bare ones too
        raise _unusable(model, what + _reason(error)) from error


def _unusable(model: str, reason: str) -> InvalidInputError:
    return InvalidInputError(f"--model {model!r} cannot be loaded: {reason} {WHAT_IT_NEEDS}")


def _reason(error: Exception) -> str:
    """The first line of what a library says, as a sentence."""
    lines = str(error).strip().splitlines()
    said = lines[0].strip()[:300] if lines else type(error).__name__
    return said if said.endswith((".", "!")) else f"{said}."

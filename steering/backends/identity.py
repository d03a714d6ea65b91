"""What makes a model answer as it does: the key of its stored answers.

Only reads files and metadata; no library that runs models is imported.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Any

from sociolect.generators.installed import installed
from sociolect.generators.redaction import is_secret, without_secrets
from sociolect.steering.backends.answers import digest

__all__ = ["MEMORY_ARGUMENTS", "OWN_ARGUMENTS", "STEERING_ARGUMENTS", "digest", "model_identity"]

OWN_ARGUMENTS: frozenset[str] = frozenset({"answers", "chunk"})
"""Arguments of our backends that say where answers lie and how many are made together.

Which prompts were answered together is part of the name of every file instead."""

STEERING_ARGUMENTS: tuple[str, ...] = (
    "steering",
    "beta",
    "beta_scale",
    "steering_blocks",
    "steering_unchecked",
)
"""Arguments of our backends that say how activations are steered; the first names a file."""

MEMORY_ARGUMENTS = frozenset(
    {
        "answers",
        "ca_cert_path",
        "cpu_offload_gb",
        "disable_log_stats",
        "download_dir",
        "gpu_memory_utilization",
        "header",
        "kv_cache_memory_bytes",
        "low_cpu_mem_usage",
        "max_cpu_loras",
        "max_cpu_memory",
        "max_lora_rank",
        "max_loras",
        "max_memory_per_gpu",
        "max_retries",
        "num_concurrent",
        "offload_folder",
        "safetensors_load_strategy",
        "swap_space",
        "timeout",
        "use_tqdm_on_load",
        "verify_certificate",
    }
)
"""Model arguments that say where files and memory are, or how a server is asked; they change no
answer."""
PACKAGES = ("torch", "transformers", "peft", "vllm", "lm_eval", "bitsandbytes")
_SETTINGS = (
    "VLLM_ATTENTION",
    "VLLM_BATCH_INVARIANT",
    "VLLM_FLASH",
    "VLLM_FLOAT32",
    "VLLM_MARLIN",
    "VLLM_USE_",
)
"""Environment variables that choose how vLLM computes begin like this."""
_WITHOUT_EFFECT = (".jsonl", ".lock", ".md", ".png", ".svg")
"""Files beside a model that say something about it: cards, logs, plots."""
_HASHED_BYTES = 1 << 26
"""Files up to this size (adapters, configs, tokenizers) are hashed; of larger ones, size and time
of change are taken: reading the weights of a 70B model takes minutes."""


def model_identity(backend: str, model_args: Mapping[str, Any]) -> dict[str, Any]:
    """Everything known before a model is loaded that changes its answers.

    Args:
        backend: Value of `--model`.
        model_args: Its arguments. Those that are local files or folders are looked into.

    Returns:
        Nested, ready for JSON; without values of arguments that are secret.
    """
    arguments = {k: v for k, v in model_args.items() if k not in OWN_ARGUMENTS | MEMORY_ARGUMENTS}
    return {
        "backend": backend,
        "arguments": {k: str(v) for k, v in _shown(arguments).items()},
        "files": _argument_files(arguments),
        "versions": installed(PACKAGES),
        "environment": {k: v for k, v in sorted(os.environ.items()) if k.startswith(_SETTINGS)},
    }


def _shown(value: Any) -> Any:
    """A value without what is secret: values under secret names, access tokens, passwords in URLs.

    Two models that differ in a secret alone are one model.
    """
    if isinstance(value, Mapping):
        names = sorted((k for k in value if not is_secret(str(k))), key=str)
        return {str(k): _shown(value[k]) for k in names}
    if isinstance(value, list | tuple):
        return [_shown(one) for one in value]
    if isinstance(value, str):
        return without_secrets(value)
    return value


def _argument_files(arguments: Mapping[str, Any]) -> dict[str, dict[str, list[Any]]]:
    """Local files by the argument that names them, or their folder.

    Of a folder, the files that lie in it, and those in the `subfolder` where one is named.
    """
    places = {k: Path(v) for k, v in arguments.items() if isinstance(v, str) and v}
    if "pretrained" in places and (inside := arguments.get("subfolder")):
        places["pretrained/subfolder"] = places["pretrained"] / str(inside)
    return {k: files for k, place in sorted(places.items()) if (files := _files(place))}


def _files(place: Path) -> dict[str, list[Any]]:
    try:
        path = place.expanduser()
        if path.is_file():
            return {path.name: _file(path)}
        if path.is_dir():
            return {one.name: _file(one) for one in sorted(path.iterdir()) if _counts(one)}
    except (
        OSError,
        RuntimeError,
        ValueError,
    ):  # a name that is no path, or one that may not be read
        return {}
    return {}


def _counts(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".") and path.suffix not in _WITHOUT_EFFECT


def _file(path: Path) -> list[Any]:
    stat = path.stat()
    if stat.st_size > _HASHED_BYTES:
        return [stat.st_size, stat.st_mtime_ns]
    with path.open("rb") as file:
        return [stat.st_size, file_digest(file, "sha256").hexdigest()]

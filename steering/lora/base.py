"""The base model of an adapter: loaded, and told apart from others."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ModelError
from sociolect.steering.lora.settings import Settings

OF_A_MODEL = (".bin", ".jinja", ".json", ".model", ".safetensors", ".txt")


@dataclass(frozen=True, slots=True)
class Base:
    """A base model as a command names it.

    Attributes:
        name: Folder, or name on the Hub.
        tokenizer: Its tokenizer.
        config: Its configuration.
        identity: Two models with the same identity are the same: hash of the files of a folder,
            or commit on the Hub.
    """

    name: str
    tokenizer: Any
    config: Any
    identity: str

    @property
    def longest(self) -> int | None:
        """Most tokens of a text that the model was made for, None where it does not say."""
        config = self.config.get_text_config(decoder=True)
        return getattr(config, "max_position_embeddings", None)

    @property
    def label(self) -> str:
        """The name without the folders of this machine."""
        return Path(self.name).resolve().name if Path(self.name).is_dir() else self.name


def read_base(name: str) -> Base:
    """Read tokenizer and configuration, not the weights. No code of the model is run.

    Raises:
        ModelError: There is no such model, or it cannot be read.
    """
    from transformers import AutoConfig, AutoTokenizer

    try:
        config = AutoConfig.from_pretrained(name, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=False)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise _unusable(name, error) from error
    return Base(name, tokenizer, config, _identity(name, config))


def load_model(base: Base, dtype: str) -> Any:
    """The weights of a base model, on the CPU.

    Args:
        base: As `read_base` returns it.
        dtype: `bfloat16` or `float32`.

    Raises:
        ModelError: They cannot be read, or the tokenizer knows more tokens than the model.
    """
    import torch
    from transformers import AutoModelForCausalLM

    try:
        model = AutoModelForCausalLM.from_pretrained(
            base.name, dtype=getattr(torch, dtype), trust_remote_code=False
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise _unusable(base.name, error) from error
    model.config.use_cache = False  # of no use in training, and at odds with checkpointing
    return model


def check_vocabulary(base: Base, largest: int) -> None:
    """Refuse a tokenizer that does not belong to the model.

    Args:
        base: The model.
        largest: The largest token id of the training examples.

    Raises:
        ModelError: The model has no embedding for it.
    """
    size = base.config.get_text_config(decoder=True).vocab_size
    if largest >= size:
        raise ModelError(
            f"{base.name}: the tokenizer gives token {largest}, the model has {size} tokens; "
            "they do not belong together"
        )


def chosen_dtype(settings: Settings) -> str:
    """`bfloat16` or `float32`.

    Raises:
        ModelError: The GPU has no bfloat16.
    """
    import torch

    on_gpu = uses_gpu()
    if settings.dtype == "auto":
        return "bfloat16" if on_gpu and torch.cuda.is_bf16_supported() else "float32"
    if settings.dtype == "bfloat16" and on_gpu and not torch.cuda.is_bf16_supported():
        raise ModelError("this GPU has no bfloat16; give --dtype float32")
    return settings.dtype


def uses_gpu() -> bool:
    """Whether training runs on an NVIDIA or AMD GPU; `accelerate launch --cpu` asks for none."""
    import os

    import torch

    on_cpu = os.environ.get("ACCELERATE_USE_CPU", "").lower() in (
        "1",
        "true",
        "yes",
        "on",
        "y",
        "t",
    )
    return torch.cuda.is_available() and not on_cpu


def device_name() -> str:
    """What training runs on, for the record."""
    import torch

    return f"cuda, {torch.cuda.get_device_name(0)}" if uses_gpu() else "cpu"


def _identity(name: str, config: Any) -> str:
    folder = Path(name)
    if not folder.is_dir():
        commit = getattr(config, "_commit_hash", None)
        return f"commit {commit}" if commit else f"name {name}"
    state = sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix in OF_A_MODEL:
            with path.open("rb") as file:
                state.update(f"{path.name} {file_digest(file, 'sha256').hexdigest()}\n".encode())
    return f"sha256 {state.hexdigest()}"


def _unusable(name: str, error: BaseException) -> ModelError:
    said = str(error).strip().splitlines() or [type(error).__name__]
    return ModelError(
        f"cannot load the base model {name}: {said[0]} Give --model a folder with the weights, "
        "config and tokenizer of a causal language model, or its name on the Hub."
    )

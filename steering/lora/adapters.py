"""LoRA adapters on disk: what they are, whether they fit a model, whether vLLM can load them.

Only JSON and the headers of safetensors files are read, so a wrong adapter is found before any
model is loaded.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ModelError
from sociolect.steering.lora.headers import Shape, Tensor, layers_of, tail, tensors_of

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
VLLM_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""What vLLM takes for `max_lora_rank`; an adapter of a lower rank fits a higher one."""

_PREFIX = "base_model.model."
_PART = re.compile(r"(?P<module>.+)\.lora_(?P<part>[AB])\.weight")
_KINDS: Mapping[str, str] = {
    "use_dora": "weight-decomposed (DoRA)",
    "lora_bias": "with biases of its own (lora_bias)",
    "modules_to_save": "with whole layers beside LoRA (modules_to_save)",
    "alora_invocation_tokens": "an activated LoRA",
    "layer_replication": "on repeated layers (layer_replication)",
    "use_bdlora": "block-diagonal",
    "use_qalora": "a QALoRA",
    "target_parameters": "on parameters outside linear layers (target_parameters)",
}
_INITS = ("gaussian", "eva", "orthogonal", "mica", "lora_ga")
"""Named initialisations of PEFT that leave the weights of the base as they are."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """A LoRA adapter as PEFT saves it.

    Attributes:
        path: Its folder.
        rank: The highest rank of its layers, 1 or more.
        alpha: Its scaling before the division by the rank.
        base: Path or Hub name of the model that it was trained on; None if it does not say.
        layers: (Outputs, inputs) of every layer that it changes, by the name of the layer.
        transposed: Whether the base stores the weights of these layers as (inputs, outputs).
    """

    path: Path
    rank: int
    alpha: float
    base: str | None
    layers: Mapping[str, Shape]
    transposed: bool = False

    @property
    def modules(self) -> tuple[str, ...]:
        """The last part of the names of its layers (`q_proj` …), sorted."""
        return tuple(sorted({name.rpartition(".")[2] for name in self.layers}))


def vllm_rank(rank: int, wanted: int | None = None) -> int:
    """The `max_lora_rank` that vLLM needs for an adapter of this rank.

    Args:
        rank: Of the adapter.
        wanted: The `max_lora_rank` that was asked for, if any; it is returned when it will do.

    Raises:
        ModelError: vLLM takes no adapter of so high a rank, or `wanted` will not do.
    """
    if wanted is not None and (wanted not in VLLM_RANKS or wanted < rank):
        raise ModelError(
            f"max_lora_rank={wanted} will not do for an adapter of rank {rank}: vLLM takes one of "
            f"{', '.join(map(str, VLLM_RANKS))}, at least the rank. Leave it out to have it chosen."
        )
    if wanted is not None:
        return wanted
    for allowed in VLLM_RANKS:
        if rank <= allowed:
            return allowed
    raise ModelError(
        f"the adapter has rank {rank}; vLLM takes {VLLM_RANKS[-1]} at most. Score it with "
        "--model sociolect-hf and peft=ADAPTER, or merge it into its base."
    )


def read_adapter(folder: Path) -> Adapter:
    """Read an adapter, without its weights.

    Raises:
        ModelError: The folder holds no LoRA adapter, a damaged one, or one of a kind that vLLM
            cannot load.
    """
    config = _read_config(folder)
    _refuse_other_kinds(folder, config)
    layers, ranks = _pair(folder, tensors_of(folder / WEIGHTS))
    declared = _declared_ranks(folder, config)
    if not ranks <= declared:
        raise ModelError(
            f"{folder}: {CONFIG} says rank {sorted(declared)}, the weights have rank "
            f"{sorted(ranks)}. The two files are of different adapters; save it again."
        )
    base = config.get("base_model_name_or_path")
    return Adapter(
        path=folder,
        rank=max(ranks),
        alpha=_number(folder, "lora_alpha", config.get("lora_alpha")),
        base=str(base) if base else None,
        layers=layers,
        transposed=bool(config.get("fan_in_fan_out")),
    )


def check_fits(adapter: Adapter, model_folder: Path) -> list[str]:
    """Compare an adapter with the model that it is to be loaded onto.

    Args:
        adapter: What `read_adapter` returned.
        model_folder: A local model. Only what its files say is compared: layers and their shapes
            if the weights are safetensors, else the hidden size of its config.

    Returns:
        Warnings: the adapter names another base, although all shapes fit.

    Raises:
        ModelError: A layer of the adapter does not exist in the model, or has another shape.
    """
    weights = layers_of(model_folder)
    problem = (
        _misfit(adapter, weights) if weights else _other_width(adapter, _hidden_size(model_folder))
    )
    if problem:
        raise ModelError(
            f"the adapter {adapter.path} (trained on {adapter.base or 'an unnamed base'}) does "
            f"not fit {model_folder}: {problem}. Load it onto the model that it was trained on."
        )
    return _other_name(adapter, model_folder)


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    try:
        config = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        there = "no such folder" if not folder.exists() else f"it holds no {CONFIG}"
        raise ModelError(
            f"{folder} is no adapter: {there}. Name the folder that PEFT or "
            "`sociolect finetune train` saved."
        ) from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({error}). Save the adapter again.") from error
    if not isinstance(config, dict):
        raise ModelError(f"{path} holds no JSON object. Save the adapter again.")
    return config


def _refuse_other_kinds(folder: Path, config: Mapping[str, Any]) -> None:
    found = [text for name, text in _KINDS.items() if config.get(name)]
    if (bias := config.get("bias", "none")) != "none":
        found.append(f"with trained biases (bias={bias})")
    init = config.get("init_lora_weights", True)
    if isinstance(init, str) and init.lower() not in _INITS:
        found.append(f"of an initialisation that changes its base (init_lora_weights={init})")
    if (kind := config.get("peft_type")) != "LORA":
        found = [f"of type {kind}"]
    if found:
        raise ModelError(
            f"{folder} is an adapter {' and '.join(found)}, which vLLM cannot load. Score it "
            "with --model hf and peft=ADAPTER, or merge it into its base."
        )


def _declared_ranks(folder: Path, config: Mapping[str, Any]) -> set[int]:
    pattern = config.get("rank_pattern") or {}
    named = {"r": config.get("r")}
    if isinstance(pattern, Mapping):
        named |= {f"rank_pattern of {module}": value for module, value in pattern.items()}
    ranks = set()
    for name, value in named.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ModelError(
                f"{folder / CONFIG}: {name} is {value!r}, must be a whole number above 0. Save "
                "the adapter again."
            )
        ranks.add(value)
    return ranks


def _number(folder: Path, name: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise ModelError(
        f"{folder / CONFIG}: {name} is {value!r}, must be a number. Save the adapter again."
    )


def _pair(folder: Path, tensors: Mapping[str, Tensor]) -> tuple[dict[str, Shape], set[int]]:
    """Shape of every layer with both of its matrices, and the ranks that occur."""
    parts: dict[str, dict[str, tuple[int, ...]]] = {}
    for name, (_, shape) in tensors.items():
        match = _PART.fullmatch(name.removeprefix(_PREFIX))
        if match is None or len(shape) != 2:
            raise ModelError(
                f"{folder / WEIGHTS} holds {name} of shape {shape}, which is no LoRA matrix of a "
                "linear layer. vLLM cannot load it; use --model hf and peft=ADAPTER."
            )
        parts.setdefault(match["module"], {})[match["part"]] = shape
    layers: dict[str, Shape] = {}
    ranks = set()
    for module, both in sorted(parts.items()):
        if set(both) != {"A", "B"} or both["A"][0] != both["B"][1]:
            raise ModelError(
                f"{folder / WEIGHTS}: the two matrices of {module} do not belong together "
                f"({both}). Save the adapter again."
            )
        layers[module] = (both["B"][0], both["A"][1])
        ranks.add(both["A"][0])
    if not layers:
        raise ModelError(f"{folder / WEIGHTS} holds no weights. Save the adapter again.")
    return layers, ranks


def _misfit(adapter: Adapter, weights: Mapping[str, set[Shape]]) -> str | None:
    for layer, wanted in adapter.layers.items():
        key = layer if layer in weights else tail(layer)
        if key not in weights:
            if key == layer:  # outside the blocks: an output head shares the embeddings' weights
                continue
            return f"the model has no layer {layer}"
        shapes = {shape[::-1] if adapter.transposed else shape for shape in weights[key]}
        if shapes and wanted not in shapes:
            found = min(shapes)
            return (
                f"{layer} maps {wanted[1]} to {wanted[0]} values in the adapter, "
                f"{found[1]} to {found[0]} in the model"
            )
    return None


def _hidden_size(folder: Path) -> int | None:
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        size = config.get("hidden_size") or config.get("text_config", {}).get("hidden_size")
    except (OSError, ValueError, AttributeError):
        return None
    return size if isinstance(size, int) else None


def _other_width(adapter: Adapter, hidden: int | None) -> str | None:
    for layer, shape in adapter.layers.items():
        if hidden is not None and hidden not in shape:
            return f"{layer} maps {shape[1]} to {shape[0]} values, its hidden size is {hidden}"
    return None


def _other_name(adapter: Adapter, folder: Path) -> list[str]:
    if adapter.base is None:
        return [f"the adapter {adapter.path} does not say which model it was trained on"]
    if set(filter(None, _names(Path(adapter.base)))) & set(_names(folder)):
        return []
    return [
        f"the adapter {adapter.path} was trained on {adapter.base} and is loaded onto {folder}. "
        "All shapes fit, but if the weights are others its effect means nothing."
    ]


def _names(path: Path) -> Iterator[str]:
    """What a model may be called, lower case: end of its path, its name in the Hub's cache."""
    for one in (path, path.resolve()):
        yield one.name.lower()
        if one.parent.name == "snapshots":
            yield one.parents[1].name.rpartition("--")[2].lower()

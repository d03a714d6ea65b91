"""Which layers of a model get an adapter: all attention and MLP projections (App. C.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sociolect.generators.errors import ModelError

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, slots=True)
class Targets:
    """The layers that get an adapter.

    Attributes:
        names: Full names in the model, in its order.
        patterns: What PEFT is given: last parts of names where these mean no other layer of the
            model, else full names. Sorted.
        transposed: Whether the layers store their weights as (inputs, outputs), as GPT-2 does.
    """

    names: tuple[str, ...]
    patterns: tuple[str, ...]
    transposed: bool


def find_targets(model: Any) -> Targets:
    """Every linear layer inside the decoder blocks of the text model.

    They are found by structure, since their names differ between families. The output head and
    embeddings lie outside the blocks, a vision tower outside the text model.

    Args:
        model: A causal language model of transformers.

    Raises:
        ModelError: It has no such blocks, or blocks with weights that LoRA layers cannot reach.
    """
    from transformers.pytorch_utils import Conv1D

    prefix, blocks = _blocks(model)
    found = {
        f"{prefix}.{name}": layer for name, layer in blocks.named_modules() if _is_linear(layer)
    }
    _refuse_unreachable(prefix, blocks)
    if not found:
        raise ModelError(
            f"the blocks of {type(model).__name__} ({prefix}) hold no linear layer that an adapter "
            "could be added to. Quantised models cannot be trained here: give the original weights."
        )
    transposed = {isinstance(layer, Conv1D) for layer in found.values()}
    if len(transposed) > 1:
        raise ModelError(f"{type(model).__name__} mixes two layouts of weights, which PEFT cannot")
    names = tuple(found)
    return Targets(
        names, _patterns(names, [name for name, _ in model.named_modules()]), *transposed
    )


def _is_linear(layer: nn.Module) -> bool:
    from torch import nn
    from transformers.pytorch_utils import Conv1D

    return isinstance(layer, nn.Linear | Conv1D)


def _blocks(model: Any) -> tuple[str, nn.Module]:
    """Name and list of the decoder blocks: as many as the text config says."""
    from torch import nn

    depth = model.config.get_text_config(decoder=True).num_hidden_layers
    decoder = model.get_decoder()
    place = next((name for name, module in model.named_modules() if module is decoder), None)
    for name, module in decoder.named_modules():
        if isinstance(module, nn.ModuleList) and len(module) == depth and _has_linear(module):
            return ".".join(part for part in (place, name) if part), module
    raise ModelError(
        f"cannot find the {depth} decoder blocks of {type(model).__name__}; adapters are trained "
        "for decoder-only models of transformers"
    )


def _has_linear(module: nn.Module) -> bool:
    return any(_is_linear(layer) for layer in module.modules())


def _refuse_unreachable(prefix: str, blocks: nn.Module) -> None:
    """Experts that share one tensor of three dimensions get no adapter, and nobody would notice."""
    stacked = [f"{prefix}.{name}" for name in _stacked_weights(blocks)]
    if stacked:
        raise ModelError(
            f"the weights {stacked[0]} (and {len(stacked) - 1} more) hold several matrices in one "
            "tensor, as mixtures of experts do. The adapter would leave them out, and the paper "
            "adapts all MLP projections. Choose a dense model."
        )


def _stacked_weights(blocks: nn.Module) -> Iterator[str]:
    from torch import nn

    convolutions = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
    for place, module in blocks.named_modules():
        if not isinstance(module, convolutions):
            for name, weight in module.named_parameters(recurse=False):
                if weight.dim() >= 3 and min(weight.shape) > 1:
                    yield f"{place}.{name}"


def _patterns(names: Sequence[str], everything: Sequence[str]) -> tuple[str, ...]:
    """Short names if they match the layers and nothing else: vLLM and readers prefer them."""
    wanted = set(names)
    short = sorted({name.rpartition(".")[2] for name in names})
    matched = {name for name in everything if name.rpartition(".")[2] in short}
    return tuple(short) if matched == wanted else tuple(sorted(names))

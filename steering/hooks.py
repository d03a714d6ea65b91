"""What runs inside of a model: its decoder blocks, read and changed while it computes.

All hooks are on the output of whole blocks, the residual stream after each; never on
`output_hidden_states`, whose last entry is after the final norm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import nn

from sociolect.generators.errors import InvalidInputError, ModelError

Edit = Callable[[torch.Tensor], torch.Tensor]
"""Hidden states after a block, shape (rows, tokens, width), to what the next block is to read."""


def without_adapters(model: nn.Module) -> Any:
    """The model of transformers inside of an adapter of PEFT; another model as it is."""
    own: Any = model
    return own.get_base_model() if hasattr(model, "get_base_model") else model


def depth(model: nn.Module) -> int:
    """Number of decoder blocks that the configuration names.

    Raises:
        ModelError: It names none.
    """
    config: Any = without_adapters(model).config
    found = getattr(config.get_text_config(decoder=True), "num_hidden_layers", None)
    if not isinstance(found, int) or found < 1:
        raise ModelError(
            f"{type(config).__name__} names no number of decoder blocks (num_hidden_layers); name "
            "the list of blocks with steering_blocks=PATH"
        )
    return found


def decoder_blocks(model: nn.Module, path: str = "") -> nn.ModuleList:
    """The decoder blocks of a causal language model, first to last.

    Args:
        model: Of transformers, with or without an adapter of PEFT. Of one that reads images too,
            the blocks of the text part are found.
        path: Name of the list of blocks, as `named_modules` of the model without adapters has it;
            empty for the one list in the text decoder with as many blocks as the configuration
            says.

    Raises:
        ModelError: No such list, or several; the message names the lists that there are.
    """
    base = without_adapters(model)
    lists = {name: one for name, one in base.named_modules() if isinstance(one, nn.ModuleList)}
    if path:
        if path not in lists:
            raise ModelError(
                f"steering_blocks={path}: no list of modules is called so. {_named(lists)}"
            )
        return lists[path]
    wanted, decoder = depth(base), _text_decoder(base)
    inside = {id(one) for one in decoder.modules()}
    found = [one for one in lists.values() if id(one) in inside and len(one) == wanted]
    if len(found) != 1:
        raise ModelError(
            f"{type(base).__name__} has {len(found)} lists of {wanted} modules, so its decoder "
            f"blocks cannot be told; name them with steering_blocks=PATH. {_named(lists)}"
        )
    return found[0]


def _text_decoder(base: Any) -> nn.Module:
    """What reads text: of a model that reads images too, not what reads those."""
    found = base.get_decoder() if hasattr(base, "get_decoder") else base
    return found if isinstance(found, nn.Module) else base


def _named(lists: Mapping[str, nn.ModuleList]) -> str:
    if not lists:
        return "There are no lists of modules in it."
    shown = ", ".join(f"{name} ({len(one)})" for name, one in lists.items())
    return f"Lists of modules in it: {shown}."


@contextmanager
def editing(blocks: nn.ModuleList, edits: Mapping[int, Edit]) -> Iterator[None]:
    """Change what blocks give to those after them, until the end of the `with` block.

    Enter it before a prompt is read: keys and values of what was read without it stay as they
    are. Nested uses apply one after the other, the outer one first.

    Args:
        blocks: From `decoder_blocks`.
        edits: By number of the block, from 0.

    Raises:
        InvalidInputError: A block that there is not.
    """
    check_layers(edits, len(blocks))
    with ExitStack() as stack:
        for layer, edit in edits.items():
            handle = blocks[layer].register_forward_hook(_after(edit))
            stack.callback(handle.remove)
        yield


def check_layers(layers: Mapping[int, Any] | list[int], count: int) -> None:
    """Refuse blocks that a model has not.

    Raises:
        InvalidInputError: A number below 0, or `count` or more.
    """
    beyond = sorted(layer for layer in layers if not 0 <= layer < count)
    if beyond:
        raise InvalidInputError(
            f"decoder blocks {', '.join(map(str, beyond))}: the model has 0 to {count - 1}"
        )


def _after(edit: Edit) -> Callable[..., Any]:
    """A hook: some releases and models give hidden states alone, others with more behind them."""

    def hook(_block: nn.Module, _given: Any, output: Any) -> Any:
        if isinstance(output, tuple):
            return (edit(output[0]), *output[1:])
        return edit(output)

    return hook


@contextmanager
def recording(
    blocks: nn.ModuleList, layers: Mapping[int, Any] | list[int] | None = None
) -> Iterator[dict[int, torch.Tensor]]:
    """Keep what blocks give, until the end of the `with` block.

    Args:
        blocks: From `decoder_blocks`.
        layers: Numbers of blocks, from 0; None for all.

    Yields:
        By number of the block the hidden states of the last call, shape (rows, tokens, width),
        on the device and in the precision of the model.
    """
    kept: dict[int, torch.Tensor] = {}

    def keep(layer: int) -> Edit:
        def edit(hidden: torch.Tensor) -> torch.Tensor:
            kept[layer] = hidden
            return hidden

        return edit

    wanted = range(len(blocks)) if layers is None else layers
    with editing(blocks, {layer: keep(layer) for layer in wanted}):
        yield kept


@contextmanager
def steering(
    blocks: nn.ModuleList, added: Mapping[int, torch.Tensor], strength: float = 1.0
) -> Iterator[None]:
    """Add a vector to the hidden states after blocks, at every position (dialect paper, Eq. 10).

    Args:
        blocks: From `decoder_blocks`.
        added: By number of the block w_l·v̂_l, shape (width,).
        strength: β. With 0 nothing is attached, and the model is the unsteered one exactly.

    Raises:
        InvalidInputError: A block that there is not, or a vector of another width.
    """
    check_layers(added, len(blocks))
    edits = {} if strength == 0 else {k: _adding(strength * v) for k, v in added.items()}
    with editing(blocks, edits):
        yield


def _adding(vector: torch.Tensor) -> Edit:
    """Adds a vector in the precision and on the device of what it is added to.

    Blocks of one model may lie on several devices, and quantised models compute in a precision
    of their own.
    """
    ready: dict[tuple[torch.device, torch.dtype], torch.Tensor] = {}

    def edit(hidden: torch.Tensor) -> torch.Tensor:
        key = (hidden.device, hidden.dtype)
        if key not in ready:
            if hidden.shape[-1] != vector.shape[-1]:
                raise InvalidInputError(
                    f"a steering vector of width {vector.shape[-1]} for hidden states of width "
                    f"{hidden.shape[-1]}; it belongs to another model"
                )
            ready[key] = vector.to(*key)
        return hidden + ready[key]

    return edit

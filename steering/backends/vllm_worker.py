"""Steering inside of vLLM: what its worker processes do, and how they are asked for it.

vLLM's decoder blocks give hidden states of all tokens of a batch, prompts and answers of many
requests in a row, shape (tokens, width), often as (hidden, residual), whose sum the next block
reads. A vector that is added to the first of the two is added to the sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import torch
from torch import nn

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.steering.hooks import check_layers, steering

WORKER = "sociolect.steering.backends.vllm_worker.SteeredWorker"
"""Value of `worker_extension_cls` of an engine that can be steered."""


class SteeredWorker:
    """What vLLM adds to its worker class when `worker_extension_cls` names this one.

    Its names begin with `sociolect_`, since they share the worker's.
    """

    sociolect_hooks: ExitStack | None = None

    def sociolect_steer(self, added: list[tuple[int, list[float]]], path: str) -> dict[str, Any]:
        """Add vectors to the hidden states after blocks, in place of those added so far.

        Args:
            added: Number of a block, from 0, and what is added; empty for the unsteered model.
            path: Name of the list of blocks, or empty to find it.

        Returns:
            `steered`: numbers of the blocks of this worker that are steered, or `fault`: why none
            is. An exception would reach another process as a text without its class.
        """
        worker: Any = self
        if self.sociolect_hooks:
            self.sociolect_hooks.close()
        self.sociolect_hooks = None
        try:
            config = worker.vllm_config.model_config
            vectors = {layer: torch.tensor(values) for layer, values in added}
            _check_width(vectors, config.get_hidden_size())
            model = worker.get_model()
            blocks = decoder_blocks(model, config.get_total_num_hidden_layers(), path)
            check_layers(vectors, len(blocks))
        except (InvalidInputError, ModelError) as error:
            return {"fault": str(error)}
        own = {layer: vector for layer, vector in vectors.items() if _is_here(blocks[layer])}
        with ExitStack() as stack:
            stack.enter_context(steering(blocks, own))
            self.sociolect_hooks = stack.pop_all()
        return {"steered": sorted(own)}


def steer(engine: Any, added: Mapping[int, torch.Tensor], path: str = "") -> None:
    """Steer an engine from the next request on, in place of how it was steered so far.

    Args:
        engine: `vllm.LLM` with `worker_extension_cls` = `WORKER`, in eager mode, at rest.
        added: β·w_l·v̂_l by number of the block, shape (width,); empty for the unsteered model.
        path: Name of the list of blocks in vLLM's model, or empty to find it.

    Raises:
        ModelError: The blocks cannot be told, the vectors do not fit the model, or the engine is
            not at rest.
    """
    plain = [(layer, vector.tolist()) for layer, vector in sorted(added.items())]
    found = engine.collective_rpc("sociolect_steer", args=(plain, path))
    # Keys and values of prompts that were read under another steering.
    if not engine.reset_prefix_cache():
        raise ModelError(
            "vLLM still holds a request that was stopped, and would read what it computed for it "
            "under another steering; give the same command again"
        )
    if faults := sorted({one["fault"] for one in found if "fault" in one}):
        raise ModelError(f"vLLM's model cannot be steered: {'; '.join(faults)}")
    # Each worker has some of the blocks (pipeline parallel) or a part of all (tensor parallel).
    steered = {layer for one in found for layer in one["steered"]}
    if steered != set(added):
        raise ModelError(
            f"vLLM's workers have the decoder blocks {sorted(steered)} of {sorted(added)}, which "
            "are to be steered"
        )


def decoder_blocks(model: nn.Module, depth: int, path: str = "") -> nn.ModuleList:
    """The decoder blocks of a model of vLLM, first to last.

    Args:
        model: As a worker holds it; with pipeline parallelism, blocks of other workers are
            placeholders in the list.
        depth: Number of blocks that the configuration of the text decoder says.
        path: Name of the list, as `named_modules` of the model has it; empty for the one list of
            `depth` modules in the text decoder.

    Raises:
        ModelError: No such list, or several; the message names the lists that there are.
    """
    lists = {name: one for name, one in model.named_modules() if isinstance(one, nn.ModuleList)}
    there = ", ".join(f"{name} ({len(one)})" for name, one in lists.items()) or "none"
    if path:
        if path not in lists:
            raise ModelError(
                f"steering_blocks={path}: no list of modules of vLLM's {type(model).__name__} is "
                f"called so. Its lists: {there}"
            )
        return lists[path]
    inside = {id(one) for one in _text_decoder(model).modules()}
    found = [one for one in lists.values() if id(one) in inside and len(one) == depth]
    if len(found) != 1:
        raise ModelError(
            f"{type(model).__name__} has {len(found)} lists of {depth} modules, so its decoder "
            f"blocks cannot be told; name them with steering_blocks=PATH. Its lists: {there}"
        )
    return found[0]


def _text_decoder(model: Any) -> Any:
    """Of a model that reads images too, the part that does not."""
    from vllm.model_executor.models.interfaces import supports_multimodal

    return model.get_language_model() if supports_multimodal(model) else model


def _is_here(block: nn.Module) -> bool:
    from vllm.model_executor.models.utils import PPMissingLayer

    return not isinstance(block, PPMissingLayer)


def _check_width(vectors: Mapping[int, torch.Tensor], width: int) -> None:
    wrong = sorted({len(vector) for vector in vectors.values()} - {width})
    if wrong:
        raise InvalidInputError(
            f"steering vectors of width {', '.join(map(str, wrong))} for a model of width {width}; "
            "they belong to another model"
        )

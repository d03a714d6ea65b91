"""What vLLM must be told before it starts."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.backends.steered import SteeringArguments, vectors_to_add
from sociolect.steering.backends.vllm_worker import WORKER
from sociolect.steering.lora.adapters import check_fits, read_adapter, vllm_rank
from sociolect.steering.of_model import of_model

_INVARIANT = "VLLM_BATCH_INVARIANT"
_READS_INVARIANT = "vllm.v1.attention.selector"
"""Imported by the engine; some modules read the variable only when they are imported."""

_logger = logging.getLogger("lm_eval")


def lora_arguments(adapter: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """What vLLM must know of an adapter before it starts; one on the Hub is left to vLLM."""
    if adapter is None or not Path(adapter).is_dir():
        return {}
    found = read_adapter(Path(adapter))
    base = Path(str(given["pretrained"]))
    for warning in check_fits(found, base) if base.is_dir() else []:
        _logger.warning("%s", warning)
    wanted = given.get("max_lora_rank")
    rank = vllm_rank(found.rank, None if wanted is None else int(wanted))
    # Without the list vLLM prepares every layer for an adapter, the output head too, and its CPU
    # kernels cannot do that.
    modules = given.get("lora_target_modules") or list(found.modules)
    return {"max_lora_rank": rank, "lora_target_modules": modules}


def cpu_arguments() -> dict[str, Any]:
    """A prompt in several parts rewinds its random generator, and a CPU generator cannot."""
    from vllm.platforms import current_platform

    return {"enable_chunked_prefill": False} if current_platform.is_cpu() else {}


def require_invariance() -> None:
    """Switch vLLM's batch-invariant mode on, before the engine imports what reads it."""
    from vllm.platforms import current_platform

    if current_platform.is_cpu():
        raise InvalidInputError(
            "batch_invariant=True: vLLM has no such kernels for CPUs. Leave it out; dtype=float32 "
            "there gives answers that hardly depend on the batch."
        )
    if os.environ.get(_INVARIANT) != "1" and _READS_INVARIANT in sys.modules:
        raise InvalidInputError(
            f"batch_invariant=True comes too late in this process: set {_INVARIANT}=1 before "
            "vLLM is imported"
        )
    os.environ[_INVARIANT] = "1"


def steered_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Of an engine that is to be steered: a way into its workers, and eager mode.

    A compiled graph is recorded once, when the engine starts, and calls no hooks afterwards:
    answers would be those of the unsteered model.

    Raises:
        InvalidInputError: Something else than eager mode is asked for, or another way in.
    """
    if given.get("enforce_eager") not in (None, True):
        raise InvalidInputError(
            f"enforce_eager={given['enforce_eager']} with steering=…: vLLM's compiled graphs call "
            "no hooks, so that nothing would be steered. Leave it out; steered engines run in "
            "eager mode"
        )
    if given.get("worker_extension_cls") not in (None, "", WORKER):
        raise InvalidInputError(
            f"worker_extension_cls={given['worker_extension_cls']} with steering=…: vLLM takes one "
            "such class, and steering needs its own; leave it out"
        )
    return {"enforce_eager": True, "worker_extension_cls": WORKER}


def added_to(
    steering: SteeringArguments, name: str, given: Mapping[str, Any]
) -> dict[int, torch.Tensor]:
    """What is added after blocks of a model whose files are here.

    Args:
        steering: How it is steered.
        name: Folder, or name on the Hub.
        given: Its other model arguments.

    Raises:
        ModelError: The vector cannot be read, or was fitted on another model.
    """
    from transformers import AutoConfig

    revision = str(given.get("revision") or "main")
    trusted = bool(given.get("trust_remote_code", False))
    config = AutoConfig.from_pretrained(name, revision=revision, trust_remote_code=trusted)
    return vectors_to_add(steering, of_model(name, config, revision=revision))

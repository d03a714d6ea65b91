"""Our model names in lm_eval's registry, and models made from a name and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from sociolect.generators.errors import UnknownNameError

BACKENDS: Mapping[str, str] = {
    "sociolect-hf": "sociolect.steering.backends.hf:SociolectHF",
    "sociolect-vllm": "sociolect.steering.backends.vllm:SociolectVLLM",
}
"""Where the class behind each value of `--model` lies; imported when it is asked for."""

SERVED: Mapping[str, str] = {
    "local-completions": "sociolect.steering.backends.served:ServedCompletions",
    "local-chat-completions": "sociolect.steering.backends.served:ServedChat",
    "openai-completions": "sociolect.steering.backends.served:OpenAICompletions",
    "openai-chat-completions": "sociolect.steering.backends.served:OpenAIChat",
}
"""Names of lm_eval that classes of ours answer to: models behind an OpenAI-compatible server."""

_WITH_TORCH = ("hf", "hf-auto", "huggingface", "sociolect-hf")


def register_backends() -> None:
    """Make lm_eval know our names; a second call does nothing."""
    # First lm_eval's own: it registers them only while its registry is empty.
    import lm_eval.models  # noqa: F401
    from lm_eval.api.registry import model_registry

    for name, target in BACKENDS.items():
        if name not in model_registry:
            model_registry.register(name, target=target)


def model_class(name: str) -> Any:
    """The class behind a value of `--model`; lm_eval's registry is not changed.

    Raises:
        ModuleNotFoundError: What the class needs is not installed.
    """
    if name not in SERVED:
        from lm_eval.api.registry import model_registry

        return model_registry.get(name)
    module, _, found = SERVED[name].partition(":")
    return getattr(import_module(module), found)


def create_model(
    name: str, model_args: Mapping[str, Any], additional: Mapping[str, Any] | None = None
) -> Any:
    """A model as lm_eval would make it.

    Args:
        name: A value of `--model`, ours or lm_eval's.
        model_args: `--model_args`, parsed.
        additional: `batch_size`, `max_batch_size` and `device` as lm_eval hands them over.

    Returns:
        An `lm_eval.api.model.LM`.

    Raises:
        UnknownNameError: No such name.
        ModuleNotFoundError: What the model needs is not installed.
    """
    register_backends()
    from lm_eval.api.registry import model_registry

    if name not in model_registry:
        raise UnknownNameError("model backend", name, sorted(model_registry.keys()))
    given = {**model_args, **(additional or {})}
    if name in _WITH_TORCH and not given.get("device"):
        given["device"] = _device()
    return model_class(name).create_from_arg_obj(given)


def _device() -> str:
    """A GPU if there is one: these classes take `cuda` for granted, the command line does not."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"

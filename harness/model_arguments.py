"""Names and values of model arguments that a backend would only refuse once it is loaded."""

from __future__ import annotations

import ast
import inspect
import logging
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.harness.run_options import Finding, RunOptions, TaskFacts
from sociolect.steering.backends.identity import STEERING_ARGUMENTS
from sociolect.steering.backends.registry import BACKENDS

OWN: tuple[str, ...] = ("answers", "batch_invariant", "chunk", "seed", *STEERING_ARGUMENTS)
"""Arguments that our backends add."""

_NEAR = 0.8
_BATCH_SIZE = re.compile(r"auto(:\d+(\.\d+)?)?|0*[1-9]\d*")
_SEEDS = 2**63


def parsed_arguments(text: str, option: str) -> dict[str, Any]:
    """Model arguments from the text of an option, read as lm-eval reads them.

    What lm-eval says of a fault quotes values, which may be secret; it is not passed on.

    Args:
        text: `name=value,name=value`, or a JSON object.
        option: What it is called, for the message.

    Raises:
        InvalidInputError: It cannot be read.
    """
    from lm_eval._cli.utils import key_val_to_dict, try_parse_json

    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        parsed = try_parse_json(text)
        return dict(parsed) if isinstance(parsed, dict) else key_val_to_dict(text)
    except (ValueError, RecursionError):
        raise InvalidInputError(
            f"the arguments of {option} cannot be read; give name=value,name=value or a JSON object"
        ) from None
    finally:
        logging.disable(disabled)


def misspelt(options: RunOptions) -> Iterator[tuple[str, str | None]]:
    """Arguments that the backend does not know, each with what it may have been meant to be.

    Those that are near to none are left out where the backend hands unknown ones on.

    Raises:
        ImportError: The engine is installed, but cannot be imported.
    """
    known, open_ended = known_arguments(options)
    for name in sorted(set(options.model_args) - known):
        near = get_close_matches(name, sorted(known), n=1, cutoff=_NEAR)
        if near or not open_ended:
            yield name, near[0] if near else None


def known_arguments(options: RunOptions) -> tuple[set[str], bool]:
    """Names of the model arguments, and whether there may be others that are handed on.

    Raises:
        ImportError: The engine is installed, but cannot be imported.
    """
    own = set(OWN) if options.is_ours else set()
    if not options.on_vllm:
        return own | _written_parameters("lm_eval.models.huggingface", "HFLM"), True
    known = own | _written_parameters("lm_eval.models.vllm_causallms", "VLLM")
    if set(options.model_args) <= known or find_spec("vllm") is None:
        return known, True
    from vllm.engine.arg_utils import EngineArgs

    return known | set(inspect.signature(EngineArgs).parameters), False


def _written_parameters(module: str, name: str) -> set[str]:
    """Parameters of a class, read from its source: the module needs what may not be there."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return set()
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    return {
        argument.arg
        for one in ast.walk(tree)
        if isinstance(one, ast.ClassDef) and one.name == name
        for function in one.body
        if isinstance(function, ast.FunctionDef) and function.name == "__init__"
        for argument in (*function.args.args[1:], *function.args.kwonlyargs)
    }


def names_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """Misspelt arguments of our backends, and none for the model."""
    if not (options.on_hf or options.on_vllm):
        return
    if not options.model_args.get("pretrained"):
        yield Finding("refuse", "--model_args names no model: add pretrained=DIR_OR_ID.")
    if not options.is_ours:
        return
    try:
        found = list(misspelt(options))
    except ImportError:  # which the run itself will say
        return
    for name, near in found:
        meant = f"; did you mean {near}?" if near else "."
        yield Finding("refuse", f"--model_args: {options.model} knows no {name}{meant}")


def values_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """Sizes and seeds that the engine stops on, and steering that cannot be meant so."""
    yield from _steering_trap(options)
    if not (options.on_hf or options.on_vllm):
        return
    if not _BATCH_SIZE.fullmatch(str(options.batch_size)):
        yield Finding(
            "refuse",
            f"--batch_size {options.batch_size} is no number of prompts: give auto, or a whole "
            "number of 1 or more.",
        )
    seed = str(options.model_args.get("seed"))
    if options.on_vllm and seed.isdecimal() and int(seed) >= _SEEDS:
        yield Finding("refuse", f"--model_args seed={seed}: vLLM takes seeds below 2**63.")


def _steering_trap(options: RunOptions) -> Iterator[Finding]:
    given = {k: v for k, v in options.model_args.items() if k in STEERING_ARGUMENTS}
    if not given:
        return
    if options.model not in BACKENDS:
        yield Finding(
            "refuse",
            f"--model_args: {', '.join(sorted(given))}: {options.model} steers no activations; "
            f"{' and '.join(sorted(BACKENDS))} do.",
        )
        return
    from sociolect.steering.backends.steered import steering_arguments
    from sociolect.steering.vector_files import load

    try:
        if found := steering_arguments(given):
            load(found.path)
    except (InvalidInputError, ModelError) as error:
        yield Finding("refuse", f"--model_args: {error}")

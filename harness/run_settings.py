"""What two runs must share to be comparable, read from the results file of lm-eval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.redaction import is_secret, without_secrets
from sociolect.steering.backends.identity import MEMORY_ARGUMENTS, STEERING_ARGUMENTS

Results = Mapping[str, Any]

_NAME_ARGS = ("peft", "lora_local_path", "delta", "pretrained", "model", "path", "engine")
_IDENTITY_ARGS = (*_NAME_ARGS, "revision", "subfolder")
SHAS: tuple[str, ...] = ("model_sha", "peft_sha", "delta_sha")
"""Commit hashes of a model, known only where they could be looked up."""
TOGETHER_ARGUMENTS = frozenset(
    {
        "batch_invariant",
        "chunk",
        "data_parallel_size",
        "device_map_option",
        "distributed_executor_backend",
        "enable_chunked_prefill",
        "enable_prefix_caching",
        "enforce_eager",
        "max_num_batched_tokens",
        "max_num_seqs",
        "parallelize",
        "pipeline_parallel_size",
        "tensor_parallel_size",
    }
)
"""Model arguments that say what is computed together, and with which kernels.

In half precision they move an answer as another seed does: the model is the same, the sample is
another one. So they are reported, like seeds, and do not keep two runs apart."""
INERT_ARGUMENTS = MEMORY_ARGUMENTS | TOGETHER_ARGUMENTS
STEERING: tuple[str, ...] = (*STEERING_ARGUMENTS, "steer_path")
"""Model arguments that say how activations are steered; the last is of lm_eval's `steered`."""
_SEEDS = ("random_seed", "numpy_seed", "torch_seed")


def _arguments(given: object) -> dict[str, str]:
    """Model arguments as lm-eval logs them (a mapping, older runs a string), values as text.

    Without tokens and passwords: they change no answer and must not be shown.
    """
    if isinstance(given, Mapping):
        arguments = {str(key): str(value) for key, value in given.items()}
    else:
        pairs = (part.partition("=") for part in str(given or "").split(",") if part)
        arguments = {key.strip(): value.strip() for key, _, value in pairs}
    return {k: without_secrets(value) for k, value in arguments.items() if not is_secret(k)}


def answering_arguments(given: object) -> dict[str, str]:
    """Model arguments without secrets and without `INERT_ARGUMENTS`, values as text."""
    return {k: v for k, v in _arguments(given).items() if k not in INERT_ARGUMENTS}


def model_name(results: Results) -> str:
    """The model as it was asked for.

    Without one of the arguments that lm-eval looks for, the name it records is random.
    """
    arguments = _arguments(results["config"].get("model_args"))
    named = next((arguments[key] for key in _NAME_ARGS if key in arguments), None)
    return named or str(results["config"].get("model") or "unknown model")


def shown_name(results: Results) -> str:
    """The model name, for a local path its last folder."""
    name = model_name(results)
    return short_names([name])[name]


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Local paths by as few of their last folders as keep all names distinct; others whole."""
    depth = dict.fromkeys(names, 1)
    while True:
        shown = {name: _tail(name, count) for name, count in depth.items()}
        uses = Counter(shown.values())
        clashing = [name for name in depth if uses[shown[name]] > 1 and shown[name] != name]
        if not clashing:
            return shown
        for name in clashing:
            depth[name] += 1


def _tail(name: str, count: int) -> str:
    parts = Path(name).parts
    if not name.startswith(("/", ".", "~")) or not parts or count > len(parts):
        return name
    return str(Path(*parts[-count:]))


def settings(results: Results, name: str, task: Mapping[str, Any]) -> dict[str, object]:
    """What must be equal for two runs to differ in nothing but the errors.

    Args:
        results: Of `result_files.read_results`.
        name: Task name of lm-eval.
        task: What the samples say: `benchmark`, `axis`, `form`, `task_format`, `data_version`,
            `answer_mode`.

    Returns:
        Values by setting. Commit hashes of the model (`model_sha`) are there as far as the
        machine could look them up.
    """
    config, arguments = results["config"], answering_arguments(results["config"].get("model_args"))
    arguments.pop("seed", None)
    asked_dtype = arguments.pop("dtype", None)
    identity = {key: arguments.pop(key) for key in _IDENTITY_ARGS if key in arguments}
    asked_revision = identity.pop("revision", "main")
    revision = config.get("model_revision") or asked_revision
    return {
        "benchmark": task["benchmark"],
        "axis": task["axis"],
        "form": task["form"],
        "task_format": task["task_format"],
        "model": identity | {"name": model_name(results), "revision": revision},
        "model_sha": {key: config[key] for key in SHAS if config.get(key)},
        "backend": config.get("model"),
        "model_args": arguments,
        "dtype": config.get("model_dtype") or asked_dtype,
        "chat_template": results.get("chat_template"),
        "system_instruction": results.get("system_instruction"),
        "few_shot": _few_shot(results, name),
        "generation": _generation(results, name, task["form"]),
        "data": task["data_version"],
        "answer_mode": task["answer_mode"],
    }


def _few_shot(results: Results, name: str) -> dict[str, object]:
    """Number of examples, and how they are chosen and shown where there are any."""
    count = (results.get("n-shot") or {}).get(name)
    if not count:
        return {"num_fewshot": count or 0}
    return {
        "num_fewshot": count,
        "fewshot_as_multiturn": results.get("fewshot_as_multiturn"),
        "fewshot_seed": results["config"].get("fewshot_seed"),
    }


def _generation(results: Results, name: str, form: str) -> dict[str, object]:
    """Decoding settings but for the seed; nothing is generated in the `ll` form."""
    if form == "ll":
        return {}
    config = results["configs"].get(name) or {}
    kwargs = dict(config.get("generation_kwargs") or {})
    kwargs.pop("seed", None)
    return {**kwargs, "repeats": config.get("repeats")}


def sampler(results: Results, name: str) -> dict[str, object]:
    """Seeds, what was computed together, and software versions, as far as recorded.

    They may differ between runs.
    """
    config = results["config"]
    kwargs = (results["configs"].get(name) or {}).get("generation_kwargs") or {}
    seeds: dict[str, object] = {key: config.get(key) for key in _SEEDS}
    seeds["generation_seed"] = kwargs.get("seed")
    arguments = _arguments(config.get("model_args"))
    seeds["model_args_seed"] = arguments.get("seed")
    seeds |= {key: arguments[key] for key in sorted(TOGETHER_ARGUMENTS & arguments.keys())}
    versions = {key: results.get(key) for key in ("lm_eval_version", "transformers_version")}
    return {key: value for key, value in (seeds | versions).items() if value is not None}

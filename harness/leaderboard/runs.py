"""What a number is traced back to: the files of a run, and the command that made it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from sociolect.generators.redaction import without_secrets
from sociolect.harness.leaderboard.board import RunOf
from sociolect.harness.run_settings import TOGETHER_ARGUMENTS
from sociolect.harness.store.stored import Store, StoredRun

_SEEDS = {"random_seed": 0, "numpy_seed": 1234, "torch_seed": 1234}
"""Of lm-eval, and what it takes by default; a fourth one chooses examples."""
_FEWSHOT_SEED = 1234
_OWN_BACKENDS = "sociolect-"
_TASKS = '--include_path "$(sociolect tasks-path)"'
_UNQUOTED = frozenset(",=\"'{}")


def run_of(store: Store, run: StoredRun, replaced: tuple[str, ...]) -> RunOf:
    """A run as the leaderboard names it.

    Args:
        store: Where it is.
        run: The run.
        replaced: Sentences on other runs of its cell.
    """
    return RunOf(
        id=run.id,
        task=run.task,
        task_version=run.task_version,
        path=run.path,
        results=_relative(store, run),
        samples_sha256=run.sha256["samples"],
        results_sha256=run.sha256["results"],
        time=run.time,
        data_version=str(run.data.get("data_version", "")),
        data_sha256=str(run.data.get("data_sha256", "")),
        rules=str(run.data.get("rules", "")),
        local_data=bool(run.data.get("local_data", False)),
        error_seed=run.error_seed,
        prompts=run.rows,
        prompts_expected=run.prompts.get("original"),
        asked=run.asked,
        unanswered=run.unanswered,
        too_long=run.too_long,
        settings=run.settings,
        sampler=run.sampler,
        command=shlex.join(run.command) if run.command else rebuilt_command(run),
        rebuilt=not run.command,
        replaced=replaced,
    )


def _relative(store: Store, run: StoredRun) -> str:
    results = run.files.results
    inside = results.is_relative_to(store.folder)
    return results.relative_to(store.folder).as_posix() if inside else results.name


def rebuilt_command(run: StoredRun) -> str:
    """The command that asks the same, made up from what lm-eval recorded, as a shell reads it.

    Decoding is that of the task; what was changed of it on the command line is in the settings.
    """
    backend = str(run.settings.get("backend") or "")
    words = shlex.join(["--model", backend, *_options(run)])
    # Our backends are known to our command alone, which finds the tasks by itself.
    if backend.startswith(_OWN_BACKENDS):
        return f"sociolect eval {words}"
    return f"lm_eval {_TASKS} {words}"


def _options(run: StoredRun) -> list[str]:
    settings = run.settings
    words = ["--model_args", _model_args(run), "--tasks", run.task]
    effective, original = run.prompts.get("effective"), run.prompts.get("original")
    if effective is not None and original is not None and effective < original:
        words += ["--limit", str(effective)]
    shots = settings.get("few_shot") or {}
    if count := shots.get("num_fewshot"):
        words += ["--num_fewshot", str(count)]
    if shots.get("fewshot_as_multiturn"):
        words.append("--fewshot_as_multiturn")
    if settings.get("chat_template"):
        words.append("--apply_chat_template")
    if instruction := settings.get("system_instruction"):
        words += ["--system_instruction", without_secrets(str(instruction))]
    return [*words, *_seeds(run.sampler, shots), "--log_samples", "--output_path", "out"]


def _model_args(run: StoredRun) -> str:
    """Arguments of the model without secrets; as JSON where `name=value` could be misread."""
    model = {k: v for k, v in (run.settings.get("model") or {}).items() if k != "name"}
    if model.get("revision") == "main":
        model.pop("revision")
    found = model | dict(run.settings.get("model_args") or {})
    if dtype := run.settings.get("dtype"):
        found["dtype"] = str(dtype).removeprefix("torch.")
    found |= {key: run.sampler[key] for key in sorted(TOGETHER_ARGUMENTS & run.sampler.keys())}
    if "model_args_seed" in run.sampler:
        found["seed"] = run.sampler["model_args_seed"]
    texts = {str(key): without_secrets(str(value)) for key, value in found.items()}
    if _UNQUOTED.intersection("".join([*texts, *texts.values()])):
        return json.dumps(texts, ensure_ascii=False)
    return ",".join(f"{key}={value}" for key, value in texts.items())


def _seeds(sampler: Mapping[str, Any], shots: Mapping[str, Any]) -> list[str]:
    """The option of the seeds, if one is not the usual one."""
    found = [sampler.get(name, usual) for name, usual in _SEEDS.items()]
    chosen = shots.get("fewshot_seed", _FEWSHOT_SEED)
    seeds = [*found, _FEWSHOT_SEED if chosen is None else chosen]
    if seeds == [*_SEEDS.values(), _FEWSHOT_SEED]:
        return []
    return ["--seed", ",".join(map(str, seeds))]

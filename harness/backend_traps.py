"""Traps of single backends: engines, adapters, tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.harness.local_models import (
    local_folder,
    model_folder,
    tokenizer_facts,
    tokenizer_folder,
)
from sociolect.harness.run_options import (
    DEFAULT_SEED,
    Finding,
    RunOptions,
    TaskFacts,
    number,
)
from sociolect.steering.backends.chunked import answers_folder, whole_number
from sociolect.steering.lora.adapters import (
    VLLM_RANKS,
    WEIGHTS,
    Adapter,
    check_fits,
    read_adapter,
    vllm_rank,
)
from sociolect.steering.lora.headers import tensors_of

VLLM_RANK = 16
"""`max_lora_rank` of vLLM unless told otherwise."""

ONE_PER_GPU = (
    "For several GPUs start the same command once a GPU (CUDA_VISIBLE_DEVICES=0, =1, …): the "
    "processes share the chunks of one answers folder."
)

_BOOLEANS = ("true", "false")


def engine_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """Arguments that vLLM itself does not mean as they sound."""
    if not options.on_vllm:
        return
    if not options.is_ours and options.environ.get("TQDM_DISABLE", "").lower() not in (
        "",
        "0",
        "false",
    ):
        yield Finding(
            "warning",
            "TQDM_DISABLE is set: vLLM divides by the time that its progress bar measures and "
            "stops with ZeroDivisionError. Unset it, or use --model sociolect-vllm.",
        )
    if number(options.batch_size) == 1 and not options.is_ours:
        yield Finding(
            "warning",
            "--batch_size 1 (lm_eval's default) hands vLLM one prompt at a time, which is many "
            "times slower. Add --batch_size auto.",
        )


def seed_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """`--seed` where another seed decides, and replicas that share one."""
    if all(task.by_likelihood for task in tasks) or not (options.on_vllm or options.is_ours):
        return
    if options.seed not in (None, DEFAULT_SEED) and "seed" not in options.model_args:
        follows = "the run seed" if options.is_ours else "the seed of the engine"
        yield Finding(
            "warning",
            f"--seed does not reach the sampling of {options.model}, which follows {follows}: "
            "use --model_args seed=N.",
        )
    if not options.is_ours and str(options.model_args.get("data_parallel_size", 1)) != "1":
        yield Finding(
            "warning",
            "data_parallel_size > 1 gives all replicas one seed, so that samples of a prompt "
            "may coincide. Run one process a device with --model_args seed=N and --samples.",
        )


def own_arguments_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """Arguments of our backends that cannot be used, and lm_eval's that work against them."""
    if not options.is_ours:
        return
    given = options.model_args
    for name, least in (("chunk", 1), ("seed", 0)):
        if given.get(name) is not None:
            yield from _refused(partial(whole_number, name, given[name], least))
    yield from _refused(partial(answers_folder, given.get("answers")))
    invariant = given.get("batch_invariant", False)
    if str(invariant).lower() not in _BOOLEANS or (invariant and not options.on_vllm):
        yield Finding(
            "refuse",
            f"batch_invariant={invariant}: sociolect-vllm takes True or False, the others have "
            "no such argument.",
        )
    if str(given.get("data_parallel_size", 1)) != "1":
        yield Finding("refuse", f"{options.model} runs one engine. {ONE_PER_GPU}")
    if options.use_cache is not None:
        yield Finding(
            "refuse",
            f"--use_cache takes prompts out of the chunks of {options.model}. Leave it out: with "
            "--output_path, or with --model_args answers=FOLDER, every finished chunk is kept "
            "and never asked again.",
        )


def adapter_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """An adapter that the backend does not read, or that the model cannot take."""
    wrong = "peft" if options.on_vllm else "lora_local_path"
    if (options.on_vllm or options.on_hf) and options.model_args.get(wrong):
        yield Finding(
            "refuse",
            f"{wrong}= is no argument of {options.model}; say {options.adapter_argument}="
            f"{options.model_args[wrong]}.",
        )
        return
    value = options.model_args.get(options.adapter_argument)
    if not value or not (options.on_vllm or options.on_hf):
        return
    folder = local_folder(value)
    if folder is None:
        if options.on_vllm or not isinstance(value, str) or value.startswith(("/", ".", "~")):
            yield Finding("refuse", f"{options.adapter_argument}={value} is no folder.")
        return
    try:
        adapter = read_adapter(folder)
        yield from _fits(options, adapter)
    except ModelError as error:
        # What only vLLM cannot load (DoRA, trained biases …) is sent to this backend.
        if not (options.on_hf and "--model hf" in str(error)):
            yield Finding("refuse", str(error))
        else:
            yield from _refused(partial(tensors_of, folder / WEIGHTS))


def _fits(options: RunOptions, adapter: Adapter) -> Iterator[Finding]:
    base = model_folder(options.model_args)
    if base is not None:
        for message in check_fits(adapter, base):
            yield Finding("warning", message)
    if not options.on_vllm:
        return
    needed = vllm_rank(adapter.rank)
    asked = options.model_args.get("max_lora_rank", None if options.is_ours else VLLM_RANK)
    limit = int(asked) if str(asked).isdigit() else 0
    if asked is not None and (limit < adapter.rank or limit not in VLLM_RANKS):
        instead = "or leave it out" if options.is_ours else "or use --model sociolect-vllm"
        yield Finding(
            "refuse",
            f"the adapter {adapter.path} has rank {adapter.rank}; vLLM would take max_lora_rank="
            f"{asked} and refuse it. Say --model_args max_lora_rank={needed}, {instead}.",
        )
    if str(options.model_args.get("enable_lora", True)).lower() == "false":
        yield Finding(
            "refuse", "enable_lora=False would leave the adapter out in silence; remove it."
        )


def tokenizer_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """A local tokenizer without a chat template that is asked for, or without needed tokens."""
    folder = tokenizer_folder(options.model_args)
    facts = tokenizer_facts(folder) if folder else None
    if facts is None:
        return
    if options.apply_chat_template and not facts.chat_template:
        yield Finding(
            "refuse",
            f"--apply_chat_template: the tokenizer in {folder} has no chat template "
            "(chat_template.jinja, or in its tokenizer_config.json). Leave it out; plain prompts "
            "are the protocol.",
        )
    if not facts.padding:
        yield Finding(
            "refuse",
            f"the tokenizer in {folder} has neither a padding nor an end token (pad_token, "
            "eos_token in tokenizer_config.json). lm_eval would add one that the model has never "
            "seen. Name it there, or give the right tokenizer with --model_args tokenizer=.",
        )
    elif not facts.end:
        yield Finding(
            "warning",
            f"the tokenizer in {folder} names no end token (eos_token): every answer runs up to "
            "its limit of tokens.",
        )


def _refused(check: Callable[[], object]) -> Iterator[Finding]:
    try:
        check()
    except InvalidInputError as error:
        yield Finding("refuse", f"--model_args {error}.")
    except ModelError as error:
        yield Finding("refuse", str(error))


def keeping_note(options: RunOptions, answers: Path | None) -> Finding | None:
    """What is said about kept answers before a run of our backends."""
    if not options.is_ours:
        return None
    if answers is not None:
        return Finding("note", f"finished answers are kept in {answers}.")
    if options.output_path is not None:
        return Finding("note", "no answer is kept (answers=none): an interrupted run starts again.")
    return Finding(
        "note",
        "no answer is kept: an interrupted run starts again. Add --output_path FOLDER, or "
        "--model_args answers=FOLDER.",
    )

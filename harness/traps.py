"""Arguments that lm_eval accepts and that would silently spoil a run of our tasks.

Each check looks at one trap and says nothing, warns, or refuses. `sociolect eval` runs them
before a model is loaded, and only when one of our tasks is asked for; secrets it always refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from sociolect.harness.api_traps import api_trap
from sociolect.harness.backend_traps import (
    adapter_trap,
    engine_trap,
    own_arguments_trap,
    seed_trap,
    tokenizer_trap,
)
from sociolect.harness.chat_traps import chat_template_trap
from sociolect.harness.document_traps import limit_trap, samples_trap
from sociolect.harness.local_models import context_length, model_folder
from sociolect.harness.model_arguments import names_trap, values_trap
from sociolect.harness.run_options import (
    Finding,
    RunOptions,
    TaskFacts,
    number,
)
from sociolect.harness.secret_trap import secret_trap

METADATA_KEYS: tuple[str, ...] = ("answer_mode", "error_seed", "split")
"""What `--metadata` can say to our tasks; `split` to those of the dialect audit."""

ROOM_FOR_PROMPT = 512
"""Tokens that the longest of our prompts may need."""

_MAX_TOKENS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
_GENERATION_NUMBERS: dict[str, tuple[Callable[[float], bool], str]] = {
    "temperature": (lambda value: value >= 0, "a temperature: give a number of 0 or more"),
    "top_p": (lambda value: 0 < value <= 1, "a probability: give a number above 0, 1 at most"),
    "max_gen_toks": (
        lambda value: value >= 1 and value == int(value),
        "a number of tokens: give a whole number of 1 or more",
    ),
}
_CONTEXT_ARGUMENTS = ("max_model_len", "max_length")


def check(options: RunOptions, tasks: Sequence[TaskFacts]) -> list[Finding]:
    """All findings about a run of these tasks of ours; refusals come first."""
    found = [finding for trap in _TRAPS for finding in trap(options, tasks)]
    order = ("refuse", "warning", "note")
    return sorted(found, key=lambda finding: order.index(finding.severity))


def _sampled(tasks: Iterable[TaskFacts]) -> list[TaskFacts]:
    return [task for task in tasks if not task.by_likelihood]


def _equal_repeats(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    repeated = [task for task in _sampled(tasks) if task.repeats > 1]
    if repeated and options.gen_kwargs.get("seed") is not None:
        yield Finding(
            "refuse",
            f"--gen_kwargs seed={options.gen_kwargs['seed']} gives every one of the "
            f"{repeated[0].repeats} samples of a prompt the same seed, so that all of them are "
            "equal. For another set of samples use --model_args seed=N (vLLM, and the backends of "
            "sociolect) or --seed N (hf).",
        )
    greedy = [task for task in repeated if _is_greedy(options.generation(task))]
    if options.on_hf and any(_cold_sampling(options.generation(t)) for t in greedy):
        yield Finding(
            "refuse",
            "--gen_kwargs temperature=0 with do_sample=true (the task's setting) stops "
            "transformers after the model is loaded. For greedy answers add do_sample=False.",
        )
    elif greedy:
        yield Finding(
            "warning",
            f"greedy decoding asked for: the {greedy[0].repeats} samples of a prompt will be "
            f"equal ({greedy[0].name}). The protocol samples at temperature 0.7.",
        )


def _is_greedy(generation: Mapping[str, Any]) -> bool:
    return generation.get("do_sample") is False or number(generation.get("temperature")) in (
        None,
        0,
    )


def _cold_sampling(generation: Mapping[str, Any]) -> bool:
    return bool(generation.get("do_sample")) and number(generation.get("temperature")) == 0


def _generation_numbers(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    if not _sampled(tasks):
        return
    for name, (fits, wanted) in _GENERATION_NUMBERS.items():
        given = options.gen_kwargs.get(name)
        value = number(given)
        if name in options.gen_kwargs and (value is None or not fits(value)):
            yield Finding("refuse", f"--gen_kwargs {name}={given} is not {wanted}.")


def _cached_samples(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    if options.use_cache is None or options.is_ours or not _sampled(tasks):
        return
    for task in _sampled(tasks):
        generation = options.generation(task)
        if generation.get("do_sample") is None and not _is_greedy(generation):
            yield Finding(
                "refuse",
                f"--use_cache with a temperature but without do_sample=true ({task.name}): "
                "lm_eval would take the samples for greedy ones, and a second run would read "
                "one answer for all repeats. Add do_sample=true to --gen_kwargs.",
            )
            return
    yield Finding(
        "note",
        "lm_eval stores sampled answers in --use_cache but never reads them back: an "
        "interrupted sampled run starts again. Only greedy and log-likelihood requests resume.",
    )


def _max_tokens(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    asked = [name for name in _MAX_TOKENS[1:] if name in options.gen_kwargs]
    shadowed = any("max_gen_toks" in task.generation_kwargs for task in _sampled(tasks))
    if asked and shadowed and "max_gen_toks" not in options.gen_kwargs:
        yield Finding(
            "refuse",
            f"--gen_kwargs {asked[0]} would be ignored, because the task sets max_gen_toks, "
            f"which goes first. Say max_gen_toks={options.gen_kwargs[asked[0]]}.",
        )


def _short_context(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    context = _context_length(options.model_args)
    if context is None:
        return
    for task in _sampled(tasks):
        wanted = number(options.generation(task).get("max_gen_toks"))
        if wanted is not None and context - wanted < ROOM_FOR_PROMPT:
            yield Finding(
                "warning",
                f"the model has a context of {context} tokens and {task.name} may generate "
                f"{wanted:.0f}: longer prompts than {max(context - wanted, 0):.0f} tokens are "
                "not asked, and count as unanswered. Lower --gen_kwargs max_gen_toks.",
            )
            return


def _context_length(model_args: Mapping[str, Any]) -> int | None:
    for name in _CONTEXT_ARGUMENTS:
        if str(model_args.get(name, "")).isdigit():
            return int(model_args[name])
    folder = model_folder(model_args)
    return context_length(folder) if folder else None


def _cached_requests(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    if options.cache_requests:
        yield Finding(
            "refuse",
            "--cache_requests keeps prompts by task name, not by data: after a new version or "
            "another error seed it would run the old prompts. Our prompts are built in seconds; "
            "leave it out (`--cache_requests delete` is fine).",
        )


def _few_shot(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    if options.num_fewshot:
        yield Finding(
            "refuse",
            f"--num_fewshot {options.num_fewshot}: these tasks have no examples to show "
            f"({tasks[0].name} is zero-shot by protocol). Leave it out.",
        )


def _logging(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    if options.output_path is None:
        message = "nothing will be kept: without --output_path the results are only printed. "
    elif not options.log_samples:
        message = "only summary figures will be kept. "
    else:
        return
    commands = {"dialect report" if task.is_dialect else "compare" for task in tasks}
    named = " and ".join(f"`sociolect {command}`" for command in sorted(commands))
    needs = "needs" if len(commands) == 1 else "need"
    yield Finding("note", f"{message}{named} {needs} --output_path FOLDER and --log_samples.")


def _metadata(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    for name in options.metadata:
        near = get_close_matches(name, METADATA_KEYS, n=1)
        if name not in METADATA_KEYS and near:
            yield Finding(
                "refuse", f"--metadata {name} means nothing to these tasks; did you mean {near[0]}?"
            )


_TRAPS: tuple[Callable[[RunOptions, Sequence[TaskFacts]], Iterator[Finding]], ...] = (
    _generation_numbers,
    _equal_repeats,
    _cached_samples,
    _max_tokens,
    _short_context,
    _cached_requests,
    samples_trap,
    limit_trap,
    _few_shot,
    _logging,
    chat_template_trap,
    api_trap,
    engine_trap,
    seed_trap,
    own_arguments_trap,
    names_trap,
    values_trap,
    adapter_trap,
    tokenizer_trap,
    _metadata,
    secret_trap,
)

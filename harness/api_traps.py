"""Traps of models behind an OpenAI-compatible server, found before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from sociolect.generators.redaction import without_secrets
from sociolect.harness.model_arguments import OWN, _written_parameters
from sociolect.harness.run_options import Finding, RunOptions, TaskFacts
from sociolect.tasks.dialect.catalogue import is_dialect
from sociolect.tasks.listing import other_forms

_PATHS = {False: "/v1/completions", True: "/v1/chat/completions"}
_HANDED_ON = {"batch_size", "max_batch_size", "device", "think_end_token"}


def api_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """Arguments that a server, or lm_eval's class for it, would only refuse late, or not at all."""
    if not options.is_served:
        return
    yield from _address(options)
    yield from _names(options)
    yield from _chat(options, tasks) if "chat" in options.model else _text(options, tasks)
    if str(options.batch_size) not in ("1", "auto"):
        yield Finding(
            "note",
            "--batch_size means nothing to a server: --model_args num_concurrent=N sends N "
            "requests at a time.",
        )


def _address(options: RunOptions) -> Iterator[Finding]:
    given, chat = options.model_args, "chat" in options.model
    if not (given.get("model") or given.get("pretrained")):
        yield Finding("refuse", "--model_args names no model: add model=NAME, as served.")
    url = given.get("base_url")
    if url is None:
        if options.model.startswith("local"):
            yield Finding(
                "refuse",
                f"--model {options.model} needs the address of the server: --model_args "
                f"base_url=http://127.0.0.1:8000{_PATHS[chat]}.",
            )
        return
    path, shown = str(url).partition("?")[0].rstrip("/"), without_secrets(str(url))
    is_chat = path.endswith("/chat/completions")
    if not str(url).startswith(("http://", "https://")) or not path.endswith("/completions"):
        yield Finding(
            "refuse", f"base_url={shown} must be http(s)://HOST:PORT{_PATHS[chat]} in full."
        )
    elif is_chat != chat:
        other = "local-chat-completions" if is_chat else "local-completions"
        yield Finding("refuse", f"base_url={shown} is the address for --model {other}.")


def _names(options: RunOptions) -> Iterator[Finding]:
    """lm_eval's class takes any argument, and ignores those that it does not know."""
    known = _written_parameters("lm_eval.models.api_models", "TemplateAPI")
    known |= {*OWN, *_HANDED_ON} - {"batch_invariant"}
    for name in sorted(set(options.model_args) - known):
        near = get_close_matches(name, sorted(known), n=1)
        meant = f"; did you mean {near[0]}?" if near else "."
        yield Finding("refuse", f"--model_args: {options.model} knows no {name}{meant}")


def _chat(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    if scored := [task.name for task in tasks if task.by_likelihood]:
        yield Finding(
            "refuse",
            f"--model {options.model} gives no log-likelihoods of a prompt, which {scored[0]} "
            f"needs. {_instead(scored[0])}, or --model local-completions.",
        )
    opened = [task.name for task in tasks if task.data_arguments["sociolect_form"] == "direct"]
    if opened and not options.gen_kwargs.get("continue_final_message"):
        yield Finding(
            "warning",
            f"{opened[0]} opens the answer for the model, which a chat server only continues if "
            "told to. vLLM: --gen_kwargs continue_final_message=True,add_generation_prompt=False. "
            f"{_instead(opened[0])} elsewhere.",
        )
    if not options.apply_chat_template:
        yield Finding(
            "refuse",
            f"--model {options.model} takes messages, not text: add --apply_chat_template (the "
            "server has the template).",
        )


def _text(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    if str(options.model_args.get("tokenizer_backend", "auto")).lower() != "none":
        return
    if scored := [task.name for task in tasks if task.by_likelihood]:
        yield Finding(
            "refuse",
            f"{scored[0]} scores options, for which the tokens of the prompt must be counted: "
            "name the tokenizer of the served model (--model_args tokenizer=DIR_OR_ID) in place "
            f"of tokenizer_backend=None. {_instead(scored[0])} without a tokenizer.",
        )
    if options.apply_chat_template:
        yield Finding(
            "refuse",
            "--apply_chat_template needs a tokenizer with a template: add --model_args "
            "tokenizer=DIR_OR_ID, or use --model local-chat-completions, where the server has it.",
        )


def _instead(task: str) -> str:
    if is_dialect(task) and not other_forms(task):
        return f"Leave {task} out"
    others = [name for name in other_forms(task) if not name.endswith(("_ll", "_ll_prompted"))]
    named = f", {' or '.join(others)}" if others else ""
    return f"Use the generation task{named}"

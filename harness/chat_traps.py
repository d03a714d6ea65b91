"""A chat template where the protocol has none, and none where a judge needs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolect.harness.run_options import Finding, RunOptions, TaskFacts
from sociolect.tasks.dialect.catalogue import continues_text

_INSTRUCT = ("inst", "chat")


def chat_template_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """What is said about `--apply_chat_template`.

    Plain prompts are the protocol of the learner-error benchmarks. A judge answers a question that
    ends before its answer, whichever way the verdict is read, so a template spoils nothing. Nor
    does it in the dialect audit, but where a sentence is to be continued.
    """
    if options.is_served and "chat" in options.model:
        return
    judges = [task for task in tasks if task.is_judge]
    others = [task for task in tasks if not task.is_judge and not task.is_dialect]
    if options.apply_chat_template:
        yield from _no_continuation(tasks)
        yield from _closed(others)
    elif _looks_instruct(options):
        yield from _plain(judges, others)
        yield from _continued(tasks)


def _looks_instruct(options: RunOptions) -> bool:
    return any(
        word in str(value).lower() for value in options.model_args.values() for word in _INSTRUCT
    )


def _continued(tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    asked = [t.name for t in tasks if t.is_dialect and continues_text(t.name)]
    if asked:
        yield Finding(
            "note",
            f"{asked[0]} takes no chat template, so lm_eval's advice to set --apply_chat_template "
            "can be ignored there.",
        )


def _no_continuation(tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    asked = [t.name for t in tasks if t.is_dialect and continues_text(t.name)]
    if asked:
        yield Finding(
            "refuse",
            f"--apply_chat_template ends the user's turn before the model answers, but {asked[0]} "
            "scores how a sentence goes on: these would be figures of replies. Leave it out, or "
            "run this task alone without it.",
        )


def _closed(tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    closed = [task.name for task in tasks if task.by_likelihood]
    if closed:
        yield Finding(
            "warning",
            f"--apply_chat_template ends the user's turn before the model answers, but {closed[0]}"
            " expects the model to continue the sentence. Use the reasoning or the direct form.",
        )


def _plain(judges: Sequence[TaskFacts], others: Sequence[TaskFacts]) -> Iterator[Finding]:
    if judges:
        name = judges[0].name
        form = name.removesuffix("_ll")
        instead = f", not {name}" if judges[0].by_likelihood else ""
        yield Finding(
            "note",
            "an instruction-tuned judge is asked with --apply_chat_template and writes its verdict "
            f"({form}{instead}).",
        )
    if others:
        of = f" of {others[0].name}" if judges else ""
        yield Finding(
            "note",
            f"plain prompts without a chat template are the protocol{of}; lm_eval's advice to set "
            "--apply_chat_template can be ignored.",
        )

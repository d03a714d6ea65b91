"""Traps in the choice of documents: `--samples` and `--limit`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sociolect.harness.run_options import Finding, RunOptions, TaskFacts, number


def samples_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """`--samples` that lm_eval would read otherwise than meant, or that cut through units."""
    if not options.samples:
        return
    if not isinstance(options.samples, Mapping):
        yield Finding(
            "refuse",
            f"--samples {str(options.samples)!r} is neither JSON nor a file. Give task names "
            "with document numbers, such as '{\"winobias_clean\": [0, 1, 2, 3]}'.",
        )
        return
    for task in tasks:
        if task.name not in options.samples:
            yield Finding("warning", f"--samples does not name {task.name}: all of it will run.")
        else:
            yield from _sample_numbers(task, options.samples[task.name])


def _sample_numbers(task: TaskFacts, numbers: object) -> Iterator[Finding]:
    valid = isinstance(numbers, list) and all(type(n) is int and n >= 0 for n in numbers)
    if not valid or not numbers:
        yield Finding(
            "refuse",
            f"--samples for {task.name} must be a list of document numbers (0 or more); an "
            "empty list would run all of them.",
        )
        return
    assert isinstance(numbers, list)
    ascending = sorted(set(numbers))
    if numbers != ascending:
        yield Finding(
            "refuse",
            f"--samples for {task.name} must be ascending and without repetition: lm_eval runs "
            f"documents in their own order and would log these under each other's numbers. "
            f"Give {ascending if len(ascending) <= 20 else 'them sorted'}.",
        )
    blocks = {n // task.unit_docs for n in ascending}
    if len(ascending) != len(blocks) * task.unit_docs:
        yield Finding("warning", _cut_units("--samples", task))


def _cut_units(flag: str, task: TaskFacts) -> str:
    return (
        f"{flag} cuts through {task.unit_name}s of {task.name}; one takes {task.unit_docs} "
        f"documents in a row (numbers 0–{task.unit_docs - 1} are the first), and an incomplete one "
        "is left out of everything that is paired."
    )


def limit_trap(options: RunOptions, tasks: Sequence[TaskFacts]) -> Iterator[Finding]:
    """`--limit` that is no number of documents, or that cuts through a unit."""
    if options.limit is None:
        return
    limit = number(options.limit)
    if limit is None or limit <= 0:
        yield Finding(
            "refuse",
            f"--limit {options.limit} is no number of documents: give a whole number, or "
            "leave it out to run all of them.",
        )
        return
    for task in tasks:
        if limit < 1:
            message = f"--limit {limit:g} is a fraction of the documents; a whole number, "
            yield Finding("warning", f"{message}a multiple of 4, keeps pairs and items complete.")
            return
        if limit % task.unit_docs:
            yield Finding("warning", _cut_units(f"--limit {limit:g}", task))
            return


def asked_numbers(options: RunOptions, task: TaskFacts, count: int) -> Sequence[int]:
    """Which of the documents of a task are asked, after `--samples` and `--limit`.

    Args:
        options: Arguments that the traps let through.
        task: A requested task.
        count: How many documents it has.
    """
    if options.samples and task.name in options.samples:
        numbers: Sequence[int] = options.samples[task.name]
        return numbers
    if options.limit is None:
        return range(count)
    limit = math.ceil(count * options.limit) if options.limit < 1 else int(options.limit)
    return range(min(limit, count))


def cut_pairs(
    options: RunOptions, task: TaskFacts, documents: Sequence[Mapping[str, Any]]
) -> Iterator[Finding]:
    """Pairs of the dialect audit that `--limit` or `--samples` would ask in part only."""
    if not task.is_dialect or (options.limit is None and not options.samples):
        return
    ids = [doc["id"] for doc in documents]
    whole, asked = Counter(ids), Counter(ids[n] for n in asked_numbers(options, task, len(ids)))
    cut = [pair for pair, n in asked.items() if n < whole[pair]]
    if cut:
        flag = "--samples" if options.samples else f"--limit {options.limit:g}"
        more = f" and {len(cut) - 1} more" if len(cut) > 1 else ""
        yield Finding(
            "warning",
            f"{flag} cuts through pairs of {task.name} ({cut[0]}{more}): what is left of them "
            f"counts as unanswered. One pair takes {whole[cut[0]]} documents in a row.",
        )

"""`sociolect eval --dry-run`: what a run would do, need and cost, without its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sociolect.generators.errors import ModelError
from sociolect.harness.dry_checks import Checked, checks
from sociolect.harness.dry_counts import TaskCount, count_task, token_counter
from sociolect.harness.finished_answers import Finished, finished
from sociolect.harness.own_arguments import OwnArguments
from sociolect.harness.requested import Requested
from sociolect.harness.run_folders import Place

_HOUR = 3600
_COLUMNS = ("task", "prompts", "finished", "answers", "prompt tokens", "generated at most")
CALIBRATE = (
    "not estimated: give --tokens-per-second, or run a part first (--limit 400) and repeat the "
    "dry run, which reads the speed from the finished chunks"
)


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast the model answers.

    Attributes:
        tokens_per_second: Generated.
        prompt_tokens_per_second: Read; None where reading is part of the measured time.
        tokens_per_answer: Expected; None for the most that a task allows.
        origin: Where the figures come from, for the report.
    """

    tokens_per_second: float
    prompt_tokens_per_second: float | None
    tokens_per_answer: float | None
    origin: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a dry run found.

    Attributes:
        text: To print.
        problems: What the run would fail on; empty if it would start.
    """

    text: str
    problems: tuple[str, ...]


def dry_run(
    place: Place,
    requested: Requested,
    documents: Mapping[str, Sequence[Mapping[str, Any]]],
    own: OwnArguments,
) -> Report:
    """Check and count everything that can be known of a run.

    Args:
        place: Settled arguments and folders.
        requested: The tasks.
        documents: Those of our tasks.
        own: Speeds, if they are known.
    """
    found = list(checks(place))
    try:
        counter = token_counter(place.options)
    except ModelError as error:
        found.append(Checked("tokenizer", str(error), problem=True))
        return _report(found, [])
    counts = [
        count_task(task, documents[task.name], place.options, counter) for task in requested.tasks
    ]
    done = finished(place.answers)
    ready = _finished_prompts(counts, done, place.options.model_args.get("chunk"))
    lines = _table(counts, ready) if counts else []
    if requested.others:
        lines.append("Tasks that are not of sociolect are asked too; they are not counted.")
    if counts:
        lines.append(f"prompt tokens  {counter.origin}")
        lines += _time(counts, ready, _speed(counts, done, own))
    return _report(found, lines)


def _report(found: Sequence[Checked], lines: Sequence[str]) -> Report:
    head = [f"{one.what:<10} {one.said}" for one in found if not one.problem]
    problems = tuple(f"{one.what}: {one.said}" for one in found if one.problem)
    return Report("\n".join(["dry run: no model is loaded", *head, *lines]), problems)


def _table(counts: Sequence[TaskCount], ready: Mapping[str, int]) -> list[str]:
    rows = [_COLUMNS] + [_row(count, ready[count.name]) for count in counts]
    if len(counts) > 1:
        total = TaskCount(
            "total",
            sum(c.prompts for c in counts),
            sum(c.answers for c in counts),
            sum(c.prompt_tokens for c in counts),
            sum(c.most_tokens for c in counts),
        )
        rows.append(_row(total, sum(ready.values())))
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _row(count: TaskCount, finished_prompts: int) -> tuple[str, ...]:
    numbers = (count.prompts, finished_prompts, count.answers, count.prompt_tokens)
    return (count.name, *(f"{n:,}" for n in (*numbers, count.most_tokens)))


def _finished_prompts(
    counts: Sequence[TaskCount], done: Mapping[str, Finished], chunk: object
) -> dict[str, int]:
    size = int(str(chunk)) if chunk is not None else None  # a trap has refused other values
    return {c.name: done.get(c.name, Finished()).of(c.prompts, size) for c in counts}


def _speed(
    counts: Sequence[TaskCount], done: Mapping[str, Finished], own: OwnArguments
) -> Speed | None:
    """What was given, else what the finished chunks of these tasks tell."""
    sampled = [c for c in counts if c.answers and c.name in done]
    tokens = sum(done[c.name].tokens for c in sampled)
    seconds = sum(done[c.name].seconds for c in sampled)
    answers = sum(done[c.name].prompts * c.answers // c.prompts for c in sampled)
    length = own.tokens_per_answer or (tokens / answers if answers else None)
    if own.tokens_per_second is not None:
        reading = own.prompt_tokens_per_second or own.tokens_per_second
        return Speed(own.tokens_per_second, reading, length, "given")
    if tokens == 0 or seconds == 0:
        return None
    origin = f"measured over {answers:,} finished answers, reading of the prompts included"
    return Speed(tokens / seconds, own.prompt_tokens_per_second, length, origin)


def _time(counts: Sequence[TaskCount], ready: Mapping[str, int], speed: Speed | None) -> list[str]:
    """What is left to do, in hours."""
    if speed is None:
        return [f"{'time':<14} {CALIBRATE}"]
    written = read = 0.0
    for count in counts:
        left = 1 - ready[count.name] / count.prompts if count.prompts else 0.0
        expected = speed.tokens_per_answer
        tokens = count.most_tokens if expected is None else count.answers * expected
        written += left * tokens / speed.tokens_per_second
        if speed.prompt_tokens_per_second is not None:
            read += left * count.prompt_tokens / speed.prompt_tokens_per_second
    length = (
        "the most that the tasks allow (an upper bound)"
        if speed.tokens_per_answer is None
        else f"{speed.tokens_per_answer:,.0f} tokens an answer"
    )
    return [
        f"{'speed':<14} {speed.tokens_per_second:,.0f} tokens/s ({speed.origin}); {length}",
        f"{'time left':<14} input {read / _HOUR:.2f} h + output {written / _HOUR:.2f} h "
        f"= {(read + written) / _HOUR:.2f} h on one device",
    ]

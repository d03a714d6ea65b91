"""Prompts that the context of a model does not hold: counted and left out, never cut.

lm_eval cuts such a prompt at its beginning and scores what is left; its only trace is a line in
the log. Here it is not asked at all: its answer is empty, or no number, which our tasks count as
unanswered, and the run says how many there were, and which.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sociolect.harness.context_rooms import Room, room_of
from sociolect.harness.run_reports import say

SHOWN = 5
"""Ids that a message names."""


@dataclass(frozen=True, slots=True)
class TooLong:
    """What one task asked that does not fit.

    Attributes:
        task: Name of the task.
        ids: Items that are not asked, each once.
        requests: Distinct prompts that are not asked, or, where options are scored, documents.
        of: All that the task asks.
        longest: Tokens of the longest with its answer; None where only the server counted.
        context: Tokens that the model holds; None where only the server knows.
    """

    task: str
    ids: tuple[str, ...]
    requests: int
    of: int
    longest: int | None
    context: int | None

    def record(self) -> dict[str, Any]:
        """For the record of a run."""
        return {
            "prompts": self.requests,
            "of": self.of,
            "ids": list(self.ids),
            "longest": self.longest,
            "context": self.context,
        }


@dataclass(slots=True)
class LeftOut:
    """What a run did not ask.

    Attributes:
        found: By task.
        messages: What was said of it.
    """

    found: dict[str, TooLong] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)

    def add(self, entries: Sequence[TooLong]) -> None:
        """Say and keep what was found."""
        for one in entries:
            self.found[one.task] = one
            self.messages.append(say("warning", _message(one)))

    def record(self) -> dict[str, Any]:
        """For the record of a run."""
        return {task: one.record() for task, one in self.found.items()}


def guard(lm: Any, tasks: Collection[str], left_out: LeftOut) -> None:
    """Let a model answer what fits, and only that.

    Args:
        lm: lm_eval's model, or its cache around one.
        tasks: Names of the tasks that this is for; requests of others go through unchanged.
        left_out: Is told what does not fit.
    """
    inner = getattr(lm, "lm", lm)
    room = room_of(inner)
    refused = getattr(inner, "is_refused", None)
    lm.generate_until = _guarded(
        lm.generate_until, room.generation if room else None, refused, "", tasks, left_out
    )
    lm.loglikelihood = _guarded(
        lm.loglikelihood, room.likelihood if room else None, refused, _NO_SCORE, tasks, left_out
    )


_NO_SCORE = (math.nan, False)
Ask = Callable[..., list[Any]]
Measure = Callable[[Sequence[Any]], list[tuple[int, int]]]
"""Of requests: tokens with the answer, and tokens that the model holds."""


def _guarded(
    ask: Ask,
    measure: Measure | None,
    refused: Callable[[Sequence[Any]], bool] | None,
    empty: Any,
    tasks: Collection[str],
    left_out: LeftOut,
) -> Ask:
    def guarded(requests: Sequence[Any], **options: Any) -> list[Any]:
        own = [one for one in requests if one.task_name in tasks]
        sizes = _sizes(own, measure) if measure else {}
        out = {_document(r) for r in own if _beyond(sizes.get(id(r)))}
        left_out.add(_counted(own, out, sizes))
        fitting = [r for r in requests if r.task_name not in tasks or _document(r) not in out]
        answers = iter(ask(fitting, **options) if fitting else ())
        kept = {id(r) for r in fitting}
        found = [next(answers) if id(r) in kept else empty for r in requests]
        if refused is None:
            return found
        late = {_document(r) for r in own if refused(r.args)}
        left_out.add(_counted(own, late, {}))
        return [
            empty if r.task_name in tasks and _document(r) in late else answer
            for r, answer in zip(requests, found, strict=True)
        ]

    return guarded


def _sizes(requests: Sequence[Any], measure: Measure) -> dict[int, tuple[int, int]]:
    """Tokens and room of distinct requests; the repeats of one are the same object."""
    distinct = {id(one): one for one in requests}
    return dict(zip(distinct, measure(list(distinct.values())), strict=True))


def _beyond(size: tuple[int, int] | None) -> bool:
    return size is not None and size[0] > size[1]


def _document(request: Any) -> tuple[str, Any]:
    """What is left out as a whole: options are compared, so one that does not fit takes all."""
    return request.task_name, request.doc_id


def _counted(
    requests: Sequence[Any], out: Collection[tuple[str, Any]], sizes: Mapping[int, tuple[int, int]]
) -> list[TooLong]:
    if not out:
        return []
    asked = Counter(task for task, _ in {_document(r) for r in requests})
    return [
        _of_task(task, [r for r in requests if _document(r) in out and r.task_name == task],
                 asked[task], sizes)
        for task in sorted({task for task, _ in out})
    ]  # fmt: skip


def _of_task(
    task: str, own: Sequence[Any], asked: int, sizes: Mapping[int, tuple[int, int]]
) -> TooLong:
    measured = [sizes[id(r)] for r in own if id(r) in sizes]
    return TooLong(
        task=task,
        ids=tuple(dict.fromkeys(_id(r) for r in own)),
        requests=len({_document(r) for r in own}),
        of=asked,
        longest=max((tokens for tokens, _ in measured), default=None),
        context=max((room for _, room in measured), default=None),
    )


def _id(request: Any) -> str:
    doc = request.doc if isinstance(request.doc, Mapping) else {}
    return str(doc.get("id", request.doc_id))


def _message(one: TooLong) -> str:
    shown = ", ".join(one.ids[:SHOWN])
    more = f" and {len(one.ids) - SHOWN} more" if len(one.ids) > SHOWN else ""
    if one.context is None:
        held = "the server says that they are beyond the context of the model"
    else:
        held = (
            f"with its answer the longest takes {one.longest} tokens, the model holds {one.context}"
        )
    return (
        f"{one.task}: PROMPTS TOO LONG, {one.requests} of {one.of}: {held}. They are not asked, "
        f"nor cut: they count as unanswered ({shown}{more}). To have them answered take a longer "
        "context (--model_args max_length=N, vLLM: max_model_len=N), or lower --gen_kwargs "
        "max_gen_toks=N."
    )


@contextmanager
def guarding(tasks: Collection[str], left_out: LeftOut) -> Iterator[None]:
    """Guard every model that lm_eval evaluates meanwhile."""
    from lm_eval import evaluator

    evaluate = evaluator.evaluate

    def with_guard(*args: Any, **kwargs: Any) -> Any:
        guard(kwargs["lm"] if "lm" in kwargs else args[0], tasks, left_out)
        return evaluate(*args, **kwargs)

    evaluator.evaluate = with_guard
    try:
        yield
    finally:
        evaluator.evaluate = evaluate


__all__ = ["LeftOut", "Room", "TooLong", "guard", "guarding"]

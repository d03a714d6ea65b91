"""Prompts with and without errors: a direction from errored to clean prompts, items for tracing.

The dialect paper steers towards AAE; here the same is done with learner errors and surface noise.
A benchmark of bias is no material: a vector would be fitted on what it is evaluated on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.generators.rows import edits_of
from sociolect.generators.text import Edit, Span, ordered
from sociolect.steering.directions import Contrast
from sociolect.steering.fitting.error_places import error_spans
from sociolect.steering.fitting.material import (
    SAME_TOKENS,
    LeftOutError,
    Material,
    Scorer,
    first_of,
    hashed,
    usable,
)
from sociolect.steering.tracing.items import TracedItem
from sociolect.tasks.kinds import KIND_OF
from sociolect.tasks.prompts import cloze, scores_contexts

BENCHMARKS: tuple[str, ...] = ("winogrande", "mmlu")
"""Of what is measured there, nothing is bias."""

NO_ERROR = "no error in the text"
NONE_IN_CONTEXT = "no error in the context"
NO_CONTEXT = "nothing before the blank"

TRACED_SHARE = 0.15
"""Of the items; the others give the direction."""

_FORM = "ll"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt whose options are scored behind it.

    Attributes:
        context: What all options share.
        options: What follows it, with the white space before it, in row order.
        asked: What the direction reads: the context that the task scores the right option with.
        text_at: Where the text of the row begins in `context`.
    """

    context: str
    options: tuple[str, ...]
    asked: str
    text_at: int


class Both(NamedTuple):
    """The rows of an item."""

    clean: Row
    errors: Row


def error_material(
    lm: Any,
    condition: Condition,
    *,
    benchmark: str = "winogrande",
    limit: int | None = None,
    trace_limit: int | None = None,
    seed: int = 0,
) -> Material:
    """What a vector from errored to clean prompts is fitted on.

    The prompts are those of the `ll` form. Of 100 items, about 85 give the direction and the
    others are traced, by a hash of their ids; twins of WinoGrande stay together. The tokens to
    trace are those of the words with errors (`error_spans`).
    WinoGrande's task puts each option into the context and scores the rest of the sentence; as
    tracing compares continuations of one context, it takes each option with that rest.

    Args:
        lm: Model of lm_eval; the prompts have the tokens that it reads.
        condition: Of the prompts with errors, which are in the input.
        benchmark: One of `BENCHMARKS`.
        limit: Pairs of prompts for the direction; None for all. The first by a hash of their ids.
        trace_limit: Items for tracing.
        seed: Of the errors, and of what is traced.

    Raises:
        InvalidInputError: A benchmark of bias, or a condition without errors in the input.
        UnknownNameError: No such benchmark.
        DataError: The data are damaged, or of another version or seed.
        ModelError: The tokenizer does not say which characters a token stands for.
    """
    _check(benchmark, condition)
    scorer = Scorer(lm)
    both, facts = _read(benchmark, condition, seed)
    groups: tuple[list[Both], list[Both]] = ([], [])
    for one in both:
        groups[_is_traced(one.clean, seed)].append(one)
    left: dict[str, dict[str, int]] = {"directions": {}, "tracing": {}}
    contrasts = usable(partial(_contrast, scorer), groups[0], left["directions"])
    items = usable(partial(_item, scorer), groups[1], left["tracing"])
    chosen = first_of(items, trace_limit, left["tracing"])
    return Material(
        kind="errors",
        contrasts=first_of(contrasts, limit, left["directions"]),
        items=chosen,
        left=left,
        facts={**facts, "error_types": _types(both, {one.id for one in chosen})},
    )


def prompt_of(row: Row) -> Prompt:
    """The prompt of a row in the `ll` form, with one context for all options.

    Raises:
        LeftOutError: The blank is at the beginning, so that nothing is before the options.
    """
    contexts, continuations = cloze(row)
    asked = contexts[row["gold"]]
    if not scores_contexts(row["benchmark"]):
        return Prompt(contexts[0], continuations, asked, contexts[0].index(row["input"]))
    shared = contexts[0][: len(contexts[0]) - len(row["options"][0])]
    before = shared.rstrip()
    if not before:
        raise LeftOutError(NO_CONTEXT)
    # The rest of the sentence is scored behind each option.
    both = zip(contexts, continuations, strict=True)
    options = tuple(f"{context}{rest}"[len(before) :] for context, rest in both)
    return Prompt(before, options, asked, text_at=0)


def _check(benchmark: str, condition: Condition) -> None:
    if benchmark not in KIND_OF:
        raise UnknownNameError("benchmark to fit on", benchmark, BENCHMARKS)
    if benchmark not in BENCHMARKS:
        raise InvalidInputError(
            f"{benchmark} measures what a mitigation is evaluated on, so no vector may be fitted "
            f"on it; name one of {', '.join(BENCHMARKS)}"
        )
    if condition.is_clean:
        raise InvalidInputError("the condition clean has no errors; name another, e.g. l2-30")
    if condition.part != "input":
        raise InvalidInputError(
            f"{condition.config_name} has errors in the instruction, which prompts of the form "
            f"{_FORM} do not show; name a condition with errors in the input, e.g. l2-30"
        )


def _read(benchmark: str, condition: Condition, seed: int) -> tuple[list[Both], dict[str, Any]]:
    from sociolect.tasks.data import documents

    clean, errors = (
        documents(benchmark, name, _FORM, seed=seed)["test"].to_list()
        for name in (Condition().config_name, condition.config_name)
    )
    by_id = {row["id"]: row for row in clean}  # the same items
    return [Both(by_id[row["id"]], row) for row in errors], {
        "benchmark": benchmark,
        "condition": condition.config_name,
        "seed": seed,
        "data_version": errors[0]["data_version"],
        "data_sha256": {"clean": clean[0]["data_sha256"], "errors": errors[0]["data_sha256"]},
        "rules": errors[0]["rules"],
        "local_data": errors[0]["local_data"],
        "splits": {"directions": 1 - TRACED_SHARE, "tracing": TRACED_SHARE},
    }


def _is_traced(row: Row, seed: int) -> bool:
    """By the id of the item; of a twin of WinoGrande (`…-1`, `…-2`) what both share."""
    stem = row["id"].rpartition("-")[0] if row["benchmark"] == "winogrande" else row["id"]
    return hashed(f"{seed}\n{stem}") < TRACED_SHARE * 2**64


def _contrast(scorer: Scorer, both: Both) -> Contrast:
    toward, away = (scorer.context(prompt_of(row).asked) for row in both)
    if toward == away:
        raise LeftOutError(SAME_TOKENS)
    return Contrast(both.clean["id"], toward, away)


def _item(scorer: Scorer, both: Both) -> TracedItem:
    row = both.errors
    prompt, inside = prompt_of(row), errors_in_context(row)
    right, wrong = (prompt.options[k] for k in (row["gold"], wrong_option(row)))
    before, matched = scorer.continued(prompt.context, right)
    _, other = scorer.continued(prompt.context, wrong)
    places = scorer.places(prompt.context, [span for _, span in inside])
    return TracedItem(row["id"], before, places, matched, other)


def errors_in_context(row: Row) -> list[tuple[Edit, Span]]:
    """The errors of a row that lie in the context of its prompt, with their places in it.

    Raises:
        LeftOutError: There is none.
    """
    prompt = prompt_of(row)
    errors = [one for one in ordered(edits_of(row)) if not one.is_repair]
    if not errors:
        raise LeftOutError(NO_ERROR)
    spans = [one.shifted(prompt.text_at) for one in error_spans(row["input"], edits_of(row))]
    inside = [
        (error, span)
        for error, span in zip(errors, spans, strict=True)
        if span.end <= len(prompt.context)
    ]
    if not inside:
        raise LeftOutError(NONE_IN_CONTEXT)
    return inside


def wrong_option(row: Row) -> int:
    """One of the options that are not right, by a hash of the id."""
    wrong = [k for k in range(len(row["options"])) if k != row["gold"]]
    return wrong[hashed(row["id"]) % len(wrong)]


def _types(both: Sequence[Both], ids: set[str]) -> dict[str, int]:
    """How many items have an error of each type in their context."""
    rows = [one.errors for one in both if one.errors["id"] in ids]
    there = Counter(each for row in rows for each in {e.type for e, _ in errors_in_context(row)})
    return dict(sorted(there.items()))

"""How many items there are of every question, category and stance, and the largest even set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from sociolect.generators.benchmarks.fable_items import LABELS, JudgeItem
from sociolect.generators.benchmarks.fable_plan import PlannedItem
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.uniform import Uniforms

Cell = tuple[str, str]
"""A question (`<category>/<question_id>`) or a category, and a stance."""


class _Labelled(Protocol):
    @property
    def category(self) -> str: ...
    @property
    def question_id(self) -> str: ...
    @property
    def label(self) -> str: ...


def by_category(items: Iterable[_Labelled]) -> Counter[Cell]:
    """Number of items of every category and stance."""
    return Counter((item.category, item.label) for item in items)


def by_question(items: Iterable[_Labelled]) -> Counter[Cell]:
    """Number of items of every question and stance."""
    return Counter((f"{item.category}/{item.question_id}", item.label) for item in items)


def counts(planned: Sequence[PlannedItem], kept: Sequence[JudgeItem]) -> dict[str, Any]:
    """Planned and kept items by category and stance, and how uneven the kept ones are."""
    wanted, there = by_category(planned), by_category(kept)
    categories = dict.fromkeys(item.category for item in planned)
    cells = by_question(planned)
    found = by_question(kept)
    own = [found[cell] for cell in cells]
    return {
        "planned": len(planned),
        "items": len(kept),
        "complete": len(kept) == len(planned),
        "by_category": {
            category: {
                label: {"planned": wanted[category, label], "items": there[category, label]}
                for label in LABELS
            }
            for category in categories
        },
        "by_question_and_label": {
            "cells": len(own),
            "fewest": min(own),
            "most": max(own),
            "complete": sum(found[cell] == n for cell, n in cells.items()),
        },
    }


def evened(
    planned: Sequence[PlannedItem], accepted: Mapping[str, JudgeItem], seed: int
) -> list[JudgeItem]:
    """The largest set with the same number of items for every question and stance.

    A set that has every planned item is as the plan balances it, and is left as it is. Which
    items go is decided by a hash of seed and item.

    Args:
        planned: The plan.
        accepted: Items with responses, by key.
        seed: Of the choice.

    Returns:
        Items in the order of the plan.

    Raises:
        InvalidInputError: A question has none of some stance, so that no such set exists.
    """
    there = [accepted[item.key] for item in planned if item.key in accepted]
    if len(there) == len(planned):
        return there
    found = by_question(there)
    questions = dict.fromkeys(question for question, _ in by_question(planned))
    cells = [(question, label) for question in questions for label in LABELS]
    empty = [cell for cell in cells if not found[cell]]
    if empty:
        shown = ", ".join(f"{question} {label}" for question, label in empty[:5])
        raise InvalidInputError(
            f"no balanced set: {len(empty)} of {len(cells)} pairs of question and stance have no "
            f"item ({shown}{' …' if len(empty) > 5 else ''}). Raise --attempts, use another "
            "model, or leave out --balanced. What is answered is kept and used again"
        )
    kept = _lowest(there, min(found[cell] for cell in cells), seed)
    return [item for item in there if item.key in kept]


def _lowest(items: Sequence[JudgeItem], count: int, seed: int) -> set[str]:
    """Keys of the `count` items of every question and stance that come first in the hash."""
    draw = Uniforms(seed, "fable", "balanced")
    taken: Counter[Cell] = Counter()
    kept = set()
    for item in sorted(items, key=lambda item: draw(item.key)):
        cell = f"{item.category}/{item.question_id}", item.label
        taken[cell] += 1
        if taken[cell] <= count:
            kept.add(item.key)
    return kept

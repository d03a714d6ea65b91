"""The figures of the leaderboard, as plotly.js takes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sociolect.harness.leaderboard.board import Board, Subject
from sociolect.harness.leaderboard.figures_cells import parts, types
from sociolect.harness.leaderboard.figures_data import Drawn, drawn
from sociolect.harness.leaderboard.figures_forest import forest, highest
from sociolect.harness.leaderboard.figures_levels import levels, unanswered
from sociolect.harness.leaderboard.figures_look import metric_name

_Made = tuple[str, dict[str, Any]] | None


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    Attributes:
        id: Distinct within its subject.
        title: Shown above it; plain text.
        alt: What is seen, in a sentence or two; plain text with names as they were found.
        plot: `data` and `layout` of plotly.js, of plain lists and numbers.
    """

    id: str
    title: str
    alt: str
    plot: Mapping[str, Any]


def figures_of(board: Board, subject: Subject) -> list[Figure]:
    """The figures of a subject that have something to show.

    Points and bars are solid where the raw p-value is below the level of the tests (learner-error
    paper, App. D.2), and hollow otherwise.

    Args:
        board: The leaderboard.
        subject: One of its subjects.
    """
    found = drawn(board, subject)
    return [
        Figure(id_, title, made[0], made[1])
        for id_, title, made in _made(found)
        if made is not None
    ]


def _made(found: Drawn) -> Iterator[tuple[str, str, _Made]]:
    metric = metric_name(found)
    chosen = highest(found)
    others = {one.id for one in found.subject.conditions} - chosen
    yield "levels", f"{metric.capitalize()} against level", levels(found)
    yield "forest", f"Change of {metric}, highest level in the input", forest(found, chosen)
    yield "forest-others", f"Change of {metric}, all other conditions", forest(found, others)
    yield "types", f"Change of {metric} by kind of change", types(found)
    yield "parts", f"Change of {metric} by part of the prompt", parts(found)
    yield "unanswered", "Unanswered against level", unanswered(found)

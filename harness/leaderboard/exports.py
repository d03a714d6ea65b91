"""A leaderboard for machines and for papers: JSON, CSV, Markdown, LaTeX, and a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sociolect import __version__
from sociolect.harness import sheets
from sociolect.harness.exports import csv_text, json_text
from sociolect.harness.leaderboard.board import (
    SCHEMA,
    SCHEMA_VERSION,
    Board,
    Change,
    ConditionOf,
    Model,
    Section,
    Subject,
    Value,
    Versus,
)
from sociolect.harness.leaderboard.legend import closing
from sociolect.harness.leaderboard.sheets import board_sheets, sections_of
from sociolect.harness.sheets import Column, Sheet

TESTED: tuple[str, ...] = (
    *("n", "clean", "errored", "delta", "confidence", "ci_low", "ci_high"),
    *("templates", "ci_templates_low", "ci_templates_high"),
    *("p", "p_holm", "significant", "significant_holm", "detectable"),
    *("clean_pooled", "errored_pooled", "clean_unanswered", "errored_unanswered", "warning"),
    *("left_unanswered", "left_incomplete", "left_invalid", "left_prompts"),
    *("error_seeds", "delta_sd", "delta_min", "delta_max"),
    *("seed_variance", "unit_variance", "residual_variance", "seed_share", "set_to_zero"),
)
"""Columns of a comparison, as `sociolect compare --format csv` has them."""
AGAINST: tuple[str, ...] = ("n", "delta", "ci_low", "ci_high", "p", "p_holm")
"""Of what a mitigation does, those that the CSV has, after `base_`."""


def board_json(board: Board) -> str:
    """Everything, with unrounded numbers; keys are the names of the fields in `board`."""
    content = asdict(board)
    content["method"]["allow"] = sorted(board.method.allow)
    head = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "sociolect_version": __version__,
    }
    return json_text({**head, **content})


def board_csv(board: Board) -> str:
    """One line for each model, subject and condition, `clean` included; unrounded numbers.

    A field is empty where a number does not exist. Texts are as they were found, but for
    characters that cannot be printed, as in every CSV of sociolect: a name that begins with `=` is
    a formula to a spreadsheet, so import it as text.
    """
    versus = {(one.section, one.condition): one for one in board.versus}
    rows = [
        _line(board, subject, model, section, one, versus)
        for subject in board.subjects
        for model, section in sections_of(board, subject)
        for one in (section.clean, *section.changes)
        if one is not None
    ]
    return csv_text(rows, columns=list(_blank(board)))


def board_markdown(board: Board) -> str:
    """Pipe tables and their notes as lists."""
    return sheets.as_markdown(_sheets(board), closing(board))


def board_tex(board: Board) -> str:
    """LaTeX tables for `booktabs`; significant changes are bold. Notes are comments."""
    return sheets.as_tex(_sheets(board), closing(board))


def board_text(board: Board, *, width: int | None = None, colour: bool = False) -> str:
    """For a terminal, or as plain text; never narrower than its numbers.

    Args:
        board: What to show.
        width: Columns of the terminal; the notes are wrapped to it.
        colour: Whether to write escape sequences (bold for p < alpha).
    """
    return sheets.as_text(_sheets(board), closing(board), width=width, colour=colour)


def _sheets(board: Board) -> list[Sheet]:
    return board_sheets(board) or [Sheet(board.title, (Column("model", left=True),), ())]


def _line(
    board: Board,
    subject: Subject,
    model: Model,
    section: Section,
    one: Value | Change,
    versus: Mapping[tuple[str, str], Versus],
) -> dict[str, Any]:
    value, row, runs = (
        (one.value, one.row, one.runs) if isinstance(one, Change) else (one, {}, (one.run,))
    )
    id_ = one.condition if isinstance(one, Change) else "clean"
    labels = {model.id: model.label for model in board.models}
    return {
        **_about(subject, section),
        "model": model.label,
        "base": labels.get(model.base, ""),
        "mitigation": model.mitigation,
        **_condition(next((c for c in subject.conditions if c.id == id_), None)),
        **_of_runs(board, runs),
        **_numbers(value),
        **{name: row.get(name) for name in TESTED},
        **_against(versus.get((section.id, id_))),
        "why_not": one.why_not if isinstance(one, Change) else "",
    }


def _blank(board: Board) -> dict[str, Any]:
    """A line of nothing, for the names of the columns."""
    value = Value("", None, None, None, None, {}, 0, None, None, "")
    subject = Subject(*("",) * 8, conditions=())
    model = Model("", "", "", "", "", "", {})
    section = Section(*("",) * 6, False, False, None, (), -1, ())
    return _line(board, subject, model, section, Change("", value, (), {}, ""), {})


def _about(subject: Subject, section: Section) -> dict[str, Any]:
    return {
        "subject": subject.id,
        "benchmark": subject.benchmark,
        "axis": subject.axis,
        "form": subject.form,
        "metric": subject.metric,
        "unit": subject.unit,
        "section": section.id,
        "group": section.group,
        "asked": section.asked,
        "data_version": section.data_version,
        "older": section.older,
        "local_data": section.local_data,
    }


def _condition(condition: ConditionOf | None) -> dict[str, Any]:
    """The condition of a line; the clean prompts are none of the subject's."""
    if condition is None:
        return {"condition": "clean", "label": "clean", "transform": "clean", "level": 0} | {
            "part": "",
            "error_seed": None,
        }
    return {
        "condition": condition.id,
        "label": condition.label,
        "transform": condition.transform,
        "level": condition.level,
        "part": condition.part,
        "error_seed": None if condition.error_seed < 0 else condition.error_seed,
    }


def _of_runs(board: Board, ids: Sequence[str]) -> dict[str, Any]:
    runs = [board.runs[id_] for id_ in ids]
    return {
        "task": " ".join(dict.fromkeys(run.task for run in runs)),
        "rules": " ".join(dict.fromkeys(run.rules for run in runs)),
        "runs": " ".join(ids),
        "paths": " ".join(run.path for run in runs),
        "data_sha256": " ".join(run.data_sha256 for run in runs),
    }


def _numbers(value: Value) -> dict[str, Any]:
    rank = value.rank
    return {
        "value": value.value,
        "value_low": value.low,
        "value_high": value.high,
        "value_n": value.n,
        "pooled": value.pooled,
        "unanswered": value.unanswered,
        "rank": rank.place if rank else None,
        "rank_low": rank.low if rank else None,
        "rank_high": rank.high if rank else None,
        "ranked": rank.of if rank else None,
        "tied": rank.tied if rank else None,
        "partial": value.partial,
    }


def _against(versus: Versus | None) -> dict[str, Any]:
    row = versus.row if versus else {}
    found = {f"base_{name}": row.get(name) for name in AGAINST}
    return {**found, "base_why_not": versus.why_not if versus else ""}

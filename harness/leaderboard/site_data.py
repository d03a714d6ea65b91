"""What the page of the leaderboard loads, and as scripts that hold nothing but data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sociolect import __version__
from sociolect.harness.leaderboard.board import Board, Subject

_REPEATED = frozenset(
    (
        *("benchmark", "axis", "form", "metric", "unit", "task", "model", "condition", "label"),
        *("rules", "data_sha256", "baseline_model", "baseline_condition", "baseline_label"),
        *("baseline_rules", "baseline_data_sha256"),
    )
)
"""Keys of a row that say again of what section and condition it is; the exports have them."""
_UNSAFE = {
    "<": r"\u003c",
    ">": r"\u003e",
    "&": r"\u0026",
}
_PROTOTYPE = re.compile(r'(?<!\\)"__proto__":')
"""As a key in a script it would set the prototype of an object; it cannot stand within a string,
where its quotes are escaped."""


def script(function: str, *arguments: Any) -> str:
    """A call as the text of a script: ASCII, without anything that HTML or a script reads.

    Args:
        function: Of the page, `sociolect.…`.
        arguments: Plain data without NaN.
    """
    texts = (
        json.dumps(one, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        for one in arguments
    )
    text = _PROTOTYPE.sub('["__proto__"]:', ",".join(texts))
    for character, escape in _UNSAFE.items():
        text = text.replace(character, escape)
    return f"{function}({text});\n"


def page_data(board: Board, *, figured: Iterable[str], shown: Iterable[str]) -> dict[str, Any]:
    """Everything that the page needs at once: the board without its runs.

    Args:
        board: What is shown.
        figured: Ids of the subjects that have figures.
        shown: Ids of the subjects that have items.
    """
    content = asdict(board)
    del content["runs"]
    changes = [change for one in content["sections"] for change in one["changes"]]
    for one in (*changes, *content["versus"]):
        one["row"] = _short(one["row"])
    content["method"]["allow"] = sorted(board.method.allow)
    page = {
        "made": datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ"),
        "version": __version__,
        "runs_shown": len(board.runs),
        "with_figures": list(figured),
        "with_items": list(shown),
        "board": content,
    }
    rounded: dict[str, Any] = _rounded(page)
    return rounded


def _short(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a drawer shows of a row; what is not there is false or missing to a script."""
    return {
        key: value
        for key, value in row.items()
        if key not in _REPEATED and value is not None and value is not False and value != ""
    }


def _rounded(content: Any) -> Any:
    """Numbers with six digits, of which the page shows fewer; the exports have all."""
    if isinstance(content, float):
        return float(f"{content:.6g}")
    if isinstance(content, dict):
        return {key: _rounded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_rounded(value) for value in content]
    return content


def runs_data(board: Board, subject: Subject) -> dict[str, Any]:
    """The runs behind the numbers of a subject, by id."""
    ids = _runs_of(board, subject)
    return {id_: asdict(board.runs[id_]) for id_ in ids if id_ in board.runs}


def panel_runs(board: Board) -> dict[str, Any]:
    """The runs behind the tables of other analyses, by id."""
    ids = dict.fromkeys(id_ for panel in board.panels for id_ in panel.runs)
    return {id_: asdict(board.runs[id_]) for id_ in ids if id_ in board.runs}


def _runs_of(board: Board, subject: Subject) -> list[str]:
    """Ids of the runs behind the numbers of a subject."""
    sections = [one for one in board.sections if one.subject == subject.id]
    clean = [one.clean.run for one in sections if one.clean]
    errored = [run for one in sections for change in one.changes for run in change.runs]
    return list(dict.fromkeys([*clean, *errored]))

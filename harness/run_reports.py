"""What is said about a run of `sociolect eval`, before it and after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from sociolect.harness.run_options import TaskFacts
from sociolect.tasks.dialect.catalogue import continues_text
from sociolect.tasks.listing import other_forms

WARN_UNANSWERED = 20.0
"""Per cent of answers without a readable option from which figures carry a warning."""


def say(severity: str, message: str) -> str:
    """Print a message, once for all processes; returns it for the record."""
    if os.environ.get("LOCAL_RANK", "0") == "0":  # once, not per process of `accelerate launch`
        print(f"sociolect: {severity}: {message}", file=sys.stderr)
    return f"{severity}: {message}"


def report_cuts(cuts: Sequence[str]) -> list[str]:
    """Say that prompts lost their beginning, with the first of lm_eval's own messages."""
    if not cuts:
        return []
    return [
        say(
            "warning",
            f"PROMPTS WERE CUT ({len(cuts)} messages): the context of the model does not hold "
            "prompt and answer together, so the figures are not those of the task. Lower the "
            f"answer with --gen_kwargs max_gen_toks=N, or take a longer context. First: {cuts[0]}",
        )
    ]


def report_unanswered(results: Mapping[str, Any], tasks: Sequence[TaskFacts]) -> None:
    """Say where too many answers name no option, and what to do."""
    for task in tasks:
        share = _unanswered(results["results"].get(task.name, {}), task)
        if share is None or share <= WARN_UNANSWERED:
            continue
        if continues_text(task.name):
            say("warning", _no_numbers(task, share))
        elif share < 100:
            say(
                "warning",
                f"{task.name}: {share:.1f} % of the answers name no option. {_figures(task)} "
                "are over the others only, which may be a special kind of prompt.",
            )
        else:
            say("warning", _nothing_answered(task))


def _unanswered(figures: Mapping[str, Any], task: TaskFacts) -> float | None:
    """Per cent; the dialect audit prints shares."""
    share = _metric(figures, "unanswered")
    return 100 * share if share is not None and task.is_dialect else share


def _figures(task: TaskFacts) -> str:
    return "Its other figures" if task.is_dialect else "Bias and accuracies"


def report_one_sided(results: Mapping[str, Any], tasks: Sequence[TaskFacts]) -> list[str]:
    """Say where every answer favours one side: such a run has no room to show a change."""
    said = []
    for task in tasks:
        figures = results["results"].get(task.name, {})
        if _metric(figures, "directional") in (0, 100):
            what = "every verdict is NONE, or every one names a person"
        elif abs(_metric(figures, "bias") or 0) == 100:
            what = "every answer favours the same side"
        else:
            continue
        advice = "in an _ll task the wording of the options may decide alone."
        said.append(
            say(
                "warning",
                f"{task.name}: {what}. Nothing can be seen to change from there; {advice}",
            )
        )
    return said


def _metric(figures: Mapping[str, Any], metric: str) -> float | None:
    for key, value in figures.items():
        if key.partition(",")[0] == metric and isinstance(value, int | float):
            return float(value)
    return None


def _no_numbers(task: TaskFacts, share: float) -> str:
    """Of a task that scores texts: nobody is asked for an option there."""
    return (
        f"{task.name}: {share:.1f} % of the pairs lack one of their four log-likelihoods and count "
        "in no figure: --limit left a context out, or the model gave no number (is a weight NaN?)."
    )


def _nothing_answered(task: TaskFacts) -> str:
    if task.by_likelihood:
        cause = (
            "The options always scored the same, or no number (NaN): is a weight of the model or "
            "its adapter NaN, or the precision too low?"
        )
    else:
        forms = [name for name in other_forms(task.name) if name.endswith(("_direct", "_ll"))]
        advice = f" (try {' or '.join(forms)})" if forms else ""
        states = task.is_judge or task.is_dialect
        wanted = "gives the label alone" if states else "boxes an option"
        cause = (
            f"Look at the answers (--log_samples). A small or base model often never {wanted}"
            f"{advice}; or max_gen_toks cuts the answers."
        )
    figure = "share of verdicts" if task.is_judge else "bias"
    if task.is_dialect:
        figure = "agreement or preference"
    return (
        f"NOT ONE ANSWER of {task.name} could be read, so there is no {figure} to report: the nan "
        f"in the table is not a zero. {cause}"
    )

"""What is said below the tables of a leaderboard."""

from __future__ import annotations

from sociolect import __version__
from sociolect.harness.comparison_rows import MAX_UNANSWERED, MAX_UNANSWERED_CHANGE
from sociolect.harness.leaderboard.board import Board
from sociolect.harness.leaderboard.sheets import UNDER


def closing(board: Board) -> list[str]:
    """What holds for all tables, and what is in none."""
    method, alpha = board.method, board.method.alpha
    return [
        "Values: means over the units with an answer, per cent. In brackets: paired change from "
        "the clean prompts (Δ), points, over the units with an answer to both, so that it can be "
        "another number than the difference of the two values.",
        f"* p < {alpha:g}. † Holm-adjusted p < {alpha:g}, over the conditions of one model and "
        f"benchmark. ! more than {MAX_UNANSWERED:g} % unanswered, or the rates more than "
        f"{MAX_UNANSWERED_CHANGE:g} points apart: read with care.",
        "rank: place among the models that were asked the same, 1 being the smallest |bias| or the "
        f"largest accuracy, and its 95 % bootstrap interval over {board.rank_resamples:,} shared "
        f"resamples of the units. {UNDER.strip()} stands before what was done to the model above.",
        *_templates(board),
        f"Paired randomisation test, {method.permutations:,} permutations; percentile bootstrap, "
        f"{method.resamples:,} resamples; seed {method.seed}; sociolect {__version__}.",
        *board.notes,
        *(f"Left out: {path}: {what}" for path, what in board.problems),
    ]


def _templates(board: Board) -> list[str]:
    """Which intervals are over question templates."""
    names = [subject.label for subject in board.subjects if subject.clustered]
    if not names:
        return []
    return [
        f"Items of one question template are not independent ({'; '.join(names)}): all "
        "intervals resample whole templates there; the p-values do not."
    ]

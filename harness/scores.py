"""Do the answers of a run give the figures in its results file?

Nothing but the time in their names joins a samples file to its results. Answers of another model
under that name would else be compared as if they were those of this one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sociolect.generators.errors import ResultsError
from sociolect.harness.result_files import RunFiles
from sociolect.tasks.kinds import KIND_OF, METRICS_OF, kind_of
from sociolect.tasks.metrics import Tally, point

TOLERANCE = 1e-6
"""Greatest difference, in per cent or points, that is none."""


class Scored(Protocol):
    """What of a `results.Run` is looked at."""

    @property
    def files(self) -> RunFiles:
        """Where it was read from."""

    @property
    def benchmark(self) -> str:
        """What was asked."""

    @property
    def tallies(self) -> Sequence[Tally]:
        """Counts of the answers."""


def check_scores(run: Scored, figures: object, filter_name: str | None) -> None:
    """Compare the pooled metrics of the answers with those that lm-eval wrote.

    Args:
        run: With all its answers, read in the mode in which they were scored.
        figures: What the results file holds of the task; metrics that it lacks are not compared.
        filter_name: lm-eval's filter of the answers.

    Raises:
        ResultsError: A metric that differs; names both values and both files.
    """
    if not isinstance(figures, Mapping) or run.benchmark not in KIND_OF:
        return
    kind, pooled = kind_of(run.benchmark), _pooled(run.tallies)
    for metric in METRICS_OF[kind]:
        written = figures.get(f"{metric},{filter_name}")
        if written is None:
            continue
        found = point(metric, pooled, kind)
        if not _same(found, written):
            raise ResultsError(
                f"{run.files.samples}: its answers give {metric} {found:.6f}, but "
                f"{run.files.results.name} says {written}; the two are not of one run, or one was "
                "edited. Keep the files that lm-eval wrote together, or run the task again."
            )


def _pooled(tallies: Sequence[Tally]) -> list[Tally]:
    """One count for each member: the pooled metrics need no more, and take less time."""
    sums: dict[str, list[int]] = {}
    for _, member, *counts in tallies:
        held = sums.setdefault(member, [0] * len(counts))
        for i, count in enumerate(counts):
            held[i] += count
    return [Tally("", member, *held) for member, held in sums.items()]


def _same(found: float, written: Any) -> bool:
    try:
        value = float(written)  # `NaN` is read as text
    except (TypeError, ValueError):
        return False
    if math.isnan(value) or math.isnan(found):
        return math.isnan(value) and math.isnan(found)
    return abs(found - value) <= TOLERANCE

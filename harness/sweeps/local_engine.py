"""Cells one after the other on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sociolect.harness.sweeps.child import Job, Outcome, run_job
from sociolect.harness.sweeps.shown import Shown


def run_local(jobs: Iterable[Job], retries: int, shown: Shown) -> dict[str, Outcome]:
    """Run cells; one that fails is tried again at once, `retries` times.

    Returns:
        How the last attempt of each ended, by id.
    """
    ended: dict[str, Outcome] = {}
    for job in jobs:
        for attempt in range(1, retries + 2):
            tried = replace(job, attempt=attempt)
            shown.started(tried)
            outcome = run_job(tried, shown.tick)
            again = outcome.state == "failed" and attempt <= retries
            shown.ended(tried, outcome, again=again)
            ended[job.id] = outcome
            if not again:
                break
    return ended

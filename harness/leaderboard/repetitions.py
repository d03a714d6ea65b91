"""Several runs of one cell: one is shown, and the reader learns how the others differ."""

from __future__ import annotations

from collections.abc import Mapping

from sociolect.harness.leaderboard.sections import Plan, why_shown
from sociolect.harness.leaderboard.subjects import Cell
from sociolect.harness.paired import pooled
from sociolect.harness.results import Run
from sociolect.harness.store.loading import load_run
from sociolect.harness.store.stored import Store, StoredRun
from sociolect.tasks.kinds import METRICS_OF, kind_of

_SEEDS = ("random_seed", "numpy_seed", "torch_seed", "generation_seed", "model_args_seed")
_HASH = 8


def repetitions(
    store: Store, plan: Plan, runs: Mapping[Cell, Run]
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Sentences on the runs that are not shown.

    Runs that differ in the seed of the sampler only are repetitions too; nothing is averaged.

    Args:
        store: Where the runs are.
        plan: The section.
        runs: The runs that are shown, read.

    Returns:
        By the path of the run that is shown one sentence for each other run, and one note a cell.
    """
    found, notes = {}, []
    for cell, shown in plan.runs.items():
        others = plan.repeated.get(shown.path, ())
        if not others:
            continue
        texts = [f"{_named(one)} {_unlike(store, shown, runs[cell], one)}." for one in others]
        found[shown.path] = tuple(texts)
        reason = why_shown(shown, others)
        notes.append(
            f"{shown.task}: {len(others) + 1} runs; shown is {_named(shown)}"
            + (f", although it is not the newest ({reason})" if reason else "")
            + "; "
            + " ".join(texts)
        )
    return found, notes


def _named(run: StoredRun) -> str:
    return f"{run.path} of {run.time}"


def _unlike(store: Store, shown: StoredRun, run: Run, other: StoredRun) -> str:
    """How another run of the cell differs from the one that is shown."""
    if shown.sha256["samples"] == other.sha256["samples"]:
        return "is equal"
    second = load_run(store, other)
    answered = _answers(run, second)
    further = [*_data(shown, other), *_seeds(shown, other)]
    if answered:
        return f"differs {', '.join([*answered, *further])}"
    return f"is equal but for {', '.join(further)}" if further else "is equal"


def _answers(run: Run, other: Run) -> list[str]:
    """How the answers differ; nothing if they do not."""
    before = {(one.id, one.order): one.choices for one in run.records}
    after = {(one.id, one.order): one.choices for one in other.records}
    both = before.keys() & after.keys()
    changed = sum(before[key] != after[key] for key in both)
    if not changed and before.keys() == after.keys():
        return []
    found = [_values(run, other), f"{changed} of {len(both)} prompts answered otherwise"]
    if before.keys() != after.keys():
        found.append(f"{len(before)} and {len(after)} prompts asked")
    return found


def _values(run: Run, other: Run) -> str:
    metric = METRICS_OF[kind_of(run.benchmark)][0]
    first, second = (pooled(one, metric) for one in (run, other))
    if first is None or second is None:
        shown = ["none" if value is None else f"{value:.2f}" for value in (first, second)]
        return f"in {metric} ({shown[0]} against {shown[1]})"
    return f"by {abs(first - second):.2f} points ({metric} {first:.2f} against {second:.2f})"


def _data(shown: StoredRun, other: StoredRun) -> list[str]:
    hashes = [str(one.data["data_sha256"])[:_HASH] for one in (shown, other)]
    return [] if hashes[0] == hashes[1] else [f"other data (sha256 {hashes[0]} and {hashes[1]})"]


def _seeds(shown: StoredRun, other: StoredRun) -> list[str]:
    return [
        f"{name} {shown.sampler.get(name, 'none')} and {other.sampler.get(name, 'none')}"
        for name in _SEEDS
        if shown.sampler.get(name) != other.sampler.get(name)
    ]

"""From a store of runs to a leaderboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sociolect.harness.leaderboard.board import (
    Board,
    Change,
    Model,
    Rank,
    RunOf,
    Section,
    Subject,
    Versus,
)
from sociolect.harness.leaderboard.groups import groups_of, ranks_of
from sociolect.harness.leaderboard.models import models_of
from sociolect.harness.leaderboard.numbers import Measured, measure
from sociolect.harness.leaderboard.pool import FEW_RUNS, mapped
from sociolect.harness.leaderboard.runs import run_of
from sociolect.harness.leaderboard.sections import Plan, numbered, plans_of
from sociolect.harness.leaderboard.subjects import Cell, SubjectKey, subject_id, subject_of
from sociolect.harness.leaderboard.versus import hold_against
from sociolect.harness.paired import Method
from sociolect.harness.store.stored import Store, StoredRun
from sociolect.tasks.kinds import KIND_OF, METRICS_OF, kind_of


@dataclass(frozen=True, slots=True)
class BoardOptions:
    """How a leaderboard is made.

    Attributes:
        title: Of the page.
        method: Tests and intervals; metrics are the headlines, whatever it names.
        rank_resamples: Of the rank intervals.
        processes: In which sections are computed; 0 for as many as there are CPUs.
        progress: Whether to show a bar.
    """

    title: str = "sociolect leaderboard"
    method: Method = field(default_factory=Method)
    rank_resamples: int = 2000
    processes: int = 0
    progress: bool = True


def make_board(store: Store, options: BoardOptions | None = None) -> Board:
    """Compute everything that a leaderboard shows.

    Args:
        store: From `read_store`.
        options: How.

    Raises:
        ResultsError: Files that were changed since the index was made.
        InvalidInputError: A worker process was killed.
    """
    from sociolect.harness.leaderboard.panels import panels_of

    options = options or BoardOptions()
    method = replace(options.method, metrics=())
    usable = [run for run in store.runs if run.family == "bias" and run.benchmark in KIND_OF]
    models, notes = models_of(usable)
    plans = numbered(plans_of(usable), list(models))
    measured = dict(
        zip((p.id for p in plans), _measured(store, plans, method, options), strict=True)
    )
    groups = groups_of(plans, measured)
    ranks = ranks_of(plans, measured, groups, resamples=options.rank_resamples, seed=method.seed)
    pairs, alone = _pairs(plans, models)
    versus = _versus(store, pairs, method, options)
    panels, more = panels_of(store, method)
    sections = [
        _section(plan, models[plan.model], measured[plan.id], groups[plan.id], ranks[plan.id])
        for plan in plans
    ]
    replaced = {path: texts for one in measured.values() for path, texts in one.replaced.items()}
    return Board(
        title=options.title,
        method=method,
        rank_resamples=options.rank_resamples,
        models=tuple(models.values()),
        subjects=_subjects(plans, measured),
        sections=tuple(sections),
        versus=tuple(versus),
        panels=tuple(panels),
        runs=_runs(store, plans, replaced, {id_ for panel in panels for id_ in panel.runs}),
        problems=tuple((problem.path, problem.what) for problem in store.problems),
        notes=tuple(dict.fromkeys([*notes, *_unknown(store), *alone, *more])),
    )


def _unknown(store: Store) -> list[str]:
    """A sentence on runs of benchmarks that have no tasks."""
    names = [run.benchmark for run in store.runs if run.family == "bias"]
    unknown = Counter(name for name in names if name not in KIND_OF)
    return [
        f"{name}: {count} {'run is' if count == 1 else 'runs are'} left out, as this version knows "
        "no such benchmark."
        for name, count in sorted(unknown.items())
    ]


def _measured(
    store: Store, plans: Sequence[Plan], method: Method, options: BoardOptions
) -> list[Measured]:
    """The numbers of the sections, the largest being computed first."""
    order = sorted(range(len(plans)), key=lambda i: -len(plans[i].runs))
    quick = sum(len(plan.runs) for plan in plans) < FEW_RUNS
    done = mapped(
        measure,
        [(_part(store, plans[i]), plans[i], method) for i in order],
        processes=1 if quick and not options.processes else options.processes,
        progress=options.progress,
        what="sections",
    )
    by_index = dict(zip(order, done, strict=True))
    return [by_index[i] for i in range(len(plans))]


def _part(store: Store, *plans: Plan) -> Store:
    """The store with the runs of some sections, which is what a worker needs."""
    runs = [
        run
        for plan in plans
        for run in (*plan.runs.values(), *(r for held in plan.repeated.values() for r in held))
    ]
    return replace(store, runs=tuple(runs), problems=())


def _pairs(
    plans: Sequence[Plan], models: Mapping[str, Model]
) -> tuple[list[tuple[Plan, Plan]], list[str]]:
    """Sections of mitigated models with those of their bases, and sentences on those without."""
    by_id = {model.id: key for key, model in models.items()}
    places = {(plan.model, plan.alike, plan.local): plan for plan in plans}
    found, notes = [], []
    for plan in plans:
        model = models[plan.model]
        if not model.mitigation:
            continue
        base = places.get((by_id.get(model.base, ""), plan.alike, plan.local))
        if base:
            found.append((plan, base))
        else:
            reason = "in the same way on the same data" if model.base else "at all"
            benchmark, axis, form = plan.subject
            named = f"{benchmark}{f' ({axis})' if axis else ''} · {form}"
            notes.append(
                f"{model.label}, {named}: not held against its base, which was not run {reason}."
            )
    return found, notes


def _versus(
    store: Store,
    pairs: Sequence[tuple[Plan, Plan]],
    method: Method,
    options: BoardOptions,
) -> list[Versus]:
    quick = sum(len(plan.runs) for plan, _ in pairs) < FEW_RUNS
    done = mapped(
        hold_against,
        [(_part(store, *pair), *pair, method) for pair in pairs],
        processes=1 if quick and not options.processes else options.processes,
        progress=options.progress and bool(pairs),
        what="mitigations",
    )
    return [one for found in done for one in found]


def _section(
    plan: Plan, model: Model, measured: Measured, group: str, ranks: Mapping[Cell, Rank]
) -> Section:
    changes = [
        replace(change, value=replace(change.value, rank=ranks.get(cell)))
        for cell, change in measured.changes.items()
    ]
    clean = next((cell for cell in plan.runs if not cell.seeds), None)
    before = measured.clean.value if measured.clean else None
    metric = METRICS_OF[kind_of(plan.subject[0])][0]
    return Section(
        id=plan.id,
        model=model.id,
        subject=subject_id(plan.subject),
        group=group,
        asked=plan.asked,
        data_version=plan.version,
        older=plan.older,
        local_data=plan.local,
        clean=replace(measured.clean, rank=ranks.get(clean)) if measured.clean and clean else None,
        changes=tuple(changes),
        worst=worst_of(changes, metric, before),
        notes=measured.notes,
    )


def worst_of(changes: Sequence[Change], metric: str, clean: float | None) -> int:
    """Index of the largest absolute bias, or of the smallest accuracy.

    Args:
        changes: Of a section.
        metric: Its headline.
        clean: Its value on the clean prompts.

    Returns:
        -1 without any, and where all values are the clean one: none is worse than another.
    """
    known = [(i, v) for i, one in enumerate(changes) if (v := one.value.value) is not None]
    if not known or (clean is not None and all(v == clean for _, v in known)):
        return -1
    return max(known, key=lambda one: abs(one[1]) if metric == "bias" else -one[1])[0]


def _subjects(plans: Sequence[Plan], measured: Mapping[str, Measured]) -> tuple[Subject, ...]:
    cells: dict[SubjectKey, list[Cell]] = {}
    for plan in plans:
        cells.setdefault(plan.subject, []).extend(measured[plan.id].columns)
    return tuple(subject_of(key, found) for key, found in cells.items())


def _runs(
    store: Store,
    plans: Sequence[Plan],
    replaced: Mapping[str, tuple[str, ...]],
    of_panels: Collection[str],
) -> dict[str, RunOf]:
    """The runs that something is traced back to, by id."""
    shown = [run for plan in plans for run in plan.runs.values()]
    others = [run for run in store.runs if run.id in of_panels]
    found: dict[str, StoredRun] = {}
    for run in (*shown, *others):
        found.setdefault(run.id, run)
    return {id_: run_of(store, run, replaced.get(run.path, ())) for id_, run in found.items()}

"""`sociolect sweep`: runs the cells that are not finished, and says how they ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.generators.locks import only_one
from sociolect.harness.steering.sweep_json import differences, read_object
from sociolect.harness.sweeps.cells import Cell
from sociolect.harness.sweeps.child import FAILED, MARKER, Job, Outcome
from sociolect.harness.sweeps.estimate import Estimate, learnt
from sociolect.harness.sweeps.finished_facts import NUMBERS
from sociolect.harness.sweeps.local_engine import run_local
from sociolect.harness.sweeps.shown import Board, showing

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Swept:
    """How a sweep ended.

    Attributes:
        finished: Cells that this call finished.
        skipped: Cells that were finished before.
        failed: Cells that failed, and why, by id.
        warnings: What makes cells of one model differ that should not.
    """

    finished: int = 0
    skipped: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def sweep(
    out: Path,
    cells: Sequence[Cell],
    *,
    retries: int = 1,
    ray: str | None = None,
    every: Sequence[Cell] = (),
) -> Swept:
    """Run the cells of a sweep that are not finished.

    Args:
        out: Folder of results, made if it is not there.
        cells: Of one sweep.
        retries: How often a cell that fails is tried again.
        ray: Address of a cluster, `auto`, or None for one cell after the other here.
        every: All cells of the sweep: what is finished of them is looked through for changed files.

    Raises:
        InvalidInputError: The folder cannot be made.
        ResultsError: A cell was finished with other arguments.
    """
    made = _made(out)
    with only_one(made):
        done = finished_cells(made, cells)
        jobs = [job_of(cell, made) for cell in cells if cell.id not in done]
        ended = _run(jobs, sorted(done), learnt(done.values()), retries, ray, made) if jobs else {}
        now = finished_cells(made, cells)
        own = {cell.id for cell in cells}
        beside = [cell for cell in every if cell.id not in own]
        changed = changed_files([*beside, *cells], {**_finished_beside(made, beside), **now})
    failed = {name: one.reason for name, one in ended.items() if one.state == "failed"}
    return Swept(len(now) - len(done), len(done), failed, tuple(changed))


def _finished_beside(out: Path, cells: Sequence[Cell]) -> dict[str, dict[str, Any]]:
    """What finished cells wrote down that this call does not run; others are not its trouble."""
    found: dict[str, dict[str, Any]] = {}
    for cell in cells:
        with suppress(ResultsError):
            found |= finished_cells(out, [cell])
    return found


def _run(
    jobs: Sequence[Job],
    skipped: Sequence[str],
    estimate: Estimate,
    retries: int,
    ray: str | None,
    out: Path,
) -> dict[str, Outcome]:
    with showing(Board(jobs, skipped, estimate)) as shown:
        if ray is None:
            return run_local(jobs, retries, shown)
        from sociolect.harness.sweeps.ray_engine import run_on_ray

        return run_on_ray(jobs, retries, shown, ray, out)


def _made(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
        return out.resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidInputError(f"--out {out} cannot be used ({error}); name another") from error


def job_of(cell: Cell, out: Path) -> Job:
    """A cell as an engine gets it."""
    return Job(
        id=cell.id,
        folder=cell.folder(out),
        line=tuple(cell.line(out)),
        asked=cell.asked(),
        environment=cell.environment,
        gpus=cell.model.gpus,
        cpus=cell.model.cpus,
    )


def finished_cells(out: Path, cells: Sequence[Cell]) -> dict[str, dict[str, Any]]:
    """What the finished cells wrote down, by id; one whose results are gone is not finished.

    Raises:
        ResultsError: One was run with other arguments (the message says what differs), or its
            `finished.json` is damaged.
    """
    found: dict[str, dict[str, Any]] = {}
    others: list[str] = []
    for cell in cells:
        path = cell.folder(out) / MARKER
        if not path.is_file():
            continue
        held = read_object(path, f"delete {path.parent} to run the cell again")
        if not _is_whole(held):
            raise ResultsError(f"{path}: is damaged; delete {path.parent} to run the cell again")
        if not all((path.parent / file).is_file() for file in held.get("files", ())):
            continue
        if differing := differences(held["asked"], cell.asked()):
            others.append(f"{path.parent}: {'; '.join(differing)}")
        found[cell.id] = held
    if others:
        more = len(others) - _SHOWN
        raise ResultsError(
            "cells were run with other arguments than the file says now:\n  "
            + "\n  ".join(others[:_SHOWN])
            + (f"\n  and {more} more" if more > 0 else "")
            + "\nGive the model another name, name another --out, or delete these folders"
        )
    return found


def _is_whole(held: Mapping[str, Any]) -> bool:
    """Whether a `finished.json` has what is read from it."""
    documents, files = held.get("documents"), held.get("files", [])
    return (
        isinstance(held.get("asked"), dict)
        and isinstance(documents, dict)
        and all(type(count) is int and count >= 0 for count in documents.values())
        and all(_is_amount(held.get(name, 0.0)) for name in NUMBERS)
        and "seconds" in held
        and isinstance(files, list)
        and all(type(file) is str for file in files)
    )


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < inf


def earlier_failures(out: Path, cells: Sequence[Cell]) -> dict[str, str]:
    """Cells whose last attempt failed in an earlier call, and why, by id."""
    found = {}
    for cell in cells:
        with suppress(ResultsError):
            held = read_object(cell.folder(out) / FAILED, "")
            found[cell.id] = str(held.get("reason"))
    return found


def changed_files(cells: Sequence[Cell], held: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What differs between cells of one model (its files, versions) or of one task (its data)."""
    said = []
    first: dict[tuple[object, ...], tuple[str, Any]] = {}
    for cell in (one for one in cells if one.id in held):
        same = {
            "files of the model": (cell.model.slug, "model_files"),
            "versions of libraries": (cell.model.slug, "packages"),
            "data": (cell.tasks, cell.seed, "data"),
        }
        for what, key in same.items():
            now = held[cell.id].get(str(key[-1]))
            if now is None:  # not recorded
                continue
            where, before = first.setdefault(key, (cell.id, now))
            if before != now:
                said.append(f"{what} changed between {where} and {cell.id}")
                first[key] = (cell.id, now)
    return said

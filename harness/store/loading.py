"""Runs of a store, made from its index; single prompts, read where they stand."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from sociolect.generators.errors import ResultsError
from sociolect.harness.answers import Asked, asked_of
from sociolect.harness.results import Run, read_run_at
from sociolect.harness.run_settings import short_names
from sociolect.harness.store.entries import records_name
from sociolect.harness.store.index_files import IndexFolder
from sociolect.harness.store.records import (
    DAMAGE,
    Prompt,
    Records,
    prompts_of,
    read_prompts,
    read_records,
    records_from,
)
from sociolect.harness.store.stored import Store, StoredRun

R = TypeVar("R")


def load_run(store: Store, run: StoredRun) -> Run:
    """The run with its answers, as `results.read_run` reads it, without its samples file.

    Raises:
        ResultsError: A run of the dialect audit, whose answers are other ones; or its records are
            gone from the index, and its files are no longer those that were read.
    """
    records = _records(store, run)
    name = run.settings["model"]["name"]
    return Run(
        files=run.files,
        sha256=run.sha256,
        model=short_names([name])[name],
        benchmark=run.benchmark,
        axis=run.axis,
        form=run.form,
        condition=run.condition,
        error_seed=run.error_seed,
        data=run.data,
        settings=run.settings,
        sampler=run.sampler,
        prompts=run.prompts,
        items={id_: content for id_, content, _ in records.items},
        records=tuple(records.answers()),
        changes={id_: change for id_, _, change in records.items if change is not None},
    )


class Answered(NamedTuple):
    """A prompt with its generations, and the options that they choose."""

    asked: Asked
    choices: tuple[int, ...]


def read_answered(store: Store, run: StoredRun, ids: Collection[str]) -> dict[str, list[Answered]]:
    """The prompts of some items, by item id, lower option order first.

    Only their lines are read. An item that the run was not asked is left out.

    Raises:
        ResultsError: The samples file changed since it was read.
    """
    found: dict[str, list[Answered]] = defaultdict(list)
    prompts = _from_index(store, run, lambda path: read_prompts(path, set(ids)))
    prompts = prompts_of(_read_again(run), set(ids)) if prompts is None else prompts
    for prompt, asked in zip(prompts, _asked(run, prompts), strict=True):
        found[prompt.id].append(Answered(asked, prompt.choices))
    return {
        id_: sorted(answered, key=lambda one: one.asked.doc["order"])
        for id_, answered in found.items()
    }


def _asked(run: StoredRun, prompts: Iterable[Prompt]) -> list[Asked]:
    """The lines of some prompts."""
    found: list[Asked] = []
    try:
        with run.files.samples.open("rb") as file:
            for prompt in prompts:
                file.seek(prompt.offset)
                found.append(asked_of(json.loads(file.readline()), run.form))
                if found[-1].doc["id"] != prompt.id:
                    raise ValueError(f"{prompt.id} stood where now another item stands")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ResultsError(
            f"{run.files.samples}: changed since it was read ({error}); run the command again"
        ) from error
    return found


def _records(store: Store, run: StoredRun) -> Records:
    return _from_index(store, run, read_records) or _read_again(run)


def _from_index(store: Store, run: StoredRun, read: Callable[[Path], R]) -> R | None:
    """What the index keeps of a run; `None` if it is gone or damaged."""
    if run.family != "bias":
        raise ResultsError(
            f"{run.files.samples}: of the dialect audit; `sociolect dialect report` reads it"
        )
    path = IndexFolder(store.index).records / records_name(run.id, run.path)
    try:
        return read(path)
    except DAMAGE:
        with suppress(OSError):
            path.unlink()  # the next reading of the store makes it again
    return None


def _read_again(run: StoredRun) -> Records:
    read, offsets = read_run_at(run.files)
    if read.sha256 != run.sha256:
        raise ResultsError(f"{run.files.samples}: changed since it was read; run the command again")
    return records_from(read, offsets)

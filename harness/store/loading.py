"""Runs of a store, made from its index; single prompts, read where they stand."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import suppress

from sociolect.generators.errors import ResultsError
from sociolect.harness.answers import Asked, asked_of
from sociolect.harness.results import Run, read_run_at
from sociolect.harness.run_settings import short_names
from sociolect.harness.store.entries import records_name
from sociolect.harness.store.index_files import IndexFolder
from sociolect.harness.store.records import DAMAGE, Records, read_records, records_from
from sociolect.harness.store.stored import Store, StoredRun


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


def read_documents(store: Store, run: StoredRun, ids: Collection[str]) -> dict[str, list[Asked]]:
    """The prompts of some items with their generations, by item id, lower option order first.

    Only their lines are read.

    Raises:
        ResultsError: The samples file changed since it was read, or has no such item.
    """
    records = _records(store, run)
    wanted = set(ids)
    chosen = {at for at, (id_, _, _) in enumerate(records.items) if id_ in wanted}
    places = [
        (offset, records.items[at][0])
        for offset, at in zip(records.offsets, records.item, strict=True)
        if at in chosen
    ]
    found = _asked(run, places)
    if missing := sorted(wanted - found.keys()):
        raise ResultsError(f"{run.files.samples}: has no item {missing[0]}; was the file changed?")
    return {id_: sorted(asked, key=lambda one: one.doc["order"]) for id_, asked in found.items()}


def _asked(run: StoredRun, places: Iterable[tuple[int, str]]) -> dict[str, list[Asked]]:
    """The lines at some places of the samples file, each with the id of its item."""
    found: dict[str, list[Asked]] = defaultdict(list)
    try:
        with run.files.samples.open("rb") as file:
            for offset, id_ in places:
                file.seek(offset)
                asked = asked_of(json.loads(file.readline()), run.form)
                if asked.doc["id"] != id_:
                    raise ValueError(f"{id_} stood where now another item stands")
                found[id_].append(asked)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ResultsError(
            f"{run.files.samples}: changed since it was read ({error}); run the command again"
        ) from error
    return found


def _records(store: Store, run: StoredRun) -> Records:
    if run.family != "bias":
        raise ResultsError(
            f"{run.files.samples}: of the dialect audit; `sociolect dialect report` reads it"
        )
    path = IndexFolder(store.index).records / records_name(run.id, run.path)
    try:
        return read_records(path)
    except DAMAGE:
        with suppress(OSError):
            path.unlink()  # the next reading of the store makes it again
    read, offsets = read_run_at(run.files)
    if read.sha256 != run.sha256:
        raise ResultsError(f"{run.files.samples}: changed since it was read; run the command again")
    return records_from(read, offsets)

"""Which pairs a sweep asks, and the numbers of their documents in each task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from sociolect.generators.dialect.folder import Built, read_folder
from sociolect.generators.errors import DataError
from sociolect.generators.layout import SPLIT
from sociolect.harness.steering.sweep_cells import EVALUATION, SELECTION
from sociolect.harness.steering.sweep_settings import NEEDED, SweepSettings
from sociolect.tasks.dialect.catalogue import dialect_task
from sociolect.tasks.dialect.documents import documents
from sociolect.tasks.dialect.prompts import continuation

Samples = Mapping[str, Sequence[int]]


class Texts(NamedTuple):
    """What a list of flips shows of a pair."""

    context: str
    aae: str
    sae: str


def built_pairs(folder: Path) -> Built:
    """The pairs of a sweep.

    Raises:
        DataError: They are damaged, or one of the two splits holds none.
    """
    built = read_folder(folder)
    for split in (SELECTION, EVALUATION):
        if not any(row["split"] == split for row in built.rows):
            raise DataError(
                f"{folder}: no pair is in split {split!r}. A strength is chosen on the pairs of "
                "one split and told by those of another; make them with `sociolect dialect split`"
            )
    return built


def pair_texts(built: Built) -> dict[str, Texts]:
    """The AAE context and both continuations by id, of the pairs that are cut."""
    return {
        str(row["id"]): Texts(
            str(row["aae"])[: row["aae_boundary"]].strip(),
            continuation(row, "aae").strip(),
            continuation(row, "sae").strip(),
        )
        for row in built.rows
        if not row["unsegmented"]
    }


def samples(settings: SweepSettings, split: str) -> Samples | None:
    """The documents of each task that belong to the pairs that are asked; None for all.

    With a limit these are the first pairs in the order of hashes of their ids, so that a larger
    limit asks the same pairs and more. `SOCIOLECT_AAE` must be set.

    Args:
        settings: Tasks and limit.
        split: Of the pairs.
    """
    if settings.pairs_limit is None:
        return None
    found = {task: _rows(task, split) for task in settings.tasks}
    ids = sorted({str(row["id"]) for row in found[NEEDED]}, key=_rank)
    wanted = set(ids[: settings.pairs_limit])
    numbers = {
        task: [number for number, row in enumerate(rows) if row["id"] in wanted]
        for task, rows in found.items()
    }
    if empty := [task for task, asked in numbers.items() if not asked]:
        raise DataError(
            f"--pairs-limit {settings.pairs_limit}: of these pairs of split {split} none is asked "
            f"in {', '.join(empty)}; give a larger number"
        )
    return numbers


def _rows(task: str, split: str) -> Sequence[Mapping[str, Any]]:
    rows: Sequence[Mapping[str, Any]] = documents(dialect_task(task), split=split)[SPLIT]
    return rows


def _rank(id_: str) -> str:
    return sha256(id_.encode()).hexdigest()

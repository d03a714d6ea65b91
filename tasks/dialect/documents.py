"""The documents of the dialect tasks: checked pairs, in the form that is asked.

Where the pairs are, in this order: `SOCIOLECT_AAE`, a folder made by `sociolect dialect build`;
`SOCIOLECT_DATA` or `SOCIOLECT_HUB`, as for every benchmark (`sociolect.tasks.locate`). They are
never built here: they are the user's own, or made of texts that may not be handed on.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sociolect.generators.dialect.manifest import segmented_with
from sociolect.generators.dialect.pairs import BENCHMARK, SPLITS, VARIETIES
from sociolect.generators.errors import DataError, UnknownNameError
from sociolect.generators.layout import SPLIT
from sociolect.tasks import locate
from sociolect.tasks.dialect.catalogue import DialectTask
from sociolect.tasks.dialect.prompts import TASK_FORMAT, same_continuation
from sociolect.tasks.scoring import ANSWER_MODES

if TYPE_CHECKING:
    from datasets import DatasetDict

    from sociolect.generators.dialect.folder import Built

AAE_VARIABLE = "SOCIOLECT_AAE"

EVALUATION = "evaluation"
"""The split that is asked unless another one is named."""
ALL = "all"
SPLIT_NAMES: tuple[str, ...] = (*SPLITS, ALL)

_CONFIG = "pairs"
_HOW = (
    "Make a folder of pairs with `sociolect dialect build PAIRS --out DIR` and set "
    f"{AAE_VARIABLE}=DIR"
)
_HAS_BACK = "aae_back"

Row = Mapping[str, Any]


class _Origin(NamedTuple):
    """Where the environment says that pairs come from; the memo goes by it."""

    aae: str
    data: str
    hub: str


def documents(task: DialectTask, *, split: str = "", answer_mode: str = "lenient") -> DatasetDict:
    """What the harness sees of one task, split `test`; memoised.

    A document is a row of the folder with what `_documents_of` adds. Those of a pair stay together:
    the texts AAE, SAE and, where there is one, the back-translation; or the contexts AAE and SAE,
    each in both orders of the options where there are options.

    Args:
        task: What is asked.
        split: One of `SPLIT_NAMES`; empty for `evaluation`, or for everything if the pairs are in
            no split.
        answer_mode: `lenient` or `strict`; how a written label is read.

    Raises:
        UnknownNameError: An unknown split or answer mode.
        DataError: No pairs, damaged ones, ones without AAE texts, or none to ask.
    """
    if split and split not in SPLIT_NAMES:
        raise UnknownNameError("split", split, SPLIT_NAMES)
    if answer_mode not in ANSWER_MODES:
        raise UnknownNameError("answer mode", answer_mode, ANSWER_MODES)
    named = (AAE_VARIABLE, locate.DATA_VARIABLE, locate.HUB_VARIABLE)
    return _documents(task, split, answer_mode, _Origin(*(os.environ.get(n, "") for n in named)))


@lru_cache(maxsize=16)
def _documents(task: DialectTask, split: str, answer_mode: str, origin: _Origin) -> DatasetDict:
    from datasets import Dataset, DatasetDict

    folder, built = _pairs(origin)
    rows = _of_split(built, folder, split)
    if task.kind != "sentiment":
        rows = _segmented(rows, folder)
    if task.kind == "choice":
        rows = _with_two_options(rows, folder)
    if task.kind == "continuation":
        _say_same(rows)
    common = {
        "benchmark": BENCHMARK,
        "kind": task.kind,
        "form": task.form,
        "prompted": task.prompted,
        "wording": task.wording,
        "answer_mode": answer_mode,
        "data_version": str(built.manifest["data_version"]),
        "data_sha256": str(built.manifest["configs"][_CONFIG]["sha256"]),
        "segmented_with": "" if task.kind == "sentiment" else segmented_with(built.manifest),
        "rules": "",
        "local_data": True,  # nobody has published hashes of pairs
        "task_format": TASK_FORMAT,
    }
    docs = [{**row, **common, **one} for row in rows for one in _documents_of(task, row)]
    return DatasetDict({SPLIT: Dataset.from_list(docs)})


def _documents_of(task: DialectTask, row: Row) -> Iterator[dict[str, Any]]:
    """What tells the documents of a pair apart: version, or context and order of the options."""
    if task.kind == "sentiment":
        for version in (*VARIETIES, *(("back",) if row[_HAS_BACK] else ())):
            yield {"version": version, "context": "", "order": 0}
        return
    for context in VARIETIES:
        for order in (0, 1) if task.kind == "choice" else (0,):
            yield {"version": "", "context": context, "order": order}


@lru_cache(maxsize=2)
def _pairs(origin: _Origin) -> tuple[Path, Built]:
    """The folder and what is in it.

    Raises:
        DataError: There is none, it is damaged, or its AAE texts were left out.
    """
    from sociolect.generators.dialect.folder import read_folder

    folder = _folder(origin)
    built = read_folder(folder)
    if built.is_withheld:
        raise DataError(
            f"{folder} holds its pairs without the AAE texts, which may not be handed on with it. "
            f"Put them back with `sociolect dialect restore {folder} --pairs PAIRS --out DIR` and "
            f"set {AAE_VARIABLE}=DIR"
        )
    return folder, built


def _folder(origin: _Origin) -> Path:
    if origin.aae:
        return Path(origin.aae).expanduser()
    if origin.data:
        try:
            return locate.local_folder(Path(origin.data).expanduser(), BENCHMARK)
        except DataError as error:
            raise DataError(f"{error}. {_HOW}") from error
    if origin.hub:
        return locate.hub_config(origin.hub, BENCHMARK, _CONFIG, "")
    raise DataError(f"nobody said where the pairs of AAE and SAE are. {_HOW}")


def _of_split(built: Built, folder: Path, split: str) -> tuple[Row, ...]:
    there = Counter(row["split"] for row in built.rows)
    if split == ALL or (not split and set(there) <= {""}):
        wanted = built.rows
    else:
        wanted = tuple(row for row in built.rows if row["split"] == (split or EVALUATION))
    if not wanted:
        found = ", ".join(f"{name or 'in none'} {there[name]}" for name in sorted(there))
        raise DataError(
            f"{folder} holds no pair of split {split or EVALUATION!r} (pairs by split: "
            f'{found or "none at all"}); name another with --metadata \'{{"split": "{ALL}"}}\''
        )
    return wanted


def _segmented(rows: tuple[Row, ...], folder: Path) -> tuple[Row, ...]:
    """The pairs with a context and a continuation; says how many have none, and why."""
    found = tuple(row for row in rows if not row["unsegmented"])
    reasons = Counter(row["unsegmented"] for row in rows if row["unsegmented"])
    if not reasons:
        return found
    why = "; ".join(f"{reason} {n}" for reason, n in reasons.most_common())
    message = f"{reasons.total()} of {len(rows)} pairs are not segmented: {why}"
    if not found:
        raise DataError(
            f"{folder}: {message}. Build it again with segmentation, or ask aae_sentiment"
        )
    _say_once(f"sociolect: aae: {message}")
    return found


def _with_two_options(rows: tuple[Row, ...], folder: Path) -> tuple[Row, ...]:
    """The pairs whose continuations differ: between equal ones there is nothing to choose."""
    found = tuple(row for row in rows if not same_continuation(row))
    if not found:
        raise DataError(f"{folder}: in every pair both continuations are the same")
    if left := len(rows) - len(found):
        _say_once(
            f"sociolect: aae: {left} of {len(rows)} pairs have the same continuation in both "
            "varieties; nobody is asked to choose"
        )
    return found


def _say_same(rows: tuple[Row, ...]) -> None:
    """Pairs that are asked, as in the paper, though no model can prefer anything there."""
    if same := sum(map(same_continuation, rows)):
        _say_once(
            f"sociolect: aae: {same} of {len(rows)} pairs have the same continuation in both "
            "varieties: whatever the model, they have a preference of 0 in lp and interaction, and "
            "count half in prefers_sae_…; lp_differing leaves them out"
        )


@lru_cache(maxsize=16)
def _say_once(message: str) -> None:
    print(message, file=sys.stderr)


def clear_memo() -> None:
    """Forget what was read, so that changed folders are read again."""
    for memo in (_documents, _pairs, _say_once):
        memo.cache_clear()

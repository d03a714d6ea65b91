"""The documents of a task: a checked dataset config, in the order and form that is asked.

A config is read only if it is what its manifest says: benchmark, seed, version, condition,
number of rows, and the SHA-256 of all rows. Data that are sound but not the published ones
(another speller or tagger, another seed) are used and marked `local_data`, with one line on
standard error.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import DataError, UnknownNameError
from sociolect.generators.layout import SPLIT
from sociolect.tasks import cells, locate
from sociolect.tasks.checked import Config, read_config
from sociolect.tasks.kinds import kind_of
from sociolect.tasks.metrics import MEMBERS
from sociolect.tasks.prompts import TASK_FORMAT, forms_of, orders
from sociolect.tasks.scoring import ANSWER_MODES

if TYPE_CHECKING:
    from datasets import DatasetDict


class Origin(NamedTuple):
    """Where the environment says that data come from; the memo goes by it.

    Attributes:
        data: A folder of builds.
        hub: A place on the Hub.
        items: What the judge items of a user are, `locate.items_key`.
    """

    data: str
    hub: str
    items: str = ""


def documents(
    benchmark: str,
    config: str,
    form: str,
    *,
    version: str = "",
    seed: int = 0,
    answer_mode: str = "lenient",
) -> DatasetDict:
    """What the harness sees of one condition in one form, split `test`; memoised.

    A document is a row with `order`, `form`, `answer_mode`, `data_version`, `data_sha256`,
    `rules`, `local_data` and `task_format`. Units stay together: an item in both option orders,
    then the next one; of a counterfactual pair pro, then anti. So the first N documents are whole
    units if N is a multiple of `unit_documents`.

    Args:
        benchmark: Its name.
        config: Name of the condition, e.g. `l2-30`.
        form: `reason`, `direct` or `ll`.
        version: Data version that is asked for, empty for any.
        seed: Of the errors; without effect on `clean`.
        answer_mode: `lenient` or `strict`.

    Raises:
        UnknownNameError: One of the names does not exist.
        DataError: The data are damaged, incomplete, or of another version or seed.
    """
    for kind, name, known in (
        ("benchmark", benchmark, cells.benchmarks()),
        ("form", form, forms_of(benchmark)),
        ("answer mode", answer_mode, ANSWER_MODES),
    ):
        if name not in known:
            raise UnknownNameError(kind, name, known)
    condition = Condition.parse(config)
    if condition.is_clean:  # the same texts under every error seed: published ones, asked once
        seed = 0
    named = (os.environ.get(name, "") for name in (locate.DATA_VARIABLE, locate.HUB_VARIABLE))
    origin = Origin(*named)
    if not any(origin):  # the data are built here
        origin = origin._replace(items=locate.items_key(benchmark))
    return _documents(benchmark, condition, form, version, seed, answer_mode, origin)


def unit_documents(benchmark: str, form: str) -> int:
    """How many documents in a row are one unit: an item, or a pair, in all option orders.

    Raises:
        UnknownNameError: The benchmark has no tasks.
    """
    members = len(MEMBERS) if kind_of(benchmark) == "coreference" else 1
    return members * len(orders(form, benchmark))


@lru_cache(maxsize=8)
def _documents(
    benchmark: str,
    condition: Condition,
    form: str,
    version: str,
    seed: int,
    answer_mode: str,
    origin: Origin,
) -> DatasetDict:
    from datasets import Dataset, DatasetDict

    config = _config(benchmark, condition, version, seed, origin)
    common = {
        "form": form,
        "answer_mode": answer_mode,
        "data_version": config.version,
        "data_sha256": config.sha256,
        "rules": config.rules,
        "local_data": bool(config.unpublished),
        "task_format": TASK_FORMAT,
    }
    docs = [
        {**row, "order": order, **common}
        for row in config.rows
        for order in orders(form, benchmark)
    ]
    return DatasetDict({SPLIT: Dataset.from_list(docs)})


@lru_cache(maxsize=8)
def _config(
    benchmark: str, condition: Condition, version: str, seed: int, origin: Origin
) -> Config:
    """`origin` only keys the memo: where the environment says that data come from."""
    folder = locate.find(benchmark, condition, seed=seed, version=version)
    try:
        config = read_config(folder, benchmark, condition, seed=seed, version=version)
    except DataError as error:
        if not (origin.data or origin.hub):  # our own cache, where nobody else can mend it
            said = str(error).rstrip(".")
            raise DataError(f"{said}. Delete {folder}: it will be built again") from error
        raise
    if config.unpublished:
        name = f"{benchmark} {condition.config_name}"
        print(f"sociolect: {name}: local data ({config.unpublished})", file=sys.stderr)
    return config


def clear_memo() -> None:
    """Forget what was read, so that changed folders are read again."""
    _documents.cache_clear()
    _config.cache_clear()

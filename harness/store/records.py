"""The records of one run in a parquet file: all that a `Run` holds, and where its lines begin.

A line of the table is a record. What the records of an item share (its id, pair, options, …) is
there once, as JSON beside the first of them.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow
from pyarrow import parquet

from sociolect.harness.results import Run
from sociolect.tasks.metrics import AnswerRecord

DAMAGE = (
    *(OSError, ValueError, KeyError, TypeError, IndexError, AttributeError),
    *(RecursionError, pyarrow.ArrowException),
)
"""What reading a damaged file of the index raises."""
HEAD = b"sociolect"
"""Key of the schema metadata under which is said what a file holds."""

Item = tuple[str, tuple[Any, ...], tuple[float, ...] | None]
"""Id, what never changes with the condition (`Run.items`), and how much noise changed its text."""


@dataclass(frozen=True, slots=True)
class Records:
    """What a file of records holds.

    Attributes:
        items: In order of appearance.
        item: Of every record, the index of its item.
        order: Option order of every record.
        choices: Chosen options of every record.
        offsets: Bytes of the samples file before the line of every record.
    """

    items: Sequence[Item]
    item: Sequence[int]
    order: Sequence[int]
    choices: Sequence[Sequence[int]]
    offsets: Sequence[int]

    def answers(self) -> Iterator[AnswerRecord]:
        """The records in file order."""
        for index, order, chosen in zip(self.item, self.order, self.choices, strict=True):
            id_, content, _ = self.items[index]
            pair_id, pair_valid, member, gold, target, _, _ = content
            yield AnswerRecord(id_, pair_id, member, order, pair_valid, gold, target, tuple(chosen))


class Prompt(NamedTuple):
    """A prompt of a run.

    Attributes:
        id: Of its item.
        offset: Bytes of the samples file before its line.
        choices: Chosen options.
    """

    id: str
    offset: int
    choices: tuple[int, ...]


def records_from(run: Run, offsets: Sequence[int]) -> Records:
    """The records of a run that was read.

    Args:
        run: What was read.
        offsets: Of `results.read_run_at`.
    """
    index = {id_: number for number, id_ in enumerate(run.items)}
    return Records(
        items=[(id_, content, run.changes.get(id_)) for id_, content in run.items.items()],
        item=[index[record.id] for record in run.records],
        order=[record.order for record in run.records],
        choices=[record.choices for record in run.records],
        offsets=offsets,
    )


def write_records(records: Records, head: Mapping[str, Any], path: Path) -> int:
    """Write the records of a run and return the size of the file.

    Args:
        records: Of one run.
        head: What the file says of itself, for `read_head`.
        path: Where; appears whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    table = pyarrow.table(
        {
            "item": pyarrow.array(records.item, pyarrow.int32()),
            "order": pyarrow.array(records.order, pyarrow.int8()),
            "choices": pyarrow.array(records.choices, pyarrow.list_(pyarrow.int32())),
            "offset": pyarrow.array(records.offsets, pyarrow.int64()),
            "content": pyarrow.array(list(_contents(records)), pyarrow.large_string()),
        }
    )
    return write_table(table, head, path)


def _contents(records: Records) -> Iterator[str | None]:
    """Beside the first record of an item, the item."""
    following = 0
    for index in records.item:
        if index == following:
            # In ASCII: ids and questions may hold what UTF-8 cannot.
            yield json.dumps(records.items[index])
            following += 1
        else:
            yield None


def read_records(path: Path) -> Records:
    """What `write_records` wrote.

    Raises:
        Exception: One of `DAMAGE`, where the file is missing or damaged.
    """
    columns = read_columns(path)
    texts = [text for text in columns["content"] if text is not None]
    items = [_item(*one) for one in json.loads(f"[{','.join(texts)}]")]
    item, order, choices = columns["item"], columns["order"], columns["choices"]
    return Records(items, item, order, choices, columns["offset"])


def prompts_of(records: Records, ids: Collection[str]) -> list[Prompt]:
    """The prompts of some items, in file order."""
    named = [id_ for id_, _, _ in records.items]
    lines = zip(records.item, records.offsets, records.choices, strict=True)
    return [Prompt(named[at], place, tuple(c)) for at, place, c in lines if named[at] in ids]


def read_prompts(path: Path, ids: Collection[str]) -> list[Prompt]:
    """As `prompts_of`, from a file, of which no more than needed is taken apart.

    Raises:
        Exception: One of `DAMAGE`, where the file is missing or damaged.
    """
    table = _table(path)
    texts = table.column("content").drop_null().to_pylist()
    # The id is the first value of the JSON array.
    decoder = json.JSONDecoder()
    named = [decoder.raw_decode(text, 1)[0] for text in texts]
    item = table.column("item").to_numpy()
    wanted = np.fromiter((id_ in ids for id_ in named), dtype=bool, count=len(named))
    at = np.flatnonzero(wanted[item])
    found = table.select(["item", "offset", "choices"]).take(at).to_pydict()
    lines = zip(found["item"], found["offset"], found["choices"], strict=True)
    return [Prompt(named[number], place, tuple(chosen)) for number, place, chosen in lines]


def _item(id_: str, content: list[Any], changes: list[float] | None) -> Item:
    *named, options = content
    return id_, (*named, tuple(options)), None if changes is None else tuple(changes)


def write_table(table: Any, head: Mapping[str, Any], path: Path) -> int:
    """Write a table with what it says of itself, under a temporary name first.

    Returns:
        Bytes.

    Raises:
        OSError: It cannot be written.
    """
    named = table.replace_schema_metadata({HEAD: json.dumps(head).encode()})
    part = path.with_name(f".{path.stem}-{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        # By handle: the name of a folder may be no UTF-8.
        with part.open("wb") as file:
            parquet.write_table(named, file, compression="zstd", write_page_checksum=True)
            size = file.tell()
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return size


def read_columns(path: Path) -> dict[str, list[Any]]:
    """The columns of a table as lists.

    Raises:
        Exception: One of `DAMAGE`, where the file is missing or damaged.
    """
    table = _table(path)
    return {name: table.column(name).to_pylist() for name in table.column_names}


def _table(path: Path) -> Any:
    with path.open("rb") as file:
        return parquet.read_table(file, page_checksum_verification=True)


def read_head(path: Path) -> dict[str, Any]:
    """What a table says of itself; empty for a file that is missing, damaged or not ours."""
    try:
        with path.open("rb") as file:
            metadata = parquet.read_schema(file).metadata or {}
        head = json.loads(metadata.get(HEAD, b"{}"))
    except DAMAGE:
        return {}
    return head if isinstance(head, dict) else {}

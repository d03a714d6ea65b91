"""The index on disk: a table of all samples files, and a file of records for each bias run.

`runs.parquet` has one line a samples file. `runs/` holds the records. What another version wrote,
and what is damaged, is as if it were not there. A file of records says itself what it was made of,
so that those of a call that was killed are used by the next one.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow

from sociolect.generators.errors import ResultsError
from sociolect.harness.store.entries import READER, Entry, records_of
from sociolect.harness.store.reading import unwritable
from sociolect.harness.store.records import DAMAGE, read_columns, read_head, write_table
from sociolect.harness.store.scan import SamplesFile

DEFAULT = ".sociolect-index"
"""Folder of the index inside the folder of results."""
_TABLE = "runs.parquet"
_RECORDS = "runs"
_OURS = re.compile(r"[0-9a-f]{16}-[0-9a-f]{8}\.parquet|\.[0-9a-f-]+\.part")
"""Names of files of records, and of unfinished ones."""
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# An index of results that sociolect made; it can be deleted at any time.\n"
)


class IndexFolder:
    """A folder that holds an index, or will.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = path / _RECORDS

    def prepare(self) -> None:
        """Make the folder.

        Raises:
            ResultsError: It cannot be written, or holds something else.
        """
        tag = self.path / _TAG
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not tag.exists():
                if any(self.path.iterdir()):
                    raise ResultsError(
                        f"{self.path}: is no index of results, and not empty; name another folder "
                        "with --index FOLDER"
                    )
                tag.write_text(_TAG_TEXT, "utf-8")
            self.records.mkdir(exist_ok=True)
        except OSError as error:
            raise ResultsError(unwritable(self.path, error)) from error

    def known(self, samples: Iterable[SamplesFile]) -> dict[str, Entry]:
        """What is known of these files and still true, by path.

        Returns:
            Entries whose stamps are those of the files, and whose records are there.
        """
        wanted = {one.path: one.stamps for one in samples}
        sizes = self._sizes()
        found = {
            entry.path: entry
            for entry in self._listed()
            if wanted.get(entry.path) == entry.stamps
            and entry.kept == sizes.get(records_of(entry), 0)
        }
        in_use = {records_of(entry) for entry in found.values()}
        for name in sizes.keys() - in_use:
            entry = _from_head(self.records / name, sizes[name])
            if entry and wanted.get(entry.path) == entry.stamps and records_of(entry) == name:
                found.setdefault(entry.path, entry)
        return found

    def _sizes(self) -> dict[str, int]:
        """Bytes of the files of records, by name."""
        try:
            with os.scandir(self.records) as entries:
                return {e.name: e.stat().st_size for e in entries if _OURS.fullmatch(e.name)}
        except OSError:
            return {}

    def _listed(self) -> Iterator[Entry]:
        """The lines of the table; none if it is damaged or of another version."""
        path = self.path / _TABLE
        if read_head(path).get("reader") != READER:
            return
        with suppress(*DAMAGE):
            columns = read_columns(path)
            names = ("path", "stamps", "outcome", "content", "kept")
            entries = [
                Entry(os.fsdecode(path), stamps, outcome, json.loads(content), kept)
                for path, stamps, outcome, content, kept in zip(
                    *(columns[name] for name in names), strict=True
                )
            ]
            yield from entries

    def write(self, entries: Collection[Entry]) -> None:
        """Write the table, and remove records that nothing in it needs.

        Args:
            entries: All that is known; what may change by itself is not kept.

        Raises:
            ResultsError: It cannot be written.
        """
        kept = [entry for entry in entries if entry.lasting]
        table = pyarrow.table(
            {
                # File names need not be UTF-8.
                "path": pyarrow.array([os.fsencode(e.path) for e in kept], pyarrow.binary()),
                "stamps": pyarrow.array([e.stamps for e in kept], pyarrow.string()),
                "outcome": pyarrow.array([e.outcome for e in kept], pyarrow.string()),
                "content": pyarrow.array(
                    [json.dumps(e.content) for e in kept], pyarrow.large_string()
                ),
                "kept": pyarrow.array([e.kept for e in kept], pyarrow.int64()),
            }
        )
        try:
            write_table(table, {"reader": READER}, self.path / _TABLE)
            needed = {records_of(entry) for entry in kept}
            for name in self._sizes().keys() - needed:
                (self.records / name).unlink(missing_ok=True)
            for left in self.path.glob(f".{Path(_TABLE).stem}-*.part"):
                left.unlink(missing_ok=True)
        except OSError as error:
            raise ResultsError(unwritable(self.path, error)) from error

    def is_current(self, entries: Mapping[str, Entry]) -> bool:
        """Whether the table lists these entries and nothing else."""
        return {entry.path: entry for entry in self._listed()} == entries


def _from_head(path: Path, size: int) -> Entry | None:
    """The entry that a file of records was made of; None if it says none, or another version's."""
    head = read_head(path)
    if head.get("reader") != READER:
        return None
    with suppress(*DAMAGE):
        entry = Entry(head["path"], head["stamps"], "run", head["content"], size)
        records_of(entry)
        return entry
    return None

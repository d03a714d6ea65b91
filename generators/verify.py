"""A built dataset checked against itself, and against its source files if they are at hand.

Every statement that rows and manifest make is derived again: by the tokenizer, Levenshtein
distance and the edits' own offsets, not by the code that made the data.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sociolect.generators.conditions import Condition
from sociolect.generators.config_checks import (
    ceiling_faults,
    entry_faults,
    hash_faults,
    level_faults,
    summary_faults,
)
from sociolect.generators.errors import DataError, EditError, MissingToolError, SourceError
from sociolect.generators.faults import Fault, Ledger, shown
from sociolect.generators.items import PART_NAMES, Benchmark
from sociolect.generators.manifest import Manifest, foreign_entries, read_manifest, toolchain
from sociolect.generators.relations import Relations, order_of
from sociolect.generators.row_checks import AnyRow, pair_faults, row_check
from sociolect.generators.rows import edits_of
from sociolect.generators.source_checks import benchmark_faults, clean_faults
from sociolect.generators.stored import is_withheld, read_config
from sociolect.generators.text import invert
from sociolect.generators.withheld import restore_rows


@dataclass(frozen=True, slots=True)
class ToolDifference:
    """A tool of another version than the one that made the data; no fault."""

    name: str
    built_with: str
    installed: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a check of a dataset found.

    Attributes:
        configs: Names of the configs that were looked at.
        rows: Rows that were looked at, over all configs.
        first: The first fault of each kind, in the order of finding.
        counts: Faults by kind.
        tools: Tools that differ from those that made the data.
        notes: What could not be looked at, and what lies beside the build.
    """

    benchmark: str
    data_version: str
    configs: tuple[str, ...]
    rows: int
    first: tuple[Fault, ...]
    counts: Mapping[str, int]
    tools: tuple[ToolDifference, ...]
    notes: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.first


def verify(folder: Path, *, benchmark: Benchmark | None = None, progress: bool = False) -> Report:
    """Check every config of a build.

    Args:
        folder: The build.
        benchmark: The benchmark from its source files; the clean rows are compared with it, and
            withheld texts are put back. None leaves both out.
        progress: Show a progress bar on standard error.

    Raises:
        DataError: The folder has no manifest of sociolect.
        InvalidInputError: The build is of another benchmark than `benchmark`.
        MissingToolError: The tokenizer's model is not installed.
    """
    checker = _Checker(folder, read_manifest(folder), benchmark)
    checker.run(progress)
    manifest = checker.manifest
    return Report(
        benchmark=manifest["benchmark"],
        data_version=manifest["data_version"],
        configs=tuple(checker.configs),
        rows=checker.rows,
        first=tuple(checker.ledger.first.values()),
        counts=dict(checker.ledger.counts),
        tools=_tool_differences(manifest),
        notes=tuple(checker.notes()),
    )


class _Checker:
    def __init__(self, folder: Path, manifest: Manifest, benchmark: Benchmark | None) -> None:
        self.manifest = manifest
        self.ledger = Ledger()
        self.configs: list[str] = []
        self.rows = 0
        self._folder = folder
        self._benchmark = benchmark
        self._withheld = is_withheld(manifest)
        self._clean: dict[str, AnyRow] = {}

    @property
    def _without_texts(self) -> bool:
        """Whether texts are withheld and cannot be put back."""
        return self._withheld and self._benchmark is None

    def run(self, progress: bool) -> None:
        self.ledger.add(self._dataset_faults())
        conditions = sorted(self._conditions(), key=order_of)
        transform, relations = "", Relations()
        with tqdm(total=len(conditions), unit="config", disable=not progress, file=sys.stderr) as b:
            for condition in conditions:
                if condition.transform != transform:  # drop what only that transform needs
                    transform, relations = condition.transform, Relations()
                self.ledger.add(self._config_faults(condition, relations))
                b.update()

    def _dataset_faults(self) -> Iterator[Fault]:
        if "clean" not in self.manifest["configs"]:
            yield Fault("manifest", "", "", "configs", "one named clean", "none")
        if not (self._folder / "README.md").is_file():
            yield Fault("file", "", "", "README.md, which names the configs", "a file", "none")
        if self._benchmark is not None:
            yield from benchmark_faults(self.manifest, self._benchmark)

    def _conditions(self) -> Iterator[Condition]:
        """The conditions of the configs, after a look at their entries in the manifest."""
        sound = True
        for name in self.manifest["configs"]:
            try:
                condition = Condition.parse(name)
            except ValueError:
                fault = Fault("manifest", name, "", "name", "that of a condition", shown(name))
                self.ledger.add([fault])
                sound = False
                continue
            faults = list(entry_faults(self.manifest, condition))
            self.ledger.add(faults)
            sound = sound and not faults
            yield condition
        if sound:
            self.ledger.add(ceiling_faults(self.manifest))

    def _config_faults(self, condition: Condition, relations: Relations) -> Iterator[Fault]:
        name = condition.config_name
        self.configs.append(name)
        try:
            stored = read_config(self._folder, name, withheld=self._withheld)
        except DataError as error:
            yield Fault("file", name, "", "its parquet file", "one that can be read", str(error))
            return
        self.rows += len(stored.rows)
        if stored.problem:
            expected = "those of this version"
            yield Fault("columns", name, "", "columns", expected, stored.problem)
            return
        rows: Sequence[AnyRow] = stored.rows
        if self._withheld and self._benchmark is not None:
            try:
                rows = restore_rows(rows, self._benchmark)
            except (SourceError, EditError) as error:
                expected = "rows whose texts the source files give back"
                yield Fault("source", name, "", "withheld texts", expected, str(error))
                return
        yield from self._manifest_faults(condition, rows)
        yield from self._row_faults(condition, rows)
        if not condition.is_clean:
            yield from relations.faults(condition, rows)

    def _manifest_faults(self, condition: Condition, rows: Sequence[AnyRow]) -> Iterator[Fault]:
        if next(entry_faults(self.manifest, condition), None):
            return  # counted already
        entry: Mapping[str, Any] = self.manifest["configs"][condition.config_name]
        yield from summary_faults(condition, entry, rows)
        yield from level_faults(condition, entry)
        if not self._without_texts:
            yield from hash_faults(condition.config_name, entry["sha256"], rows)

    def _row_faults(self, condition: Condition, rows: Sequence[AnyRow]) -> Iterator[Fault]:
        if not self._clean:
            self._clean = _clean_rows(rows, self._without_texts)
        if condition.is_clean and self._benchmark is not None:
            yield from clean_faults(rows, self._benchmark)
        yield from self._id_faults(condition.config_name, [row["id"] for row in rows])
        check = row_check(condition, self.manifest, self._clean, self._without_texts)
        broken = set()
        for row in rows:
            for fault in check.faults(row):
                if fault.kind in ("edit", "text"):
                    broken.add(row["id"])  # it would be counted again as unlike its pair
                yield fault
        whole = [row for row in rows if row["id"] not in broken]
        yield from pair_faults(condition.config_name, whole, self._without_texts)

    def _id_faults(self, config: str, ids: Sequence[str]) -> Iterator[Fault]:
        seen: set[str] = set()
        for id_ in ids:
            if id_ in seen:
                yield Fault("ids", config, id_, "id", "each once", "a second time")
            seen.add(id_)
        wanted = list(self._clean)
        unique = list(dict.fromkeys(ids))
        if unique == wanted:
            return
        lost, more = [i for i in wanted if i not in seen], seen.difference(wanted)
        if not (lost or more):
            place = next(i for i, (a, b) in enumerate(zip(unique, wanted, strict=True)) if a != b)
            what = f"id at place {place}"
            yield Fault("ids", config, unique[place], what, wanted[place], unique[place])
        for id_ in lost:
            yield Fault("ids", config, id_, "id", "one row", "none")
        for id_ in sorted(more):
            yield Fault("ids", config, id_, "id", "no such row, as in the clean config", "one")

    def notes(self) -> Iterator[str]:
        """What was not looked at."""
        if self._without_texts:
            yield (
                "the texts of the benchmark are withheld: hashes, texts and error rates were not "
                "checked. Name the source files with --sources to check them too"
            )
        if self._benchmark is None:
            yield "the clean texts were not compared with the source files (--sources)"
        foreign = foreign_entries(self._folder)
        if foreign:
            more = ", …" if len(foreign) > 3 else ""
            yield f"not part of the build: {', '.join(foreign[:3])}{more}"


def _clean_rows(rows: Iterable[AnyRow], withheld: bool) -> dict[str, AnyRow]:
    """Rows without their errors by id; where that fails, the rows as they are."""
    found: dict[str, AnyRow] = {}
    for row in rows:
        texts: dict[str, str] = {}
        for part in () if withheld else PART_NAMES:
            try:
                texts[part] = invert(row[part], edits_of(row, part))
            except EditError:
                texts[part] = row[part]
        found.setdefault(row["id"], {**row, **texts})
    return found


def _tool_differences(manifest: Manifest) -> tuple[ToolDifference, ...]:
    """How the installed tools differ from those in the manifest."""
    built: Mapping[str, str] = manifest["toolchain"]
    try:
        installed = toolchain()
    except MissingToolError:
        installed = {}
    return tuple(
        ToolDifference(name, built.get(name, "none"), installed.get(name, "none"))
        for name in sorted({*built, *installed})
        if built.get(name, "none") != installed.get(name, "none")
    )

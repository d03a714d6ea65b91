"""Whether a build is made of the source files of its benchmark."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sociolect.generators.benchmarks import load_benchmark, occupations_mini
from sociolect.generators.errors import DataError, EditError, SourceError, UnknownNameError
from sociolect.generators.faults import Fault
from sociolect.generators.items import PART_NAMES, Benchmark
from sociolect.generators.manifest import Manifest
from sociolect.generators.rows import edits_of
from sociolect.generators.source_checks import benchmark_faults, clean_faults
from sociolect.generators.sources import SOURCES_VARIABLE
from sociolect.generators.text import invert


def benchmark_at_hand(name: str, sources: Path | None, *, needed: bool) -> Benchmark | None:
    """The benchmark from its source files; None, said on standard error, if they are not at hand.

    A folder that was named must hold them, one in the environment may hold other benchmarks.

    Args:
        name: Of the benchmark.
        sources: Folder of the source files; None for `SOCIOLECT_SOURCES`.
        needed: Whether there is no way without them; then they are downloaded if need be.

    Raises:
        SourceError: The files are needed or were named, and are missing or changed.
        UnknownNameError: They are, and there is no such benchmark.
    """
    if needed or sources is not None:
        return load_benchmark(name, sources)
    why = ""
    if os.environ.get(SOURCES_VARIABLE) or name == occupations_mini.NAME:
        try:
            return load_benchmark(name)
        except (SourceError, UnknownNameError) as error:
            why = f" ({error})"
    print(
        f"sociolect: the texts were not compared with the source files{why}; name their folder "
        "with --sources to do so",
        file=sys.stderr,
    )
    return None


class Origin:
    """Compares a build with its benchmark.

    Args:
        manifest: Of the build.
        benchmark: From the source files.

    Raises:
        DataError: The manifest names other source files or other invalid pairs.
    """

    def __init__(self, manifest: Manifest, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        _refuse(benchmark_faults(manifest, benchmark), "the manifest")

    def check(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Compare one config, with its edits undone.

        Args:
            name: Of the config.
            rows: With their texts.

        Raises:
            DataError: Texts, options, protected spans or ids are not those of the source files.
        """
        try:
            clean = [{**row, **_clean_texts(row)} for row in rows]
        except EditError as error:
            raise DataError(
                f"config {name!r}: the edits do not fit the texts ({error}). Build the folder again"
            ) from error
        _refuse(clean_faults(clean, self._benchmark), f"config {name!r}")


def _clean_texts(row: Mapping[str, Any]) -> dict[str, str]:
    return {part: invert(row[part], edits_of(row, part)) for part in PART_NAMES}


def _refuse(faults: Iterable[Fault], what: str) -> None:
    found = list(faults)
    if not found:
        return
    first = found[0]
    where = f"{first.id}: " if first.id else ""
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    raise DataError(
        f"{what} is not what the source files give: {where}{first.what}: expected "
        f"{first.expected}, found {first.found}{more}. Build the folder again from these files"
    )

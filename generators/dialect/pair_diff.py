"""What changed between two folders of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.dialect.folder import Built, read_folder
from sociolect.generators.dialect.pair_faults import CONFIG
from sociolect.generators.dialect.pairs import BENCHMARK
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.version_diff import (
    NONE,
    ConfigChange,
    FactChange,
    TextChange,
    VersionDiff,
)

FACTS = ("name", "data_version", "sociolect_version", "text", "licence", "aae_sha256", "splitting")
"""Keys of a manifest that hold one statement."""

TEXT_COLUMNS = ("aae", "sae", "aae_back")


def compare_pairs(before: Path, after: Path, *, show: int = 5) -> VersionDiff:
    """Compare two folders of pairs, row by row.

    Args:
        before: The first.
        after: The second.
        show: How many changed texts to keep, 0 or more.

    Raises:
        DataError: A folder is incomplete or damaged.
        InvalidInputError: `show` is negative.
    """
    if show < 0:
        raise InvalidInputError(f"the number of rows to show must be 0 or more, not {show}")
    old, new = read_folder(before), read_folder(after)
    same = old.rows == new.rows
    return VersionDiff(
        benchmark=BENCHMARK,
        facts=tuple(_facts(old.manifest, new.manifest)),
        added=(),
        removed=(),
        changed=() if same else (_change(old, new, show),),
        unchanged=(CONFIG,) if same else (),
    )


def _facts(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[FactChange]:
    for key in FACTS:
        yield from _fact(key, old.get(key, NONE), new.get(key, NONE))
    for table in ("toolchain", "splits", "segmentation"):
        one, two = old[table] or {}, new[table] or {}
        for key in sorted({*one, *two}):
            yield from _fact(f"{table}, {key}", one.get(key, NONE), two.get(key, NONE))
    sources = [{s["name"]: s["sha256"] for s in m["sources"]} for m in (old, new)]
    for name in sorted({*sources[0], *sources[1]}):
        yield from _fact(f"sources, {name}", *(s.get(name, NONE) for s in sources))


def _fact(name: str, old: object, new: object) -> Iterator[FactChange]:
    if old != new:
        yield FactChange(name, str(old), str(new))


def _change(before: Built, after: Built, show: int) -> ConfigChange:
    old, new = ({row["id"]: row for row in built.rows} for built in (before, after))
    both = [id_ for id_ in old if id_ in new]
    changed = [id_ for id_ in both if old[id_] != new[id_]]
    columns = Counter(c for id_ in changed for c in old[id_] if old[id_][c] != new[id_][c])
    texts = (
        TextChange(id_, column, old[id_][column], new[id_][column])
        for id_ in changed
        for column in TEXT_COLUMNS
        if old[id_][column] != new[id_][column]
    )
    return ConfigChange(
        name=CONFIG,
        rows_added=tuple(id_ for id_ in new if id_ not in old),
        rows_removed=tuple(id_ for id_ in old if id_ not in new),
        rows_changed=tuple(changed),
        reordered=both != [id_ for id_ in new if id_ in old],
        columns=dict(columns.most_common()),
        edits_added=0,
        edits_removed=0,
        edits_kept=0,
        mean_before=float("nan"),
        mean_after=float("nan"),
        examples=tuple(text for _, text in zip(range(show), texts, strict=False)),
    )

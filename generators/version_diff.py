"""What changed between two versions of a dataset."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.manifest import Manifest, read_manifest
from sociolect.generators.noise.realised import CHANGES
from sociolect.generators.rows import RATES
from sociolect.generators.stored import is_withheld, read_config
from sociolect.generators.text import CASE

AnyRow = Mapping[str, Any]

FACTS = (
    *("data_version", "sociolect_version", "algorithm_version", "seed", "rules", "licence"),
    *("noise_draws", "text", "error_rate", "token_change"),
)
"""Keys of a manifest that hold one value."""

TABLES = ("toolchain", "invalid_pairs", "unreachable")
"""Keys of a manifest that hold a table, compared entry by entry."""

TEXT_COLUMNS = ("instruction", "input", "question")
NONE = "none"


@dataclass(frozen=True, slots=True)
class FactChange:
    """A statement of the manifest that differs; `none` where one side lacks it."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TextChange:
    """A text of one row, before and after."""

    id: str
    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """How the rows of a config differ.

    Attributes:
        name: Name of the config.
        rows_added: Ids that only the second has.
        rows_removed: Ids that only the first has.
        rows_changed: Ids of both whose rows differ.
        reordered: Whether the ids of both stand in another order.
        columns: In how many rows of both each column differs.
        edits_added: Error edits that only the second makes, over the rows of both. An edit is the
            same if offsets, words and kind are.
        edits_removed: Those that only the first makes.
        edits_kept: Those of both.
        mean_before: Mean error rate of the first, or token change in a config of noise, in
            [0, 1]; not a number without rows.
        mean_after: That of the second.
        examples: The first texts that differ, one a pair.
    """

    name: str
    rows_added: tuple[str, ...]
    rows_removed: tuple[str, ...]
    rows_changed: tuple[str, ...]
    reordered: bool
    columns: Mapping[str, int]
    edits_added: int
    edits_removed: int
    edits_kept: int
    mean_before: float
    mean_after: float
    examples: tuple[TextChange, ...]


@dataclass(frozen=True, slots=True)
class VersionDiff:
    """How two versions of a dataset differ.

    Attributes:
        facts: Statements of the manifests that differ.
        added: Configs that only the second has.
        removed: Configs that only the first has.
        changed: Configs of both whose rows differ.
        unchanged: Configs of both with the same rows, by their SHA-256.
    """

    benchmark: str
    facts: tuple[FactChange, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[ConfigChange, ...]
    unchanged: tuple[str, ...]

    @property
    def is_equal(self) -> bool:
        """Whether neither a row nor a statement differs."""
        return not (self.facts or self.added or self.removed or self.changed)


def compare_versions(before: Path, after: Path, *, show: int = 5) -> VersionDiff:
    """Compare two builds or downloads of one dataset.

    Configs with the same SHA-256 in both manifests count as the same; `verify` says whether a
    manifest is right.

    Args:
        before: Folder of the first.
        after: Folder of the second.
        show: How many changed texts of a config to keep, 0 or more.

    Raises:
        DataError: A folder has no manifest, or a config cannot be read.
        InvalidInputError: The two are of different benchmarks, or `show` is negative.
        UnknownNameError: A config that differs is named after no condition.
    """
    if show < 0:
        raise InvalidInputError(f"the number of rows to show must be 0 or more, not {show}")
    old, new = read_manifest(before), read_manifest(after)
    if old["benchmark"] != new["benchmark"]:
        raise InvalidInputError(
            f"{before} holds {old['benchmark']}, {after} holds {new['benchmark']}: two datasets, "
            "not two versions of one"
        )
    shared = [name for name in new["configs"] if name in old["configs"]]
    same = {n for n in shared if _sha256(old, n) and _sha256(old, n) == _sha256(new, n)}
    if is_withheld(old) != is_withheld(new):
        same = set()  # the hashes are of the whole rows, the files are not alike
    return VersionDiff(
        benchmark=new["benchmark"],
        facts=tuple(_facts(old, new, same)),
        added=tuple(name for name in new["configs"] if name not in old["configs"]),
        removed=tuple(name for name in old["configs"] if name not in new["configs"]),
        changed=tuple(
            _config(name, _rows(before, name, old), _rows(after, name, new), show)
            for name in shared
            if name not in same
        ),
        unchanged=tuple(name for name in shared if name in same),
    )


def _sha256(manifest: Manifest, name: str) -> str:
    return str(manifest["configs"][name].get("sha256", ""))


def _rows(folder: Path, name: str, manifest: Manifest) -> tuple[AnyRow, ...]:
    Condition.parse(name)  # a name from a manifest may lead anywhere
    return read_config(folder, name, withheld=is_withheld(manifest)).rows


def _facts(old: Manifest, new: Manifest, same: set[str]) -> Iterator[FactChange]:
    for name in FACTS:
        yield from _fact(name, old.get(name, NONE), new.get(name, NONE))
    for table in TABLES:
        yield from _entries(table, old[table], new[table])
    sources = [{s["name"]: s["sha256"] for s in m["sources"]} for m in (old, new)]
    yield from _entries("sources", *sources)
    dropped = [{str(d): "dropped" for d in m["dropped"]} for m in (old, new)]
    yield from _entries("dropped", *dropped)
    for name in sorted(same):  # rows alike, yet said to be calibrated otherwise
        entries = [{k: str(v) for k, v in m["configs"][name].items()} for m in (old, new)]
        yield from _entries(f"configs, {name}", *entries)


def _entries(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[FactChange]:
    for key in sorted({*old, *new}):
        yield from _fact(f"{name}, {key}", old.get(key, NONE), new.get(key, NONE))


def _fact(name: str, old: object, new: object) -> Iterator[FactChange]:
    if old != new:
        yield FactChange(name, str(old), str(new))


def _config(
    name: str, before: Sequence[AnyRow], after: Sequence[AnyRow], show: int
) -> ConfigChange:
    old, new = ({row["id"]: row for row in rows} for rows in (before, after))
    both = [id_ for id_ in old if id_ in new]
    columns: Counter[str] = Counter()
    edits = [0, 0, 0]
    changed = []
    for id_ in both:
        differ = _differing(old[id_], new[id_])
        columns.update(differ)
        if differ:
            changed.append(id_)
        mine, others = Counter(_errors(old[id_])), Counter(_errors(new[id_]))
        for i, counted in enumerate((others - mine, mine - others, mine & others)):
            edits[i] += counted.total()
    return ConfigChange(
        name=name,
        rows_added=tuple(id_ for id_ in new if id_ not in old),
        rows_removed=tuple(id_ for id_ in old if id_ not in new),
        rows_changed=tuple(changed),
        reordered=both != [id_ for id_ in new if id_ in old],
        columns=dict(columns.most_common()),
        edits_added=edits[0],
        edits_removed=edits[1],
        edits_kept=edits[2],
        mean_before=_mean(before),
        mean_after=_mean(after),
        examples=tuple(_examples(changed, old, new, show)),
    )


def _differing(old: AnyRow, new: AnyRow) -> list[str]:
    """Names of the columns that differ, or that one of the two lacks."""
    names = dict.fromkeys((*old, *new))
    return [n for n in names if n not in old or n not in new or old[n] != new[n]]


def _errors(row: AnyRow) -> Iterator[tuple[object, ...]]:
    # `original` follows from the offsets, and rows without texts lack it.
    names = ("part", "start", "end", "replacement", "type", "operation", "subtype")
    return (tuple(e.get(n) for n in names) for e in row.get("edits", ()) if e["type"] != CASE)


def _mean(rows: Sequence[AnyRow]) -> float:
    columns = (RATES[0], CHANGES[0])
    rates = [row[column] for row in rows for column in columns if column in row]
    return math.fsum(rates) / len(rates) if rates else math.nan


def _examples(
    changed: Sequence[str], old: Mapping[str, AnyRow], new: Mapping[str, AnyRow], show: int
) -> Iterator[TextChange]:
    """The first texts that differ, one a pair: its members share their edits."""
    shown: set[tuple[str, str]] = set()
    for id_ in changed:
        for column in TEXT_COLUMNS:
            texts = old[id_].get(column, ""), new[id_].get(column, "")
            what = old[id_].get("pair_id", id_), column
            if len(shown) < show and what not in shown and texts[0] != texts[1]:
                shown.add(what)
                yield TextChange(id_, column, *texts)

"""Reading one dataset config, and refusing it unless it is what its manifest says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import RULES, Condition
from sociolect.generators.errors import DataError, LevelUnreachableError
from sociolect.generators.layout import MANIFEST, SPLIT
from sociolect.tasks import data_hashes, locate

_MANIFEST_TYPES: dict[str, type] = {
    "benchmark": str,
    "data_version": str,
    "seed": int,
    "rules": str,
    "configs": dict,
    "unreachable": dict,
    "toolchain": dict,
}
_ENTRY_TYPES: dict[str, type] = {"rows": int, "sha256": str}
_KIND_NAMES = {str: "a text", int: "a whole number", dict: "a table"}


@dataclass(frozen=True, slots=True)
class Config:
    """The checked rows of one condition.

    Attributes:
        version: Data version of the build.
        rules: Rule set of the build, `paper` or `careful`.
        unpublished: Why these are not the published data, empty if they are.
    """

    rows: tuple[Mapping[str, Any], ...]
    sha256: str
    version: str
    rules: str
    unpublished: str


def read_config(
    folder: Path, benchmark: str, condition: Condition, *, seed: int = 0, version: str = ""
) -> Config:
    """Read one condition of a build and check it against its manifest.

    Raises:
        DataError: It is missing, damaged, or not what is asked for.
        LevelUnreachableError: The build lists it as above the ceiling.
    """
    manifest = _manifest(folder)
    _check_build(manifest, folder, benchmark, condition, seed, version)
    entry = _entry(manifest, folder, condition)
    rows = _whole_rows(folder, benchmark, condition, manifest)
    sha256 = _check_rows(rows, entry, manifest, folder / condition.config_name, condition)
    reason = data_hashes.unpublished(benchmark, condition.config_name, manifest, sha256)
    return Config(rows, sha256, str(manifest["data_version"]), str(manifest["rules"]), reason)


def _manifest(folder: Path) -> dict[str, Any]:
    from sociolect.generators.manifest import read_manifest

    path = folder / MANIFEST
    try:
        if not path.is_file():
            raise DataError(f"{folder} has no {MANIFEST}: not a build, or an incomplete one")
        manifest = read_manifest(folder)
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); allow it") from error
    for key, kind in _MANIFEST_TYPES.items():
        _expect(manifest, key, kind, f"{path}: ")
    return manifest


def _expect(table: Mapping[str, Any], key: str, kind: type, where: str) -> None:
    value = table.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise DataError(
            f"{where}{key} is {json.dumps(value)[:40]}, not {_KIND_NAMES[kind]}; build or "
            "download the folder again"
        )


def _check_build(
    manifest: Mapping[str, Any],
    folder: Path,
    benchmark: str,
    condition: Condition,
    seed: int,
    version: str,
) -> None:
    wanted = {"benchmark": benchmark}
    if version:
        wanted["data_version"] = version
    if not condition.is_clean:
        wanted["seed"] = str(seed)
    for key, value in wanted.items():
        if str(manifest.get(key)) != value:
            raise DataError(
                f"{folder} holds {key.replace('_', ' ')} {manifest.get(key)}, the task asks for "
                f"{value}; point {locate.DATA_VARIABLE} or {locate.HUB_VARIABLE} at data with "
                f"it, or unset them to build it"
            )
    if manifest.get("rules") not in RULES:
        raise DataError(
            f"{folder / MANIFEST}: rules is {manifest.get('rules')!r}, not one of "
            f"{', '.join(RULES)}; build or download the folder again"
        )


def _entry(manifest: Mapping[str, Any], folder: Path, condition: Condition) -> Mapping[str, Any]:
    name = condition.config_name
    configs: dict[str, dict[str, Any]] = manifest["configs"]
    if name in configs:
        where = f"{folder / MANIFEST}: "
        _expect(configs, name, dict, f"{where}configs, ")
        for key, kind in _ENTRY_TYPES.items():
            _expect(configs[name], key, kind, f"{where}{name}, ")
        return configs[name]
    if reason := manifest["unreachable"].get(name):
        raise LevelUnreachableError(str(reason))
    raise DataError(f"{folder} has no config {name!r}; it holds: {', '.join(configs) or 'none'}")


def _whole_rows(
    folder: Path, benchmark: str, condition: Condition, manifest: Mapping[str, Any]
) -> tuple[Mapping[str, Any], ...]:
    """The rows; texts that a release may not hold come from the source files.

    Raises:
        SourceError: The source files are missing, or not those that the data were made of.
    """
    from sociolect.generators.stored import is_withheld

    withheld = is_withheld(dict(manifest))
    rows = _rows(folder / condition.config_name, withheld=withheld, noise=condition.is_noise)
    if not withheld:
        return rows
    from sociolect.generators.benchmarks import load_benchmark
    from sociolect.generators.withheld import restore_rows

    return tuple(restore_rows(rows, load_benchmark(benchmark)))


def _rows(
    folder: Path, *, withheld: bool = False, noise: bool = False
) -> tuple[Mapping[str, Any], ...]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from sociolect.generators.stored import column_problem, columns

    shards = sorted(folder.glob(f"{SPLIT}-*.parquet"))
    if not shards:
        raise DataError(f"{folder} has no {SPLIT}-*.parquet: the build is incomplete")
    try:
        tables = [pq.read_table(shard) for shard in shards]
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{folder} cannot be read ({error}); build it again") from error
    for shard, table in zip(shards, tables, strict=True):
        # Columns of a later version would be as wrong as missing ones: the tasks know none.
        if problem := column_problem(table, columns(withheld, noise=noise)):
            raise DataError(
                f"{shard} does not have the columns of this version of sociolect ({problem}); "
                "build or download it again"
            )
    return tuple(row for table in tables for row in table.to_pylist())


def _check_rows(
    rows: Sequence[Mapping[str, Any]],
    entry: Mapping[str, Any],
    manifest: Mapping[str, Any],
    folder: Path,
    condition: Condition,
) -> str:
    """The SHA-256 of the rows, after checking them."""
    from sociolect.generators.rows import config_sha256

    sha256 = config_sha256(dict(row) for row in rows)
    if len(rows) != entry["rows"] or sha256 != entry["sha256"]:
        raise DataError(
            f"{folder} is damaged: {len(rows)} rows with SHA-256 {sha256[:12]}…, its manifest "
            f"says {entry['rows']} with {entry['sha256'][:12]}…; build or download it again"
        )
    columns = ("benchmark", "transform", "level", "part")
    wanted = (manifest["benchmark"], condition.transform, condition.level, condition.part)
    found = {tuple(row[column] for column in columns) for row in rows}
    seeds = set() if condition.is_clean else {row["seed"] for row in rows} - {manifest["seed"]}
    if found != {wanted} or seeds:
        raise DataError(
            f"{folder} does not hold what its manifest says: rows of {sorted(found)} with seeds "
            f"other than {manifest['seed']}: {sorted(seeds) or 'none'}; build it again"
        )
    return sha256

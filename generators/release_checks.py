"""What must hold before a build leaves the machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sociolect.generators.audit import audit, audit_noise
from sociolect.generators.conditions import Condition
from sociolect.generators.config_checks import entry_keys, summary_faults
from sociolect.generators.errors import DataError, EditError
from sociolect.generators.items import PART_NAMES, Benchmark
from sociolect.generators.layout import MANIFEST, PARQUET, REALISM, SPLIT
from sociolect.generators.manifest import Manifest, read_manifest
from sociolect.generators.release_sources import Origin
from sociolect.generators.rows import Row, config_sha256, schema
from sociolect.generators.stored import column_problem, is_noise
from sociolect.generators.withheld import restore_rows

if TYPE_CHECKING:
    import pyarrow

_BUILD_KEYS: dict[str, type] = {
    **dict.fromkeys(("benchmark", "axis", "data_version", "sociolect_version"), str),
    **dict.fromkeys(("algorithm_version", "rules", "licence", "error_rate"), str),
    **dict.fromkeys(("noise_draws", "token_change"), str),
    **dict.fromkeys(("toolchain", "invalid_pairs", "configs", "unreachable"), dict),
    **dict.fromkeys(("sources", "dropped"), list),
    "seed": int,
}


def check_manifest(build: Path) -> Manifest:
    """The manifest of a build, with everything that a release needs.

    Raises:
        DataError: There is none, it is damaged, or of an older format; the message names the
            config and the key.
    """
    manifest = read_manifest(build)
    path = build / MANIFEST
    _check_keys(manifest, _BUILD_KEYS, f"{path}")
    if "clean" not in manifest["configs"]:
        raise DataError(f"{path}: the config 'clean' is missing; build the folder again")
    for name, entry in manifest["configs"].items():
        where = f"{path}: config {name!r}"
        if not isinstance(entry, dict):
            raise DataError(f"{where} is not a table; build the folder again")
        condition = Condition.parse(name)
        _check_keys(entry, entry_keys(condition), where)
        named = (condition.transform, condition.level, condition.part)
        if named != (entry["transform"], entry["level"], entry["part"]):
            raise DataError(f"{where} describes another condition; build the folder again")
        if entry["rules"] != manifest["rules"]:
            raise DataError(
                f"{where} was made with the rules {entry['rules']!r}, the manifest says "
                f"{manifest['rules']!r}; build the folder again"
            )
        if entry["rows"] < 1:
            raise DataError(f"{where} has zero rows: nothing to publish; build the folder again")
    return manifest


def _check_keys(
    table: Mapping[str, Any], wanted: Mapping[str, type | tuple[type, ...]], where: str
) -> None:
    for key, kind in wanted.items():
        if key not in table:
            raise DataError(
                f"{where} has no {key!r}: an older version of sociolect wrote it, or it was "
                "edited. Build the folder again"
            )
        if not isinstance(table[key], kind):
            raise DataError(f"{where}: {key!r} is {table[key]!r:.40}; build the folder again")


def read_table(build: Path, name: str, entry: Mapping[str, Any]) -> pyarrow.Table:
    """The table of one config, with the columns of this version.

    Raises:
        DataError: It is missing, damaged, or has other columns or another number of rows; the
            message names the config.
    """
    import pyarrow
    from pyarrow import parquet

    path = build / name / PARQUET
    try:
        table = parquet.ParquetFile(path).read()
    except FileNotFoundError:
        raise DataError(f"config {name!r}: {path} is missing; build the folder again") from None
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(
            f"config {name!r}: {path} cannot be read ({error}); build the folder again"
        ) from None
    if problem := column_problem(table, schema(noise=is_noise(name))):
        raise DataError(
            f"config {name!r}: {path} does not have the columns of this version of sociolect "
            f"({problem}); build the folder again"
        )
    if table.num_rows != entry["rows"]:
        raise DataError(
            f"config {name!r} was changed after the build: {table.num_rows} rows, the manifest "
            f"says {entry['rows']}. Build the folder again"
        )
    return table


def check_release(
    folder: Path, manifest: Manifest, *, withheld: bool, benchmark: Benchmark | None
) -> None:
    """Load every config of a release as its users will, and check its rows.

    Args:
        folder: The release.
        manifest: Of the build.
        withheld: Whether the rows come without text, which is then put back first.
        benchmark: From the source files. The rows are compared with it, and it puts the text back;
            None leaves both out.

    Raises:
        DataError: A config cannot be loaded, or is not what the manifest or the source files say.
        SourceError: The text cannot be put back.
    """
    origin = Origin(manifest, benchmark) if benchmark else None
    with quiet(), TemporaryDirectory(prefix="sociolect-check-") as cache:
        for name, entry in manifest["configs"].items():
            rows = load_config(folder, name, cache)
            if benchmark is not None and withheld:
                rows = restore_rows(rows, benchmark)
            _check_rows(name, rows, entry, manifest)
            if origin is not None:
                origin.check(name, rows)


@contextmanager
def quiet() -> Iterator[None]:
    """Without the progress bars of `datasets`."""
    from datasets import utils

    shown = not utils.are_progress_bars_disabled()
    utils.disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            utils.enable_progress_bars()


def load_config(folder: Path, name: str, cache: str) -> list[Row]:
    """The rows of a config, loaded as its users will.

    Raises:
        DataError: It cannot be loaded.
    """
    from datasets import load_dataset
    from datasets.exceptions import DatasetsError

    try:
        rows: list[Row] = load_dataset(str(folder), name, cache_dir=cache)[SPLIT].to_list()
    except (DatasetsError, ValueError) as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise DataError(
            f"config {name!r} of the release cannot be loaded ({error}); build the folder again"
        ) from error
    return rows


def _check_rows(
    name: str, rows: Sequence[Row], entry: Mapping[str, Any], manifest: Mapping[str, Any]
) -> None:
    found = config_sha256(rows)
    if found != entry["sha256"]:
        raise DataError(
            f"config {name!r} was changed after the build: its rows have SHA-256 {found[:12]}…, "
            f"the manifest says {entry['sha256'][:12]}…. Build the folder again"
        )
    condition = Condition.parse(name)
    _check_description(name, rows, entry, manifest, condition)
    try:
        findings = _audited(rows, condition)
    except EditError as error:
        raise DataError(
            f"config {name!r} does not pass the audit ({error}). Build the folder again"
        ) from error
    wrong = {
        key.replace("_", " "): count
        for key, count in findings.items()
        if count and key not in ("rows", "mean_error_rate")
    }
    if wrong:
        listed = ", ".join(f"{key} {count}" for key, count in wrong.items())
        raise DataError(
            f"config {name!r} does not pass the audit ({listed}). Build the folder again with "
            f"the installed tools; it was made with {manifest['toolchain']}"
        )


def _audited(rows: Sequence[Row], condition: Condition) -> dict[str, Any]:
    if condition.is_noise:
        return asdict(audit_noise(rows))
    return asdict(audit(rows, condition.perturbed_parts or PART_NAMES))


def _check_description(
    name: str,
    rows: Sequence[Row],
    entry: Mapping[str, Any],
    manifest: Mapping[str, Any],
    condition: Condition,
) -> None:
    """Compare what the manifest says of a config with its rows."""
    columns = ("benchmark", "axis", "transform", "level", "part", "seed")
    said = {**manifest, **asdict(condition)}
    wrong = [c for c in columns if {row[c] for row in rows} - {said[c]}]
    faults = summary_faults(condition, entry, rows)
    wrong += dict.fromkeys(fault.what.replace("_", " ") for fault in faults)
    if wrong:
        raise DataError(
            f"config {name!r}: the manifest and the rows differ in {', '.join(wrong)}; one of "
            "them was edited. Build the folder again"
        )


def read_realism(build: Path, manifest: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The comparison with a learner corpus that was stored with a build, if there is one.

    It holds `reference` (a name, or a table with one), `total_variation` (in [0, 1]) and
    `per_type`, a list of `{type, ours, reference}` (shares in [0, 1]); it may name its `config`.

    Raises:
        DataError: It has another form, or was made from other data (`config_sha256`).
    """
    path = build / REALISM
    found: Any = manifest.get("realism")
    try:
        if path.is_file():
            found = json.loads(path.read_text(encoding="utf-8"))
        if found is None:
            return None
        _check_same_data(found, manifest, path)
        reference = found["reference"]
        return {
            "config": str(found.get("config", "")),
            "reference": str(reference["name"] if isinstance(reference, dict) else reference),
            "total_variation": float(found["total_variation"]),
            "per_type": [
                {"type": str(t["type"]), **{k: float(t[k]) for k in ("ours", "reference")}}
                for t in found["per_type"]
            ],
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{path if path.is_file() else build / MANIFEST}: the comparison with a learner corpus "
            f"cannot be read ({type(error).__name__}: {error}). Make it again with "
            "`sociolect validate`, or delete it"
        ) from None


def _check_same_data(found: Mapping[str, Any], manifest: Mapping[str, Any], path: Path) -> None:
    said = found.get("config_sha256")
    entry = manifest["configs"].get(found.get("config"), {})
    if said and said != entry.get("sha256"):
        raise DataError(
            f"{path} describes other data than config {found.get('config')!r} of this build. Make "
            "it again with `sociolect validate`, or delete it"
        )

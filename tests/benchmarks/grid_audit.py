"""An audit of finished datasets that shares no code with what made them.

Written from the columns of a row; it imports nothing of sociolect. What must be protected is found
again in the source files (grid_entities.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from grid_texts import PARTS, Range, Report, Row, Texts, ordered
from pyarrow import parquet

FIXED = ("pair_id", "pair_valid", "benchmark", "axis", "member", "question", "options", "gold")
FIXED += ("target_option", "protected")
KIND = ("original", "replacement", "type", "operation", "subtype")
TOLERANCE = 0.25
"""Points between a level and the mean error rate."""


class Dataset:
    """A build on disk, read config by config."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        self.name: str = self.manifest["benchmark"]
        self.clean = self.rows("clean")

    def _path(self, config: str) -> Path:
        (path,) = (self.folder / config).glob("*.parquet")
        return path

    def column(self, config: str, name: str) -> list[Any]:
        table = parquet.read_table(self._path(config), columns=[name])
        return table.column(name).to_pylist()  # type: ignore[no-any-return]

    def rows(self, config: str) -> list[Row]:
        return parquet.read_table(self._path(config)).to_pylist()  # type: ignore[no-any-return]


def audit(dataset: Dataset, entities: Callable[[Row], Iterable[Range]]) -> Report:
    """Look through all configs of a dataset.

    Args:
        dataset: The dataset.
        entities: Where a clean row's input names what no error may touch.
    """
    report = Report(dataset.name)
    texts = Texts(report, dataset.clean, entities)
    entries = dataset.manifest["configs"]
    errored = [n for n, entry in entries.items() if n != "clean" and "mean_error_rate" in entry]
    errored.sort(key=lambda n: (entries[n]["transform"], entries[n]["level"]))
    below: dict[str, list[Row]] = {}
    last = ""
    groups = groupby(errored, key=lambda n: (entries[n]["transform"], entries[n]["level"]))
    for (transform, level), names in groups:
        rows_of = {}
        texts.forget()
        if transform != last:
            below, last = {}, transform
        for config in names:
            part = entries[config]["part"]
            rows = dataset.rows(config)
            check_mean(report, dataset, config)
            if not audit_config(report, texts, rows, part, config):
                continue
            rows_of[part] = rows
            if lower := below.get(part):
                check_nested(report, lower, rows, config)
            below[part] = [{"id": r["id"], "edits": r["edits"]} for r in rows]
        if len(rows_of) == 3:
            check_union(report, rows_of, f"{transform}-{level}")
    return report


def audit_config(report: Report, texts: Texts, rows: list[Row], part: str, config: str) -> bool:
    """Look through the rows of a config; whether they are those of the clean one."""
    parts = PARTS if part == "both" else (part,)
    report.configs += 1
    report.rows += len(rows)
    if [r["id"] for r in rows] != [r["id"] for r in texts.clean]:
        report.fault("ids", config)
        return False
    for index, row in enumerate(rows):
        where = f"{config} {row['id']}"
        clean = texts.clean[index]
        if any(row[name] != clean[name] for name in FIXED):
            report.fault("fixed column", where)
        distance = length = errors = 0
        for name in PARTS:
            edits = ordered(e for e in row["edits"] if e["part"] == name)
            if name not in parts and (edits or row[name] != clean[name]):
                report.fault("other part", where)
            found = texts.look(index, name, row, edits, where)
            rate = found.distance / found.tokens if found.tokens else 0.0
            if abs(rate - row[f"error_rate_{name}"]) > 1e-12:
                report.fault("rate", where, (found, row[f"error_rate_{name}"], row[name]))
            if name in parts:
                distance, length = distance + found.distance, length + found.tokens
                errors += found.errors
        rate = distance / length if length else 0.0
        if (length, errors) != (row["n_tokens"], row["n_edits"]) or (
            abs(rate - row["error_rate"]) > 1e-12
        ):
            report.fault("counts", where, (length, row["n_tokens"], errors, row["n_edits"]))
    check_pairs(report, rows, config)
    return True


def check_pairs(report: Report, rows: list[Row], config: str) -> None:
    """Members of a valid pair carry the same edits, in the same order."""
    for pair_id, members in groupby(rows, key=lambda r: r["pair_id"]):
        group = [r for r in members if r["pair_valid"]]
        report.pairs += len(group) > 1
        for one, other in pairwise(group):
            kinds = [[(e["part"], *(e[k] for k in KIND)) for e in r["edits"]] for r in (one, other)]
            if kinds[0] != kinds[1]:
                report.fault("pair", f"{config} {pair_id}", kinds)


def check_mean(report: Report, dataset: Dataset, config: str) -> None:
    """The mean over all rows, as they are stored, against level and manifest."""
    entry = dataset.manifest["configs"][config]
    rates = dataset.column(config, "error_rate")
    mean = 100 * sum(rates) / len(rates)
    if abs(mean - 100 * entry["mean_error_rate"]) > 1e-9:
        report.fault("manifest mean", config, mean)
    away = abs(mean - entry["level"])
    if entry["at_ceiling"]:
        if away > 1:
            report.fault("mean at ceiling", config, mean)
        return
    report.worst_mean = max(report.worst_mean, away)
    if away > TOLERANCE:
        report.fault("mean", config, mean)


def errors_of(row: Row) -> set[tuple[str, ...]]:
    """The errors of a row, without the capitals that one at the start of a sentence takes."""
    names = ("part", "start", "end", *KIND)
    errors = (e for e in row["edits"] if e["type"] != "case")
    return {tuple(str(e[name]).lower() for name in names) for e in errors}


def check_nested(report: Report, lower: list[Row], rows: list[Row], config: str) -> None:
    """The errors of a level are among those of the next one; capitals may have moved."""
    report.steps += 1
    for row, less in zip(rows, lower, strict=True):
        fewer, more = errors_of(less), errors_of(row)
        if not fewer <= more:
            report.fault("nested", f"{config} {row['id']}", fewer - more)


def check_union(report: Report, rows_of: Mapping[str, list[Row]], config: str) -> None:
    """Errors in both parts are those of either part."""
    report.unions += 1
    columns = (rows_of[p] for p in (*PARTS, "both"))
    for instruction, text, both in zip(*columns, strict=True):
        joined = [*instruction["edits"], *text["edits"]]
        texts = instruction["instruction"], text["input"]
        if joined != both["edits"] or texts != (both["instruction"], both["input"]):
            report.fault("union", f"{config} {both['id']}")


def grid_folders(grid: Path) -> Iterator[Path]:
    """The finished builds below a folder."""
    yield from (path.parent for path in sorted(grid.glob("*/manifest.json")))

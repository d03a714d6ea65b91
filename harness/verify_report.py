"""What `sociolect verify` found, for people and for machines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from sociolect.generators.faults import KINDS
from sociolect.generators.rebuild import Rebuilt
from sociolect.generators.verify import Report
from sociolect.harness.tables import printable


def render_table(name: str, report: Report, again: Rebuilt | None) -> str:
    """Plain text: the first fault in full, then the first of each further kind with counts.

    Args:
        name: The dataset as the user named it.
        report: What was found.
        again: How a second build compares; None if none was made.
    """
    return "".join(f"{printable(line)}\n" for line in _lines(name, report, again))


def _lines(name: str, report: Report, again: Rebuilt | None) -> Iterator[str]:
    yield (
        f"{name}: {report.benchmark} {report.data_version}, {len(report.configs)} configs, "
        f"{report.rows:,} rows"
    )
    if report.is_sound:
        yield "sound: every check that could be made passed"
    else:
        total = sum(report.counts.values())
        yield f"NOT SOUND: {total:,} fault{'s' * (total > 1)}; the first: {report.first[0]}"
        for fault in report.first:
            yield f"  {report.counts[fault.kind]:>7,} × {fault.kind}: {KINDS[fault.kind]}"
            if fault is not report.first[0]:
                yield f"            first: {fault}"
    for tool in report.tools:
        yield f"built with {tool.name} {tool.built_with}, installed is {tool.installed} (no fault)"
    for note in report.notes:
        yield f"note: {note}"
    if again is not None:
        yield from _rebuild_lines(report, again)


def _rebuild_lines(report: Report, again: Rebuilt) -> Iterator[str]:
    for what, (there, here) in again.versions.items():
        yield f"{what.replace('_', ' ')} is {there}, the installed sociolect makes {here}"
    if again.is_identical:
        yield f"built again: identical, {len(again.configs)} configs"
        return
    yield f"built again: NOT IDENTICAL, {len(again.differ)} configs differ: " + ", ".join(
        again.differ
    )
    if report.tools:
        yield f"  tools that differ: {', '.join(tool.name for tool in report.tools)}"
    elif not again.versions:
        yield "  tools and versions are the same: the rows or the manifest were changed"


def render_json(name: str, report: Report, again: Rebuilt | None) -> str:
    """One JSON object; `faults` counts by kind, `first` holds the first of each.

    Args:
        name: The dataset as the user named it.
        report: What was found.
        again: How a second build compares; None if none was made.
    """
    content = {
        "dataset": name,
        "benchmark": report.benchmark,
        "data_version": report.data_version,
        "sound": report.is_sound,
        "configs": list(report.configs),
        "rows": report.rows,
        "faults": dict(report.counts),
        "first": [asdict(fault) for fault in report.first],
        "tools": [asdict(tool) for tool in report.tools],
        "notes": list(report.notes),
        "rebuild": None
        if again is None
        else {
            "identical": again.is_identical,
            "configs": list(again.configs),
            "differ": {k: list(v) for k, v in again.differ.items()},
            "versions": {k: list(v) for k, v in again.versions.items()},
        },
    }
    return json.dumps(content, indent=2) + "\n"

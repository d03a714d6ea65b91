"""Which units change under errors, and what was done to their texts: one JSON line a unit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sociolect.harness.answers import Votes, read_asked, votes
from sociolect.harness.comparability import shared
from sociolect.harness.compare import Comparison
from sociolect.harness.comparison_rows import Row
from sociolect.harness.exports import json_text
from sociolect.harness.results import Run
from sociolect.harness.units import Values, unit_numbers, whole_units


def flips(comparison: Comparison) -> list[dict[str, Any]]:
    """The units whose value differs from that on clean prompts, of every single run.

    Returns:
        For each run and metric the units that flipped, then the others, by the size of the
        change. A unit *flipped* if over half of the generations of one of its items name one
        option on the clean prompt and another one on the errored prompt. Means over error seeds
        have no lines.

    Raises:
        ResultsError: A samples file that changed since it was read.
    """
    singles: dict[str, list[Row]] = defaultdict(list)
    for row in comparison.rows:
        if len(row.error_seeds) == 1:
            singles[row.metric].append(row)  # in the order of the runs
    found: list[dict[str, Any]] = []
    for number, run in enumerate(comparison.others):
        found += _of_run(comparison, run, [rows[number] for rows in singles.values()])
    return found


def _of_run(comparison: Comparison, run: Run, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    clean, run = shared(comparison.clean, run)
    units = whole_units(clean, include_invalid=comparison.method.include_invalid).whole
    changed = {row.metric: _changed(clean, run, row.metric, units) for row in rows}
    items: dict[str, list[str]] = defaultdict(list)
    for record in run.records:
        if record.id not in items[record.pair_id]:
            items[record.pair_id].append(record.id)
    wanted = {id_ for values in changed.values() for unit in values for id_ in items[unit]}
    docs = {id_: asked[0].doc for id_, asked in read_asked(run, wanted).items()} if wanted else {}
    before, after = votes(clean.records), votes(run.records)
    for row in rows:
        lines = [
            {
                **_head(row, unit),
                "clean": values[0],
                "errored": values[1],
                "change": values[1] - values[0],
                "flipped": any(_flipped(before[i], after[i]) for i in items[unit]),
                "items": [_item(docs[i], before[i], after[i]) for i in items[unit]],
            }
            for unit, values in changed[row.metric].items()
        ]
        yield from sorted(lines, key=lambda line: (not line["flipped"], -abs(line["change"])))


def _changed(
    clean: Run, run: Run, metric: str, units: Sequence[str]
) -> dict[str, tuple[float, float]]:
    first: Values = unit_numbers(clean, metric)
    second: Values = unit_numbers(run, metric)
    pairs = ((unit, first[unit], second.get(unit)) for unit in units)
    return {u: (x, y) for u, x, y in pairs if x is not None and y is not None and x != y}


def _flipped(before: Votes, after: Votes) -> bool:
    return -1 not in (before.majority, after.majority) and before.majority != after.majority


def _head(row: Row, unit: str) -> dict[str, Any]:
    return {
        "benchmark": row.benchmark,
        "axis": row.axis,
        "form": row.form,
        "metric": row.metric,
        "model": row.other.model,
        "condition": row.other.condition,
        "label": row.other.label,
        "error_seed": row.error_seed,
        "unit": unit,
    }


def _item(doc: Mapping[str, Any], before: Votes, after: Votes) -> dict[str, Any]:
    return {
        "id": doc["id"],
        "member": doc["member"],
        "input": doc["input"],
        "options": doc["options"],
        "gold": doc["gold"],
        "target_option": doc["target_option"],
        "clean_answers": _counts(doc, before),
        "errored_answers": _counts(doc, after),
        "asked": after.asked,
        "edits": doc.get("edits") or [],
    }


def _counts(doc: Mapping[str, Any], found: Votes) -> list[int]:
    """Answers by option."""
    return [found.counts.get(option, 0) for option in range(len(doc["options"]))]


def render_flips(comparisons: Sequence[Comparison]) -> str:
    """The flips as JSON lines; empty if no unit changed."""
    lines = [line for one in comparisons for line in flips(one)]
    return "".join(json_text(line, indent=None) for line in lines)

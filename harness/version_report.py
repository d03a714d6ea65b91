"""What `sociolect diff` found, for people and for machines."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from difflib import SequenceMatcher

from rich.text import Text

from sociolect.generators.dialect.pair_faults import CONFIG as PAIRS
from sociolect.generators.stored import is_noise
from sociolect.generators.text import Edit
from sociolect.generators.version_diff import ConfigChange, TextChange, VersionDiff
from sociolect.harness.diff import highlighted
from sociolect.harness.tables import printable

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_SHOWN = 5


def rendered(before: str, after: str, diff: VersionDiff) -> Iterator[Text]:
    """Lines for a terminal.

    Args:
        before: Name of the first dataset.
        after: Name of the second.
        diff: What differs.
    """
    yield Text(printable(f"{diff.benchmark}: {before} → {after}"), style="bold")
    if diff.is_equal:
        yield Text(
            f"equal by their manifests: {len(diff.unchanged)} configs (rows were not read; see "
            "`sociolect verify`)"
        )
        return
    for fact in diff.facts:
        yield Text(printable(f"{fact.name}: {fact.before} → {fact.after}"))
    for what, names in (("added", diff.added), ("removed", diff.removed)):
        if names:
            yield Text(printable(f"configs {what}: {', '.join(names)}"))
    changed = ", ".join(change.name for change in diff.changed)
    yield Text(
        printable(
            f"{len(diff.unchanged)} configs unchanged, {len(diff.changed)} changed"
            f"{': ' if changed else ''}{changed}"
        )
    )
    for change in diff.changed:
        yield from _config(change)


def _config(change: ConfigChange) -> Iterator[Text]:
    yield Text("")
    yield Text(printable(change.name), style="bold")
    counts = (
        f"  rows: {len(change.rows_added)} added, {len(change.rows_removed)} removed, "
        f"{len(change.rows_changed)} changed"
    )
    yield Text(counts + (", in another order" if change.reordered else ""))
    for what, ids in (("added", change.rows_added), ("removed", change.rows_removed)):
        if ids:
            yield Text(printable(f"  {what}: {_first(ids)}"))
    if change.columns:
        columns = ", ".join(f"{name} ({count})" for name, count in change.columns.items())
        yield Text(printable(f"  columns that changed (rows): {columns}"))
    yield from _edits(change)
    for example in change.examples:
        yield Text(printable(f"  {example.id} {example.column}:"), style="dim")
        yield Text("    ").append_text(changed_text(example))


def _edits(change: ConfigChange) -> Iterator[Text]:
    """Nothing of dialect pairs, which hold no edits."""
    if change.name == PAIRS:
        return
    yield Text(
        f"  edits: {change.edits_added} added, {change.edits_removed} removed, "
        f"{change.edits_kept} kept"
    )
    what = "mean token change" if is_noise(change.name) else "mean error rate"
    yield Text(f"  {what}: {_rate(change.mean_before)} → {_rate(change.mean_after)}")


def _first(ids: Sequence[str]) -> str:
    more = len(ids) - _SHOWN
    return ", ".join(ids[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _rate(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3%}"


def changed_text(change: TextChange) -> Text:
    """The second text with what left the first as `[-removed-]` and what came as `{+added+}`."""
    before, after = printable(change.before), printable(change.after)
    old, new = (_WORD.findall(text) for text in (before, after))
    starts = [0]
    for word in old:
        starts.append(starts[-1] + len(word))
    edits = [
        Edit(
            start=starts[i1],
            end=starts[i2],
            original=before[starts[i1] : starts[i2]],
            replacement="".join(new[j1:j2]),
            type="change",
            operation="replacement",
            subtype="",
        )
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
    return highlighted(before, edits)


def render_json(before: str, after: str, diff: VersionDiff) -> str:
    """One JSON object; a mean that does not exist is null.

    Args:
        before: Name of the first dataset.
        after: Name of the second.
        diff: What differs.
    """
    content = {"before": before, "after": after, "equal": diff.is_equal, **asdict(diff)}
    for change in content["changed"]:
        for name in ("mean_before", "mean_after"):
            change[name] = None if math.isnan(change[name]) else change[name]
    return json.dumps(content, indent=2) + "\n"

"""What became of a plan, as tables for the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from sociolect.generators.benchmarks.fable_items import LABELS
from sociolect.harness.fable.rounds import REASONS
from sociolect.harness.fable.stance import VERDICTS


def report(manifest: Mapping[str, Any]) -> Group:
    """Items by category and stance, and why responses were rejected.

    Args:
        manifest: As `sociolect.harness.fable.generate.generate` makes it.
    """
    return Group(
        items_table(manifest), reasons_table(manifest), *(Text(line) for line in notes(manifest))
    )


def items_table(manifest: Mapping[str, Any]) -> Table:
    """Items of every category and stance, of those planned."""
    table = Table(title="Items, of those planned")
    table.add_column("category")
    for label in LABELS:
        table.add_column(label, justify="right")
    for category, own in manifest["by_category"].items():
        cells = (f"{own[label]['items']:,} of {own[label]['planned']:,}" for label in LABELS)
        table.add_row(Text(category), *cells)
    return table


def reasons_table(manifest: Mapping[str, Any]) -> Table:
    """What became of the responses, by the stance that was wanted."""
    responses = manifest["responses"]
    table = Table(title="Responses")
    table.add_column("")
    for name in ("all", *LABELS):
        table.add_column(name, justify="right")
    by_label = responses["rejected_by_label"]
    for reason, number in responses["rejected"].items():
        if number:
            own = (f"{by_label[label].get(reason, 0):,}" for label in LABELS)
            table.add_row(f"rejected: {REASONS[reason]}", f"{number:,}", *own)
    table.add_row("accepted", f"{responses['accepted']:,}", *_accepted(responses))
    table.add_row("written", f"{responses['written']:,}", "", "", "")
    return table


def _accepted(responses: Mapping[str, Any]) -> Iterator[str]:
    verdicts = responses["verdicts_of_the_checker"]
    return (f"{verdicts[label][label]:,}" for label in LABELS)


def notes(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Balance, and what the checker read."""
    cells = manifest["by_question_and_label"]
    missing = manifest["planned"] - manifest["items"] - manifest["dropped_for_balance"]
    if manifest["complete"]:
        yield f"all {manifest['planned']:,} items are there{_evenness(manifest)}"
    else:
        yield (
            f"{manifest['items']:,} of {manifest['planned']:,} items; {missing:,} have no "
            f"response, {manifest['dropped_for_balance']:,} were left out for balance"
        )
        yield (
            f"pairs of question and stance: {cells['complete']:,} of {cells['cells']:,} complete, "
            f"{cells['fewest']:,} to {cells['most']:,} items each"
        )
    verdicts = manifest["responses"]["verdicts_of_the_checker"]
    for label in LABELS:
        own = verdicts[label]
        if total := sum(own.values()):
            read = ", ".join(f"{own[name]:,} {name}" for name in VERDICTS if own[name])
            yield f"{label} wanted, {total:,} checked: read as {read}"


def _evenness(manifest: Mapping[str, Any]) -> str:
    """Whether the stances are balanced, of a set that lacks nothing."""
    rows = manifest["by_category"].values()
    if all(len({own[label]["items"] for label in LABELS}) == 1 for own in rows):
        return ", as many of every stance in each category"
    return "; the part of the plan that was asked for is not balanced"

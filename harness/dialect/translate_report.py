"""What became of the texts of a translation, as tables for the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from sociolect.generators.dialect.rejection import REASONS
from sociolect.harness.dialect.translate_prompts import STEPS

_HEADS = {"sae": "AAE to SAE", "back": "SAE to AAE"}


def report(manifest: Mapping[str, Any]) -> Group:
    """Translations by step and fate, and the pairs that they make.

    Args:
        manifest: As `sociolect.harness.dialect.translate.translate` makes it.
    """
    return Group(_table(manifest["steps"]), *(Text(line) for line in _notes(manifest)))


def _table(steps: Mapping[str, Any]) -> Table:
    table = Table(title="Translations")
    table.add_column("")
    for step in STEPS:
        table.add_column(_HEADS[step], justify="right")
    for reason, told in REASONS.items():
        numbers = [steps[step]["rejected"][reason] for step in STEPS]
        if any(numbers):
            table.add_row(f"rejected: {told}", *(f"{n:,}" for n in numbers))
    for name in ("accepted", "asked"):
        table.add_row(name, *(f"{steps[step][name]:,}" for step in STEPS))
    return table


def _notes(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield f"{manifest['pairs']:,} of {manifest['texts']:,} texts have both translations"
    for step in STEPS:
        lost = manifest["steps"][step]["texts_lost"]
        if lost:
            told = ", ".join(f"{n:,} {reason}" for reason, n in lost.items())
            n = sum(lost.values())
            yield f"{_HEADS[step]}: {n:,} texts without a translation (last reasons: {told})"

"""The examples of `examples`, as text and as JSON."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from rich.console import Console
from rich.text import Text

from sociolect import __version__
from sociolect.generators.text import apply
from sociolect.harness.analyses.examples import Answered, Example
from sociolect.harness.diff import highlighted
from sociolect.harness.exports import json_text
from sociolect.harness.sheets import printable


def excerpt(generation: str, length: int) -> str:
    """The end of a generation, where the answer is, on one line without control characters."""
    text = printable(" ".join(generation.split()))
    return text if len(text) <= length else f"…{text[-length:]}"


def render_examples(examples: Iterable[Example], *, length: int = 300, colour: bool = False) -> str:
    """The examples as text, edits marked as `[-removed-]{+added+}`.

    Args:
        examples: What to show.
        length: Characters of a generation that are shown.
        colour: Whether to write escape sequences; none comes from the examples themselves.
    """
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=10_000,
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        highlight=False,
        soft_wrap=True,
    )
    for example in examples:
        for line in _lines(example, length):
            console.print(line)
    return buffer.getvalue()


def _lines(example: Example, length: int) -> Iterable[Text]:
    where = (example.model, example.condition, example.form, example.pair_id)
    yield Text(printable(" · ".join(where)), style="bold")
    yield Text(printable(f"  {example.question}  {' / '.join(example.options)}"))
    versions = (
        ("clean, anti", example.clean_anti),
        ("errors, pro", example.errored_pro),
        ("errors, anti", example.errored_anti),
    )
    for name, version in versions:
        yield Text.assemble(f"  {name:<12}  ", _marked(version))
        verdict = "right" if version.right else "wrong"
        count = f"{version.count} of {version.asked}"
        yield Text(printable(f"  {'':<12}  → {version.answer} ({verdict}, {count})"))
        if version.generation:
            yield Text(f"  {'':<12}  “{excerpt(version.generation, length)}”")
    yield Text("")


def _marked(version: Answered) -> Text:
    """The sentence with its edits; control characters are replaced one by one, so offsets hold."""
    edits = [
        replace(e, original=printable(e.original), replacement=printable(e.replacement))
        for e in version.edits
    ]
    return highlighted(printable(version.text), edits)


def examples_json(examples: Iterable[Example], notes: Sequence[str]) -> str:
    """The examples with whole generations, and for each the text with its edits applied."""
    return json_text(
        {
            "schema": "sociolect.examples",
            "schema_version": 1,
            "sociolect_version": __version__,
            "examples": [_table(example) for example in examples],
            "remarks": list(notes),
        }
    )


def _table(example: Example) -> dict[str, Any]:
    table = asdict(example)
    for name in ("clean_anti", "errored_pro", "errored_anti"):
        version: Answered = getattr(example, name)
        table[name]["perturbed"] = apply(version.text, version.edits)
    return table

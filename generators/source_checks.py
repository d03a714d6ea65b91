"""Checks of a build against the source files of its benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.generators.faults import Fault, shown, shown_difference
from sociolect.generators.items import PART_NAMES, Benchmark, Item, Pair
from sociolect.generators.manifest import Manifest
from sociolect.generators.stored import is_withheld


def benchmark_faults(manifest: Manifest, benchmark: Benchmark) -> Iterator[Fault]:
    """Whether the manifest names the source files and invalid pairs of the loaded benchmark.

    Raises:
        InvalidInputError: The build is of another benchmark.
    """
    if manifest["benchmark"] != benchmark.name:
        raise InvalidInputError(
            f"the dataset is of {manifest['benchmark']}, the source files are of {benchmark.name}"
        )
    stated = {s["name"]: s["sha256"] for s in manifest["sources"]}
    loaded = {s.name: s.sha256 for s in benchmark.sources}
    for name in sorted({*stated, *loaded}):
        pair = loaded.get(name, "no such file"), stated.get(name, "no such file")
        if pair[0] != pair[1]:
            yield Fault("source", "", "", f"SHA-256 of {name} in the manifest", *pair)
    quoted = not is_withheld(manifest)  # else the notes, which quote the text, are left out
    invalid = {p.id: p.note if quoted else "" for p in benchmark.pairs if not p.valid}
    if manifest["invalid_pairs"] != invalid:
        found = shown(manifest["invalid_pairs"])
        yield Fault("source", "", "", "invalid_pairs of the manifest", shown(invalid), found)


def clean_faults(rows: Sequence[Mapping[str, Any]], benchmark: Benchmark) -> Iterator[Fault]:
    """Whether the rows of the clean config are the items of the benchmark, in their order."""
    by_id = {row["id"]: row for row in rows}
    items = {item.id: (pair, item) for pair in benchmark.pairs for item in pair.members}
    for id_ in items.keys() - by_id.keys():
        yield Fault("source", "clean", id_, "item of the source files", "a row", "none")
    for id_ in by_id.keys() - items.keys():
        yield Fault("source", "clean", id_, "row", "an item of the source files", "none")
    if by_id.keys() == items.keys() and list(by_id) != list(items):
        yield Fault("source", "clean", "", "order of the rows", "that of the items", "another")
    for id_, (pair, item) in items.items():
        row = by_id.get(id_, {})
        for name, wanted in _columns(pair, item).items() if row else ():
            if row[name] != wanted:
                is_text = isinstance(wanted, str)
                show = shown_difference if is_text else lambda a, b: (shown(a), shown(b))
                yield Fault("source", "clean", id_, name, *show(wanted, row[name]))


def _columns(pair: Pair, item: Item) -> dict[str, Any]:
    return {
        "pair_id": item.pair_id,
        "pair_valid": pair.valid,
        "axis": item.axis,
        "member": item.member,
        **{part: item.parts[part].text for part in PART_NAMES},
        "question": item.question,
        "options": list(item.options),
        "gold": item.gold,
        "target_option": item.target_option,
        "protected": [
            {"part": part, "start": s.start, "end": s.end}
            for part in PART_NAMES
            for s in item.parts[part].protected
        ],
    }

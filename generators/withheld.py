"""Datasets of a benchmark whose source states no licence: published without its text.

What a row keeps is our own: ids, offsets, replacements, rates, the instruction and the options.
Whoever has the source gets the full rows back, equal to those of the build to the last byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sociolect.generators.errors import SourceError
from sociolect.generators.items import PART_NAMES, Benchmark, Item, PartName
from sociolect.generators.manifest import Manifest
from sociolect.generators.noise.realised import CHANGES
from sociolect.generators.rows import Row, config_sha256, schema
from sociolect.generators.stored import WITHHELD, WITHHELD_COLUMNS, WITHHELD_EDIT_FIELDS
from sociolect.generators.text import Edit, Span, apply


def has_no_licence(manifest: Mapping[str, Any]) -> bool:
    """Whether the source of a build states no licence, so that its text may not be published."""
    return not manifest["licence"]


def strip_manifest(manifest: Manifest) -> Manifest:
    """The manifest of a release without text; the notes on pairs quote it, so only ids stay."""
    ids = dict.fromkeys(manifest["invalid_pairs"], "")
    return {**manifest, "text": WITHHELD, "invalid_pairs": ids}


def strip_rows(rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Rows without `input` and `question`, and edits without `original`."""
    return [_without(row, WITHHELD_COLUMNS) | {"edits": _bare(row["edits"])} for row in rows]


def _bare(edits: Iterable[Mapping[str, Any]]) -> list[Row]:
    return [_without(edit, WITHHELD_EDIT_FIELDS) for edit in edits]


def _without(table: Mapping[str, Any], names: Iterable[str]) -> Row:
    return {key: value for key, value in table.items() if key not in names}


def restore_rows(
    rows: Iterable[Mapping[str, Any]], benchmark: Benchmark, *, sha256: str = ""
) -> list[Row]:
    """The full rows again, from rows without text and their source.

    Args:
        rows: Rows as `strip_rows` returns them.
        benchmark: The benchmark that they were built from.
        sha256: What `config_sha256` of the full rows must be (the manifest says it), 64
            hexadecimal digits; empty for no such check.

    Raises:
        SourceError: The benchmark is not the one that the rows were built from: an item is
            missing, an edit or a protected span does not fit, or the hash differs.
    """
    items = {item.id: item for item in benchmark.items}
    restored = [_restored(row, _item(row, items, benchmark.name)) for row in rows]
    if sha256 and config_sha256(restored) != sha256:
        raise _differs(
            benchmark.name, f"the restored rows are not those of the build (SHA-256 {sha256[:12]}…)"
        )
    return restored


def _restored(row: Mapping[str, Any], item: Item) -> Row:
    _check_spans(row, item)
    edits = list(_edits(row, item))
    full = dict(row) | {"question": item.question, "edits": edits}
    for part in PART_NAMES:
        fields = ({k: v for k, v in e.items() if k != "part"} for e in edits if e["part"] == part)
        full[part] = apply(item.parts[part].text, [Edit(**edit) for edit in fields])
    if full["instruction"] != row["instruction"]:
        raise _differs(row["benchmark"], f"{row['id']} has another instruction")
    return {name: full[name] for name in schema(noise=CHANGES[0] in full).names}


def _edits(row: Mapping[str, Any], item: Item) -> Iterator[dict[str, Any]]:
    for edit in row["edits"]:
        part: PartName = edit["part"]
        original = Span(edit["start"], edit["end"]).of(item.parts[part].text)
        if len(original) != edit["end"] - edit["start"]:
            raise _differs(row["benchmark"], f"an edit of {row['id']} ends after its {part}")
        yield {**edit, "original": original}


def _item(row: Mapping[str, Any], items: Mapping[str, Item], benchmark: str) -> Item:
    if row["id"] not in items:
        raise _differs(benchmark, f"it has no item {row['id']}")
    return items[row["id"]]


def _check_spans(row: Mapping[str, Any], item: Item) -> None:
    ours = [(p, s.start, s.end) for p in PART_NAMES for s in item.parts[p].protected]
    theirs = [(s["part"], s["start"], s["end"]) for s in row["protected"]]
    if ours != theirs:
        raise _differs(row["benchmark"], f"{row['id']} protects other places")


def _differs(benchmark: str, how: str) -> SourceError:
    return SourceError(
        f"the text of {benchmark} cannot be put back into its published rows: {how}. Use the "
        "source files that the manifest names, and the version of sociolect that it names"
    )

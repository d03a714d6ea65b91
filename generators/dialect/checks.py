"""A folder of pairs checked against itself, and against the corpus if that is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sociolect.generators.dialect.folder import Built, foreign_entries, read_manifest, read_rows
from sociolect.generators.dialect.manifest import TOOLS, aae_sha256, reasons, split_sizes
from sociolect.generators.dialect.pair_faults import CONFIG, Row, row_faults
from sociolect.generators.dialect.pairs import BENCHMARK, VARIETIES, DialectPair
from sociolect.generators.dialect.withheld import restore
from sociolect.generators.errors import DataError, SourceError
from sociolect.generators.faults import Fault, Ledger, shown, shown_difference
from sociolect.generators.installed import installed
from sociolect.generators.layout import CARD
from sociolect.generators.rows import config_sha256
from sociolect.generators.verify import Report, ToolDifference


def verify(folder: Path, *, pairs: Sequence[DialectPair] | None = None) -> Report:
    """Check every statement that a folder of pairs makes.

    Args:
        folder: The folder.
        pairs: The corpus from its source files; texts are compared with it, and AAE texts that
            were left out are put back. None leaves both out.

    Raises:
        DataError: The folder has no manifest, or a damaged one.
    """
    manifest = read_manifest(folder)
    ledger = Ledger()
    if not (folder / CARD).is_file():
        ledger.add([Fault("file", "", "", f"{CARD}, which names the config", "a file", "none")])
    rows: tuple[Row, ...] = ()
    try:
        rows = read_rows(folder)
    except DataError as error:
        expected = "one that can be read, with the columns of this version"
        ledger.add([Fault("file", CONFIG, "", "its parquet file", expected, str(error))])
    else:
        ledger.add(faults(Built(manifest, rows), pairs))
    return Report(
        benchmark=f"{BENCHMARK} ({manifest['name']})",
        data_version=manifest["data_version"],
        configs=(CONFIG,),
        rows=len(rows),
        first=tuple(ledger.first.values()),
        counts=dict(ledger.counts),
        tools=_tool_differences(manifest),
        notes=tuple(_notes(folder, manifest, pairs)),
    )


def faults(built: Built, pairs: Sequence[DialectPair] | None = None) -> Iterator[Fault]:
    """What is wrong with pairs and their manifest.

    Args:
        built: What was read.
        pairs: The corpus from its source files, or None.
    """
    yield from _manifest_faults(built)
    wrong = list(row_faults(built.rows, withheld=built.is_withheld))
    yield from wrong
    if pairs is not None and built.is_withheld and not wrong:
        try:
            built = restore(built, pairs)
        except SourceError as error:
            expected = "those of the corpus"
            yield Fault("source", CONFIG, "", "AAE texts left out", expected, str(error))
        yield from row_faults(built.rows, withheld=built.is_withheld)
    if pairs is not None:
        yield from _source_faults(built, pairs)
    yield from split_faults(built.rows, withheld=built.is_withheld)


def _manifest_faults(built: Built) -> Iterator[Fault]:
    manifest, rows = built.manifest, built.rows
    entry = manifest["configs"][CONFIG]
    said: list[tuple[str, str, Any, Any]] = [
        ("row count", "rows", len(rows), entry["rows"]),
        ("sha256", "sha256 of the rows", config_sha256(rows), entry["sha256"]),
        ("manifest", "splits", split_sizes(rows), manifest["splits"]),
        ("manifest", "counts of the segmentation", *_segmentation(manifest, rows)),
    ]
    if not built.is_withheld:
        said.append(("sha256", "aae_sha256", aae_sha256(rows), manifest["aae_sha256"]))
    for kind, what, derived, stated in said:
        if derived != stated:
            yield Fault(kind, CONFIG, "", what, shown(derived), shown(stated))
    if not rows:
        yield Fault("row count", CONFIG, "", "rows", "at least one", "none")


def _segmentation(manifest: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Any, Any]:
    """What the rows say, and what the manifest says."""
    if manifest["segmentation"] is None:
        return 0, sum(row["sae_boundary"] is not None for row in rows)
    return reasons(rows), manifest["segmentation"]["counts"]


def split_faults(rows: Iterable[Row], *, withheld: bool = False) -> Iterator[Fault]:
    """What two splits share that they may not, and rated pairs in splits that are not for them.

    Pairs with ratings of naturalness are what cDGI (dialect paper, Eq. 1) is reported on, so
    neither tracing nor the dialect direction may have seen them.

    Args:
        rows: The pairs.
        withheld: Whether the AAE texts were left out; then only the others are compared.
    """
    columns = ("group", "sae") if withheld else ("group", *VARIETIES)
    first: dict[tuple[str, str], Row] = {}
    for row in rows:
        if not row["split"]:
            continue
        for column in columns:
            value = row[column]
            other = first.setdefault((column, value), row) if value else row
            if other["split"] != row["split"]:
                expected = f"the split of {other['id']}, {other['split']}: both have this {column}"
                yield Fault("splits", CONFIG, row["id"], "split", expected, row["split"])
        if row["naturalness"] is not None and row["split"] in ("tracing", "direction"):
            expected = "selection or evaluation, for naturalness was rated"
            yield Fault("naturalness", CONFIG, row["id"], "split", expected, row["split"])


def _source_faults(built: Built, pairs: Iterable[DialectPair]) -> Iterator[Fault]:
    """Rows that are not the pair of that id in the corpus, and pairs that no row holds."""
    columns = (*(() if built.is_withheld else ("aae",)), "sae", "aae_back")
    source = {pair.id: pair for pair in pairs}
    left = dict(source)
    for row in built.rows:
        pair = source.get(row["id"])
        left.pop(row["id"], None)
        if pair is None:
            yield Fault("source", CONFIG, row["id"], "id", "one of the corpus", "another")
            continue
        for column in columns:
            wanted, found = getattr(pair, column), row[column]
            if found != wanted:
                two = shown_difference(wanted, found)
                yield Fault("source", CONFIG, row["id"], column, *two)
        if row["naturalness"] != pair.naturalness:
            two = str(pair.naturalness), str(row["naturalness"])
            yield Fault("source", CONFIG, row["id"], "naturalness", *two)
    for id_ in left:
        yield Fault("source", CONFIG, id_, "id", "a row, as in the corpus", "none")


def _tool_differences(manifest: Mapping[str, Any]) -> tuple[ToolDifference, ...]:
    built = manifest["toolchain"]
    here = installed(TOOLS) if built else {}
    return tuple(
        ToolDifference(name, built.get(name, "none"), here.get(name, "none"))
        for name in sorted({*built, *here})
        if built.get(name, "none") != here.get(name, "none")
    )


def _notes(
    folder: Path, manifest: Mapping[str, Any], pairs: Sequence[DialectPair] | None
) -> Iterator[str]:
    """What was not looked at."""
    if manifest["text"] == "withheld" and pairs is None:
        yield "the AAE texts are withheld: what is said of them was not checked"
    if pairs is None:
        yield "the texts were not compared with the corpus that they are from"
    if manifest["segmentation"] is not None:
        yield "boundaries were checked for form; they were not computed again"
    if foreign := foreign_entries(folder):
        yield f"not part of the build: {', '.join(foreign[:3])}{', …' if len(foreign) > 3 else ''}"

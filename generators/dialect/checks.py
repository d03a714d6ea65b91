"""A folder of pairs checked against itself, and against the corpus if that is at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sociolect.generators.dialect.build import without_folders
from sociolect.generators.dialect.folder import Built, foreign_entries, read_manifest, read_rows
from sociolect.generators.dialect.manifest import (
    TOOLS,
    aae_sha256,
    reasons,
    segmented_of,
    split_sizes,
)
from sociolect.generators.dialect.pair_faults import CONFIG, Row, row_faults
from sociolect.generators.dialect.pair_files import PairFile
from sociolect.generators.dialect.pair_relations import wording
from sociolect.generators.dialect.pairs import BENCHMARK, DialectPair
from sociolect.generators.dialect.split_checks import split_faults, unchecked
from sociolect.generators.dialect.unlike import unlike_counts
from sociolect.generators.dialect.withheld import DERIVED, restore, telling
from sociolect.generators.errors import DataError, SourceError
from sociolect.generators.faults import Fault, Ledger, shown, shown_difference
from sociolect.generators.installed import installed
from sociolect.generators.layout import CARD, is_version
from sociolect.generators.licences import is_spdx
from sociolect.generators.rows import config_sha256
from sociolect.generators.verify import Report, ToolDifference


def verify(folder: Path, *, corpus: PairFile | None = None) -> Report:
    """Check every statement that a folder of pairs makes.

    Args:
        folder: The folder.
        corpus: The pairs from their source files; rows are compared with them, and AAE texts that
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
        ledger.add(faults(Built(manifest, rows), corpus))
    return Report(
        benchmark=f"{BENCHMARK} ({manifest['name']})",
        data_version=manifest["data_version"],
        configs=(CONFIG,),
        rows=len(rows),
        first=tuple(ledger.first.values()),
        counts=dict(ledger.counts),
        tools=_tool_differences(manifest),
        notes=tuple(_notes(folder, Built(manifest, rows), corpus)),
    )


def faults(built: Built, corpus: PairFile | None = None) -> Iterator[Fault]:
    """What is wrong with pairs and their manifest.

    Args:
        built: What was read.
        corpus: The pairs from their source files, or None.
    """
    yield from _manifest_faults(built)
    wrong = list(row_faults(built.rows, withheld=built.is_withheld))
    yield from wrong
    if corpus is not None and built.is_withheld and not wrong:
        yield from _telling_faults(built, corpus)
        try:
            built = restore(built, corpus.pairs)
        except SourceError as error:
            expected = "those of the corpus"
            yield Fault("source", CONFIG, "", "texts left out", expected, str(error))
        yield from row_faults(built.rows, withheld=built.is_withheld)
    if not wrong:
        yield from _unlike_faults(built)
    if corpus is not None:
        yield from _corpus_faults(built, corpus)
    yield from split_faults(built, corpus)


def _manifest_faults(built: Built) -> Iterator[Fault]:
    manifest, rows = built.manifest, built.rows
    entry = manifest["configs"][CONFIG]
    said: list[tuple[str, str, Any, Any]] = [
        ("row count", "rows", len(rows), entry["rows"]),
        ("sha256", "sha256 of the rows", config_sha256(rows), entry["sha256"]),
        ("manifest", "splits", split_sizes(rows), manifest["splits"]),
        ("manifest", "counts of the segmentation", *_segmentation(manifest, rows)),
    ]
    if built.is_withheld:
        count = manifest.get("withheld", {}).get("sae", 0)
        said.append(("manifest", "SAE texts left out", sum(not row["sae"] for row in rows), count))
    else:
        said.append(("sha256", "aae_sha256", aae_sha256(rows), manifest["aae_sha256"]))
    for kind, what, derived, stated in said:
        if derived != stated:
            yield Fault(kind, CONFIG, "", what, shown(derived), shown(stated))
    yield from _form_faults(manifest)
    if not rows:
        yield Fault("row count", CONFIG, "", "rows", "at least one", "none")


def _form_faults(manifest: Mapping[str, Any]) -> Iterator[Fault]:
    """Statements that stand in cards and tags, and are not what may stand there."""
    version, licence = manifest["data_version"], manifest["licence"]
    if not is_version(version):
        yield Fault("manifest", "", "", "data_version", "X.Y.Z with plain numbers", shown(version))
    if licence and not is_spdx(licence):
        yield Fault("manifest", "", "", "licence", "an SPDX identifier or none", shown(licence))


def _telling_faults(built: Built, corpus: PairFile) -> Iterator[Fault]:
    """AAE texts in the other columns of a folder without them."""
    for row, column in telling(built.rows, (wording(pair.aae) for pair in corpus.pairs)):
        expected = "no AAE text of the corpus, for these are withheld"
        yield Fault("sides", CONFIG, row["id"], column, expected, "one, but for case and marks")


def _segmentation(manifest: Mapping[str, Any], rows: Sequence[Row]) -> tuple[Any, Any]:
    """What the rows say, and what the manifest says."""
    if manifest["segmentation"] is None:
        return 0, sum(row["sae_boundary"] is not None for row in rows)
    return reasons(rows), manifest["segmentation"]["counts"]


def _unlike_faults(built: Built) -> Iterator[Fault]:
    """Counts of unlike continuations that are none of the rows; older manifests have none."""
    stated = (built.manifest["segmentation"] or {}).get("unlike")
    if stated is None or built.is_withheld:
        return
    derived = unlike_counts(segmented_of(row) for row in built.rows)
    if derived != stated:
        what = "counts of unlike continuations"
        yield Fault("manifest", CONFIG, "", what, shown(derived), shown(stated))


def _corpus_faults(built: Built, corpus: PairFile) -> Iterator[Fault]:
    """What rows and manifest say other than the corpus."""
    said = {
        "sources": ([asdict(s) for s in corpus.sources], built.manifest["sources"]),
        "dropped": ([asdict(d) for d in without_folders(corpus)], built.manifest["dropped"]),
    }
    for what, (expected, found) in said.items():
        if expected != found:
            yield Fault("source", "", "", what, shown(expected), shown(found))
    rows = {row["id"]: row for row in built.rows}
    for pair in corpus.pairs:
        row = rows.pop(pair.id, None)
        if row is None:
            yield Fault("source", CONFIG, pair.id, "id", "a row, as in the corpus", "none")
        else:
            yield from _pair_faults(row, pair, withheld=built.is_withheld)
    for id_ in rows:
        yield Fault("source", CONFIG, id_, "id", "one of the corpus", "another")


def _pair_faults(row: Row, pair: DialectPair, *, withheld: bool) -> Iterator[Fault]:
    for column in DERIVED if withheld else ("aae", *DERIVED):
        wanted, found = getattr(pair, column), row[column]
        if found != wanted and (found or not withheld):
            two = shown_difference(wanted, found)
            yield Fault("source", CONFIG, row["id"], column, *two)
    for column in ("naturalness",) if withheld else ("naturalness", "group"):
        wanted, found = getattr(pair, column), row[column]
        if found != wanted:
            yield Fault("source", CONFIG, row["id"], column, shown(wanted), shown(found))


def _whole(built: Built, corpus: PairFile) -> Built:
    """The pairs with their AAE texts, if the corpus gives them."""
    try:
        return restore(built, corpus.pairs) if built.is_withheld else built
    except SourceError:
        return built


def _tool_differences(manifest: Mapping[str, Any]) -> tuple[ToolDifference, ...]:
    built = manifest["toolchain"]
    here = installed(TOOLS) if built else {}
    return tuple(
        ToolDifference(name, built.get(name, "none"), here.get(name, "none"))
        for name in sorted({*built, *here})
        if built.get(name, "none") != here.get(name, "none")
    )


def _notes(folder: Path, built: Built, corpus: PairFile | None) -> Iterator[str]:
    """What was not looked at."""
    if built.is_withheld and corpus is None:
        yield (
            "the AAE texts are withheld: what is said of them was not checked, nor whether SAE or "
            "back-translation is one of them"
        )
    if corpus is None:
        yield "the texts were not compared with the corpus that they are from"
    if why := unchecked(built if corpus is None else _whole(built, corpus), corpus):
        yield why
    if built.manifest["segmentation"] is not None:
        yield "boundaries were checked for form; they were not computed again"
    if foreign := foreign_entries(folder):
        yield f"not part of the build: {', '.join(foreign[:3])}{', …' if len(foreign) > 3 else ''}"

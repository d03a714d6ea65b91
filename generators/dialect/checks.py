"""A folder of pairs checked against itself, and against the corpus if that is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.dialect.build import split, without_folders
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
from sociolect.generators.dialect.pair_relations import SHARED
from sociolect.generators.dialect.pairs import BENCHMARK, DialectPair
from sociolect.generators.dialect.splits import Sizes
from sociolect.generators.dialect.withheld import restore
from sociolect.generators.errors import DataError, SociolectError, SourceError
from sociolect.generators.faults import Fault, Ledger, shown, shown_difference
from sociolect.generators.installed import installed
from sociolect.generators.layout import CARD
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
        notes=tuple(_notes(folder, manifest, corpus)),
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
        try:
            built = restore(built, corpus.pairs)
        except SourceError as error:
            expected = "those of the corpus"
            yield Fault("source", CONFIG, "", "AAE texts left out", expected, str(error))
        yield from row_faults(built.rows, withheld=built.is_withheld)
    if corpus is not None:
        yield from _corpus_faults(built, corpus)
    yield from split_faults(built)


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


def split_faults(built: Built) -> Iterator[Fault]:
    """What two splits share that they may not, and splits that are not those of the hash.

    Pairs with a rated back-translation are what cDGI (dialect paper, Eq. 1) is reported on, so
    neither tracing nor the dialect direction may have seen them, unless the file put them there.
    """
    pairs = [segmented_of(row).pair for row in built.rows]
    first: dict[tuple[str, str], DialectPair] = {}
    for pair in pairs:
        for shared in SHARED if pair.split else ():
            value = shared.of(pair)
            other = first.setdefault((shared.what, value), pair) if value else pair
            if other.split != pair.split:
                expected = f"{other.split}, as {other.id}: both have this {shared.what}"
                yield Fault("splits", CONFIG, pair.id, "split", expected, pair.split)
    how = built.manifest.get("splitting", {})
    if how.get("by") == "hash":
        yield from _rated_faults(pairs)
        if not built.is_withheld and built.manifest["sociolect_version"] == __version__:
            yield from _hash_faults(pairs, how)


def _rated_faults(pairs: Iterable[DialectPair]) -> Iterator[Fault]:
    for pair in pairs:
        if pair.naturalness is not None and pair.split in ("tracing", "direction"):
            expected = "selection or evaluation, for its back-translation was rated"
            yield Fault("naturalness", CONFIG, pair.id, "split", expected, pair.split)


def _hash_faults(pairs: Sequence[DialectPair], how: Mapping[str, Any]) -> Iterator[Fault]:
    """Splits that seed and sizes do not give again."""
    try:
        bare = [replace(pair, split="") for pair in pairs]
        again = split(bare, Sizes(**how["sizes"]), how["seed"]).pairs
    except (SociolectError, KeyError, TypeError) as error:
        found = f"{type(error).__name__}: {error}"
        yield Fault("manifest", CONFIG, "", "splitting", "a seed and sizes of splits", found)
        return
    for pair, wanted in zip(pairs, again, strict=True):
        if pair.split != wanted.split:
            expected = f"{wanted.split or 'none'}, by its hash"
            yield Fault("splits", CONFIG, pair.id, "split", expected, pair.split or "none")


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
    columns = ("sae", "aae_back") if withheld else ("aae", "sae", "aae_back")
    for column in columns:
        wanted, found = getattr(pair, column), row[column]
        if found != wanted:
            two = shown_difference(wanted, found)
            yield Fault("source", CONFIG, row["id"], column, *two)
    for column in ("naturalness", "group"):
        wanted, found = getattr(pair, column), row[column]
        if found != wanted:
            yield Fault("source", CONFIG, row["id"], column, shown(wanted), shown(found))


def _tool_differences(manifest: Mapping[str, Any]) -> tuple[ToolDifference, ...]:
    built = manifest["toolchain"]
    here = installed(TOOLS) if built else {}
    return tuple(
        ToolDifference(name, built.get(name, "none"), here.get(name, "none"))
        for name in sorted({*built, *here})
        if built.get(name, "none") != here.get(name, "none")
    )


def _notes(folder: Path, manifest: Mapping[str, Any], corpus: PairFile | None) -> Iterator[str]:
    """What was not looked at."""
    if manifest["text"] == "withheld" and corpus is None:
        yield "the AAE texts are withheld: what is said of them was not checked"
    if corpus is None:
        yield "the texts were not compared with the corpus that they are from"
    if manifest["segmentation"] is not None:
        yield "boundaries were checked for form; they were not computed again"
    if foreign := foreign_entries(folder):
        yield f"not part of the build: {', '.join(foreign[:3])}{', …' if len(foreign) > 3 else ''}"

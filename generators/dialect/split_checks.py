"""Whether the splits of a folder of pairs are disjoint, and those that its manifest speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sociolect import __version__
from sociolect.generators.dialect.build import split
from sociolect.generators.dialect.folder import Built
from sociolect.generators.dialect.manifest import segmented_of
from sociolect.generators.dialect.pair_faults import CONFIG
from sociolect.generators.dialect.pair_files import PairFile
from sociolect.generators.dialect.pair_relations import SHARED
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.dialect.splits import Sizes
from sociolect.generators.errors import SociolectError
from sociolect.generators.faults import Fault, shown

WAYS = ("hash", "file", "none")
"""How splits come about: from seed and sizes, from the file of pairs, or not at all."""


def split_faults(built: Built, corpus: PairFile | None = None) -> Iterator[Fault]:
    """What two splits share that they may not, and splits that are not those of the manifest.

    Pairs with a rated back-translation are what cDGI (dialect paper, Eq. 1) is reported on, so
    neither tracing nor the dialect direction may have seen them, unless the file put them there.

    Args:
        built: What was read.
        corpus: The pairs from their source files, or None.
    """
    pairs = [segmented_of(row).pair for row in built.rows]
    yield from _overlaps(pairs)
    how = built.manifest.get("splitting", {})
    by = how.get("by")
    if by not in WAYS:
        expected = f"by, one of {', '.join(WAYS)}"
        yield Fault("manifest", CONFIG, "", "splitting", expected, shown(how))
    elif by == "none":
        yield from (_fault(p, "none, as the manifest says", p.split) for p in pairs if p.split)
    elif by == "file" and corpus is not None:
        yield from _file_faults(pairs, corpus)
    elif by == "hash":
        yield from _rated_faults(pairs)
        if not unchecked(built, corpus):
            yield from _hash_faults(pairs, how)


def unchecked(built: Built, corpus: PairFile | None) -> str:
    """Why splits are not compared with where they are from; empty if they are."""
    by = built.manifest.get("splitting", {}).get("by")
    if by == "file" and corpus is None:
        return "the splits were not compared with the file that they are from"
    if by == "hash" and built.is_withheld:
        return "the splits were not derived again: that takes the groups and texts left out"
    if by == "hash" and built.manifest["sociolect_version"] != __version__:
        version = shown(built.manifest["sociolect_version"], 40)
        return f"the splits were not derived again: they were made by version {version}"
    return ""


def _fault(pair: DialectPair, expected: str, found: str) -> Fault:
    return Fault("splits", CONFIG, pair.id, "split", expected, found or "none")


def _overlaps(pairs: Iterable[DialectPair]) -> Iterator[Fault]:
    first: dict[tuple[str, str], DialectPair] = {}
    for pair in pairs:
        for shared in SHARED if pair.split else ():
            value = shared.of(pair)
            other = first.setdefault((shared.what, value), pair) if value else pair
            if other.split != pair.split:
                expected = f"{other.split}, as {other.id}: both have this {shared.what}"
                yield _fault(pair, expected, pair.split)


def _file_faults(pairs: Iterable[DialectPair], corpus: PairFile) -> Iterator[Fault]:
    """Splits that are not those of the file; a row that is not in it has a fault of its own."""
    wanted = {pair.id: pair.split for pair in corpus.pairs}
    for pair in pairs:
        if pair.id in wanted and pair.split != wanted[pair.id]:
            yield _fault(pair, f"{wanted[pair.id] or 'none'}, as in the file", pair.split)


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
            yield _fault(pair, f"{wanted.split or 'none'}, by its hash", pair.split)

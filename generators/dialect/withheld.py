"""Pairs whose AAE texts may not be passed on, and how their owner puts the texts back.

What stays is ids, SAE, back-translation, ratings, splits and boundaries. An SAE text or a
back-translation that is an AAE text of these pairs, letter for letter (`pair_relations.wording`),
is left out as well, and groups, which may name authors, become numbers. One hash of all AAE texts
together says whether texts that are put back are those that the folder was built from, and one of
the rows whether the rest is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sociolect.generators.dialect.folder import WHOLE, WITHHELD, Built
from sociolect.generators.dialect.manifest import aae_sha256, entry_of
from sociolect.generators.dialect.pair_faults import CONFIG, Row
from sociolect.generators.dialect.pair_relations import blank, wording
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import InvalidInputError, SourceError
from sociolect.generators.rows import config_sha256

DERIVED = ("sae", "aae_back")
"""Columns that are made from the AAE texts, and may have come out as one of them."""

FEWEST_WITHHELD = 100
"""Pairs that a folder without AAE texts has at least when it is published: the hash of a few short
texts can be found by trying."""


def withhold(built: Built) -> Built:
    """The pairs without their AAE texts; the manifest keeps the hash of these.

    Under `withheld` the manifest says how many texts of `DERIVED` were left out with them, how many
    groups became numbers, and what the hash of the rows is when all texts are back.

    Raises:
        InvalidInputError: The texts have been left out already.
    """
    if built.is_withheld:
        raise InvalidInputError("the AAE texts of these pairs have been left out already")
    numbered = _numbered(built.rows)
    told = {(row["id"], column) for row, column in telling(numbered, _wordings(built.rows))}
    rows = tuple(
        {**row, "aae": "", **{c: "" for c in DERIVED if (row["id"], c) in told}} for row in numbered
    )
    said = {
        **{column: sum(one == column for _, one in told) for column in DERIVED},
        "groups": len({row["group"] for row in numbered} - {""}),
        "sha256": config_sha256(numbered),
    }
    return _with_rows({**built.manifest, "withheld": said}, rows, WITHHELD)


def telling(rows: Iterable[Row], wordings: Iterable[str]) -> Iterator[tuple[Row, str]]:
    """Rows and columns of `DERIVED` that hold an AAE text, whatever lies between its letters.

    Args:
        rows: Rows of a folder.
        wordings: Those of all AAE texts (`pair_relations.wording`).
    """
    known = frozenset(wordings)
    for row in rows:
        for column in DERIVED:
            if not blank(row[column]) and wording(row[column]) in known:
                yield row, column


def restore(built: Built, pairs: Iterable[DialectPair]) -> Built:
    """The whole pairs again.

    Args:
        built: Pairs as `withhold` returns them.
        pairs: The texts, by the same ids; what else was left out is taken from them too, and other
            pairs are not used. If they have no groups, groups stay numbers.

    Raises:
        InvalidInputError: Nothing was left out.
        SourceError: Pairs are missing, or what they say is not what the folder was built from.
    """
    if not built.is_withheld:
        raise InvalidInputError("the folder holds its AAE texts; there is nothing to put back")
    found = {pair.id: pair for pair in pairs}
    missing = [row["id"] for row in built.rows if row["id"] not in found]
    if missing:
        raise SourceError(
            f"{len(missing)} of {len(built.rows)} pairs are not in the file, the first is "
            f"{missing[0]!r}. Name the file that the folder was built from, with the same ids"
        )
    own = [found[row["id"]] for row in built.rows]
    rows: tuple[Row, ...] = tuple(
        {**row, "aae": p.aae} for row, p in zip(built.rows, own, strict=True)
    )
    if aae_sha256(rows) != built.manifest["aae_sha256"]:
        raise SourceError(
            "the AAE texts are not those that the folder was built from: their SHA-256 together "
            f"is not {built.manifest['aae_sha256'][:12]}…. Name the file that it was built from, "
            "unchanged"
        )
    if "withheld" in built.manifest:
        rows = _with_groups(_with_derived(built, rows, own), own)
    said = {key: value for key, value in built.manifest.items() if key != "withheld"}
    return _with_rows(said, rows, WHOLE)


def _with_derived(built: Built, rows: Sequence[Row], own: Sequence[DialectPair]) -> tuple[Row, ...]:
    """Rows with the SAE texts and back-translations that are AAE texts.

    Raises:
        SourceError: The pairs do not give those that were left out.
    """
    known = _wordings(rows)
    filled = []
    for row, pair in zip(rows, own, strict=True):
        texts = {c: getattr(pair, c) for c in DERIVED if not row[c]}
        back = {c: text for c, text in texts.items() if text and wording(text) in known}
        filled.append({**row, **back})
    if config_sha256(filled) != built.manifest["withheld"]["sha256"]:
        raise SourceError(
            "the AAE texts are those that the folder was built from, but the SAE texts and "
            "back-translations that were left out with them are not. Name the file that it was "
            "built from, with all its columns"
        )
    return tuple(filled)


def _with_groups(rows: tuple[Row, ...], own: Sequence[DialectPair]) -> tuple[Row, ...]:
    """Rows with the groups of the file.

    Raises:
        SourceError: The file has groups, but others.
    """
    if not any(pair.group for pair in own):
        return rows
    named: tuple[Row, ...] = tuple(
        {**row, "group": pair.group} for row, pair in zip(rows, own, strict=True)
    )
    if _numbered(named) != rows:
        raise SourceError(
            "the groups are not those that the folder was built from. Name the file that it was "
            "built from, or give its groups no column: --column group="
        )
    return named


def _numbered(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Rows whose groups are numbers, from 1 in the order of first appearance."""
    numbers: dict[str, str] = {}
    return tuple(
        {**row, "group": numbers.setdefault(row["group"], str(len(numbers) + 1))}
        if row["group"]
        else row
        for row in rows
    )


def _wordings(rows: Iterable[Row]) -> frozenset[str]:
    return frozenset(wording(row["aae"]) for row in rows)


def _with_rows(manifest: Mapping[str, Any], rows: tuple[Row, ...], text: str) -> Built:
    return Built({**manifest, "text": text, "configs": {CONFIG: entry_of(rows)}}, rows)

"""Pairs whose AAE texts may not be passed on, and how their owner puts the texts back.

What stays is ids, SAE, back-translation, ratings, splits and boundaries. One hash of all AAE texts
together says whether texts that are put back are those that the folder was built from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sociolect.generators.dialect.folder import WHOLE, WITHHELD, Built
from sociolect.generators.dialect.manifest import aae_sha256, entry_of
from sociolect.generators.dialect.pair_faults import CONFIG, Row
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import InvalidInputError, SourceError


def withhold(built: Built) -> Built:
    """The pairs without their AAE texts; the manifest keeps the hash of these.

    Raises:
        InvalidInputError: The texts have been left out already.
    """
    if built.is_withheld:
        raise InvalidInputError("the AAE texts of these pairs have been left out already")
    return _with_texts(built, {row["id"]: "" for row in built.rows}, WITHHELD)


def restore(built: Built, pairs: Iterable[DialectPair]) -> Built:
    """The whole pairs again.

    Args:
        built: Pairs as `withhold` returns them.
        pairs: The texts, by the same ids; what else they say, and other pairs, are not used.

    Raises:
        InvalidInputError: Nothing was left out.
        SourceError: Pairs are missing, or the texts are not those that the folder was built from.
    """
    if not built.is_withheld:
        raise InvalidInputError("the folder holds its AAE texts; there is nothing to put back")
    texts = {pair.id: pair.aae for pair in pairs}
    missing = [row["id"] for row in built.rows if row["id"] not in texts]
    if missing:
        raise SourceError(
            f"{len(missing)} of {len(built.rows)} pairs are not in the file, the first is "
            f"{missing[0]!r}. Name the file that the folder was built from, with the same ids"
        )
    whole = _with_texts(built, texts, WHOLE)
    if aae_sha256(whole.rows) != built.manifest["aae_sha256"]:
        raise SourceError(
            "the AAE texts are not those that the folder was built from: their SHA-256 together "
            f"is not {built.manifest['aae_sha256'][:12]}…. Name the file that it was built from, "
            "unchanged"
        )
    return whole


def _with_texts(built: Built, texts: Mapping[str, str], text: str) -> Built:
    rows: tuple[Row, ...] = tuple({**row, "aae": texts[row["id"]]} for row in built.rows)
    manifest: dict[str, Any] = {
        **built.manifest,
        "text": text,
        "configs": {CONFIG: entry_of(rows)},
    }
    return Built(manifest, rows)

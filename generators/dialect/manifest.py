"""Pairs put together with what their folder says of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from sociolect import __version__
from sociolect.generators.dialect.corpora import CORPORA
from sociolect.generators.dialect.folder import WHOLE, Built
from sociolect.generators.dialect.model_names import model_name
from sociolect.generators.dialect.pair_faults import CONFIG, Row
from sociolect.generators.dialect.pairs import BENCHMARK, SPLITS, Boundaries, DialectPair, Segmented
from sociolect.generators.dialect.unlike import unlike_counts
from sociolect.generators.installed import installed
from sociolect.generators.items import Dropped, SourceFile
from sociolect.generators.layout import DATA_VERSION
from sociolect.generators.rows import config_sha256

NOT_ASKED = "not segmented"
"""Why pairs have no boundaries that were built without segmentation."""

SEGMENTED = "segmented"
"""Name of the count of pairs with boundaries, beside the reasons of the others."""

TOOLS = ("numpy", "sentence-transformers", "tokenizers", "torch", "transformers")


def assemble(
    segmented: Iterable[Segmented],
    *,
    name: str,
    licence: str = "",
    sources: Sequence[SourceFile] = (),
    dropped: Sequence[Dropped] = (),
    segmentation: Mapping[str, Any] | None = None,
    notes: Mapping[str, Any] | None = None,
    data_version: str = DATA_VERSION,
) -> Built:
    """Pairs with their manifest.

    Args:
        segmented: The pairs, in order; see `unsegmented` for those that nobody segmented.
        name: Of the corpus.
        licence: SPDX identifier of the texts' licence, empty if they may not be published.
        sources: The files that the pairs were read from.
        dropped: What of them became no pair, and why.
        segmentation: Settings and models; None if nothing was segmented. Counts are added, of
            reasons and of pairs whose continuations are unlike.
        notes: Further statements, kept in the manifest as they are.
        data_version: Of these pairs, `X.Y.Z`.
    """
    done = list(segmented)
    rows = tuple(row_of(one) for one in done)
    counts = {"counts": reasons(rows), "unlike": unlike_counts(done)}
    said = None if segmentation is None else {**segmentation, **counts}
    manifest = {
        **(notes or {}),
        "benchmark": BENCHMARK,
        "name": name,
        "data_version": data_version,
        "sociolect_version": __version__,
        "text": WHOLE,
        "licence": licence,
        "sources": [asdict(source) for source in sources],
        "dropped": [{"where": one.where, "reason": one.reason} for one in dropped],
        "splits": split_sizes(rows),
        "segmentation": said,
        "toolchain": {} if said is None else installed(TOOLS),
        "aae_sha256": aae_sha256(rows),
        "configs": {CONFIG: entry_of(rows)},
    }
    return Built(manifest, rows)


def known_corpus(manifest: Mapping[str, Any]) -> str:
    """Name of the open corpus that pairs are from; empty for a file of a user's, however called."""
    pinned = all(source["url"] for source in manifest["sources"]) and manifest["sources"]
    return str(manifest["name"]) if pinned and manifest["name"] in CORPORA else ""


def unsegmented(pairs: Iterable[DialectPair]) -> list[Segmented]:
    """Pairs that are built without boundaries."""
    return [Segmented(pair, None, NOT_ASKED) for pair in pairs]


def row_of(segmented: Segmented) -> dict[str, Any]:
    """One row of a folder."""
    pair, ends = segmented.pair, segmented.boundaries
    return {
        "id": pair.id,
        "aae": pair.aae,
        "sae": pair.sae,
        "aae_back": pair.aae_back,
        "naturalness": None if pair.naturalness is None else float(pair.naturalness),
        "split": pair.split,
        "group": pair.group,
        "aae_boundary": None if ends is None else int(ends.aae),
        "sae_boundary": None if ends is None else int(ends.sae),
        "unsegmented": segmented.reason,
    }


def segmented_of(row: Row) -> Segmented:
    """What `row_of` made a row of."""
    names = ("id", "aae", "sae", "aae_back", "naturalness", "split", "group")
    ends = row["aae_boundary"], row["sae_boundary"]
    boundaries = None if None in ends else Boundaries(*ends)
    return Segmented(DialectPair(*(row[n] for n in names)), boundaries, row["unsegmented"])


def split_sizes(rows: Iterable[Row]) -> dict[str, int]:
    """Pairs by split, in the order of `SPLITS`; empty if no pair is in one."""
    counts = Counter(row["split"] for row in rows)
    return {split: counts[split] for split in SPLITS if counts[split]}


def reasons(rows: Iterable[Row]) -> dict[str, int]:
    """Pairs that were segmented, and those that were not by reason, the most frequent first."""
    counts = Counter(row["unsegmented"] or SEGMENTED for row in rows)
    return {SEGMENTED: counts.pop(SEGMENTED, 0), **dict(counts.most_common())}


def segmented_with(manifest: Mapping[str, Any]) -> str:
    """The models that found the boundaries, for one line; empty if none is named.

    `encoder model (53aa5117), aligner org/name at COMMIT`; see `model_name`.
    """
    said = manifest["segmentation"] or {}
    models = {part: said.get(part) for part in ("encoder", "aligner")}
    return ", ".join(
        f"{part} {' at '.join(filter(None, (model_name(one), str(one.get('revision') or ''))))}"
        for part, one in models.items()
        if isinstance(one, Mapping) and one.get("name")
    )


def entry_of(rows: Sequence[Row]) -> dict[str, Any]:
    """What a manifest says of its one config."""
    return {"rows": len(rows), "sha256": config_sha256(rows)}


def aae_sha256(rows: Iterable[Row]) -> str:
    """One SHA-256 for all AAE texts of a corpus, in the order of the ids.

    The hash of one short text could be found by trying; that of all of them together tells whether
    somebody has the corpus, and of no text what it says.
    """
    digest = sha256()
    for row in sorted(rows, key=lambda row: str(row["id"])):
        line = json.dumps([row["id"], row["aae"]], ensure_ascii=False, separators=(",", ":"))
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()

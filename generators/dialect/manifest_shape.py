"""Whether a table is the manifest of a folder of pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sociolect.generators.dialect.pair_faults import CONFIG
from sociolect.generators.dialect.pairs import BENCHMARK, SPLITS
from sociolect.generators.shapes import complaint, is_list_of, is_table_of

_TEXTS = ("name", "data_version", "sociolect_version", "licence")
_UNLIKE = ("places", "lengths", "either")
_SHOWN = (
    *("name", "data_version", "sociolect_version", "sources", "segmentation"),
    *("toolchain", "splitting"),
)
"""What commands print and cards show."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Controls, ends of lines, marks of direction, and halves of surrogate pairs."""


def misshapen(manifest: object) -> str:
    """What is missing or of another type than a build writes; empty if nothing is."""
    if not isinstance(manifest, dict):
        return "it is no table"
    checks = {
        "benchmark": manifest.get("benchmark") == BENCHMARK,
        "text": manifest.get("text") in ("whole", "withheld"),
        **{key: isinstance(manifest.get(key), str) for key in _TEXTS},
        "sources": is_list_of(("name", "sha256", "url"), manifest.get("sources")),
        "dropped": _is_dropped(manifest.get("dropped")),
        "splits": _is_splits(manifest.get("splits")),
        "segmentation": _is_segmentation(manifest),
        "toolchain": is_table_of(str, manifest.get("toolchain")),
        "configs": _is_configs(manifest.get("configs")),
        "columns": is_table_of(str, manifest.get("columns", {})),
        "splitting": _is_splitting(manifest.get("splitting", {})),
        "notes": _is_texts(manifest.get("notes", [])),
        "withheld": "withheld" not in manifest or _is_withheld(manifest["withheld"]),
        "aae_sha256": _is_sha256(manifest.get("aae_sha256")),
    }
    checks |= {key: checks[key] and is_plain(manifest.get(key)) for key in _SHOWN}
    return complaint(manifest, checks)


def is_plain(value: object) -> bool:
    """Whether all texts in a value are of one line and cannot steer a terminal."""
    return not any(map(_STEERING.search, _texts_in(value)))


def _texts_in(value: object) -> Iterator[str]:
    """All keys and texts, however deep: a manifest may be deeper than calls can be."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            left += [*one, *one.values()]
        elif isinstance(one, list):
            left += one


def _is_dropped(value: object) -> bool:
    """Places hold ids of the user's, which cards escape."""
    return (
        isinstance(value, list)
        and is_list_of(("where", "reason"), value)
        and is_plain([one["reason"] for one in value])
    )


def _is_splitting(value: object) -> bool:
    """Seed and sizes may be missing where no hash decided; `split_checks` looks at the rest."""
    if not isinstance(value, dict):
        return False
    needed = {"seed", "sizes"} if value.get("by") == "hash" else {"seed", "sizes"} & set(value)
    return ("seed" not in needed or _is_count(value.get("seed"))) and (
        "sizes" not in needed or _is_counts(value.get("sizes"))
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_counts(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


def _is_splits(value: object) -> bool:
    return isinstance(value, dict) and all(k in SPLITS and _is_count(v) for k, v in value.items())


def _is_segmentation(manifest: dict[str, Any]) -> bool:
    if "segmentation" not in manifest:
        return False
    said = manifest["segmentation"]
    if said is None:
        return True
    if not isinstance(said, dict):
        return False
    counts, unlike = said.get("counts"), said.get("unlike", dict.fromkeys(_UNLIKE, 0))
    return (
        isinstance(counts, dict)
        and all(_is_count(n) for n in counts.values())
        and isinstance(unlike, dict)  # older manifests lack it
        and all(_is_count(unlike.get(key)) for key in _UNLIKE)
    )


def _is_withheld(value: object) -> bool:
    return (
        isinstance(value, dict)
        and all(_is_count(value.get(key)) for key in ("sae", "aae_back", "groups"))
        and _is_sha256(value.get("sha256"))
    )


def _is_configs(value: object) -> bool:
    if not (isinstance(value, dict) and set(value) == {CONFIG} and isinstance(value[CONFIG], dict)):
        return False
    entry = value[CONFIG]
    return _is_count(entry.get("rows")) and _is_sha256(entry.get("sha256"))


def _is_sha256(value: object) -> bool:
    return isinstance(value, str) and bool(_SHA256.fullmatch(value))

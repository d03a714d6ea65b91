"""Names in and around a folder of variants; nothing here imports anything heavy."""

from __future__ import annotations

import re

DATA_VERSION = "1.0.0"
"""Semantic version of the published data; tasks record it."""

SPLIT = "test"
PARQUET = f"{SPLIT}-00000-of-00001.parquet"
"""The one file of a config."""

MANIFEST = "manifest.json"
CARD = "README.md"
REALISM = "realism.json"
"""What `sociolect validate --write` may add to a finished build."""


_SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", re.ASCII)


def is_version(text: str) -> bool:
    """Whether a text is a version, `X.Y.Z` with plain numbers."""
    return _SEMVER.fullmatch(text) is not None


def repository_name(benchmark: str) -> str:
    """Name of the dataset repository, and of the folder in a grid, e.g. `bbq-gender-variants`."""
    return f"{benchmark.replace('_', '-')}-variants"

"""A dataset built again with the installed tools, to see whether it comes out the same."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import DataError
from sociolect.generators.layout import DATA_VERSION
from sociolect.generators.manifest import read_manifest
from sociolect.generators.noise.options import NoiseOptions
from sociolect.generators.uniform import ALGORITHM_VERSION


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """How a second build compares with a dataset.

    Attributes:
        configs: Configs that were built again.
        differ: SHA-256 of the rows there and here, for configs that differ; empty for a config
            that one of the two does not have.
        versions: Versions of the data and of the rules that differ, there and here.
    """

    configs: tuple[str, ...]
    differ: Mapping[str, tuple[str, str]]
    versions: Mapping[str, tuple[str, str]]

    @property
    def is_identical(self) -> bool:
        """Whether every config has the same rows."""
        return not self.differ


def rebuild(
    folder: Path, *, sources: Path | None = None, workers: int = 1, progress: bool = False
) -> Rebuilt:
    """Build the configs of a dataset again, in a temporary folder, and compare the hashes.

    Args:
        folder: The dataset.
        sources: Folder of the source files, as for `build`.
        workers: Processes.
        progress: Show a progress bar on standard error.

    Raises:
        DataError: The manifest of the folder is missing, damaged, or has unusable entries.
        SociolectError: Whatever `build` raises.
    """
    manifest = read_manifest(folder)
    names = sorted(n for n in manifest["configs"] if n != "clean")
    there = {n: _sha256(folder, n, entry) for n, entry in manifest["configs"].items()}
    with tempfile.TemporaryDirectory(prefix="sociolect-verify-") as temporary:
        made = build(
            str(manifest["benchmark"]),
            [Condition.parse(name) for name in names],
            out=Path(temporary) / "again",
            seed=manifest["seed"],
            rules=str(manifest["rules"]),
            noise=NoiseOptions(draws=str(manifest["noise_draws"])),
            sources=sources,
            workers=workers,
            skip_unreachable=True,
            progress=progress,
        )
    here = {n: str(entry["sha256"]) for n, entry in made["configs"].items()}
    versions = {
        "data_version": (str(manifest["data_version"]), DATA_VERSION),
        "algorithm_version": (str(manifest["algorithm_version"]), str(ALGORITHM_VERSION)),
    }
    both = sorted({*there, *here})
    return Rebuilt(
        configs=tuple(here),
        differ={
            n: (there.get(n, ""), here.get(n, "")) for n in both if there.get(n) != here.get(n)
        },
        versions={name: pair for name, pair in versions.items() if pair[0] != pair[1]},
    )


def _sha256(folder: Path, name: str, entry: object) -> str:
    if isinstance(entry, dict) and isinstance(entry.get("sha256"), str):
        return str(entry["sha256"])
    raise DataError(f"{folder}: the manifest has no SHA-256 for {name}; build it again")

"""The SHA-256 of every published config: `python -m sociolect.tasks.data_hashes FOLDER…`.

`data_hashes.json` maps a benchmark to the data version, the tools and the hash of each config, as
those tools make it with seed 0 and the paper's rules. Data that hash otherwise are not
wrong, they are *local data*.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import OWN_ITEMS
from sociolect.generators.errors import DataError
from sociolect.generators.stored import is_noise

HASHES = Path(__file__).parent / "data_hashes.json"
SEED = 0
RULES = "paper"
DRAWS = "independent"
"""How the numbers of published noise are drawn."""


@lru_cache(maxsize=1)
def published() -> dict[str, dict[str, Any]]:
    """The committed table: per benchmark `data_version`, `toolchain` and `configs` (hashes)."""
    table: dict[str, dict[str, Any]] = json.loads(HASHES.read_text("utf-8"))
    return table


def unpublished(benchmark: str, config: str, manifest: Mapping[str, Any], sha256: str) -> str:
    """Why a config is not the published one; empty if it is.

    Args:
        benchmark: Its name.
        config: Name of the config.
        manifest: Of the build that holds it.
        sha256: Of the rows.
    """
    entry = published().get(benchmark, {})
    expected = entry.get("configs", {}).get(config)
    if expected is not None and sha256 == expected:
        return ""
    usual = {"seed": SEED, "rules": RULES}
    if is_noise(config):
        usual["noise_draws"] = DRAWS
    for key, value in usual.items():
        if manifest.get(key) != value:
            return f"built with {key.replace('_', ' ')} {manifest.get(key)}, published with {value}"
    if benchmark in OWN_ITEMS and not entry:
        return "judge items of your own"
    if expected is None or manifest["data_version"] != entry["data_version"]:
        return f"no published hash for version {manifest['data_version']}"
    others = other_tools(entry["toolchain"], manifest.get("toolchain", {}))
    return f"built with other tools than the published data: {', '.join(others) or 'sources'}"


def other_tools(published_with: Mapping[str, str], built_with: Mapping[str, str]) -> list[str]:
    """The tools that differ, with both versions.

    The name of the tagger's model is not compared: one model is distributed under two.
    """
    return [
        f"{tool} {str(built_with.get(tool))[:12]} (published: {version[:12]})"
        for tool, version in published_with.items()
        if tool != "model" and built_with.get(tool) != version
    ]


def table_of(manifests: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The entries for some builds.

    Raises:
        DataError: A build is not of the published seed and rules.
    """
    table = {}
    for manifest in manifests:
        if (manifest["seed"], manifest["rules"]) != (SEED, RULES):
            raise DataError(
                f"published data have seed {SEED} and rules {RULES}, this build of "
                f"{manifest['benchmark']} has {manifest['seed']} and {manifest['rules']}"
            )
        if manifest["noise_draws"] != DRAWS:
            raise DataError(
                f"published noise is drawn {DRAWS}, that of {manifest['benchmark']} is "
                f"{manifest['noise_draws']}"
            )
        hashes = {name: entry["sha256"] for name, entry in sorted(manifest["configs"].items())}
        table[manifest["benchmark"]] = {
            "data_version": manifest["data_version"],
            "toolchain": manifest["toolchain"],
            "configs": hashes,
        }
    return table


def record(folders: Iterable[Path], into: Path = HASHES) -> dict[str, dict[str, Any]]:
    """Write the hashes of some builds, keeping those of the other benchmarks.

    Configs that a build lacks keep their hash if it has the data version and the tools of the
    published one, so noise can be recorded without the learner errors.

    Raises:
        DataError: A build is incomplete, or not of the published seed and rules.
    """
    from sociolect.generators.manifest import read_manifest

    kept = json.loads(into.read_text("utf-8")) if into.exists() else {}
    found = table_of(read_manifest(folder) for folder in folders)
    table = kept | {name: _merged(kept.get(name, {}), entry) for name, entry in found.items()}
    unfinished = into.with_name(into.name + ".unfinished")
    unfinished.write_text(json.dumps(table, indent=2, sort_keys=True) + "\n", "utf-8")
    unfinished.replace(into)
    return dict(table)


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    same = all(old.get(key) == new[key] for key in ("data_version", "toolchain"))
    return {**new, "configs": (old["configs"] if same else {}) | new["configs"]}


if __name__ == "__main__":
    for name, entry in record(map(Path, sys.argv[1:])).items():
        print(f"{name} {entry['data_version']}: {len(entry['configs'])} configs")

"""Records which conditions cannot be reached: `python -m sociolect.tasks.ceilings FOLDER…`.

Each folder is a build of one benchmark with every condition of learner errors
(`sociolect build NAME --transform … --level … --part … --skip-unreachable`), of the published
seed and rules. Its manifest says why a condition was left out; the ceiling goes into `cells.json`.
Surface noise has none: its level is a probability, not a rate.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import conditions_of
from sociolect.generators.errors import DataError
from sociolect.tasks.cells import CELLS
from sociolect.tasks.data_hashes import RULES, SEED

_CEILING = re.compile(r"the ceiling is (\d+(?:\.\d+)?)\s?%")


def ceilings_of(manifest: Mapping[str, Any]) -> dict[str, float]:
    """Config names that a build lists as above reach, with the ceiling in per cent (0.1 steps).

    Raises:
        DataError: The build lacks conditions, has another seed or other rules than the published
            data, or gives another reason for leaving one out.
    """
    name = manifest["benchmark"]
    if (manifest["seed"], manifest["rules"]) != (SEED, RULES):
        raise DataError(
            f"ceilings are those of seed {SEED} and rules {RULES}, this build of {name} has "
            f"{manifest['seed']} and {manifest['rules']}"
        )
    reasons: Mapping[str, str] = manifest["unreachable"]
    wanted = [c.config_name for c in conditions_of(name) if not c.is_noise]
    if missing := [c for c in wanted if c not in manifest["configs"] and c not in reasons]:
        raise DataError(
            f"the build of {name} lacks {len(missing)} conditions, such as {missing[0]}; build all "
            "transforms, levels and parts with --skip-unreachable"
        )
    return {
        config: _ceiling(name, config, reasons[config]) for config in wanted if config in reasons
    }


def _ceiling(name: str, config: str, reason: str) -> float:
    found = _CEILING.search(reason)
    if found is None:
        raise DataError(f"the build of {name} left out {config} for another reason: {reason}")
    return float(found[1])


def record(folders: Iterable[Path], into: Path = CELLS) -> dict[str, dict[str, float]]:
    """Write the ceilings and data versions of some builds, keeping those of other benchmarks.

    Returns:
        The ceilings by benchmark.

    Raises:
        DataError: A build is incomplete, or not of the published seed and rules.
    """
    from sociolect.generators.manifest import read_manifest

    table: dict[str, Any] = json.loads(into.read_text("utf-8"))
    found = {}
    for manifest in map(read_manifest, folders):
        found[manifest["benchmark"]] = ceilings_of(manifest)
        table[manifest["benchmark"]] = {
            "data_version": manifest["data_version"],
            "ceilings": found[manifest["benchmark"]],
        }
    unfinished = into.with_name(into.name + ".unfinished")
    unfinished.write_text(json.dumps(table, indent=2) + "\n", "utf-8")
    unfinished.replace(into)
    return found


if __name__ == "__main__":
    for benchmark, ceilings in record(map(Path, sys.argv[1:])).items():
        reached = ", ".join(f"{config} {ceiling}" for config, ceiling in ceilings.items())
        print(f"{benchmark}: {reached or 'everything can be reached'}")

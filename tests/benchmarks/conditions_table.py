"""All conditions of a grid of datasets as markdown: ceilings, mean error rates, realised mix.

    python tests/benchmarks/conditions_table.py GRID OUT.md

GRID is a folder with one build a benchmark, as `sociolect build all --out GRID` makes it. The
numbers are those of the manifests, which tests/benchmarks/test_grid_audit.py measures again.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Manifest = dict[str, Any]
TRANSFORMS = ("l2", "l2det", "l2prep", "l2verb", "l2spell")
PARTS = ("input", "instruction", "both")
LEVELS = (5, 10, 20, 30)
CEILING = re.compile(r"the ceiling is ([\d.]+)%")
MIXED = "l2-30"
NOTE = """\
Mean error rates in per cent over all items; `*`: at the ceiling, less than one point below the
level; `–`: the level is above the ceiling, so the cell does not exist. The ceiling is the mean
error rate with every slot edited; for both parts it is that of the instruction / of the input.
"""


def read_manifests(grid: Path) -> list[Manifest]:
    """The manifests below a folder, by the names of their benchmarks."""
    texts = (path.read_text(encoding="utf-8") for path in grid.glob("*/manifest.json"))
    return sorted(map(json.loads, texts), key=lambda manifest: str(manifest["benchmark"]))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table whose first column is text."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def config_name(transform: str, level: int, part: str) -> str:
    return f"{transform}-{level}" + ("" if part == "input" else f"-{part}")


def ceiling(manifest: Manifest, transform: str, part: str) -> str:
    """In per cent, of one part or of both; from a refused level if no level could be reached."""
    for level in LEVELS:
        name = config_name(transform, level, part)
        if entry := manifest["configs"].get(name):
            parts = ("instruction", "input") if part == "both" else (part,)
            return " / ".join(f"{100 * entry['ceiling'][p]:.1f}" for p in parts)
        if found := CEILING.search(manifest["unreachable"].get(name, "")):
            return found[1]
    return "?"


def rate(manifest: Manifest, name: str) -> str:
    entry = manifest["configs"].get(name)
    if entry is None:
        return "–" if name in manifest["unreachable"] else "not built"
    return f"{100 * entry['mean_error_rate']:.2f}{'*' if entry['at_ceiling'] else ''}"


def dataset_table(manifest: Manifest) -> str:
    rows = [
        (
            f"{transform} {part}",
            ceiling(manifest, transform, part),
            *(rate(manifest, config_name(transform, level, part)) for level in LEVELS),
        )
        for transform in TRANSFORMS
        for part in PARTS
    ]
    head = ("errors in", "ceiling", *(f"{level} %" for level in LEVELS))
    configs = manifest["configs"]
    title = (
        f"### {manifest['benchmark']}: {configs['clean']['rows']:,} items, {len(configs)} configs"
    )
    return f"{title}\n\n{table(head, rows)}\n"


def mix_table(manifests: Sequence[Manifest]) -> str:
    """Shares of the kinds of errors in `l2-30`, in per cent, and those that are wanted."""
    mixes = {m["benchmark"]: m["configs"][MIXED]["mix"] for m in manifests if MIXED in m["configs"]}
    kinds = [
        f"{row['type']} {row['subtype'] or row['operation']}" for row in next(iter(mixes.values()))
    ]
    wanted = next(iter(mixes.values()))
    rows = [("wanted", *(f"{100 * row['wanted']:.1f}" for row in wanted), "")]
    rows += [
        (name, *(f"{100 * row['share']:.1f}" for row in mix), f"{sum(r['count'] for r in mix):,}")
        for name, mix in mixes.items()
    ]
    return table(("dataset", *kinds, "errors"), rows)


def document(manifests: Sequence[Manifest]) -> str:
    """The whole text."""
    rules = ", ".join(sorted({m["rules"] for m in manifests}))
    seeds = ", ".join(sorted({str(m["seed"]) for m in manifests}))
    return "\n".join(
        [
            f"## Conditions ({rules} rules, seed {seeds})\n",
            NOTE,
            *map(dataset_table, manifests),
            f"## Realised mix of {MIXED}, in per cent of the errors in the inputs\n",
            "Errors that the members of a pair share count once.\n",
            mix_table(manifests),
            "",
        ]
    )


def main(arguments: Sequence[str]) -> None:
    if len(arguments) != 2:
        raise SystemExit(f"usage: python {sys.argv[0]} GRID OUT.md")
    manifests = read_manifests(Path(arguments[0]))
    if not manifests:
        raise SystemExit(f"{arguments[0]} holds no finished build (no */manifest.json)")
    Path(arguments[1]).write_text(document(manifests), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

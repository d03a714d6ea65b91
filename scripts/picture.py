"""Draws the picture of the README: one pair of sentences at rising error levels.

python scripts/picture.py docs/img/levels.svg
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from sociolect.generators.audit import edits_of
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.build import Variants
from sociolect.generators.conditions import LEVELS, Condition
from sociolect.generators.text import invert
from sociolect.harness.diff import highlighted

PAIR = "occupations_mini/type1/0005"


def main(target: Path) -> None:
    """Write the picture."""
    variants = Variants(load_benchmark("occupations_mini"))
    console = Console(record=True, width=112, file=io.StringIO(), force_terminal=True)
    for level in (0, *LEVELS):
        condition = Condition("l2", level, "input") if level else Condition()
        rows, _ = variants.config(condition)
        for row in rows:
            if row["pair_id"] == PAIR:
                label = f"{level:>3} %  {row['member']:<5}"
                edits = edits_of(row, "input")
                shown = highlighted(invert(row["input"], edits), edits)
                console.print(Text.assemble((label, "dim"), shown))
    console.save_svg(str(target), title="one pair, four error types in the input")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

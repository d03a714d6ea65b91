"""Draws the picture of the README: one pair of sentences at rising error levels.

python scripts/picture.py docs/img/levels.svg
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import Condition
from sociolect.generators.rows import edits_of
from sociolect.generators.text import invert
from sociolect.generators.variants import Variants
from sociolect.harness.diff import highlighted

PAIR = "occupations_mini/type2/0008"


def main(target: Path) -> None:
    """Write the picture."""
    variants = Variants(load_benchmark("occupations_mini"))
    console = Console(record=True, width=118, file=io.StringIO(), force_terminal=True)
    for level in (0, 10, 20, 30):
        rows, _ = variants.config(Condition("l2", level, "input") if level else Condition())
        for row in rows:
            if row["pair_id"] == PAIR and (row["member"] == "pro" or level == 30):
                edits = edits_of(row, "input")
                shown = highlighted(invert(row["input"], edits), edits)
                label = f"{level:>2} % {row['member']:<4}  "
                console.print(Text.assemble((label, "dim"), shown))
    console.save_svg(str(target), title="one pair, four error types in the input")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

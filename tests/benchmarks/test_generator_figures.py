"""Mean error rates and ceilings of both rule sets on WinoBias; the grid has the paper's rules."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from rich.table import Table

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import LEVELS, RULES, TRANSFORMS, Condition
from sociolect.generators.errors import LevelUnreachableError
from sociolect.generators.items import PART_NAMES
from sociolect.generators.variants import Variants

pytestmark = pytest.mark.benchmark


@pytest.mark.parametrize("rules", RULES)
def test_mean_error_rates_and_ceilings(
    sources: Path,
    show: Callable[[Table | str], None],
    columns: Callable[..., Table],
    rules: str,
) -> None:
    variants = Variants(load_benchmark("winobias", sources), 0, rules)
    levels = [f"{n} %" for n in LEVELS]
    table = columns(f"Mean ε in %, winobias, {rules} rules", "condition", "ceiling", *levels)
    for transform, part in product(TRANSFORMS, PART_NAMES):
        ceiling, cells = "", []
        for level in LEVELS:
            try:
                _, entry = variants.config(Condition(transform, level, part))
            except LevelUnreachableError:
                cells.append("–")
                continue
            rate = 100 * entry["mean_error_rate"]
            ceiling = f"{100 * entry['ceiling'][part]:.1f}"
            cells.append(f"{rate:.3f}{'*' if entry['at_ceiling'] else ''}")
            assert abs(rate - level) <= (1 if entry["at_ceiling"] else 0.25)
        table.add_row(f"{transform} {part}", ceiling, *cells)
    show(table)

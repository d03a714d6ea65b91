"""CPU time of one core for the grid of the learner-error paper, from nothing and from the cache.

The grid is winobias, the ambiguous bbq_* and degen_*, in five transforms, four levels and three
parts, with the clean texts; cells above their ceiling are left out. Each run is a process
of its own, imports and models included.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table

pytestmark = pytest.mark.benchmark

AXES = ("gender", "race", "religion")
PAPER = ("winobias", *(f"{name}_{axis}" for name in ("bbq", "degen") for axis in AXES))
COLD, WARM = 240, 60
RENDERED = 20_000

GRID = """
import time
started = time.process_time()
import json, sys
from pathlib import Path
from sociolect.generators.conditions import all_conditions
from sociolect.generators.grid import build_grid

before = time.process_time()
seconds, rows, configs = {"imports": before - started}, 0, 0
for built in build_grid(sys.argv[2:], all_conditions(), out=Path(sys.argv[1])):
    if built.error:
        raise built.error
    entries = built.manifest["configs"].values()
    rows, configs = rows + sum(e["rows"] for e in entries), configs + len(entries)
    now = time.process_time()
    seconds[built.benchmark], before = now - before, now
print(json.dumps(dict(seconds=seconds, total=time.process_time(), rows=rows, configs=configs)))
"""

RENDER = """
import json, sys, time
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import LEVELS, TRANSFORMS
from sociolect.generators.errors import LevelUnreachableError
from sociolect.generators.inject import Injector

rates = {}
for name in sys.argv[1:]:
    for part in ("input", "instruction"):
        injector = Injector(load_benchmark(name), part, 0, "paper")
        cutoffs = {}
        for types in TRANSFORMS.values():
            for level in LEVELS:
                try:
                    cutoffs[types, level] = injector.calibrate(types, level / 100, name).cutoff
                except LevelUnreachableError:
                    continue
        made, before = 0, time.process_time()
        for (types, _), cutoff in cutoffs.items():
            made += sum(len(members) for _, members in injector.render(types, cutoff))
        rates[f"{name} {part}"] = made, time.process_time() - before
print(json.dumps(rates))
"""


def run(
    code: str, *arguments: str | Path, sources: Path, cache: Path, profile: Path | None = None
) -> Any:
    """What a fresh interpreter prints, on one thread, with a cache folder of its own."""
    env = {
        **os.environ,
        "SOCIOLECT_SOURCES": str(sources),
        "XDG_CACHE_HOME": str(cache),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    script = cache.parent / "script.py"
    script.write_text(code, encoding="utf-8")
    profiler = ["-m", "cProfile", "-o", str(profile)] if profile else []
    command = [sys.executable, *profiler, str(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def top_functions(profile: Path, count: int = 15) -> Table:
    """The functions that take most of the time themselves."""
    import pstats

    table = Table("function", "calls", "own s", "with callees s")
    stats = pstats.Stats(str(profile)).stats  # type: ignore[attr-defined]
    slowest = sorted(stats.items(), key=lambda item: -item[1][2])[:count]
    for (file, line, name), (_, calls, own, whole, _) in slowest:
        table.add_row(
            f"{Path(file).name}:{line} {name}", f"{calls:,}", f"{own:.1f}", f"{whole:.1f}"
        )
    table.caption = "Where the time goes (under the profiler)"
    return table


def test_cold_and_warm_grid(
    sources: Path,
    tmp_path: Path,
    show: Callable[[Table | str], None],
    columns: Callable[..., Table],
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cold = run(GRID, tmp_path / "cold", *PAPER, sources=sources, cache=cache)
    warm = run(GRID, tmp_path / "warm", *PAPER, sources=sources, cache=cache)
    title = f"{cold['configs']} configs, {cold['rows']:,} rows, CPU s of one core"
    table = columns(title, "what", "cold", "warm")
    for name in cold["seconds"]:
        table.add_row(name, f"{cold['seconds'][name]:.1f}", f"{warm['seconds'][name]:.1f}")
    table.add_row("all", f"{cold['total']:.1f}", f"{warm['total']:.1f}")
    table.add_row("rows a second", *(f"{run['rows'] / run['total']:,.0f}" for run in (cold, warm)))
    show(table)
    if warm["total"] >= WARM or os.environ.get("SOCIOLECT_PROFILE"):
        profile = tmp_path / "profile"
        run(GRID, tmp_path / "again", *PAPER, sources=sources, cache=cache, profile=profile)
        show(top_functions(profile))
    assert cold["rows"] == warm["rows"] > 0
    assert cold["total"] < COLD
    assert warm["total"] < WARM


def test_rendering(
    sources: Path,
    tmp_path: Path,
    show: Callable[[Table | str], None],
    columns: Callable[..., Table],
) -> None:
    """Choices to texts, for every condition; parsing and choosing are done before."""
    cache = tmp_path / "cache"
    cache.mkdir()
    found = run(RENDER, "winobias", "bbq_gender", "degen_gender", sources=sources, cache=cache)
    table = columns("Texts rendered, all transforms × levels", "texts of", "count", "a CPU second")
    for name, (count, seconds) in found.items():
        table.add_row(name, f"{count:,}", f"{count / seconds:,.0f}")
    count, seconds = (sum(column) for column in zip(*found.values(), strict=True))
    table.add_row("all", f"{count:,}", f"{count / seconds:,.0f}")
    show(table)
    assert count / seconds >= RENDERED

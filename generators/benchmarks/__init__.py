"""One module per benchmark: source files in, items out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from sociolect.generators.benchmarks import occupations_mini, winobias
from sociolect.generators.errors import UnknownNameError
from sociolect.generators.items import Benchmark

_LOADERS: Mapping[str, Callable[[Path | None], Benchmark]] = {
    winobias.NAME: winobias.load,
    occupations_mini.NAME: occupations_mini.load,
}
BENCHMARKS: tuple[str, ...] = tuple(_LOADERS)
"""Names that `load_benchmark` knows."""


def load_benchmark(name: str, sources: Path | None = None) -> Benchmark:
    """Read a benchmark.

    Args:
        name: One of `BENCHMARKS`.
        sources: Folder with local copies of the source files; None looks at
            `SOCIOLECT_SOURCES` and else downloads them once.

    Raises:
        UnknownNameError: No such benchmark.
        SourceError: A source file is missing, changed, or malformed.
    """
    if name not in _LOADERS:
        raise UnknownNameError("benchmark", name, BENCHMARKS)
    return _LOADERS[name](sources)

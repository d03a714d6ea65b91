"""One module per benchmark: source files in, items out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from sociolect.generators.benchmarks import (
    bbq,
    degen,
    fable,
    fable_control,
    mmlu,
    occupations_mini,
    winobias,
    winogrande,
)
from sociolect.generators.conditions import OWN_ITEMS
from sociolect.generators.errors import UnknownNameError
from sociolect.generators.items import Benchmark

_LOADERS: Mapping[str, Callable[[Path | None], Benchmark]] = {
    winobias.NAME: winobias.load,
    **{f"bbq_{axis}": partial(bbq.load, axis, "ambig") for axis in bbq.AXES},
    **{f"bbq_{axis}_disambig": partial(bbq.load, axis, "disambig") for axis in bbq.AXES},
    **{f"degen_{axis}": partial(degen.load, axis) for axis in bbq.AXES},
    mmlu.NAME: mmlu.load,
    winogrande.NAME: winogrande.load,
    occupations_mini.NAME: occupations_mini.load,
    fable.NAME: partial(fable.load, ""),
    fable_control.NAME: fable_control.load,
    **{f"{fable.NAME}_{variant}": partial(fable.load, variant) for variant in fable.VARIANTS},
}
BENCHMARKS: tuple[str, ...] = tuple(_LOADERS)
"""Names that `load_benchmark` knows."""

ALL = "all"


def load_benchmark(name: str, sources: Path | None = None) -> Benchmark:
    """Read a benchmark.

    Args:
        name: One of `BENCHMARKS`.
        sources: Folder with local copies of the source files; None looks at
            `SOCIOLECT_SOURCES` and else downloads them once.

    Raises:
        UnknownNameError: No such benchmark.
        SourceError: A source file is missing, changed, or malformed.
        DataError: The file of judge items holds something else.
    """
    if name not in _LOADERS:
        raise UnknownNameError("benchmark", name, BENCHMARKS)
    return _LOADERS[name](sources)


def matching(patterns: str) -> tuple[str, ...]:
    """The benchmarks that a comma-separated list of names, globs (`bbq_*`) and `all` means.

    `all` leaves out those with items of one's own, which a name or a glob (`fable*`) reaches.

    Returns:
        Each once, in the order of `BENCHMARKS`.

    Raises:
        UnknownNameError: An entry matches none.
    """
    wanted = [entry.strip() for entry in patterns.split(",") if entry.strip()] or [patterns]
    chosen = set()
    for entry in wanted:
        published = [b for b in BENCHMARKS if b not in OWN_ITEMS]
        found = published if entry == ALL else [b for b in BENCHMARKS if fnmatchcase(b, entry)]
        if not found:
            raise UnknownNameError("benchmark", entry, [*BENCHMARKS, ALL])
        chosen.update(found)
    return tuple(b for b in BENCHMARKS if b in chosen)

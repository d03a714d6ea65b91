"""Many benchmarks at once: one folder of variants each, named like its dataset repository."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition, conditions_of
from sociolect.generators.errors import SociolectError
from sociolect.generators.layout import repository_name
from sociolect.generators.manifest import Manifest
from sociolect.generators.noise.options import DEFAULT_NOISE, NoiseOptions


@dataclass(frozen=True, slots=True)
class Built:
    """What became of one benchmark: a manifest, or why there is none.

    Attributes:
        folder: Where the build is, or would be.
        seconds: Wall time.
    """

    benchmark: str
    folder: Path
    seconds: float
    manifest: Manifest | None = None
    error: SociolectError | None = None


def build_grid(
    benchmarks: Sequence[str],
    conditions: Sequence[Condition],
    *,
    out: Path,
    seed: int = 0,
    rules: str = "paper",
    noise: NoiseOptions = DEFAULT_NOISE,
    sources: Path | None = None,
    workers: int = 1,
    overwrite: bool = False,
    progress: bool = False,
) -> Iterator[Built]:
    """Build several benchmarks below `out`, leaving out what is above its ceiling.

    A benchmark that fails does not keep the others from being built. Arguments are those of
    `sociolect.generators.build.build`.

    Yields:
        One result a benchmark, when it is there.
    """
    for benchmark in benchmarks:
        folder = out / repository_name(benchmark)
        start = time.monotonic()
        manifest, failure = None, None
        try:
            manifest = build(
                benchmark,
                [c for c in conditions_of(benchmark) if c in conditions],
                out=folder,
                seed=seed,
                rules=rules,
                noise=noise,
                sources=sources,
                workers=workers,
                skip_unreachable=True,
                overwrite=overwrite,
                progress=progress,
            )
        except SociolectError as error:
            failure = error
        yield Built(benchmark, folder, time.monotonic() - start, manifest, failure)

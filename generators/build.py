"""From a benchmark to a folder of dataset configs with a manifest.

The folder is written under a temporary name and renamed when it is complete:

    DIR/README.md                            names the configs for `datasets.load_dataset`
    DIR/manifest.json                        versions, seed, hashes, calibration, realised mix
    DIR/<config>/test-00000-of-00001.parquet
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import RULES, Condition, all_conditions
from sociolect.generators.errors import InvalidInputError, LevelUnreachableError, UnknownNameError
from sociolect.generators.folders import finished_folder
from sociolect.generators.items import Benchmark
from sociolect.generators.manifest import (
    MANIFEST,
    PARQUET,
    Manifest,
    card,
    foreign_entries,
    make_manifest,
    toolchain,
)
from sociolect.generators.rows import Row, schema
from sociolect.generators.variants import Variants


def build(
    benchmark: str,
    conditions: Sequence[Condition],
    *,
    out: Path,
    seed: int = 0,
    rules: str = "paper",
    sources: Path | None = None,
    workers: int = 1,
    skip_unreachable: bool = False,
    overwrite: bool = False,
    progress: bool = False,
) -> Manifest:
    """Build the clean config and the named conditions of a benchmark.

    Args:
        benchmark: Name of the benchmark.
        conditions: What to build; the clean condition is always added.
        out: Folder to make. It must not exist, or be empty, unless `overwrite`.
        seed: Error seed, in [0, 2⁶³).
        rules: `paper` or `careful`.
        sources: Local folder of the source files; None for `SOCIOLECT_SOURCES` or a download.
        workers: Processes; the output is the same for any number.
        skip_unreachable: Leave out conditions above their ceiling and list them in the
            manifest, instead of stopping.
        overwrite: Replace an earlier build in `out`.
        progress: Show a progress bar on standard error.

    Returns:
        The manifest that was written.

    Raises:
        LevelUnreachableError: A condition is above its ceiling.
        InvalidInputError: `out` holds something or cannot be made, or a number is out of range.
        MissingToolError: The tagger's model or the speller is not installed.
        SourceError: A source file is missing, changed or malformed.
    """
    _check(out, seed, rules, workers, overwrite)
    for condition in conditions:
        if Condition.parse(condition.config_name) != condition:
            raise UnknownNameError("condition", condition, all_conditions())
    loaded = load_benchmark(benchmark, sources)
    tools = toolchain()
    wanted = (Condition(), *sorted({c for c in conditions if not c.is_clean}, key=_order))
    job = _Job(benchmark, sources, seed, rules)
    with finished_folder(out, replace=overwrite) as folder, _writing_to(out):
        done = list(_run(job, loaded, wanted, folder, workers, skip_unreachable, progress))
        configs = {d.condition.config_name: d.entry for d in done if d.entry}
        unreachable = {d.condition.config_name: d.unreachable for d in done if d.unreachable}
        manifest = make_manifest(loaded, seed, rules, tools, configs, unreachable)
        _write_json(folder / MANIFEST, manifest)
        (folder / "README.md").write_text(card(manifest), encoding="utf-8")
    return manifest


@contextmanager
def _writing_to(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidInputError(
            f"the build could not be written beside {out} ({error.strerror}); nothing was left "
            "there. Make room, or name another folder"
        ) from error


@dataclass(frozen=True, slots=True)
class _Job:
    benchmark: str
    sources: Path | None
    seed: int
    rules: str


@dataclass(frozen=True, slots=True)
class _Done:
    """What became of a condition: a manifest entry, or why it was left out."""

    condition: Condition
    entry: dict[str, Any]
    unreachable: str = ""


def _order(condition: Condition) -> tuple[str, str, int]:
    return condition.transform, condition.part, condition.level


def _check(out: Path, seed: int, rules: str, workers: int, overwrite: bool) -> None:
    if rules not in RULES:
        raise UnknownNameError("rule set", rules, RULES)
    if not 0 <= seed < 2**63:
        raise InvalidInputError(f"the seed must be 0 or more and below 2**63, not {seed}")
    if workers < 1:
        raise InvalidInputError(f"the number of workers must be 1 or more, not {workers}")
    try:
        _check_out(out, overwrite)
    except OSError as error:
        raise InvalidInputError(f"cannot use {out} ({error.strerror})") from error


def _check_out(out: Path, overwrite: bool) -> None:
    if out.exists() and not out.is_dir():
        raise InvalidInputError(f"{out} is a file; name a folder")
    if out.is_dir() and any(out.iterdir()):
        if not overwrite:
            raise InvalidInputError(
                f"{out} is not empty; name another folder, or add --overwrite to replace a build"
            )
        foreign = foreign_entries(out)
        if foreign:
            raise InvalidInputError(
                f"{out} holds what no build put there ({', '.join(foreign[:3])}"
                f"{', …' if len(foreign) > 3 else ''}); --overwrite would delete it. Move it away, "
                "or name another folder"
            )


def _run(
    job: _Job,
    benchmark: Benchmark,
    conditions: Sequence[Condition],
    folder: Path,
    workers: int,
    skip_unreachable: bool,
    progress: bool,
) -> Iterator[_Done]:
    """Write every condition; a transform is one piece of work."""
    groups = [list(g) for _, g in groupby(conditions, key=lambda c: c.transform)]
    with tqdm(total=len(conditions), unit="config", disable=not progress, file=sys.stderr) as bar:
        for done in _results(job, benchmark, groups, folder, workers):
            for result in done:
                if result.unreachable and not skip_unreachable:
                    raise LevelUnreachableError(result.unreachable)
                bar.update()
                yield result


def _results(
    job: _Job,
    benchmark: Benchmark,
    groups: Sequence[Sequence[Condition]],
    folder: Path,
    workers: int,
) -> Iterator[Iterable[_Done]]:
    if workers == 1:
        variants = Variants(benchmark, job.seed, job.rules)
        for group in groups:
            yield _write_group(variants, group, folder)
        return
    # Fresh processes: a forked one would share the parent's threads and spaCy state. Leaving the
    # block ends them, also when the parent is interrupted.
    with get_context("spawn").Pool(workers, initializer=_ignore_interrupt) as pool:
        yield from pool.imap(partial(_work, job, folder), groups)


def _ignore_interrupt() -> None:
    """Leave Ctrl-C to the parent, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(job: _Job, folder: Path, group: Sequence[Condition]) -> list[_Done]:
    return list(_write_group(_variants_of(job), group, folder))


@cache
def _variants_of(job: _Job) -> Variants:
    return Variants(load_benchmark(job.benchmark, job.sources), job.seed, job.rules)


def _write_group(variants: Variants, group: Iterable[Condition], folder: Path) -> Iterator[_Done]:
    for condition in group:
        try:
            rows, entry = variants.config(condition)
        except LevelUnreachableError as error:
            yield _Done(condition, {}, str(error))
            continue
        _write_parquet(folder / condition.config_name / PARQUET, rows)
        yield _Done(condition, entry)


def _write_parquet(path: Path, rows: Sequence[Row]) -> None:
    import pyarrow
    from pyarrow import parquet

    path.parent.mkdir(parents=True)
    parquet.write_table(pyarrow.Table.from_pylist(list(rows), schema=schema()), path)


def _write_json(path: Path, content: object) -> None:
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")

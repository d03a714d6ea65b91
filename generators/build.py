"""From a benchmark to a folder of dataset configs with a manifest.

    DIR/README.md                            names the configs for `datasets.load_dataset`
    DIR/manifest.json                        versions, seed, hashes, calibration, realised mix
    DIR/<config>/test-00000-of-00001.parquet

The folder appears when it is complete. An interrupted build goes on where it stopped, a later one
adds configs to a folder that the same job made, and a config that is there is not made again.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import RULES, Condition, all_conditions, conditions_of
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    LevelUnreachableError,
    UnknownNameError,
)
from sociolect.generators.folders import recover, resolved
from sociolect.generators.items import Benchmark
from sociolect.generators.layout import CARD, MANIFEST, REALISM
from sociolect.generators.locks import only_one
from sociolect.generators.manifest import (
    Manifest,
    card,
    foreign_entries,
    job_of,
    make_manifest,
    read_manifest,
    toolchain,
)
from sociolect.generators.noise.options import DEFAULT_NOISE, NoiseOptions
from sociolect.generators.rows import config_sha256
from sociolect.generators.stored import read_config
from sociolect.generators.unfinished import Unfinished, others, unfinished_folder
from sociolect.generators.work import Recipe, make_configs


def build(
    benchmark: str,
    conditions: Sequence[Condition],
    *,
    out: Path,
    seed: int = 0,
    rules: str = "paper",
    noise: NoiseOptions = DEFAULT_NOISE,
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
        out: Folder to make. If a build of the same job is there (benchmark, sources, seed, rules,
            versions, tools), its configs stay and the missing ones are added.
        seed: Error seed, in [0, 2⁶³).
        rules: `paper` or `careful`, for learner errors.
        noise: How surface noise is drawn.
        sources: Local folder of the source files; None for `SOCIOLECT_SOURCES` or a download.
        workers: Processes; the output is the same for any number.
        skip_unreachable: Leave out conditions above their ceiling and list them in the
            manifest, instead of stopping.
        overwrite: Replace an earlier build in `out`, whatever made it.
        progress: Show a progress bar on standard error.

    Returns:
        The manifest of the folder.

    Raises:
        LevelUnreachableError: A condition is above its ceiling.
        InvalidInputError: `out` holds something else or cannot be made, or a number is out of
            range.
        MissingToolError: The tagger's model or the speller is not installed.
        SourceError: A source file is missing, changed or malformed.
    """
    _check(out, seed, rules, workers)
    for condition in conditions:
        if Condition.parse(condition.config_name) != condition:
            raise UnknownNameError("condition", condition, all_conditions())
    known = conditions_of(benchmark)
    _check_conditions(benchmark, conditions, known)
    loaded = load_benchmark(benchmark, sources)
    job = job_of(loaded, seed, rules, toolchain(), noise)
    wanted = [c for c in known if c.is_clean or c in conditions]
    recipe = Recipe(benchmark, sources, seed, rules, noise)
    target = resolved(out)
    with only_one(target), _writing_to(out):
        recover(target)
        earlier = None if _is_vacant(out, overwrite) else _same_job(out, job)
        missing = _missing(wanted, earlier, target, skip_unreachable)
        if earlier is not None and not missing:
            _say(f"nothing to do: {out} holds all of these configs")
            return earlier
        _say_what_waits(target, job)
        with unfinished_folder(target, job) as folder, _interruptible():
            bar = partial(tqdm, unit="config", disable=not progress, file=sys.stderr)
            unreachable = _make(recipe, loaded, missing, folder, workers, bar, skip_unreachable)
            return _finish(folder, loaded, job, wanted, unreachable, earlier, target)


def _check_conditions(
    benchmark: str, conditions: Sequence[Condition], known: Sequence[Condition]
) -> None:
    for condition in conditions:
        if condition not in known:
            names = [c.config_name for c in known]
            raise UnknownNameError(f"condition of {benchmark}", condition.config_name, names)


def _say(message: str) -> None:
    print(f"sociolect: {message}", file=sys.stderr)


def _say_what_waits(target: Path, job: Mapping[str, Any]) -> None:
    """Name what builds with another seed, other rules or tools left unfinished here."""
    for folder in others(target, job):
        _say(f"{folder} is an unfinished build of another kind; delete it if you do not need it")


@contextmanager
def _interruptible() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        _say("interrupted; the same command goes on with the configs that are finished")
        raise


def _check(out: Path, seed: int, rules: str, workers: int) -> None:
    if rules not in RULES:
        raise UnknownNameError("rule set", rules, RULES)
    if not 0 <= seed < 2**63:
        raise InvalidInputError(f"the seed must be 0 or more and below 2**63, not {seed}")
    if workers < 1:
        raise InvalidInputError(f"the number of workers must be 1 or more, not {workers}")
    try:
        if out.exists() and not out.is_dir():
            raise InvalidInputError(f"{out} is a file; name a folder")
    except OSError as error:
        raise InvalidInputError(f"cannot use {out} ({error.strerror})") from error


@contextmanager
def _writing_to(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidInputError(
            f"the build could not be written beside {out} ({error.strerror}). Make room, or name "
            "another folder; the same command goes on with the configs that are finished"
        ) from error


def _is_vacant(out: Path, overwrite: bool) -> bool:
    """Whether nothing in `out` is to be kept.

    Raises:
        InvalidInputError: It holds what no build put there.
        DataError: With `overwrite`, what it holds is no build.
    """
    if not out.is_dir() or not any(out.iterdir()):
        return True
    if not (out / MANIFEST).is_file() and not overwrite:
        raise InvalidInputError(f"{out} is not empty and holds no build; name another folder")
    if foreign := foreign_entries(out):
        raise InvalidInputError(
            f"{out} holds what no build put there ({', '.join(foreign[:3])}"
            f"{', …' if len(foreign) > 3 else ''}), which would be lost. Move it away, or name "
            "another folder"
        )
    return overwrite


def _same_job(out: Path, job: Mapping[str, Any]) -> Manifest:
    """The manifest of a build that this job may add to.

    Raises:
        InvalidInputError: Another job made it.
    """
    manifest = read_manifest(out)
    for key, value in job.items():
        if manifest.get(key) != value:
            one, other = (
                str(v) if isinstance(v, str | int) else "other ones"
                for v in (manifest.get(key), value)
            )
            raise InvalidInputError(
                f"{out} holds a build with {key.replace('_', ' ')} {one}, this one has {other}; "
                "name another folder, or add --overwrite to replace it"
            )
    return manifest


def _missing(
    wanted: Sequence[Condition], earlier: Manifest | None, target: Path, skip_unreachable: bool
) -> list[Condition]:
    """The conditions that an earlier build does not have.

    Raises:
        LevelUnreachableError: It found that one cannot be reached.
        InvalidInputError: A config that is not wanted now is damaged.
    """
    if earlier is None:
        return list(wanted)
    damaged = {n for n, entry in earlier["configs"].items() if not _is_whole(target, n, entry)}
    if lost := sorted(damaged - {c.config_name for c in wanted}):
        raise InvalidInputError(
            f"{target} lost the rows of {lost[0]}, or they were changed; build that config again, "
            "or add --overwrite"
        )
    missing = []
    for condition in wanted:
        name = condition.config_name
        if reason := earlier["unreachable"].get(name):
            if not skip_unreachable:
                raise LevelUnreachableError(reason)
        elif name in damaged:
            _say(f"{name} in {target} is damaged and will be built again")
            missing.append(condition)
        elif name not in earlier["configs"]:
            missing.append(condition)
    return missing


def _is_whole(build: Path, config: str, entry: Mapping[str, Any]) -> bool:
    """Whether a config of a finished build has the rows that its manifest says."""
    try:
        rows = read_config(build, config).rows
    except DataError:
        return False
    return config_sha256(rows) == entry.get("sha256")


def _make(
    recipe: Recipe,
    benchmark: Benchmark,
    conditions: Sequence[Condition],
    folder: Unfinished,
    workers: int,
    make_bar: Callable[..., Any],
    skip_unreachable: bool,
) -> dict[str, str]:
    """Make what is not finished yet; why others cannot be, by config name."""
    left = [c for c in conditions if folder.entry(c.config_name) is None]
    resumed = len(conditions) - len(left)
    if resumed:
        _say(f"{resumed} of {len(conditions)} configs are finished")
    unreachable = {}
    made = make_configs(recipe, benchmark, left, folder, workers)
    with closing(made), make_bar(total=len(conditions), initial=resumed) as bar:
        for condition, reason in made:
            bar.update()
            if reason and not skip_unreachable:
                raise LevelUnreachableError(reason)
            if reason:
                unreachable[condition.config_name] = reason
    return unreachable


def _finish(
    folder: Unfinished,
    benchmark: Benchmark,
    job: Mapping[str, Any],
    wanted: Sequence[Condition],
    unreachable: Mapping[str, str],
    earlier: Manifest | None,
    target: Path,
) -> Manifest:
    """Add what an earlier build holds, the manifest and the card; rename to the target."""
    kept = {} if earlier is None else earlier["configs"]
    for name, entry in kept.items():
        if folder.entry(name) is None:
            folder.adopt(name, entry, target)
    asked = {c.config_name for c in wanted}.union(kept)
    why_not = {**({} if earlier is None else earlier["unreachable"]), **unreachable}
    order = [c.config_name for c in all_conditions()]
    configs = {n: entry for n in order if n in asked and (entry := folder.entry(n)) is not None}
    reasons = {n: why_not[n] for n in order if n in why_not}
    folder.drop_others(configs)
    manifest = make_manifest(benchmark, job, configs, reasons)
    _write_json(folder.path / MANIFEST, manifest)
    (folder.path / CARD).write_text(card(manifest), encoding="utf-8")
    if earlier is not None and (target / REALISM).is_file():
        shutil.copyfile(target / REALISM, folder.path / REALISM)
    folder.put(target, replace=True)
    return manifest


def _write_json(path: Path, content: object) -> None:
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")

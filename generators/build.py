"""From a benchmark to a folder of dataset configs with a manifest.

The folder is written under a temporary name and renamed when it is complete:

    DIR/README.md                            names the configs for `datasets.load_dataset`
    DIR/manifest.json                        versions, seed, hashes, calibration, realised mix
    DIR/<config>/test-00000-of-00001.parquet
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sociolect import __version__
from sociolect.generators import nlp
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.calibrate import Calibration
from sociolect.generators.conditions import RULES, Condition
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    LevelUnreachableError,
    UnknownNameError,
)
from sociolect.generators.inject import Injector, Perturbed, realised_mix
from sociolect.generators.items import PART_NAMES, Benchmark, PartName
from sociolect.generators.learner.inflection import inflector_versions
from sociolect.generators.learner.speller import speller_versions
from sociolect.generators.rows import SPLIT, Row, config_sha256, make_row, schema
from sociolect.generators.text import Edit
from sociolect.generators.uniform import ALGORITHM_VERSION

DATA_VERSION = "1.0.0"
"""Semantic version of the published data; tasks record it."""

MANIFEST = "manifest.json"
PARQUET = f"{SPLIT}-00000-of-00001.parquet"

Manifest = dict[str, Any]


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
    loaded = load_benchmark(benchmark, sources)
    tools = toolchain()
    wanted = (Condition(), *sorted({c for c in conditions if not c.is_clean}, key=_order))
    job = _Job(benchmark, sources, seed, rules)
    with finished_folder(out, replace=overwrite) as folder:
        done = list(_run(job, loaded, wanted, folder, workers, skip_unreachable, progress))
        manifest = _manifest(loaded, seed, rules, tools, done)
        _write_json(folder / MANIFEST, manifest)
        (folder / "README.md").write_text(_readme(manifest), encoding="utf-8")
    return manifest


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a build.

    Raises:
        DataError: There is none, or it is damaged.
    """
    path = folder / MANIFEST
    try:
        manifest: Manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"{folder} is not a finished build: it has no {MANIFEST}. "
            "Make one with `sociolect build BENCHMARK --out DIR`."
        ) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is damaged ({error}). Build the folder again.") from None
    if not isinstance(manifest, dict) or "configs" not in manifest:
        raise DataError(f"{path} is not a manifest of sociolect. Build the folder again.")
    return manifest


def toolchain() -> dict[str, str]:
    """Versions and hashes of everything that decides an edit."""
    return {**nlp.tagger_versions(), **inflector_versions(), **speller_versions()}


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
        read_manifest(out)


@contextmanager
def finished_folder(out: Path, *, replace: bool = True) -> Iterator[Path]:
    """A temporary folder beside `out` that takes its name and its place if the block succeeds.

    Args:
        out: Where the folder shall be. A symbolic link stays, what it points to is replaced.
        replace: Whether the new folder may replace one that holds something by then.

    Raises:
        InvalidInputError: `out` cannot be made, is the current folder, or may not be replaced.
    """
    target = out.resolve()
    if target in (Path.cwd(), *Path.cwd().parents):
        raise InvalidInputError(f"{out} is the current folder or holds it; name another one")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = _hidden_beside(target, ".partial")
    except OSError as error:
        raise InvalidInputError(
            f"cannot write to {target.parent} ({error.strerror}); name another folder"
        ) from error
    try:
        yield folder
        folder.chmod(0o755)
        _put(folder, target, replace)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _hidden_beside(target: Path, suffix: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=suffix, dir=target.parent))


def _put(folder: Path, target: Path, replace: bool) -> None:
    """Rename a folder; what stood there comes back if that fails."""
    try:
        folder.replace(target)  # one step where nothing or an empty folder is in the way
        return
    except OSError as error:
        if not (replace and target.is_dir()):
            raise InvalidInputError(
                f"{target} was filled while the new one was made; name another folder"
            ) from error
    old = _hidden_beside(target, ".old")
    try:
        target.replace(old)
        folder.replace(target)
    except BaseException:
        if not target.exists():
            old.replace(target)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


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
    # Fresh processes: a forked one would share the parent's threads and spaCy state.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(partial(_work, job, folder), groups)


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


class Variants:
    """The rows of any condition of a loaded benchmark.

    Args:
        benchmark: The benchmark.
        seed: The error seed.
        rules: `paper` or `careful`.
    """

    def __init__(self, benchmark: Benchmark, seed: int = 0, rules: str = "paper") -> None:
        self._benchmark = benchmark
        self._seed = seed
        self._rules = rules
        self._injectors: dict[PartName, Injector] = {}
        self._clean: dict[PartName, list[tuple[Perturbed, ...]]] = {}

    def injector(self, part: PartName) -> Injector:
        """The choices of one part, made when first asked for."""
        if part not in self._injectors:
            self._injectors[part] = Injector(self._benchmark, part, self._seed, self._rules)
        return self._injectors[part]

    def calibrate(self, condition: Condition) -> dict[PartName, Calibration]:
        """The solved cutoff of every perturbed part.

        Raises:
            LevelUnreachableError: The level is out of reach in one of them.
        """
        return {
            part: self.injector(part).calibrate(
                condition.types,
                condition.level / 100,
                f"{self._benchmark.name} {condition.config_name} ({part}, {self._rules} rules)",
            )
            for part in condition.perturbed_parts
        }

    def config(self, condition: Condition) -> tuple[list[Row], dict[str, Any]]:
        """Rows of a condition and its manifest entry.

        Raises:
            LevelUnreachableError: The level is out of reach.
        """
        found = self.calibrate(condition)
        texts = {part: self._texts(part, condition, found) for part in PART_NAMES}
        rows = [
            make_row(pair, item, condition, self._seed, {p: texts[p][i][m] for p in PART_NAMES})
            for i, pair in enumerate(self._benchmark.pairs)
            for m, item in enumerate(pair.members)
        ]
        edits = [e for p in condition.perturbed_parts for unit in texts[p] for e in unit[0].edits]
        return rows, self._entry(condition, found, rows, edits)

    def _texts(
        self, part: PartName, condition: Condition, found: Mapping[PartName, Calibration]
    ) -> list[tuple[Perturbed, ...]]:
        injector = self.injector(part)
        if part in found:
            rendered = injector.render(condition.types, found[part].cutoff)
            return [members for _, members in rendered]
        if part not in self._clean:
            self._clean[part] = injector.clean()
        return self._clean[part]

    def _entry(
        self,
        condition: Condition,
        found: Mapping[PartName, Calibration],
        rows: Sequence[Row],
        edits: Iterable[Edit],
    ) -> dict[str, Any]:
        return {
            "transform": condition.transform,
            "level": condition.level,
            "part": condition.part,
            "rules": self._rules,
            "cutoff": {part: c.cutoff for part, c in found.items()},
            "mean_error_rate": sum(r["error_rate"] for r in rows) / len(rows),
            "mean_error_rate_by_part": {p: c.mean_error_rate for p, c in found.items()},
            "ceiling": {part: c.ceiling for part, c in found.items()},
            "at_ceiling": any(c.at_ceiling for c in found.values()),
            "mix": [asdict(m) for m in realised_mix(condition.types, edits)],
            "rows": len(rows),
            "sha256": config_sha256(rows),
        }


def _write_parquet(path: Path, rows: Sequence[Row]) -> None:
    import pyarrow
    from pyarrow import parquet

    path.parent.mkdir(parents=True)
    parquet.write_table(pyarrow.Table.from_pylist(list(rows), schema=schema()), path)


def _write_json(path: Path, content: object) -> None:
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")


def _manifest(
    benchmark: Benchmark, seed: int, rules: str, tools: dict[str, str], done: Iterable[_Done]
) -> Manifest:
    results = list(done)
    return {
        "benchmark": benchmark.name,
        "axis": benchmark.axis,
        "data_version": DATA_VERSION,
        "sociolect_version": __version__,
        "algorithm_version": ALGORITHM_VERSION,
        "seed": seed,
        "rules": rules,
        "licence": benchmark.licence,
        "error_rate": "token edits / tokens of the longer text; a token is a spaCy token that is "
        "neither space nor punctuation, outside the protected spans",
        "sources": [asdict(s) for s in benchmark.sources],
        "toolchain": tools,
        "dropped": [asdict(d) for d in benchmark.dropped],
        "invalid_pairs": {p.id: p.note for p in benchmark.pairs if not p.valid},
        "configs": {r.condition.config_name: r.entry for r in results if r.entry},
        "unreachable": {r.condition.config_name: r.unreachable for r in results if r.unreachable},
    }


def _readme(manifest: Manifest) -> str:
    """The file that tells `datasets.load_dataset` which configs there are."""
    import yaml
    from jinja2 import Environment, PackageLoader, StrictUndefined

    configs = [
        {
            "config_name": name,
            "data_files": [{"split": SPLIT, "path": f"{name}/{PARQUET}"}],
            **({"default": True} if name == "clean" else {}),
        }
        for name in manifest["configs"]
    ]
    licence = manifest["licence"].lower() or "other"
    head = {"license": licence, "language": ["en"], "configs": configs}
    # Markdown for a local folder, not HTML: nothing to escape.
    templates = Environment(
        loader=PackageLoader("sociolect.dataset_cards", "."),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )
    return templates.get_template("build.md").render(
        m=manifest, front_matter=yaml.safe_dump(head, sort_keys=False).strip()
    )

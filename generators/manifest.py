"""What a build says of itself: versions, seed, hashes, calibration, realised mix."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators import nlp
from sociolect.generators.conditions import all_conditions
from sociolect.generators.errors import DataError
from sociolect.generators.items import Benchmark
from sociolect.generators.layout import CARD, DATA_VERSION, MANIFEST, PARQUET, REALISM, SPLIT
from sociolect.generators.learner.inflection import inflector_versions
from sociolect.generators.learner.speller import speller_versions
from sociolect.generators.noise.options import DEFAULT_NOISE, NoiseOptions
from sociolect.generators.shapes import complaint, is_list_of, is_table_of
from sociolect.generators.templates import environment
from sociolect.generators.uniform import ALGORITHM_VERSION

Manifest = dict[str, Any]


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a build, its configs in the order of the grid.

    Raises:
        DataError: There is none, or it is damaged.
    """
    path = folder / MANIFEST
    try:
        manifest: Manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(
            f"{folder} is not a finished build: it has no {MANIFEST}. "
            "Make one with `sociolect build BENCHMARK --out DIR`."
        ) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is damaged ({error}). Build the folder again.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}).") from None
    except RecursionError:
        raise DataError(f"{path} is damaged (nested too deeply). Build the folder again.") from None
    if problem := _misshapen(manifest):
        raise DataError(
            f"{path} is not a manifest of sociolect, or one of another version: {problem}. Build "
            "or download the folder again."
        )
    order = {c.config_name: place for place, c in enumerate(all_conditions())}
    named = sorted(manifest["configs"].items(), key=lambda item: order.get(item[0], len(order)))
    return {**manifest, "configs": dict(named)}


_TEXTS = ("benchmark", "axis", "data_version", "algorithm_version", "rules", "noise_draws")
_TABLES_OF_TEXT = ("toolchain", "unreachable", "invalid_pairs")
_LISTS = {"sources": ("name", "sha256"), "dropped": ("where", "reason")}


def _misshapen(manifest: object) -> str:
    """What is missing or of another type than a build writes; empty if nothing is."""
    if not isinstance(manifest, dict):
        return "it is no table"
    checks = {
        **{key: isinstance(manifest.get(key), str) for key in _TEXTS},
        "seed": type(manifest.get("seed")) is int,
        "configs": bool(manifest.get("configs")) and is_table_of(dict, manifest.get("configs")),
        **{key: is_table_of(str, manifest.get(key)) for key in _TABLES_OF_TEXT},
        **{key: is_list_of(fields, manifest.get(key)) for key, fields in _LISTS.items()},
        "written": is_list_of(("model", "checker"), manifest.get("written", [])),
    }
    return complaint(manifest, checks)


def foreign_entries(folder: Path) -> list[str]:
    """What a build would not have put into a folder that has a manifest.

    Raises:
        DataError: It has none, or a damaged one.
    """
    configs = read_manifest(folder)["configs"]
    expected = {CARD, MANIFEST, REALISM, *configs, *(f"{name}/{PARQUET}" for name in configs)}
    found = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")))
    return [name for name in found if name not in expected]


def toolchain() -> dict[str, str]:
    """Versions and hashes of everything that decides an edit."""
    return {**nlp.tagger_versions(), **inflector_versions(), **speller_versions()}


def job_of(
    benchmark: Benchmark,
    seed: int,
    rules: str,
    tools: Mapping[str, str],
    noise: NoiseOptions = DEFAULT_NOISE,
) -> dict[str, Any]:
    """What decides the rows of a build: two builds with the same job have the same rows.

    Args:
        benchmark: What is built.
        seed: The error seed.
        rules: The rule set of learner errors.
        tools: As `toolchain` returns them.
        noise: How surface noise is drawn.
    """
    return {
        "benchmark": benchmark.name,
        "axis": benchmark.axis,
        "data_version": DATA_VERSION,
        "algorithm_version": ALGORITHM_VERSION,
        "seed": seed,
        "rules": rules,
        "noise_draws": noise.draws,
        "sources": [asdict(s) for s in benchmark.sources],
        "toolchain": dict(tools),
    }


def make_manifest(
    benchmark: Benchmark,
    job: Mapping[str, Any],
    configs: Mapping[str, Mapping[str, Any]],
    unreachable: Mapping[str, str],
) -> Manifest:
    """The manifest of a build.

    Args:
        benchmark: What was built.
        job: As `job_of` returns it.
        configs: The entry of each config, by its name.
        unreachable: Why a config was left out, by its name.
    """
    return {
        **job,
        "sociolect_version": __version__,
        "licence": benchmark.licence,
        **({"written": [asdict(w) for w in benchmark.written]} if benchmark.written else {}),
        "error_rate": "token edits / tokens of the longer text; a token is a spaCy token that is "
        "neither space nor punctuation, outside the protected spans",
        "token_change": "of surface noise: token edits / tokens of the clean input; a token is "
        "what white space separates",
        "dropped": [asdict(d) for d in benchmark.dropped],
        "invalid_pairs": {p.id: p.note for p in benchmark.pairs if not p.valid},
        "configs": dict(configs),
        "unreachable": dict(unreachable),
    }


def card(manifest: Manifest) -> str:
    """The file that tells `datasets.load_dataset` which configs there are."""
    import yaml

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
    front_matter = yaml.safe_dump(head, sort_keys=False).strip()
    return environment().get_template("build.md").render(m=manifest, front_matter=front_matter)

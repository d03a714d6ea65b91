"""What two versions of a dataset have in common, and what not."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.manifest import MANIFEST, PARQUET, read_manifest
from sociolect.generators.rows import Row, config_sha256, schema
from sociolect.generators.stored import columns
from sociolect.generators.version_diff import FactChange, TextChange, compare_versions
from sociolect.generators.withheld import strip_manifest, strip_rows

MINI = "occupations_mini"


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("versions")
    made = {}
    for name, seed, levels in (("a", 0, (5, 10)), ("b", 1, (5, 20))):
        made[name] = root / name
        build(MINI, [Condition("l2prep", n) for n in levels], out=made[name], seed=seed)
    return made


@pytest.fixture
def a(builds: dict[str, Path]) -> Path:
    return builds["a"]


@pytest.fixture
def copy(a: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    shutil.copytree(a, folder)
    return folder


def change(folder: Path, config: str, how: Callable[[list[Row]], object]) -> None:
    path = folder / config / PARQUET
    rows = parquet.read_table(path).to_pylist()
    how(rows)
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema()), path)
    edit_manifest(folder, lambda m: m["configs"][config].update(sha256=config_sha256(rows)))


def edit_manifest(folder: Path, how: Callable[[dict[str, Any]], object]) -> None:
    manifest = read_manifest(folder)
    how(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest), "utf-8")


def test_a_copy_is_equal(a: Path, copy: Path) -> None:
    found = compare_versions(a, copy)
    assert found.is_equal
    assert set(found.unchanged) == {"clean", "l2prep-5", "l2prep-10"}


def test_another_seed(builds: dict[str, Path]) -> None:
    found = compare_versions(builds["a"], builds["b"])
    assert not found.is_equal
    assert FactChange("seed", "0", "1") in found.facts
    assert found.added == ("l2prep-20",)
    assert found.removed == ("l2prep-10",)
    assert [c.name for c in found.changed] == ["clean", "l2prep-5"]
    clean, errored = found.changed
    assert clean.columns == {"seed": 128}
    assert clean.examples == ()
    assert (clean.edits_added, clean.edits_removed, clean.edits_kept) == (0, 0, 0)
    assert errored.columns["seed"] == 128
    assert len(errored.rows_changed) == 128
    assert errored.edits_added > 20
    assert errored.edits_removed > 20
    assert len(errored.examples) == 5
    rows = parquet.read_table(builds["a"] / "l2prep-5" / PARQUET).to_pylist()
    assert errored.edits_removed + errored.edits_kept == sum(r["n_edits"] for r in rows)
    mean = sum(r["error_rate"] for r in rows) / len(rows)
    assert errored.mean_before == pytest.approx(mean)
    assert errored.mean_after == pytest.approx(0.05, abs=0.01)


def test_one_row(a: Path, copy: Path) -> None:
    def how(rows: list[Row]) -> None:
        rows[3]["input"] = "Now this."
        rows[3]["edits"] = []
        rows[3]["error_rate"] = 0.0

    rows = parquet.read_table(a / "l2prep-10" / PARQUET).to_pylist()
    assert rows[3]["n_edits"]
    change(copy, "l2prep-10", how)
    found = compare_versions(a, copy)
    assert found.facts == ()
    (config,) = found.changed
    assert config.rows_changed == (rows[3]["id"],)
    assert set(config.columns) == {"input", "edits", "error_rate"}
    assert config.examples == (TextChange(rows[3]["id"], "input", rows[3]["input"], "Now this."),)
    assert config.edits_removed == rows[3]["n_edits"]
    assert config.edits_added == 0
    assert not config.reordered


def test_rows_that_come_go_and_move(a: Path, copy: Path) -> None:
    def how(rows: list[Row]) -> None:
        rows[0]["id"] = "new"
        rows[4], rows[5] = rows[5], rows[4]

    gone = parquet.read_table(a / "clean" / PARQUET).to_pylist()[0]["id"]
    change(copy, "clean", how)
    (config,) = compare_versions(a, copy).changed
    assert config.rows_added == ("new",)
    assert config.rows_removed == (gone,)
    assert config.rows_changed == ()
    assert config.reordered


@pytest.mark.parametrize(("show", "shown"), [(0, 0), (2, 2), (1000, 64)])
def test_the_number_of_examples(a: Path, copy: Path, show: int, shown: int) -> None:
    change(copy, "clean", lambda rows: [r.update(question="?") for r in rows])
    (config,) = compare_versions(a, copy, show=show).changed
    assert len(config.examples) == shown


def test_facts_of_the_manifest(a: Path, copy: Path) -> None:
    def how(manifest: dict[str, Any]) -> None:
        manifest["data_version"] = "2.0.0"
        manifest["toolchain"]["spacy"] = "4"
        manifest["toolchain"].pop("aspell")
        manifest["sources"][0]["sha256"] = "0"
        manifest["configs"]["clean"]["at_ceiling"] = True

    old = read_manifest(a)
    edit_manifest(copy, how)
    found = compare_versions(a, copy)
    assert set(found.facts) == {
        FactChange("data_version", old["data_version"], "2.0.0"),
        FactChange("toolchain, spacy", old["toolchain"]["spacy"], "4"),
        FactChange("toolchain, aspell", old["toolchain"]["aspell"], "none"),
        FactChange(f"sources, {old['sources'][0]['name']}", old["sources"][0]["sha256"], "0"),
        FactChange("configs, clean, at_ceiling", "False", "True"),
    }
    assert found.changed == ()
    assert not found.is_equal


def test_a_release_without_texts_against_the_build(a: Path, copy: Path) -> None:
    for name in read_manifest(copy)["configs"]:
        path = copy / name / PARQUET
        rows = strip_rows(parquet.read_table(path).to_pylist())
        parquet.write_table(pa.Table.from_pylist(rows, schema=columns(withheld=True)), path)
    edit_manifest(copy, lambda m: m.update(strip_manifest(m)))
    found = compare_versions(a, copy, show=1)
    assert FactChange("text", "none", "withheld") in found.facts
    by_name = {c.name: c for c in found.changed}
    assert by_name["l2prep-10"].columns["input"] == 128
    assert by_name["l2prep-10"].edits_added == by_name["l2prep-10"].edits_removed == 0
    assert by_name["l2prep-10"].edits_kept > 50
    assert compare_versions(copy, copy).is_equal


def test_an_empty_config_has_no_mean(a: Path, copy: Path) -> None:
    change(copy, "clean", lambda rows: rows.clear())
    (config,) = compare_versions(a, copy).changed
    assert math.isnan(config.mean_after)
    assert len(config.rows_removed) == 128


def test_different_benchmarks_are_refused(a: Path, copy: Path) -> None:
    edit_manifest(copy, lambda m: m.update(benchmark="winobias"))
    with pytest.raises(InvalidInputError, match=r"occupations_mini.*winobias"):
        compare_versions(a, copy)


def test_a_negative_number_of_rows_is_refused(a: Path) -> None:
    with pytest.raises(InvalidInputError, match="-1"):
        compare_versions(a, a, show=-1)


def test_a_missing_config_file_is_named(a: Path, copy: Path) -> None:
    edit_manifest(copy, lambda m: m["configs"]["clean"].update(sha256="0"))
    (copy / "clean" / PARQUET).unlink()
    with pytest.raises(DataError, match="clean"):
        compare_versions(a, copy)

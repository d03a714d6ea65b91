"""Folders of variants: complete or not there at all."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sociolect import __version__
from sociolect.generators import folders, work
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    LevelUnreachableError,
    UnknownNameError,
)
from sociolect.generators.folders import finished_folder
from sociolect.generators.layout import DATA_VERSION, MANIFEST
from sociolect.generators.manifest import read_manifest
from sociolect.generators.rows import config_sha256
from sociolect.generators.unfinished import Unfinished, unfinished_folder
from sociolect.generators.uniform import ALGORITHM_VERSION
from sociolect.generators.variants import Variants
from sociolect.harness.cli import main

MINI = "occupations_mini"
JOB_KEYS = (
    "benchmark", "axis", "data_version", "algorithm_version", "seed", "rules", "noise_draws",
    "sources", "toolchain",
)  # fmt: skip
PREP = Condition("l2prep", 10)
BOTH = Condition("l2det", 10, "both")
ABOVE = Condition("l2verb", 30)  # out of reach in the mini set as on WinoBias


def names(folder: Path) -> list[str]:
    """Everything in a folder, hidden names too; the hash of a job as J."""
    return sorted(re.sub(r"\.[0-9a-f]{12}\.", ".J.", p.name) for p in folder.iterdir())


def unfinished(parent: Path) -> Path:
    (found,) = parent.glob(".*.unfinished")
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("builds") / "mini"
    build(MINI, [BOTH, PREP], out=out, seed=3)
    return out


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """An earlier build, clean only."""
    out = tmp_path / "old"
    build(MINI, [], out=out)
    return out


def test_the_folder_holds_every_config_and_nothing_else(built: Path) -> None:
    assert names(built) == ["README.md", "clean", "l2det-10-both", "l2prep-10", MANIFEST]
    assert names(built / "clean") == ["test-00000-of-00001.parquet"]
    assert names(built.parent) == ["mini"]
    assert built.stat().st_mode & 0o777 == 0o755


def test_build_returns_what_it_wrote(tmp_path: Path) -> None:
    manifest = build(MINI, [PREP], out=tmp_path / "x")
    assert manifest == read_manifest(tmp_path / "x")


def test_the_manifest_is_complete(built: Path) -> None:
    manifest = read_manifest(built)
    assert manifest["benchmark"] == MINI
    assert manifest["axis"] == "gender"
    assert manifest["data_version"] == DATA_VERSION
    assert manifest["sociolect_version"] == __version__
    assert manifest["algorithm_version"] == ALGORITHM_VERSION
    assert manifest["seed"] == 3
    assert manifest["rules"] == "paper"
    assert manifest["licence"] == "Apache-2.0"
    assert "neither space nor punctuation" in manifest["error_rate"]
    assert [len(s["sha256"]) for s in manifest["sources"]] == [64]
    assert manifest["unreachable"] == {}
    assert manifest["invalid_pairs"] == {}
    assert manifest["dropped"] == []
    assert set(manifest["toolchain"]) == {
        *("spacy", "model", "model_version", "model_sha256", "pyinflect"),
        *("aspell", "aspell_python", "dictionary", "dictionary_sha256"),
    }
    assert list(manifest["configs"]) == sorted(manifest["configs"])


def test_every_config_tells_how_it_was_made(built: Path) -> None:
    configs = read_manifest(built)["configs"]
    assert set(configs["clean"]["cutoff"]) == set()
    assert configs["clean"]["mean_error_rate"] == 0
    entry = configs["l2det-10-both"]
    assert (entry["transform"], entry["level"], entry["part"]) == ("l2det", 10, "both")
    assert entry["rules"] == "paper"
    assert set(entry["cutoff"]) == set(entry["ceiling"]) == {"instruction", "input"}
    assert entry["mean_error_rate_by_part"] == pytest.approx(
        {"instruction": 0.1, "input": 0.1}, abs=0.0025
    )
    assert entry["at_ceiling"] is False
    assert entry["rows"] == 128
    assert [(m["type"], m["operation"]) for m in entry["mix"]] == [
        ("det", "deletion"),
        ("det", "replacement"),
        ("det", "insertion"),
    ]
    assert sum(m["share"] for m in entry["mix"]) == pytest.approx(1)
    assert {len(e["sha256"]) for e in configs.values()} == {64}
    assert len({e["sha256"] for e in configs.values()}) == 3


def test_configs_load_as_they_were_made(built: Path, tmp_path: Path) -> None:
    import datasets

    manifest = read_manifest(built)
    variants = Variants(load_benchmark(MINI), seed=3)
    for condition in (Condition(), PREP, BOTH):
        name = condition.config_name
        loaded = datasets.load_dataset(str(built), name, cache_dir=str(tmp_path))
        assert list(loaded) == ["test"]
        rows = list(loaded["test"])
        assert rows == variants.config(condition)[0]
        assert config_sha256(rows) == manifest["configs"][name]["sha256"]
        assert loaded["test"].features["error_rate"].dtype == "float64"


def test_the_readme_names_the_configs_for_the_loader(built: Path) -> None:
    _, head, body = (built / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    front = yaml.safe_load(head)
    assert [c["config_name"] for c in front["configs"]] == list(read_manifest(built)["configs"])
    for config in front["configs"]:
        (file,) = config["data_files"]
        assert (built / file["path"]).is_file()
        assert file["split"] == "test"
    assert [c["config_name"] for c in front["configs"] if c.get("default")] == ["clean"]
    assert "seed 3" in " ".join(body.split())


def test_winobias_invalid_pairs_are_named(sources: Path, tmp_path: Path, winobias: Any) -> None:
    manifest = build("winobias", [], out=tmp_path / "w", sources=sources)
    assert len(manifest["invalid_pairs"]) == 10
    assert all(manifest["invalid_pairs"].values())
    assert manifest["configs"]["clean"]["rows"] == 1584
    assert [s["sha256"] for s in manifest["sources"]] == [s.sha256 for s in winobias.sources]


def test_conditions_named_twice_or_in_any_order_are_built_once(tmp_path: Path) -> None:
    manifest = build(MINI, [PREP, Condition(), BOTH, PREP], out=tmp_path / "x", seed=3)
    assert list(manifest["configs"]) == ["clean", "l2det-10-both", "l2prep-10"]


@pytest.mark.parametrize("name", ["with space", "Ünï-códé 日本", "-dash", "a.b", "deep/er/still"])
def test_any_name_of_a_folder_will_do(tmp_path: Path, name: str) -> None:
    build(MINI, [], out=tmp_path / name)
    assert read_manifest(tmp_path / name)["benchmark"] == MINI
    assert not list(tmp_path.rglob(".*"))


def test_relative_folders_and_trailing_slashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build(MINI, [], out=Path("here/"))
    build(MINI, [], out=Path("here/../there"))
    assert names(tmp_path) == ["here", "there"]


def test_a_folder_made_beforehand_may_be_empty(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    build(MINI, [], out=tmp_path / "x")
    assert read_manifest(tmp_path / "x")


def test_a_link_stays_and_what_it_points_to_is_filled(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "data")
    build(MINI, [], out=tmp_path / "link")
    build(MINI, [PREP], out=tmp_path / "link", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert "l2prep-10" in names(tmp_path / "disk" / "data")
    assert names(tmp_path / "disk") == ["data"]


@pytest.mark.parametrize("out", [".", "..", ""])
def test_the_current_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "outer" / "inner")
    with pytest.raises(InvalidInputError):
        build(MINI, [], out=Path(out))
    assert names(tmp_path / "outer" / "inner") == []


def test_a_folder_with_content_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / ".mine").write_text("mine")
    with pytest.raises(InvalidInputError, match="not empty and holds no build"):
        build(MINI, [], out=tmp_path / "x")
    with pytest.raises(DataError, match="not a finished build"):
        build(MINI, [], out=tmp_path / "x", overwrite=True)
    assert (tmp_path / "x" / ".mine").read_text() == "mine"


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(InvalidInputError, match="is a file"):
            build(MINI, [], out=tmp_path / "x", overwrite=overwrite)
    assert (tmp_path / "x").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="cannot write"):
        build(MINI, [], out=tmp_path / "file" / "x")
    with pytest.raises(InvalidInputError, match="name too long"):
        build(MINI, [], out=tmp_path / ("n" * 300))


def test_overwrite_replaces_a_whole_build(old: Path) -> None:
    build(MINI, [PREP], out=old, overwrite=True)
    assert names(old) == ["README.md", "clean", "l2prep-10", MANIFEST]
    build(MINI, [], out=old, overwrite=True)
    assert names(old) == ["README.md", "clean", MANIFEST]
    assert names(old.parent) == ["old"]


@pytest.mark.parametrize("name", ["notes.md", "clean/thesis.txt", "mine/data.csv"])
def test_overwrite_never_deletes_what_no_build_put_there(old: Path, name: str) -> None:
    (old / name).parent.mkdir(exist_ok=True)
    (old / name).write_text("mine")
    with pytest.raises(InvalidInputError, match=name.partition("/")[0]):
        build(MINI, [], out=old, overwrite=True)
    assert (old / name).read_text() == "mine"


def test_overwrite_knows_a_manifest_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / MANIFEST).write_text('{"configs": {"a": 1}, "name": "another project"}')
    with pytest.raises(DataError, match="not a manifest of sociolect"):
        build(MINI, [], out=tmp_path / "other", overwrite=True)


@pytest.mark.parametrize("condition", [Condition("foo", 30), Condition("l2", 33)])
def test_conditions_outside_the_grid_are_refused(tmp_path: Path, condition: Condition) -> None:
    with pytest.raises(UnknownNameError):
        build(MINI, [condition], out=tmp_path / "x")
    assert names(tmp_path) == []


def test_a_full_disk_is_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        work, "_write_parquet", failing(OSError(28, "No space left on device"), after=1)
    )
    with pytest.raises(InvalidInputError, match=r"No space left.*goes on with the configs"):
        build(MINI, [PREP], out=tmp_path / "x")
    assert names(tmp_path) == [".x.J.unfinished"]


def failing(error: BaseException, after: int) -> Callable[..., None]:
    calls = iter(range(100))
    real = work._write_parquet

    def write(rows: Any, noise: bool, path: Path) -> None:
        if next(calls) >= after:
            path.write_bytes(b"half")
            raise error
        real(rows, noise, path)

    return write


INTERRUPTIONS = [KeyboardInterrupt(), MemoryError(), OSError(28, "No space")]


@pytest.mark.parametrize("error", INTERRUPTIONS)
def test_an_interrupted_build_goes_on_with_what_is_finished(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(work, "_write_parquet", failing(error, after=2))
        # A write error of the system becomes a message; anything else goes through.
        with pytest.raises(InvalidInputError if isinstance(error, OSError) else type(error)):
            build(MINI, [PREP, BOTH], out=tmp_path / "x")
    assert names(tmp_path) == [".x.J.unfinished"]
    with pytest.raises(DataError, match="not a finished build"):
        read_manifest(unfinished(tmp_path) / "build")
    made: list[str] = []
    real = Variants.config
    monkeypatch.setattr(
        Variants, "config", lambda self, c: (made.append(c.config_name), real(self, c))[1]
    )
    resumed = build(MINI, [PREP, BOTH], out=tmp_path / "x")
    assert made == ["l2prep-10"]
    assert "2 of 3 configs are finished" in capsys.readouterr().err
    assert resumed == build(MINI, [PREP, BOTH], out=tmp_path / "y")
    assert names(tmp_path) == ["x", "y"]
    assert names(tmp_path / "x") == names(tmp_path / "y")


@pytest.mark.parametrize("damage", [b"half", None])
def test_a_damaged_unfinished_config_is_made_again(tmp_path: Path, damage: bytes | None) -> None:
    whole = build(MINI, [PREP], out=tmp_path / "y")
    job = {key: whole[key] for key in JOB_KEYS}
    with unfinished_folder(tmp_path / "x", job) as folder:
        for name in ("clean", "l2prep-10"):
            folder.adopt(name, whole["configs"][name], tmp_path / "y")
            file = folder.path / name / "test-00000-of-00001.parquet"
            file.unlink()
            if damage:
                file.write_bytes(damage)
            assert folder.entry(name) is None
    assert build(MINI, [PREP], out=tmp_path / "x") == whole
    assert names(tmp_path) == ["x", "y"]


def test_what_another_job_left_unfinished_is_named_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(work, "_write_parquet", failing(KeyboardInterrupt(), after=1))
        with pytest.raises(KeyboardInterrupt):
            build(MINI, [PREP], out=tmp_path / "x")
    assert "the same command goes on" in capsys.readouterr().err
    left = unfinished(tmp_path)
    build(MINI, [], out=tmp_path / "x", seed=1)
    assert f"{left} is an unfinished build of another kind" in capsys.readouterr().err
    assert names(tmp_path) == [".x.J.unfinished", "x"]
    # A worker of the first job that outlived its parent still writes there, and nowhere else.
    Unfinished(left).finish("l2prep-10", {}, lambda path: path.write_bytes(b"late") and None)
    assert read_manifest(tmp_path / "x")["seed"] == 1
    assert names(tmp_path / "x") == ["README.md", "clean", MANIFEST]


def test_a_mount_point_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda self: self == tmp_path / "x")
    with pytest.raises(InvalidInputError, match="is a mount point"):
        build(MINI, [], out=tmp_path / "x")


def test_a_build_comes_back_after_a_kill_between_two_renames(old: Path) -> None:
    before = read_manifest(old)
    host = folders._owner().rpartition("-")[0]
    moved = old.with_name(f".old.{host}-999999999.abc.old")
    old.rename(moved)
    both = build(MINI, [PREP], out=old)
    assert both["configs"]["clean"] == before["configs"]["clean"]
    assert names(old.parent) == ["old"]
    moved.mkdir()
    build(MINI, [], out=old)
    assert names(old.parent) == ["old"]


@pytest.mark.parametrize("damage", [b"half", None])
def test_a_config_whose_rows_were_changed_is_made_again_or_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: bytes | None
) -> None:
    before = build(MINI, [PREP], out=tmp_path / "x")
    file = tmp_path / "x" / "l2prep-10" / "test-00000-of-00001.parquet"
    changed = damage or (tmp_path / "x" / "clean" / file.name).read_bytes()
    file.write_bytes(changed)
    with pytest.raises(InvalidInputError, match="lost the rows of l2prep-10"):
        build(MINI, [BOTH], out=tmp_path / "x")
    assert build(MINI, [PREP], out=tmp_path / "x") == before
    assert "l2prep-10 in" in capsys.readouterr().err
    assert file.read_bytes() != changed


def test_configs_are_added_and_none_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "x"
    first = build(MINI, [PREP], out=out)
    (out / "realism.json").write_text("{}")
    made: list[str] = []
    real = Variants.config
    monkeypatch.setattr(
        Variants, "config", lambda self, c: (made.append(c.config_name), real(self, c))[1]
    )
    both = build(MINI, [BOTH, ABOVE], out=out, skip_unreachable=True)
    assert made == ["l2det-10-both", "l2verb-30"]
    assert list(both["configs"]) == ["clean", "l2det-10-both", "l2prep-10"]
    assert both["configs"]["l2prep-10"] == first["configs"]["l2prep-10"]
    assert list(both["unreachable"]) == ["l2verb-30"]
    assert names(out) == [
        "README.md", "clean", "l2det-10-both", "l2prep-10", MANIFEST, "realism.json",
    ]  # fmt: skip
    made.clear()
    assert build(MINI, [PREP, ABOVE], out=out, skip_unreachable=True) == both
    with pytest.raises(LevelUnreachableError, match="ceiling is"):
        build(MINI, [ABOVE], out=out)
    assert made == []
    assert both == build(MINI, [BOTH, PREP, ABOVE], out=tmp_path / "y", skip_unreachable=True)


def test_a_build_of_another_job_is_not_added_to(old: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"seed 0, this one has 1.*--overwrite"):
        build(MINI, [PREP], out=old, seed=1)
    with pytest.raises(InvalidInputError, match="rules paper, this one has careful"):
        build(MINI, [PREP], out=old, rules="careful")
    manifest = json.loads((old / MANIFEST).read_text())
    manifest["toolchain"]["spacy"] = "0.0"
    (old / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(InvalidInputError, match="toolchain other ones"):
        build(MINI, [PREP], out=old)


def test_a_config_that_lost_its_file_is_made_again(old: Path) -> None:
    before = read_manifest(old)
    (old / "clean" / "test-00000-of-00001.parquet").unlink()
    assert build(MINI, [], out=old) == before
    assert (old / "clean" / "test-00000-of-00001.parquet").is_file()


def test_a_lost_config_that_is_not_asked_for_is_told(tmp_path: Path) -> None:
    build(MINI, [PREP], out=tmp_path / "x")
    (tmp_path / "x" / "l2prep-10" / "test-00000-of-00001.parquet").unlink()
    with pytest.raises(InvalidInputError, match="lost the rows of l2prep-10"):
        build(MINI, [BOTH], out=tmp_path / "x")
    assert list(build(MINI, [PREP, BOTH], out=tmp_path / "x")["configs"])[1] == "l2det-10-both"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space")])
def test_an_old_build_survives_a_new_one_that_fails(
    old: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    before = read_manifest(old)
    monkeypatch.setattr(work, "_write_parquet", failing(error, after=1))
    # A write error of the system becomes a message; anything else goes through.
    with pytest.raises(InvalidInputError if isinstance(error, OSError) else type(error)):
        build(MINI, [PREP], out=old, overwrite=True)
    assert read_manifest(old) == before
    assert names(old.parent) == [".old.J.unfinished", "old"]


@pytest.mark.parametrize("step", [2, 3])
def test_an_old_build_comes_back_if_the_last_rename_fails(
    old: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Step 2 is the one that moves the old folder away, step 3 the one that moves the new in."""
    before = read_manifest(old)
    real, calls = Path.replace, iter(range(1, 100))

    def replace(self: Path, target: Path) -> Path:
        if self.is_dir() and next(calls) == step:
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        build(MINI, [PREP], out=old, overwrite=True)
    monkeypatch.undo()
    assert read_manifest(old) == before
    assert names(old.parent) == [".old.J.unfinished", "old"]
    build(MINI, [PREP], out=old, overwrite=True)
    assert names(old.parent) == ["old"]


def test_of_two_builds_into_one_folder_the_second_to_finish_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "x"
    late = finished_folder(out, replace=False)
    (late.__enter__() / "late").touch()
    with finished_folder(out, replace=False) as early:
        (early / "early").touch()
    with pytest.raises(InvalidInputError, match="filled while"):
        late.__exit__(None, None, None)
    assert names(out) == ["early"]
    assert names(tmp_path) == ["x"]


def test_with_overwrite_the_last_to_finish_wins(tmp_path: Path) -> None:
    out = tmp_path / "x"
    with finished_folder(out) as late, finished_folder(out) as early:
        (late / "late").touch()
        (early / "early").touch()
    assert names(out) == ["late"]
    assert names(tmp_path) == ["x"]


def test_a_level_above_the_ceiling_leaves_no_build(tmp_path: Path) -> None:
    with pytest.raises(LevelUnreachableError, match=r"occupations_mini l2verb-30 .*ceiling is"):
        build(MINI, [PREP, ABOVE], out=tmp_path / "x")
    assert names(tmp_path) == [".x.J.unfinished"]
    build(MINI, [PREP], out=tmp_path / "x")
    assert names(tmp_path) == ["x"]


def test_skip_unreachable_lists_what_is_left_out(tmp_path: Path) -> None:
    manifest = build(MINI, [PREP, ABOVE], out=tmp_path / "x", skip_unreachable=True)
    assert list(manifest["configs"]) == ["clean", "l2prep-10"]
    assert "the ceiling is" in manifest["unreachable"]["l2verb-30"]
    assert "l2verb-30" not in names(tmp_path / "x")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"rules": "carefull"}, UnknownNameError),
        ({"seed": -1}, InvalidInputError),
        ({"seed": 2**63}, InvalidInputError),
        ({"workers": 0}, InvalidInputError),
    ],
)
def test_arguments_out_of_range(
    tmp_path: Path, arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        build(MINI, [], out=tmp_path / "x", **arguments)
    assert names(tmp_path) == []


def test_an_unknown_benchmark(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"winobais.*near matches: winobias"):
        build("winobais", [], out=tmp_path / "x")
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"benchmark": "x"}', "\ufeff{}", '"configs"']
)
def test_a_damaged_manifest_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(DataError, match=MANIFEST):
        read_manifest(tmp_path)


def test_no_manifest_is_no_build(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="sociolect build"):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST).write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="damaged"):
        read_manifest(tmp_path)


# The command line.


def run(*arguments: str) -> int:
    """The exit code of `sociolect build …`."""
    before = sys.argv
    sys.argv = ["sociolect", "build", *arguments]
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    finally:
        sys.argv = before
    return 0


def test_the_command_builds_and_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (MINI, "--transform", "l2,l2prep", "--level", "5,10%", "--part", "input")
    assert run(*arguments, "--out", str(tmp_path / "x"), "--rules", "careful") == 0
    manifest = read_manifest(tmp_path / "x")
    assert list(manifest["configs"]) == ["clean", "l2-5", "l2-10", "l2prep-5", "l2prep-10"]
    assert manifest["rules"] == "careful"
    assert "l2prep-10" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["winobais"], 2, "winobias"),
        ([MINI, "--transform", "l2spel"], 2, "l2spell"),
        ([MINI, "--transform", ","], 2, "comma-separated"),
        ([MINI, "--level", "15"], 2, "unknown level"),
        ([MINI, "--level", "high"], 2, "unknown level"),
        ([MINI, "--part", "output"], 2, "unknown part"),
        ([MINI, "--rules", "strict"], 2, "unknown rule set"),
        ([MINI, "--seed", "-1"], 2, "seed"),
        ([MINI, "--seed", "one"], 2, "seed"),
        ([MINI, "--workers", "0"], 2, "workers"),
        ([MINI, "--transform", "l2verb", "--level", "30"], 1, "ceiling"),
        (["winobias", "--sources", "/nowhere/at/all"], 1, "/nowhere/at/all"),
        ([], 2, "benchmark"),
    ],
)
def test_exit_codes_and_messages(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    assert run(*arguments, "--out", str(tmp_path / "x")) == code
    assert message in capsys.readouterr().err.replace("BENCHMARK", "benchmark")
    assert not (tmp_path / "x").exists()


def test_out_is_required(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(MINI) == 2
    assert "--out" in capsys.readouterr().err


# Fresh processes.


def python(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        check=False,
    )


MAIN = "import sys; sys.argv = ['sociolect', 'build', 'occupations_mini', '--out', {out!r}]\n"


@pytest.mark.slow
def test_a_missing_model_ends_the_command_before_any_work(tmp_path: Path) -> None:
    code = MAIN.format(out=str(tmp_path / "x")) + "from sociolect.harness.cli import main; main()"
    done = python(code, SOCIOLECT_SPACY_MODEL="nonexistent")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "pip install 'sociolect[model]'" in done.stderr
    assert "python -m spacy download en_core_web_sm" in done.stderr
    assert names(tmp_path) == []


@pytest.mark.slow
def test_a_missing_speller_ends_the_command_before_any_work(tmp_path: Path) -> None:
    code = (
        MAIN.format(out=str(tmp_path / "x"))
        + "sys.modules['aspell'] = None\nfrom sociolect.harness.cli import main; main()"
    )
    done = python(code)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "apt-get install libaspell-dev aspell-en" in done.stderr
    assert "pip install 'sociolect[spelling]'" in done.stderr
    assert names(tmp_path) == []


HASHES = """
import json, sys
from pathlib import Path
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.build import build
from sociolect.generators.conditions import Condition

if __name__ == "__main__":
    manifest = build(
        "winobias",
        [Condition("l2", 10), Condition("l2", 20, "both"), Condition("l2spell", 5)],
        out=Path(sys.argv[1]),
        workers=int(sys.argv[2]),
        sources=Path(sys.argv[3]),
    )
    print(json.dumps({name: entry["sha256"] for name, entry in manifest["configs"].items()}))
"""


@pytest.fixture(scope="module")
def hashes(
    sources: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., dict[str, str]]:
    folder = tmp_path_factory.mktemp("hashes")
    script = folder / "script.py"
    script.write_text(HASHES)

    def of(name: str, workers: int, hash_seed: str) -> dict[str, str]:
        done = subprocess.run(
            [sys.executable, str(script), str(folder / name), str(workers), str(sources)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=True,
        )
        return dict(json.loads(done.stdout))

    return of


@pytest.mark.slow
def test_hash_seed_and_workers_change_no_byte(
    hashes: Callable[..., dict[str, str]], variants: Callable[..., Variants]
) -> None:
    first = hashes("a", 1, "0")
    assert len(first) == 4
    assert hashes("b", 2, "1") == first
    rows, entry = variants().config(Condition("l2", 20, "both"))
    assert config_sha256(rows) == entry["sha256"] == first["l2-20-both"]


@pytest.mark.slow
def test_two_processes_build_at_once_into_two_folders_and_one(tmp_path: Path) -> None:
    def start(name: str) -> subprocess.Popen[str]:
        arguments = [MINI, "--out", str(tmp_path / name), "--level", "10"]
        return subprocess.Popen(
            [sys.executable, "-m", "sociolect.harness.cli", "build", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    apart = [start("a"), start("b")]
    assert [p.wait() for p in apart] == [0, 0], [p.communicate()[1] for p in apart]
    assert read_manifest(tmp_path / "a") == read_manifest(tmp_path / "b")
    together = [start("c"), start("c")]
    messages = [p.communicate()[1] for p in together]
    assert [p.returncode for p in together] == [0, 0], messages
    assert sum("another process builds" in m for m in messages) <= 1
    assert read_manifest(tmp_path / "c") == read_manifest(tmp_path / "a")
    assert names(tmp_path) == ["a", "b", "c"]

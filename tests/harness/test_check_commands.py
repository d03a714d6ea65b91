"""`sociolect verify`, `diff` and `validate` as a user runs them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    SociolectError,
    SourceError,
    UnknownNameError,
)
from sociolect.generators.manifest import MANIFEST, PARQUET, read_manifest
from sociolect.generators.verify import verify as check
from sociolect.harness import datasets_at
from sociolect.harness.commands.diff import diff
from sociolect.harness.commands.validate import validate
from sociolect.harness.commands.verify import verify

MINI = "occupations_mini"


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("checks")
    for seed in (0, 1):
        build(MINI, [Condition("l2", 20)], out=root / str(seed), seed=seed)
    return {"a": root / "0", "b": root / "1"}


@pytest.fixture
def a(builds: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SOCIOLECT_SOURCES", raising=False)
    folder = tmp_path / "a"
    shutil.copytree(builds["a"], folder)
    return folder


def run(command: Callable[..., None], *arguments: object) -> Result:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [str(a) for a in arguments])


def edit_manifest(folder: Path, how: Callable[[dict[str, Any]], object]) -> None:
    manifest = read_manifest(folder)
    how(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest), "utf-8")


def refused(result: Result, kind: type[SociolectError], *said: str) -> None:
    """The command ends with an error of exit code 2."""
    assert isinstance(result.exception, kind)
    assert result.exception.exit_code == 2
    for words in said:
        assert words in str(result.exception)


# verify


def test_a_sound_dataset(a: Path) -> None:
    result = run(verify, a)
    assert result.exit_code == 0
    assert f"{a}: occupations_mini 1.0.0, 2 configs, 256 rows" in result.stdout
    assert "sound: every check that could be made passed" in result.stdout
    assert "note: the clean texts were not compared" in result.stdout


def test_the_source_files_are_used_where_they_are_named(a: Path, tmp_path: Path) -> None:
    result = run(verify, a, "--sources", tmp_path)  # this benchmark ships with the package
    assert result.exit_code == 0
    assert "note" not in result.stdout


def test_a_folder_in_the_environment_may_hold_other_sources(
    a: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIOLECT_SOURCES", str(tmp_path))
    edit_manifest(a, lambda m: m.update(benchmark="winobias"))
    result = run(verify, a)
    assert "the source files are not used: cannot read" in result.stderr
    assert result.exit_code == 1  # its rows are of another benchmark
    refused(run(verify, a, "--sources", tmp_path), SourceError)


def test_a_spoilt_dataset(a: Path) -> None:
    (a / "clean" / PARQUET).unlink()
    edit_manifest(a, lambda m: m["configs"]["l2-20"].update(mean_error_rate=0.3))
    result = run(verify, a)
    assert result.exit_code == 1
    assert "NOT SOUND: 2 faults; the first: clean: its parquet file" in result.stdout
    assert "1 × mean rate" in result.stdout
    assert "first: l2-20: mean_error_rate: expected 0.19" in result.stdout


def test_verify_as_json(a: Path) -> None:
    edit_manifest(a, lambda m: m["toolchain"].update(spacy="2"))
    content = json.loads(run(verify, a, "--format", "json").stdout)
    assert content["sound"] is True
    assert content["rebuild"] is None
    assert content["faults"] == {}
    assert content["tools"][0]["built_with"] == "2"
    (a / "clean" / PARQUET).unlink()
    result = run(verify, a, "--format", "json")
    content = json.loads(result.stdout)
    assert result.exit_code == 1
    assert content["faults"] == {"file": 1}
    assert content["first"][0]["config"] == "clean"


def test_a_rebuild(a: Path) -> None:
    result = run(verify, a, "--rebuild")
    assert result.exit_code == 0
    assert "built again: identical, 2 configs" in result.stdout


def test_a_rebuild_that_differs(a: Path, builds: dict[str, Path]) -> None:
    """A sound dataset whose manifest claims another seed in every place."""
    shutil.rmtree(a)
    shutil.copytree(builds["b"], a)
    edit_manifest(a, lambda m: m["toolchain"].update(spacy="2"))
    edit_manifest(a, lambda m: m.update(rules="careful", data_version="0.1.0"))
    edit_manifest(a, lambda m: m["configs"]["l2-20"].update(rules="careful"))
    edit_manifest(a, lambda m: m["configs"]["clean"].update(rules="careful"))
    assert check(a).is_sound
    result = run(verify, a, "--rebuild")
    assert result.exit_code == 1
    assert "NOT IDENTICAL, 1 configs differ: l2-20" in result.stdout
    assert "tools that differ: spacy" in result.stdout
    assert "data version is 0.1.0, the installed sociolect makes 1.0.0" in result.stdout
    content = json.loads(run(verify, a, "--rebuild", "--format", "json").stdout)
    assert content["rebuild"]["identical"] is False
    assert list(content["rebuild"]["differ"]) == ["l2-20"]


def test_names_from_a_dataset_cannot_steer_the_terminal(a: Path) -> None:
    edit_manifest(a, lambda m: m["configs"].update({"\x1b[31m": {}}))
    result = run(verify, a)
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("command", [verify, validate])
def test_what_is_no_dataset(command: Callable[..., None], tmp_path: Path) -> None:
    refused(run(command, tmp_path), DataError, "no manifest")
    refused(run(command, "nowhere"), InvalidInputError, "nowhere")


def diff_with_itself(folder: Path) -> Result:
    return run(diff, folder, folder)


def verify_by_sources(folder: Path) -> Result:
    return run(verify, folder, "--sources", folder)


ANSWERING: list[Callable[[Path], Result]] = [
    lambda folder: run(verify, folder),
    lambda folder: run(validate, folder),
    diff_with_itself,
    verify_by_sources,
]
ODD: list[dict[str, Any]] = [
    *({key: value} for key in ("sources", "dropped") for value in (None, 3, {}, [3], [None])),
    *({"sources": [{"name": name, "sha256": "0"}]} for name in (None, 3, ["a"], {})),
    {"sources": [{"name": "a", "sha256": None}]},
    {"sources": [{"name": "a"}]},
    {"dropped": [{"where": ["x"], "reason": "y"}]},
    *({"configs": {"clean": {}, "l2-30": entry}} for entry in (None, 3, [], "x")),
    {"configs": []},
    *({key: value} for key in ("toolchain", "unreachable", "invalid_pairs") for value in (None, 3)),
    {"toolchain": {"spacy": 3}},
    {"benchmark": ["occupations_mini"]},
    {"axis": None},
]


@pytest.mark.parametrize("ask", ANSWERING)
@pytest.mark.parametrize("odd", ODD, ids=str)
def test_an_odd_manifest_is_no_answer(
    a: Path, ask: Callable[[Path], Result], odd: dict[str, Any]
) -> None:
    edit_manifest(a, lambda m: m.update(odd))
    refused(ask(a), DataError, str(a / MANIFEST), f"{next(iter(odd))} is ", "or download")


@pytest.mark.parametrize("name", ["../l2-20", "\ud800", "a\0b", "l2-31"])
def test_a_config_of_no_condition_is_not_compared(a: Path, tmp_path: Path, name: str) -> None:
    b = tmp_path / "b"
    shutil.copytree(a, b)
    for folder, sha256 in ((a, "0"), (b, "1")):
        entry = {name: {"sha256": sha256}}
        edit_manifest(folder, lambda m, entry=entry: m["configs"].update(entry))
    refused(run(diff, a, b), UnknownNameError)


@pytest.mark.parametrize("command", [verify, validate])
def test_an_unknown_format(command: Callable[..., None], a: Path) -> None:
    refused(run(command, a, "--format", "csv"), UnknownNameError, "csv", "json")


# diff


def test_equal_datasets(a: Path, builds: dict[str, Path]) -> None:
    result = run(diff, builds["a"], a)
    assert result.exit_code == 0
    assert "equal by their manifests: 2 configs" in result.stdout


def test_different_datasets(builds: dict[str, Path]) -> None:
    result = run(diff, builds["a"], builds["b"], "--show", "3")
    assert result.exit_code == 1
    assert "seed: 0 → 1" in result.stdout
    assert "0 configs unchanged, 2 changed: clean, l2-20" in result.stdout
    assert "rows: 0 added, 0 removed, 128 changed" in result.stdout
    assert "columns that changed (rows): seed (128)" in result.stdout
    assert "mean error rate: 19.958% → 19." in result.stdout
    shown = [line for line in result.stdout.splitlines() if "[-" in line or "{+" in line]
    assert len(shown) == 3


def test_rows_and_configs_that_come_and_go(a: Path, builds: dict[str, Path]) -> None:
    from pyarrow import parquet

    path = a / "l2-20" / PARQUET
    table = parquet.read_table(path)
    parquet.write_table(table.slice(7), path)
    edit_manifest(a, lambda m: m["configs"]["l2-20"].update(sha256="0"))
    edit_manifest(a, lambda m: m["configs"].pop("clean"))
    result = run(diff, builds["a"], a)
    assert "configs removed: clean" in result.stdout
    assert "rows: 0 added, 7 removed, 0 changed" in result.stdout
    assert "and 2 more" in result.stdout
    assert "configs added: clean" in run(diff, a, builds["a"]).stdout


def test_diff_as_json(builds: dict[str, Path]) -> None:
    result = run(diff, builds["a"], builds["b"], "--format", "json", "--show", "1")
    assert result.exit_code == 1
    content = json.loads(result.stdout)
    assert content["equal"] is False
    assert content["changed"][1]["name"] == "l2-20"
    assert len(content["changed"][1]["examples"]) == 1
    assert content["changed"][0]["mean_before"] == 0


def test_diff_of_unlike_things(a: Path, builds: dict[str, Path], tmp_path: Path) -> None:
    edit_manifest(a, lambda m: m.update(benchmark="winobias"))
    refused(run(diff, builds["a"], a), InvalidInputError, "winobias")
    refused(run(diff, builds["a"], tmp_path), DataError)
    refused(run(diff, a, a, "--format", "md"), UnknownNameError)


# validate


@pytest.fixture
def errant() -> None:
    pytest.importorskip("errant")


@pytest.mark.usefixtures("errant")
def test_validate(a: Path) -> None:
    result = run(validate, a)
    assert result.exit_code == 0
    assert "Reference: W&I+LOCNESS train" in result.stdout
    assert "M:DET" in result.stdout
    assert "spell realword" in result.stdout
    assert "does not" in result.stdout
    assert "Nats" not in result.stdout
    assert "confusions" not in result.stdout
    assert not (a / "realism.json").exists()


@pytest.mark.usefixtures("errant")
def test_what_is_written_is_what_a_card_shows(a: Path) -> None:
    result = run(validate, a, "--write", "--format", "json", "--sample", "20")
    assert result.exit_code == 0
    written = json.loads((a / "realism.json").read_text("utf-8"))
    assert written == json.loads(result.stdout)
    assert written["reference"] == "W&I+LOCNESS train"
    assert 0 < written["total_variation"] < 1
    assert written["pairs"] == written["sample"] == 20
    assert written["config_sha256"] == read_manifest(a)["configs"]["l2-20"]["sha256"]
    shares = [t["ours"] for t in written["per_type"]]
    assert sum(shares) == pytest.approx(1)
    assert {"type", "ours", "reference"} <= set(written["per_type"][0])
    assert sorted(p.name for p in a.iterdir()) == [
        *("README.md", "clean", "l2-20", "manifest.json", "realism.json"),
    ]
    assert check(a).is_sound
    assert not any("realism" in note for note in check(a).notes)


M2 = """S He go to the school every days .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||day|||REQUIRED|||-NONE-|||0

S I like to swim in sea .
A 5 5|||M:DET|||the|||REQUIRED|||-NONE-|||0
"""


@pytest.mark.usefixtures("errant")
def test_validate_with_an_m2_file(a: Path, tmp_path: Path) -> None:
    path = tmp_path / "my|own.m2"
    path.write_text(M2, "utf-8")
    result = run(validate, a, "--m2", path, "--format", "md")
    assert result.exit_code == 0
    assert "my\\|own.m2" in result.stdout
    assert "Commonest confusions" in result.stdout
    assert "go → goes" in result.stdout
    assert "∅ → the" in result.stdout
    assert "| M:DET |" in result.stdout
    content = json.loads(run(validate, a, "--m2", path, "--format", "json").stdout)
    by_type = {t["type"]: t["reference"] for t in content["per_type"]}
    assert by_type["M:DET"] == by_type["U:DET"] == by_type["R:VERB:SVA"] == pytest.approx(1 / 3)


@pytest.mark.usefixtures("errant")
def test_validate_refuses(a: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(run(validate, a, "--config", "l2-30"), UnknownNameError, "l2-30", "clean, l2-20")
    refused(run(validate, a, "--config", "clean"), InvalidInputError, "no errors")
    refused(run(validate, a, "--m2", tmp_path / "no.m2"), InvalidInputError, "no.m2")
    refused(run(validate, a, "--sample", "-3"), InvalidInputError, "-3")
    refused(run(validate, a, "--model", str(tmp_path)), InvalidInputError, "cannot be loaded")
    edit_manifest(a, lambda m: m.update(text="withheld"))
    refused(run(validate, a), InvalidInputError, "without the texts")
    found = datasets_at.Located("org/x", a, is_local=False)
    monkeypatch.setattr(datasets_at, "dataset_at", lambda name: found)
    refused(run(validate, "org/x", "--write"), InvalidInputError, "--write needs a folder")


@pytest.mark.parametrize("offset", ["9" * 5000, "x" * 10**6])
def test_an_m2_file_with_an_odd_offset(a: Path, tmp_path: Path, offset: str) -> None:
    path = tmp_path / "x.m2"
    path.write_text(M2.replace("A 1 2", f"A 1 {offset}"), "utf-8")
    result = run(validate, a, "--m2", path)
    refused(result, DataError, f"{path}:2: expected a number of up to nine digits")
    assert len(str(result.exception)) < 500


@pytest.mark.slow
@pytest.mark.usefixtures("errant")
def test_validate_with_a_model(a: Path, tmp_path: Path, small_model: Path) -> None:
    model = small_model
    path = tmp_path / "x.m2"
    path.write_text(M2, "utf-8")
    arguments = (a, "--sample", 6, "--model", model, "--device", "cpu", "--m2", path)
    content = json.loads(run(validate, *arguments, "--format", "json").stdout)
    ours, reference = content["cost"]["ours"], content["cost"]["reference"]
    assert content["cost"]["model"] == model.name
    assert ours["units"] == 6
    assert ours["low"] < ours["mean"] < ours["high"]
    assert ours["mean"] > 1
    assert reference["units"] == 2
    table = run(validate, *arguments).stdout
    assert "Nats of log-likelihood lost per edit" in table
    assert f"{ours['mean']:.3f}" in table
    assert "how unexpected" in table

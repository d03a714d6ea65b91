"""`sociolect compare` from the command line."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.harness import cli

Write = Callable[..., Path]


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["sociolect", "compare", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)


def test_one_folder_is_enough(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = write_run().parent.parent
    write_run(condition="l2-30")
    assert call(monkeypatch, out) == 0
    shown = capsys.readouterr()
    assert "l2-30" in shown.out
    assert shown.err == ""


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.csv", "benchmark,"),
        ("a.md", "**org/tiny"),
        ("a.json", "{"),
        ("a.txt", "org/tiny"),
        ("a", "org/tiny"),
        ("a.TEX", "% org/tiny"),
    ],
)
def test_format_follows_the_name_of_the_file(
    write_run: Write,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    beginning: str,
) -> None:
    clean, other = write_run(), write_run(condition="l2-30")
    assert call(monkeypatch, clean, other, "--out", tmp_path / name) == 0
    assert (tmp_path / name).read_text("utf-8").startswith(beginning)


def test_options_reach_the_method(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean, other = write_run(invalid=(1,)), write_run(condition="l2-30", invalid=(1,))
    options = "--format json --alpha 0.1 --permutations 99 --seed 5 --strict --all-pairs"
    metrics = "--metric acc_anti --metric bias --metric bias --allow dtype"
    assert call(monkeypatch, clean, other, *options.split(), *metrics.split()) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["method"] == {
        "metrics": ["acc_anti", "bias"],
        "alpha": 0.1,
        "permutations": 99,
        "resamples": 10_000,
        "seed": 5,
        "include_invalid": True,
        "allow": ["dtype"],
    }
    assert document["inputs"][0]["settings"]["answer_mode"] == "strict"
    assert document["rows"][0]["n"] == 12


def test_several_benchmarks_in_one_folder(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for benchmark in ("winobias", "bbq_race", "mmlu"):
        write_run(benchmark=benchmark)
        path = write_run(benchmark=benchmark, condition="l2-30")
    write_run(condition="l2-30", form="ll")
    assert call(monkeypatch, path.parent, "--format", "csv") == 0
    shown = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert [(r["benchmark"], r["metric"], r["unit"]) for r in rows] == [
        ("bbq_race", "bias", "item"),
        ("mmlu", "acc", "item"),
        ("winobias", "bias", "pair"),
    ]
    assert "without a clean run: winobias_l2_30_ll" in shown.err


def test_flips_are_written_beside_the_table(
    write_run: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    write_run()
    path = write_run(condition="l2-30", answer=lambda p, m, o, k: int(p == 3))
    options = ("--flips", tmp_path / "f.jsonl", "--metric", "acc_pro")
    assert call(monkeypatch, path.parent, *options) == 0
    (line,) = (tmp_path / "f.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["unit"] == "winobias/type1/0003"
    assert "l2-30" in capsys.readouterr().out


def test_a_second_model(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        config = {"model_args": {"pretrained": f"org/{name}"}}
        for condition in ("clean", "l2-30"):
            path = write_run(condition=condition, folder=name, config=config)
    folder = path.parent.parent
    assert call(monkeypatch, folder / "a", "--against", folder / "b", "--format", "csv") == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["baseline_model"], row["model"], row["of_changes"]) == ("org/a", "org/b", "True")
    assert call(monkeypatch, folder / "a", "--against", folder / "nowhere") == 1


def test_no_usable_unit_is_shown_and_fails(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean, other = write_run(), write_run(condition="l2-30", answer=lambda *_: -1)
    assert call(monkeypatch, clean, other, "--format", "csv") == 1
    shown = capsys.readouterr()
    (row,) = csv.DictReader(io.StringIO(shown.out))
    assert (row["n"], row["delta"], row["p"], row["significant"]) == ("0", "", "", "False")
    assert "no usable pair" in shown.err


def test_refusals_and_bad_arguments_have_exit_codes(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean = write_run()
    other = write_run(folder="b", condition="l2-30", config={"model_dtype": "torch.float16"})
    assert call(monkeypatch, clean, other) == 1
    assert "dtype: 'torch.float32' / 'torch.float16'" in capsys.readouterr().err
    assert call(monkeypatch, clean, other, "--allow", "dtype") == 0
    assert call(monkeypatch, clean, other, "--allow", "dtypes") == 2
    assert call(monkeypatch, clean, other, "--format", "pdf") == 2
    assert call(monkeypatch, clean, other, "--metric", "biass") == 2
    assert "near matches: bias" in capsys.readouterr().err
    assert call(monkeypatch, clean.parent / "nowhere") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "."], "is a folder"),
        (["--out", "/"], "is a folder"),
        (["--out", ""], "is a folder"),
        (["--alpha", "1e-16", "--format", "json"], "alpha 1e-16 must be at least 1e-06"),
        (["--alpha", "1e-17"], "alpha 1e-17 must be at least 1e-06"),
        (["--out", "x.xlsx"], r"unknown format 'xlsx'"),
        (["--out", "x.xlsx"], "x.xlsx names none: give --format"),
        (["--flips", "x", "--against", "y"], "leave out --against"),
        (["--permutations", "99999999999"], "99,999,999,999 permutations; give a number from 1"),
    ],
)
def test_mistakes_are_answered_in_words(
    write_run: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    clean, other = write_run(), write_run(condition="l2-30")
    assert call(monkeypatch, clean, other, *options) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("option", ["--out", "--flips", "--against"])
@pytest.mark.parametrize("given", ["file", "folder", "above"])
@pytest.mark.parametrize("how", ["itself", "link", "hard link", "way round", "results"])
def test_no_run_is_written_over(
    write_run: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    option: str,
    given: str,
    how: str,
) -> None:
    clean, other = write_run(), write_run(condition="l2-30")
    (results,) = clean.parent.glob("results_*")
    before = {path: path.read_bytes() for path in clean.parent.iterdir()}
    target = tmp_path / "target"
    if how == "link":
        target.symlink_to(other)
    elif how == "hard link":
        target.hardlink_to(other)
    else:
        way_round = other.parent / ".." / other.parent.name / other.name
        target = {"itself": other, "way round": way_round, "results": results}[how]
    runs = {"file": [clean, other], "folder": [clean.parent], "above": [clean.parent.parent]}[given]
    options = [option, target, "--format", "json"]
    if option == "--against":  # the second model is no less of a run
        options = ["--against", *runs, "--out", target, "--format", "json"]
        runs = [write_run(folder="second"), write_run(folder="second", condition="l2-30")]
    assert call(monkeypatch, *runs, *options) == 2
    shown = capsys.readouterr()
    assert f"{target}: is one of the files that are read" in shown.err
    assert shown.out == ""
    assert {path: path.read_bytes() for path in clean.parent.iterdir()} == before


@pytest.mark.parametrize("exists", [True, False])
def test_two_outputs_need_two_files(
    write_run: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    exists: bool,
) -> None:
    folder = write_run().parent
    write_run(condition="l2-30")
    first, second = tmp_path / "x.json", tmp_path / "link.json"
    second.symlink_to(first)
    if exists:
        first.write_text("old")
    for other in (first, second):
        assert call(monkeypatch, folder, "--out", first, "--flips", other) == 2
        assert f"--out {first} and --flips {other} are one file" in capsys.readouterr().err
    assert first.exists() == exists
    assert call(monkeypatch, folder, "--out", "/dev/null", "--flips", "/dev/null") == 0


def test_an_earlier_output_beside_the_runs_is_replaced(
    write_run: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_run().parent
    write_run(condition="l2-30")
    options = ("--out", folder / "table.json", "--flips", folder / "flips.jsonl")
    for _ in range(2):
        assert call(monkeypatch, folder, *options) == 0
    assert json.loads((folder / "table.json").read_text("utf-8"))["rows"]


@pytest.mark.parametrize("output_format", ["table", "md", "csv", "json", "tex"])
def test_a_model_name_never_steers_a_terminal(
    write_run: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    output_format: str,
) -> None:
    name = "a\ud800b\x1b[31m\x07\x7f\x9b1m\u202ec\u2066"
    config = {"config": {"model_args": {"pretrained": name}}}
    clean, other = write_run(**config), write_run(condition="l2-30", **config)
    assert call(monkeypatch, clean, other, "--format", output_format) == 0
    text = capsysbinary.readouterr().out.decode("utf-8")
    assert not [c for c in text if not c.isprintable() and c != "\n"]
    if output_format == "json":
        assert json.loads(text)["rows"][0]["model"] == name


def test_a_long_setting_that_is_no_unicode_can_be_refused(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean = write_run()
    other = write_run(folder="b", condition="l2-30", top={"chat_template": "\ud800" * 99})
    assert call(monkeypatch, clean, other) == 1
    assert "chat_template" in capsys.readouterr().err


def test_help_does_not_import_the_statistics() -> None:
    code = (
        "import sys; from sociolect.harness import cli; "
        "print([m for m in ('numpy', 'scipy', 'rich', 'lm_eval') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

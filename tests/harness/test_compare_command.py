"""`sociolect compare` from the command line."""

from __future__ import annotations

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
    [("a.csv", "benchmark,"), ("a.md", "**org/tiny"), ("a.json", "{"), ("a.txt", "org/tiny")],
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


def test_no_usable_unit_is_shown_and_fails(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean, other = write_run(), write_run(condition="l2-30", answer=lambda *_: -1)
    assert call(monkeypatch, clean, other, "--format", "csv") == 1
    shown = capsys.readouterr()
    assert ",0,,,,0.95,,,,,False" in shown.out
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


def test_help_does_not_import_the_statistics() -> None:
    code = (
        "import sys; from sociolect.harness import cli; "
        "print([m for m in ('numpy', 'scipy', 'rich', 'lm_eval') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

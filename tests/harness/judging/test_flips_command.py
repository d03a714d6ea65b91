"""`sociolect flips` from the command line."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.harness import cli
from sociolect.harness.judging import plots

Write = Callable[..., Path]
CLEAN = "NNNNAABBNNAB?ANB"
TYPO = "ANBNABBNNNAB?ANB"
COMBINED = "ABBNABBANNNB?A?B"


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["sociolect", "flips", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)


@pytest.fixture
def runs(write_verdicts: Write) -> Path:
    """The folder of a judge on clean and on noisy responses."""
    write_verdicts("clean", CLEAN, questions=4)
    write_verdicts("typo-30", TYPO, questions=4)
    return write_verdicts("combined-30", COMBINED, questions=4, change=0.5).parent


def test_the_table_says_what_happened(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, runs) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    lines = shown.out.splitlines()
    heading = "org/tiny · fable · generation · flips against its own clean verdicts"
    assert lines[0].startswith(heading)
    first = next(line.split() for line in lines if line.startswith(" typo-30"))
    # p, tokens, characters, length, n, flips
    assert first[1:7] == ["0.3", "25.0", "12.5", "1.000", "15", "26.7"]
    assert "Clean verdicts: 4 A, 4 B, 7 NONE, 1 unparsed; 16 items of 4 questions." in shown.out
    assert "All intervals and tests by question rest on as few as 4 questions" in shown.out
    titles = ("over its own", "directions", "transitions", "stereotyped option", "categories")
    assert all(any(title in line for line in lines) for title in titles)


def test_csv_has_a_row_a_condition_and_json_has_everything(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, runs, "--format", "csv") == 0
    shown = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert [row["condition"] for row in rows] == ["typo-30", "combined-30"]
    assert (rows[0]["fabrication_n"], rows[0]["erasure_n"], rows[0]["ratio"]) == ("2", "1", "2.0")
    assert "Holm" in shown.err  # what CSV has no room for
    assert call(monkeypatch, runs, "--format", "json", "--seed", "3", "--alpha", "0.1") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "sociolect.flips"
    assert document["method"] == {"seed": 3, "alpha": 0.1, "resamples": 2000}
    assert len(document["transitions"]) == 2 * 16
    assert len(document["judges"][0]["inputs"]) == 3
    by_name = {row["condition"]: row for row in document["conditions"]}
    assert by_name["typo-30"]["fabrication_n"] == 2
    assert sum(r["n"] for r in document["transitions"] if r["condition"] == "typo-30") == 16


def test_markdown_escapes_names(
    write_verdicts: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"config": {"model_args": {"pretrained": "org/<b>*x*\x1b[31m", "dtype": "float32"}}}
    clean = write_verdicts("clean", "ABN", **options)
    noisy = write_verdicts("typo-30", "ABA", **options)
    assert call(monkeypatch, clean, noisy, "--format", "md") == 0
    shown = capsys.readouterr().out
    assert r"org/\<b\>\*x\*" in shown
    assert "\x1b" not in shown


def test_zero_neutral_verdicts_are_undefined_and_no_number(
    write_verdicts: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean = write_verdicts("clean", "ABAB")
    noisy = write_verdicts("typo-30", "ABAA")
    assert call(monkeypatch, clean, noisy) == 0
    shown = capsys.readouterr().out
    assert "undefined (no clean NONE verdict)" in shown
    assert "Fabrication is undefined: the judge gave no clean NONE verdict." in shown
    assert "undefined (neither fabrication nor erasure)" in shown
    assert "nan" not in shown.lower().split()
    assert "inf" not in shown.split()


def test_no_erasure_shows_counts_and_a_bound(
    write_verdicts: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clean = write_verdicts("clean", "NNNNAB")
    noisy = write_verdicts("typo-30", "AAANAB")
    assert call(monkeypatch, clean, noisy) == 0
    # 0.05 ** (1 / 3) is 0.368, and 0.368 / 0.632 is 0.58
    assert "no erasure (3 fabrications), ≥ 0.6" in capsys.readouterr().out


@pytest.mark.parametrize("allow", [[], ["--allow", "condition"]])
def test_without_a_clean_and_a_noisy_run_there_is_no_table(
    runs: Path,
    allow: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clean, typo, combined = (
        next(runs.glob(f"samples_fable_{name}_*")) for name in ("clean", "typo_30", "combined_30")
    )
    for named, said in (([clean], "no noisy run"), ([typo, combined], "is no clean run")):
        assert call(monkeypatch, *named, *allow) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert said in shown.err
        assert "--allow" not in shown.err


def test_one_category(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, runs, "--category", "religion", "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["category"] for row in document["categories"]} == {"religion"}
    assert {row["items"] for row in document["conditions"]} == {8}
    assert call(monkeypatch, runs, "--category", "religions") == 2
    assert "near matches: religion" in capsys.readouterr().err


def test_a_folder_of_tables_and_plots(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report"
    assert call(monkeypatch, runs, "--out", out) == 0
    assert f"wrote {out}" in capsys.readouterr().err
    assert sorted(path.name for path in out.iterdir()) == [
        "amplification.csv",
        "categories.csv",
        "conditions.csv",
        "fabrication_erasure.png",
        "flip_rate.png",
        "flips.json",
        "flips.md",
        "ranks.csv",
        "slopes.csv",
        "transitions.csv",
        "transitions.png",
    ]
    for path in out.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")
    assert not list(tmp_path.glob(".sociolect-*"))
    assert call(monkeypatch, runs, "--out", tmp_path / "again") == 0
    for path in out.iterdir():  # neither date nor version
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name
    capsys.readouterr()
    assert call(monkeypatch, runs, "--out", out) == 2
    assert "is there already; name a new or empty folder" in capsys.readouterr().err


def test_several_judges_are_several_sections(
    runs: Path,
    write_verdicts: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = {"config": {"model_args": {"pretrained": "org/other"}}, "folder": "other"}
    write_verdicts("clean", CLEAN, **other)
    write_verdicts("punct-10", TYPO, **other)
    drawn: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "sociolect.harness.judging.report.draw",
        lambda flips, folder, prefix: drawn.append((flips.judgements.judge, prefix)),
    )
    assert call(monkeypatch, runs.parent, "--out", tmp_path / "report") == 0
    shown = capsys.readouterr().out
    assert shown.count("flips against its own clean verdicts") == 2
    assert sorted(drawn, key=lambda one: one[1]) == [
        (judge, f"{number}-{judge.replace('/', '-')}-fable-generation-")
        for number, (judge, _) in enumerate(drawn, start=1)
    ]
    assert {judge for judge, _ in drawn} == {"org/tiny", "org/other"}


def test_without_matplotlib_the_extra_is_named_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    assert call(monkeypatch, tmp_path / "nowhere", "--out", tmp_path / "report") == 1
    shown = capsys.readouterr().err
    assert "sociolect[plots]" in shown
    assert "--no-plots" in shown


def test_no_plots_needs_no_matplotlib(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    assert call(monkeypatch, runs, "--out", tmp_path / "report", "--no-plots") == 0
    assert not list((tmp_path / "report").glob("*.png"))


def test_a_report_that_fails_leaves_nothing(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sociolect.harness.judging.report.draw", full)
    assert call(monkeypatch, runs, "--out", tmp_path / "report") == 2
    assert "cannot be written (No space left on device)" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "tex"], "unknown format 'tex'"),
        (["--seed", "-1"], "give a seed of 0 or more"),
        (["--out", "missing/report"], "its parent is no folder"),
        (["--allow", "everything"], "unknown difference to allow 'everything'"),
    ],
)
def test_wrong_arguments(
    runs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    assert call(monkeypatch, runs, *arguments) == 2
    assert message in capsys.readouterr().err


def test_pipes_get_no_escape_sequences(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(os.environ, "FORCE_COLOR", "1")
    assert call(monkeypatch, runs) == 0
    assert "\x1b" not in capsys.readouterr().out

"""`sociolect dialect report` from the command line."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from sociolect.harness import cli
from sociolect.harness.dialect import report_plots

from .dialect_runs import COMBINATIONS, Writer, pairs

N = 40


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    quick = ["--resamples", "200", "--permutations", "99"]
    given = ["sociolect", "dialect", "report", *quick, *map(str, arguments)]
    monkeypatch.setattr(sys, "argv", given)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)


def fill(write: Writer, *, tokens: bool = True, seed: int = 0, **run: object) -> None:
    """All tasks of one system."""
    rng = np.random.default_rng(seed)
    labels = {version: rng.integers(0, 3, N).tolist() for version in ("aae", "sae", "back")}
    write.sentiment(labels, **run)
    log_p = {c: rng.normal(-20, 2, N).tolist() for c in COMBINATIONS}
    counts = {c: rng.integers(4, 8, N).tolist() for c in COMBINATIONS}
    write.continuation(log_p, counts if tokens else None, **run)
    for wording in ("best", "likely", "stylistic"):
        chosen = {
            (c, o): "".join(rng.choice(["a", "s"], N)) for c in ("aae", "sae") for o in (0, 1)
        }
        write.choice(chosen, wording, **run)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Base and Prompt of one model, all tasks."""
    write = Writer(tmp_path / "out", pairs(N))
    fill(write)
    fill(write, prompted=True, seed=1)
    return write.root


def test_all_tables_are_there(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, runs) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    lines = shown.out.splitlines()
    titles = [line for line in lines if line.endswith("· data dddddddddddd, split evaluation")]
    assert [title.split(" · data")[0] for title in titles] == [
        "Consistency of labels (Table 2)",
        "Labels by version of the text",
        "org/tiny · bias by system (Table 3)",
        "org/tiny · differences from Base",
        "Preference among continuations (Eqs. 2–4)",
        "The likelier continuation, by context",
        "Perplexity by context → continuation",
        "Choice by wording, per cent (Table 7)",
        "LP by class of feature (nats, nats a token)",
        "overlap of the classes",
        "LP by entry (nats) · org/tiny · Base",
    ]
    text = " ".join(" ".join(line.split()) for line in lines)
    assert "LP = 0 is no preference, not a match of dialects" in text
    assert "varieties of English with rules of their own" in text
    assert "Two-way DGI = Pr(y_AAE = y_SAE = y_AAE_back)." in text
    assert "cDGI = Pr(y_AAE = y_SAE | y_AAE = y_AAE_back) (Eq. 1)" in text


def test_what_was_not_run_or_counted_is_a_dash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = Writer(tmp_path / "out", pairs(N, back=False, naturalness=None))
    write.continuation({c: [-9.0 - i for i in range(N)] for c in COMBINATIONS})
    assert call(monkeypatch, write.root) == 0
    shown = capsys.readouterr().out
    rows = {line[1:20].strip(): line.split()[-1] for line in shown.splitlines() if line[:1] == " "}
    for name in ("DGI", "cDGI (any)", "AAE PPL", "SAE PPL", "LP (token)", "AAE match %, best"):
        assert rows[name] == "–", name
    assert rows["LP (sum)"] == "+0.00"
    assert "aae_sentiment was not run." in shown
    text = " ".join(shown.split())
    assert "the tokens of its continuations were not counted" in text
    assert "nan" not in shown.split()


def test_a_pair_without_back_translation_has_no_cdgi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = Writer(tmp_path / "out", pairs(N, back=False))
    write.sentiment({"aae": [0, 1] * (N // 2), "sae": [0] * N})
    assert call(monkeypatch, write.root, "--format", "csv") == 0
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert (rows["dgi"]["value"], rows["dgi"]["n"]) == ("0.5", str(N))
    for name in ("two_way_dgi", "cdgi", "cdgi_any"):
        assert (rows[name]["value"], rows[name]["n"], rows[name]["ci_low"]) == ("", "0", "")
        assert rows[name]["left"] == f"{N} no back-translation"


def test_json_has_everything_and_agrees_with_the_csv(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.json"
    assert call(monkeypatch, runs, "--out", out) == 0
    assert call(monkeypatch, runs, "--format", "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    document = json.loads(out.read_text("utf-8"))
    assert document["schema"] == "sociolect.dialect_report"
    assert len(document["rows"]) == len(rows)
    (dataset,) = document["datasets"]
    assert (dataset["pairs"], dataset["split"]) == (N, "evaluation")
    assert [one["system"] for one in dataset["systems"]] == ["Base", "Prompt"]
    assert {len(one["samples_sha256"]) for s in dataset["systems"] for one in s["inputs"]} == {64}
    prompt = next(
        row
        for row in document["rows"]
        if row["system"] == "Prompt" and row["measure"] == "lp_sum" and not row["feature_class"]
    )
    assert prompt["delta"] == pytest.approx(prompt["value"] - prompt["base_compared"])
    assert prompt["delta_ci_low"] < prompt["delta"] < prompt["delta_ci_high"]
    assert prompt["clusters"] == prompt["clusters_compared"] == N
    assert 0 < prompt["p"] <= prompt["p_holm"] <= 1
    for row in document["rows"]:
        for mark, p in (("significant", row["p"]), ("significant_holm", row["p_holm"])):
            assert row[mark] == (None if p is None else p < 0.05), (row["measure"], mark)
    assert sum(one["asked"] for one in document["labels"]) == 2 * 3 * N
    assert len(document["features"]) == 4


def test_markup_in_names_is_shown_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "org/[bold]m|x_y*\x1b[31m"
    write = Writer(tmp_path / "out", pairs(N))
    fill(write, arguments={"pretrained": name})
    assert call(monkeypatch, write.root) == 0
    shown = capsys.readouterr().out
    assert "org/[bold]m|x_y*\N{REPLACEMENT CHARACTER}[31m · bias by system" in shown
    assert "\x1b" not in shown
    assert call(monkeypatch, write.root, "--format", "md") == 0
    shown = capsys.readouterr().out
    assert r"org/\[bold\]m\|x\_y\*" in shown
    assert call(monkeypatch, write.root, "--format", "tex") == 0
    assert r"org/{[}bold{]}m\textbar{}x\_y*" in capsys.readouterr().out


def test_pictures_are_whole_or_not_there(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "plots"
    assert call(monkeypatch, runs, "--plots", folder) == 0
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["choice.png", "lp_by_feature.png", "perplexity.png"]
    assert all(path.read_bytes()[:4] == b"\x89PNG" for path in folder.iterdir())
    assert call(monkeypatch, runs, "--plots", folder) != 0
    assert "name a new or empty folder" in capsys.readouterr().err

    def breaks(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report_plots, "draw", breaks)
    assert call(monkeypatch, runs, "--plots", tmp_path / "other") != 0
    assert not (tmp_path / "other").exists()
    assert not list(tmp_path.glob(".sociolect-*"))


def test_a_picture_without_numbers_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = Writer(tmp_path / "out", pairs(N))
    fill(write, tokens=False)
    assert call(monkeypatch, write.root, "--plots", tmp_path / "plots") == 0
    assert "no picture of perplexity: the tokens" in capsys.readouterr().err
    assert not (tmp_path / "plots" / "perplexity.png").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "xml"], "xml"),
        (["--allow", "colour"], "colour"),
        (["--alpha", "2"], "alpha"),
        (["--resamples", "0"], "resamples"),
        (["--resamples", "99"], "100 to 1,000,000 resamples"),
        (["--permutations", "0"], "permutations"),
        (["--seed", "-1"], "seed"),
    ],
)
def test_bad_options_are_refused(
    runs: Path,
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(monkeypatch, runs, *arguments) != 0
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.out == ""


def test_every_set_of_pairs_has_its_overlaps_with_the_names_of_its_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = Writer(tmp_path / "out", pairs(N))
    whole = {c: [-9.0 - i for i in range(N)] for c in COMBINATIONS}
    write.continuation(whole)
    write.continuation({c: [*values[:-1], math.nan] for c, values in whole.items()}, prompted=True)
    assert call(monkeypatch, write.root, "--format", "md") == 0
    shown = capsys.readouterr().out
    for name in ("Base", "Prompt"):
        assert f"overlap of the classes · org/tiny · {name} ·" in shown


def test_marks_are_explained_where_they_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = Writer(tmp_path / "out", pairs(N))
    write.sentiment({version: [1] * N for version in ("aae", "sae", "back")})
    assert call(monkeypatch, write.root, "--format", "tex") == 0
    shown = capsys.readouterr().out
    consistency = shown[: shown.index("Labels by version")]
    assert "1.000$^{!=}$" in consistency
    below = consistency[consistency.index("end{tabular}") :]
    assert r"{\footnotesize" in below
    assert "! fewer than 30 pairs" in below
    assert "= one label was given to every text" in below
    assert r"a match 50 \%" in below
    labels = shown[shown.index("Labels by version") : shown.index("bias by system")]
    assert "footnotesize" not in labels


def test_bold_is_explained_where_it_is_seen(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for chosen, seen in (("table", False), ("md", True), ("tex", True)):
        assert call(monkeypatch, runs, "--format", chosen) == 0
        assert ("bold is the class of the highest LP" in capsys.readouterr().out) is seen


def test_pairs_with_one_continuation_are_shown_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    of = pairs(N)
    for pair in of[:10]:
        pair.aae = "they be working late every night"
        pair.sae = "they are working late every night"
    log_p = {c: [-9.0] * N for c in COMBINATIONS}
    log_p["sae", "sae"] = [-9.0] * 10 + [-5.0] * (N - 10)
    Writer(tmp_path / "out", of).continuation(log_p)
    Writer(tmp_path / "out", of[10:]).choice(
        {(c, o): "a" * (N - 10) for c in ("aae", "sae") for o in (0, 1)}
    )
    assert call(monkeypatch, tmp_path / "out") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert any(line[:3] == ["LP", "(sum)", "+3.00"] for line in lines)
    assert ["LP", "(sum),", "differing", "+4.00"] in lines
    text = " ".join(" ".join(line) for line in lines)
    assert "LP (sum), differing: left out 10 same continuation in both varieties." in text
    assert "first option %: left out 10 same continuation in both varieties." in text
    assert "org/tiny Base differing" in text
    assert "aspectual 30 40 25 / 22 +4.00" in text


def test_lost_resamples_are_named_with_their_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    of = pairs(N)
    of[0].aae = "we was working late every night"
    Writer(tmp_path / "out", of).continuation({c: [-9.0] * N for c in COMBINATIONS})
    assert call(monkeypatch, tmp_path / "out") == 0
    text = " ".join(capsys.readouterr().out.split())
    said = "resamples without a number were dropped: aae_continuation lp_sum_differing[auxiliary] "
    assert said in text
    share = float(text.partition(said)[2].split()[0])
    assert 20 < share < 50, "(1 - 1/40)**40 of the resamples lack the pair"


def test_the_models_that_found_the_boundaries_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = Writer(tmp_path / "out", pairs(N))
    doc = {"segmented_with": "encoder org/mini at abc, aligner bert"}
    write.continuation({c: [-9.0] * N for c in COMBINATIONS}, doc=doc)
    assert call(monkeypatch, tmp_path / "out") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "found a boundary: encoder org/mini at abc, aligner bert." in text

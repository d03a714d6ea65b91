"""`sociolect dialect build` and `restore`, and the commands that check what they made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from sociolect.generators.dialect.build import Segmenter
from sociolect.generators.dialect.folder import read_folder
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.errors import InvalidInputError, SociolectError, SourceError
from sociolect.harness.cli import app as sociolect
from sociolect.harness.commands.dialect_build import build
from sociolect.harness.commands.dialect_restore import restore

app = typer.Typer()
app.command("build")(build)
app.command("restore")(restore)


def run(*arguments: object, program: typer.Typer = app) -> Result:
    return CliRunner().invoke(program, [str(a) for a in arguments])


def refused(error: type[SociolectError], *arguments: object, program: typer.Typer = app) -> str:
    result = run(*arguments, program=program)
    assert isinstance(result.exception, error), result.output
    return str(result.exception)


@pytest.fixture
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SOCIOLECT_SOURCES", raising=False)
    return written(tmp_path / "mine.jsonl", 12)


def written(path: Path, n_pairs: int) -> Path:
    rows = [
        {"id": n, "tweet": f"He be at {n} all night", "sae": f"He is usually at {n} all night"}
        for n in range(n_pairs)
    ]
    rows.append({"id": "none", "tweet": "", "sae": "x"})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def built(pairs: Path, out: Path, *more: object) -> Result:
    result = run("build", pairs, "--column", "aae=tweet", "--out", out, "--no-segment", *more)
    assert result.exit_code == 0, result.output
    return result


def test_counts_are_shown(pairs: Path, tmp_path: Path) -> None:
    sizes = ("--tracing", 0, "--direction", 4, "--selection", 2, "--evaluation", 4)
    shown = built(pairs, tmp_path / "out", *sizes).output
    lines = {" ".join(line.strip("│ ").split()) for line in shown.splitlines()}
    assert {
        "pairs │ 12",
        "left out: the AAE side is empty │ 1",
        "split direction │ 4",
        "split evaluation │ 4",
        "in no split │ 2",
        "segmented │ 0",
    } <= lines
    assert f"SOCIOLECT_AAE={tmp_path / 'out'}" in shown.replace("\n", "")


def test_who_only_audits_is_told_of_no_splits(pairs: Path, tmp_path: Path) -> None:
    sizes = ("--tracing", 0, "--direction", 4, "--selection", 2, "--evaluation", 4)
    shown = " ".join(built(pairs, tmp_path / "out", *sizes).output.split())
    assert "Score models on 4 of the 12 pairs" in shown
    assert "Who only audits builds with --no-splits: then all pairs are asked." in shown
    assert "--no-splits" not in built(pairs, tmp_path / "whole", "--no-splits").output


def test_unlike_continuations_are_told_with_the_command_that_lists_them(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(found: Sequence[DialectPair]) -> list[Segmented]:
        """Two of six words before the boundary, and five of seven, in three pairs of twelve."""
        ends = [Boundaries(p.aae.index(" at"), p.sae.index(" all")) for p in found[:3]]
        done = [Segmented(p, end) for p, end in zip(found, ends, strict=False)]
        return [*done, *(Segmented(p, None, "why") for p in found[3:])]

    monkeypatch.setattr(
        "sociolect.harness.commands.dialect_build._segmenter", lambda *_: Segmenter(cut, {})
    )
    out = tmp_path / "out"
    options = ("--encoder", "my models/mini", "--gamma", 0, "--column", "aae=tweet", "--no-splits")
    shown = run("build", pairs, "--out", out, *options)
    assert shown.exit_code == 0, shown.output
    assert read_folder(out).manifest["segmentation"]["unlike"] == {
        "places": 3,
        "lengths": 3,
        "either": 3,
    }
    assert "pairs with unlike continuations: 3 of 3. Cut at shares" in shown.stderr
    assert (
        f"List them: sociolect dialect segment {pairs} --column aae=tweet "
        "--encoder 'my models/mini' --gamma 0.0 --unlike\n"
    ) in shown.stderr


def test_options_that_decide_nothing_are_named(pairs: Path, tmp_path: Path) -> None:
    more = ("--no-splits", "--encoder", "x", "--rho", 0.4, "--sources", tmp_path)
    shown = built(pairs, tmp_path / "out", *more)
    assert "the texts are not divided: --encoder, --rho is not used" in shown.stderr
    assert "mine.jsonl is a file: --sources, which is for redial and habitual" in shown.stderr
    assert "not used" not in built(pairs, tmp_path / "other", "--no-splits").stderr


def test_withheld_and_restored(pairs: Path, tmp_path: Path) -> None:
    shown = built(pairs, tmp_path / "bare", "--no-splits", "--withhold-aae")
    assert "fewer than 100 pairs: this folder is not published" in shown.stderr
    assert "aae_back left out: an AAE text word for word" in shown.stdout
    result = run("restore", tmp_path / "bare", "--pairs", pairs, "--out", tmp_path / "whole")
    assert result.exit_code == 0, result.output
    built(pairs, tmp_path / "again", "--no-splits")
    assert read_folder(tmp_path / "whole") == read_folder(tmp_path / "again")
    pairs.write_text(pairs.read_text("utf-8").replace("He be at 3", "He been at 3"), "utf-8")
    refused(SourceError, "restore", tmp_path / "bare", "--pairs", pairs, "--out", tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_verify_looks_at_pairs(pairs: Path, tmp_path: Path) -> None:
    built(pairs, tmp_path / "out", "--no-splits")
    sound = run("verify", tmp_path / "out", "--sources", tmp_path, program=sociolect)
    assert (sound.exit_code, "sound: every check" in sound.output) == (0, True)
    assert "note:" not in sound.output
    path = tmp_path / "out/manifest.json"
    manifest: dict[str, Any] = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**manifest, "splits": {"tracing": 12}}), "utf-8")
    spoilt = run("verify", tmp_path / "out", "--format", "json", program=sociolect)
    assert spoilt.exit_code == 1
    assert json.loads(spoilt.stdout)["faults"] == {"manifest": 1}
    said = refused(InvalidInputError, "verify", tmp_path / "out", "--rebuild", program=sociolect)
    assert "sociolect dialect build" in said


def test_diff_and_publish_know_pairs(pairs: Path, tmp_path: Path) -> None:
    built(pairs, tmp_path / "one", "--no-splits", "--licence", "MIT")
    built(pairs, tmp_path / "two", "--no-splits", "--licence", "MIT", "--withhold-aae")
    found = run("diff", tmp_path / "one", tmp_path / "two", program=sociolect)
    assert found.exit_code == 1
    assert "columns that changed (rows): aae (12)" in found.output
    assert "edits" not in found.output
    options = ("--repo", "org/aae-variants", "--version", "1.0.0", "--dry-run")
    refused(InvalidInputError, "publish", tmp_path / "two", *options, program=sociolect)
    many = written(tmp_path / "many.jsonl", 100)
    shown = built(many, tmp_path / "many", "--no-splits", "--withhold-aae")
    assert "not published" not in shown.stderr
    sent = run("publish", tmp_path / "many", *options, program=sociolect)
    assert sent.exit_code == 0, sent.output
    assert "The AAE texts were left out" in sent.output


def test_contradictions_are_refused(pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    common = ("build", pairs, "--column", "aae=tweet", "--out", out, "--no-segment")
    assert "--tracing" in refused(InvalidInputError, *common, "--no-splits", "--tracing", 3)
    assert "rho" in refused(InvalidInputError, *common[:-1], "--rho", 2)
    assert "sociolect dialect build" in refused(
        InvalidInputError, "build", "aae", "--out", out, program=sociolect
    )
    assert not out.exists()
    built(pairs, out, "--no-splits")
    assert "--overwrite" in refused(InvalidInputError, *common)

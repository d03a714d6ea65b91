"""A whole sweep of a random model by the command, and `sociolect dialect report` on its runs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import typer
from tiny_models import tiny_llama
from typer.testing import CliRunner

from sociolect.harness.commands.dialect_report import report
from sociolect.harness.commands.steer_sweep import sweep_command
from sociolect.tasks.dialect.documents import clear_memo

from .sweep_inputs import identity, write_fit, write_pairs


def invoke(command: object, *arguments: str) -> str:
    app = typer.Typer()
    app.command()(command)  # type: ignore[type-var]
    found = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lm_eval writes of the machine takes it a second or two for each run."""
    import torch.utils.collect_env

    clear_memo()
    monkeypatch.setattr(torch.utils.collect_env, "get_pretty_env_info", str)


def test_nothing_is_run_to_list_the_cells(tmp_path: Path) -> None:
    out = tmp_path / "out"
    text = invoke(
        sweep_command, str(tmp_path), "--model_args", "pretrained=x", "--pairs", str(tmp_path),
        "--out", str(out), "--beta", "0,0.5", "--dry-run",
    )  # fmt: skip
    assert [line.split(maxsplit=1)[1] for line in text.splitlines()] == [
        "selection · base",
        "selection · vector β=0.5",
        "selection · single β=0.5",
        "evaluation · base",
        "evaluation · prompted",
        "evaluation · vector β=0.5",
        "evaluation · random at the strength that the selection split says",
        "evaluation · shuffled at the strength that the selection split says",
        "evaluation · layers at the strength that the selection split says",
        "evaluation · single at the strength that the selection split says",
    ]
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_a_sweep_from_command_to_files(tmp_path: Path) -> None:
    model = tiny_llama(tmp_path / "model")
    write_fit(tmp_path / "fit", identity(model))
    write_pairs(tmp_path / "pairs", each=7)
    out = tmp_path / "out"
    asked = (
        str(tmp_path / "fit"), "--model_args", f"pretrained={model},dtype=float32", "--pairs",
        str(tmp_path / "pairs"), "--out", str(out), "--beta", "0,1", "--beta-scale", "residual",
        "--tasks", "aae_continuation,aae_choice_best", "--pairs-limit", "6", "--resamples", "200",
        "--permutations", "99",
    )  # fmt: skip
    text = invoke(sweep_command, *asked)
    assert "Full sweep: bias (Table 9)" in text
    with (out / "sweep.csv").open(newline="") as file:
        own = {
            (row["system"], row["measure"]): row["value"]
            for row in csv.DictReader(file)
            if row["split"] == "evaluation"
        }
    # Six of seven pairs, the same ones in both tasks.
    assert json.loads((out / "sweep.json").read_text())["flips"]["items"] == 6
    runs = out / "runs" / "evaluation"
    # What any reader of those runs gets.
    folders = [str(path) for path in runs.iterdir()]
    told = invoke(report, *folders, "--format", "csv", "--resamples", "200", "--permutations", "99")
    for row in csv.DictReader(told.splitlines()):
        system = (
            row["system"].split()[-2].removesuffix(".safetensors") if " " in row["system"] else ""
        )
        if system in ("vector", "random") and not row["feature_class"]:
            assert own[system, row["measure"]] == row["value"]
    # Steering does something, and its controls something else.
    lp = [own[name, "lp_sum"] for name in ("base", "vector", "random", "shuffled", "layers")]
    assert len(set(lp)) == 5
    before = {path: path.stat().st_mtime_ns for path in runs.rglob("results_*.json")}
    assert len(before) == 7
    assert invoke(sweep_command, *asked) == text
    assert {path: path.stat().st_mtime_ns for path in runs.rglob("results_*.json")} == before

"""Arguments that a sweep refuses before it writes or runs anything."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import typer
from typer.testing import CliRunner

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.commands.steer_sweep import sweep_command
from sociolect.harness.steering import sweep
from sociolect.harness.steering.sweep_cells import Cell

from .sweep_stand_in import Runs
from .sweep_written import settings

SECRET = "hf_abcdefghijklmnop"


def invoke(runs: Runs, model_args: str, *more: str, out: str = "out") -> tuple[str, str]:
    """What is printed, and what is raised."""
    app = typer.Typer()
    app.command()(sweep_command)
    root = runs.root
    found = CliRunner().invoke(
        app,
        [str(root / "fit"), "--model_args", model_args, "--pairs", str(root / "pairs"), "--out",
         str(root / out), "--beta", "0.5,1", "--tasks", "aae_continuation", "--resamples", "200",
         "--permutations", "99", *more],
    )  # fmt: skip
    return found.output, repr(found.exception or "")


@pytest.mark.parametrize(
    "given",
    [
        f"pretrained=org/tiny,token={SECRET}",
        f"pretrained=org/tiny,token={SECRET},token={SECRET}",
        json.dumps({"pretrained": "org/tiny", "api_key": SECRET}),
        json.dumps({"pretrained": "org/tiny", "config": {"use_auth_token": SECRET}}),
        f"pretrained=https://me:{SECRET}@example.org/tiny",
        f"pretrained=org/tiny,{SECRET}",
        f"{{'pretrained': 'org/tiny', 'token': '{SECRET}'}}",
    ],
)
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_secret_is_neither_written_nor_printed(
    runs: Runs, caplog: pytest.LogCaptureFixture, given: str, more: tuple[str, ...]
) -> None:
    printed, raised = invoke(runs, given, *more)
    assert raised.startswith("InvalidInputError")
    assert SECRET not in printed + raised + caplog.text
    assert not (runs.root / "out").exists()


def test_a_secret_that_is_there_is_not_shown(runs: Runs) -> None:
    runs.stop(1)
    path = runs.root / "out" / "settings.json"
    found = json.loads(path.read_text())
    found["model_args"]["token"] = SECRET
    path.write_text(json.dumps(found))
    with pytest.raises(InvalidInputError, match="model_args/token: ") as raised:
        runs.sweep()
    assert SECRET not in str(raised.value)


def test_to_ask_for_the_stored_token_is_no_secret(runs: Runs) -> None:
    assert settings(runs.root, model_args={"pretrained": "org/tiny", "token": True})


@pytest.mark.parametrize("name", ["batch_size", "device"])
def test_options_are_given_as_options(runs: Runs, name: str) -> None:
    _, raised = invoke(runs, f"pretrained=org/tiny,{name}=1")
    assert "give --batch-size and --device as options" in raised
    assert not (runs.root / "out").exists()


def test_a_misspelt_argument_is_refused_at_once(runs: Runs) -> None:
    _, raised = invoke(runs, "pretrained=org/tiny,dtyp=float32")
    assert "did you mean dtype?" in raised
    assert not (runs.root / "out").exists()


def test_a_list_of_blocks_needs_no_vector(runs: Runs) -> None:
    _, raised = invoke(runs, "pretrained=org/tiny,steering_blocks=model.layers", "--dry-run")
    assert raised == "''"


def test_a_task_named_twice_is_asked_once(runs: Runs) -> None:
    runs.stop_at = 1
    invoke(runs, "pretrained=org/tiny", "--tasks", "aae_continuation,aae_continuation")
    kept = json.loads((runs.root / "out" / "settings.json").read_text())
    assert kept["tasks"] == ["aae_continuation"]


def test_strengths_that_agree_in_six_digits_have_their_own_folders(runs: Runs) -> None:
    close = (0.1234567, 0.1234568, 1.0)
    names = [Cell("selection", "vector", beta).name for beta in close]
    assert names == ["vector-0.1234567", "vector-0.1234568", "vector-1"]
    found = runs.sweep(strengths=close)
    assert [row.cell.beta for row in found.selection.of("vector")] == list(close)
    assert "0.1234567" in Cell("selection", "vector", close[0]).label


@pytest.mark.parametrize(
    ("out", "match"),
    [
        ("file/out", "cannot be used"),
        ("new/file/../../file/deep/out", "cannot be used"),
        ("new/" + "x" * 300, "cannot be used"),
        ("x" * 300, "cannot be used"),
    ],
)
def test_a_folder_that_cannot_be_made(runs: Runs, out: str, match: str) -> None:
    (runs.root / "file").write_text("")
    before = sorted(runs.root.rglob("*"))
    with pytest.raises(InvalidInputError, match=match):
        sweep.run(replace(settings(runs.root), out=runs.root / out))
    assert sorted(runs.root.rglob("*")) == before
    assert not runs.asked

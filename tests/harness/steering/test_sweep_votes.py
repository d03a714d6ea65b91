"""Votes of several models on the same items, worked by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sociolect.generators.errors import InvalidInputError, NotComparableError, ResultsError
from sociolect.harness.commands.steer_votes import votes_command
from sociolect.harness.steering.sweep_votes import read_voters, vote_sheets, votes


def write(folder: Path, model: str, items: dict[str, tuple[float, float]], data: str = "d") -> Path:
    folder.mkdir()
    texts = {"context": "they be", "aae": "workin", "sae": "working"}
    content = {
        "settings": {"model_args": {"pretrained": model}},
        "flips": {"beta": 0.4},
        "facts": {"pairs_sha256": data},
        "items": [{"id": i, "before": b, "after": a, **texts} for i, (b, a) in items.items()],
    }
    (folder / "sweep.json").write_text(json.dumps(content))
    return folder


@pytest.fixture
def sweeps(tmp_path: Path) -> list[Path]:
    """Of `turned` all prefer SAE before and none after; `tied` is a tie in one model."""
    return [
        write(tmp_path / "a", "m/a", {"turned": (-1, 1), "kept": (1, 1), "tied": (0, -1)}),
        write(tmp_path / "b", "m/b", {"turned": (-2, 1), "kept": (2, 1), "tied": (-1, -1)}),
        write(tmp_path / "c", "m/c", {"turned": (-1, 3), "kept": (-1, 1)}),
    ]


def test_votes_by_item(sweeps: list[Path]) -> None:
    found = {one.id: (one.before, one.after, one.models) for one in votes(read_voters(sweeps))}
    assert found == {"turned": (3, 0, 3), "kept": (1, 0, 3), "tied": (1, 2, 2)}


def test_tables(sweeps: list[Path]) -> None:
    voters = read_voters(sweeps)
    models, spread, largest = vote_sheets(voters, votes(voters))
    assert [[cell.text for cell in row] for row in models.rows] == [
        ["m/a", "0.4", "3", "1", "1"],
        ["m/b", "0.4", "3", "2", "1"],
        ["m/c", "0.4", "2", "2", "0"],
    ]
    # Of the two items that all scored.
    assert [[cell.text for cell in row] for row in spread.rows] == [
        ["0/3", "0", "2"],
        ["1/3", "1", "0"],
        ["2/3", "0", "0"],
        ["3/3", "1", "0"],
    ]
    assert spread.notes == ("left out: 1 items that not all models scored.",)
    assert [row[0].text for row in largest.rows] == ["turned", "kept", "tied"]


def test_the_command(sweeps: list[Path]) -> None:
    app = typer.Typer()
    app.command()(votes_command)
    found = CliRunner().invoke(app, [*map(str, sweeps), "--format", "csv"])
    assert found.exit_code == 0, found.output
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    assert (rows[0]["id"], rows[0]["before"], rows[0]["after"]) == ("turned", "3", "0")
    shown = CliRunner().invoke(app, list(map(str, sweeps)))
    assert "Votes for the SAE continuation" in shown.stdout
    content = json.loads(CliRunner().invoke(app, [*map(str, sweeps), "--format", "json"]).stdout)
    assert [one["model"] for one in content["models"]] == ["m/a", "m/b", "m/c"]


def test_what_has_no_common_vote(sweeps: list[Path], tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="two sweeps or more"):
        read_voters(sweeps[:1])
    with pytest.raises(NotComparableError, match="different pairs"):
        read_voters([*sweeps, write(tmp_path / "e", "m/e", {}, data="e")])
    with pytest.raises(NotComparableError, match="m/a: two sweeps of one model"):
        read_voters([*sweeps, write(tmp_path / "f", "m/a", {})])
    with pytest.raises(ResultsError, match="no finished sweep"):
        read_voters([*sweeps, tmp_path])

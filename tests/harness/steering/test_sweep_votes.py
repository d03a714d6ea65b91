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


def write(
    folder: Path,
    model: str,
    items: dict[str, tuple[float, float]],
    data: str = "d",
    **more: str,
) -> Path:
    folder.mkdir()
    texts = {
        "aae_context": "they be",
        "aae_continuation": "workin",
        "sae_continuation": "working",
    }
    content = {
        "settings": {"model_args": {"pretrained": model, **more}, "beta_scale": "unit"},
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
        ["m/a", "0.4", "unit", "3", "1", "1"],
        ["m/b", "0.4", "unit", "3", "2", "1"],
        ["m/c", "0.4", "unit", "2", "2", "0"],
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


@pytest.mark.parametrize("other", ["{}/./m", "{}/x/../m", "{}/link"])
def test_a_model_under_two_spellings_is_one(tmp_path: Path, other: str) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "m")
    (tmp_path / "x").mkdir()
    both = [
        write(tmp_path / "a", f"{tmp_path}/m", {}),
        write(tmp_path / "b", other.format(tmp_path), {}),
    ]
    with pytest.raises(NotComparableError, match="two sweeps of one model"):
        read_voters(both)


def test_a_relative_path_is_one_with_a_dot(tmp_path: Path) -> None:
    with pytest.raises(NotComparableError, match="two sweeps of one model"):
        read_voters([write(tmp_path / "a", "m", {}), write(tmp_path / "b", "./m", {})])


def test_adapters_and_revisions_are_models_of_their_own(tmp_path: Path) -> None:
    voters = read_voters(
        [
            write(tmp_path / "a", "/m/base", {"i": (-1, 1)}),
            write(tmp_path / "b", "/m/base", {"i": (-1, 1)}, peft="/p/one"),
            write(tmp_path / "c", "/m/base", {"i": (-1, 1)}, peft="/p/two"),
            write(tmp_path / "d", "/m/base", {"i": (-1, 1)}, revision="v2"),
        ]
    )
    models, _, largest = vote_sheets(voters, votes(voters))
    names = [row[0].text for row in models.rows]
    assert names == ["base", "base + one", "base + two", "base@v2"]
    assert largest.rows[0][1].text == "4/4"


ITEM = {
    "id": "i",
    "before": -1.0,
    "after": 1.0,
    "aae_context": "c",
    "aae_continuation": "a",
    "sae_continuation": "s",
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"items": [{**ITEM, "before": float("nan")}]}, r"item 1 \(i\): before is nan, no number"),
        ({"items": [{**ITEM, "after": float("inf")}]}, r"item 1 \(i\): after is inf, no number"),
        ({"items": [{**ITEM, "after": 10**400}]}, r"item 1 \(i\): after is 1000"),
        ({"items": [{**ITEM, "after": None}]}, r"item 1 \(i\): after is missing, no number"),
        ({"items": [{**ITEM, "after": "1"}]}, r"item 1 \(i\): after is '1', no number"),
        ({"items": [{**ITEM, "after": True}]}, r"item 1 \(i\): after is True, no number"),
        ({"items": [{**ITEM, "aae_context": 3}]}, r"item 1 \(i\): aae_context is 3, no text"),
        ({"items": [{**ITEM, "id": None}]}, "item 1: id is missing, no text"),
        ({"items": [ITEM, ITEM]}, "item 2: i is there twice"),
        ({"items": [7]}, "item 1 is no object"),
        ({"items": {}}, "items is no list"),
        ({"flips": {"beta": float("nan")}}, "flips: beta is nan, no number"),
        ({"flips": {"beta": "0.4"}}, "flips: beta is '0.4', no number"),
        ({"flips": 3}, "flips is missing or no object"),
        ({"facts": {}}, "facts: pairs_sha256 is missing, no text"),
        ({"settings": {}}, "model_args is missing or no object"),
        (
            {"settings": {"model_args": {"pretrained": 3}, "beta_scale": "unit"}},
            "model_args: pretrained is 3, no text",
        ),
    ],
)
def test_what_is_damaged_is_named(sweeps: list[Path], change: dict[str, object], said: str) -> None:
    path = sweeps[1] / "sweep.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ResultsError, match=f"b/sweep.json: {said}"):
        read_voters(sweeps)


@pytest.mark.parametrize("text", ["[" * 200_000, "{", "[]", "\ud800"])
def test_what_is_no_json_object_is_refused(sweeps: list[Path], text: str) -> None:
    (sweeps[1] / "sweep.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ResultsError, match=r"b/sweep\.json"):
        read_voters(sweeps)

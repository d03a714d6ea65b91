from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from sociolect.generators.dialect.pair_files import read_pairs
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.dialect.ratings import DIMENSIONS, Rating
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.harness.commands.dialect_validate import validate
from sociolect.harness.dialect.validation_required import affirmed

app = typer.Typer()
app.command("validate")(validate)

PAIRS = [DialectPair(name, f"he be {name}", f"He is usually {name}") for name in "abcde"]
JUDGED = {
    "a": ("y", "y"),  # all
    "b": ("yyn", "nnn"),  # a majority; none
    "c": ("yn", ""),  # half is no majority; not judged
    "d": ("n", "n"),  # none
}
"""Judgments of `equivalent` and of `sentiment_preserved`; nobody judged pair e."""


def ratings() -> list[Rating]:
    read = {"y": True, "n": False, "": None}
    return [
        Rating(
            name,
            str(rater),
            {
                **dict.fromkeys(DIMENSIONS),
                "equivalent": read[equivalent[rater : rater + 1]],
                "sentiment_preserved": read[sentiment[rater : rater + 1]],
            },
        )
        for name, (equivalent, sentiment) in JUDGED.items()
        for rater in range(max(map(len, (equivalent, sentiment))))
    ]


@pytest.mark.parametrize(
    ("dimensions", "kept", "refused", "unjudged"),
    [
        (["equivalent"], "abe", [2], [1]),
        (["sentiment_preserved"], "ace", [2], [2]),
        (["equivalent", "sentiment_preserved"], "ae", [2, 2], [1, 2]),
    ],
)
def test_a_majority_must_affirm(
    dimensions: list[str], kept: str, refused: list[int], unjudged: list[int]
) -> None:
    found = affirmed(PAIRS, ratings(), dimensions)
    assert "".join(pair.id for pair in found.pairs) == kept
    assert found.refused == dict(zip(dimensions, refused, strict=True))
    assert found.unjudged == dict(zip(dimensions, unjudged, strict=True))


def test_what_would_decide_nothing_or_leave_nothing_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"--require aae_natural: .* no judgment of it"):
        affirmed(PAIRS, ratings(), ["aae_natural"])
    with pytest.raises(InvalidInputError, match="leaves none of 1 pairs"):
        affirmed(PAIRS[3:4], ratings(), ["equivalent"])


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments], env={"COLUMNS": "200"})


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Pairs, and what raters say of them."""
    pairs, rated = tmp_path / "p.csv", tmp_path / "r.csv"
    lines = [f"{one.id},{one.aae},{one.sae},9" for one in PAIRS]
    pairs.write_text("\n".join(["id,aae,sae,nat", *lines]))
    said = {True: "yes", False: "no", None: ""}
    rows = [
        f"{one.id},{one.rater},{said[one.judgments['equivalent']]},"
        f"{said[one.judgments['sentiment_preserved']]}"
        for one in ratings()
    ]
    rated.write_text("\n".join(["id,rater,equivalent,sentiment_preserved", *rows]))
    return pairs, rated


def test_pairs_that_raters_do_not_affirm_are_not_written(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    pairs, rated = files
    out, figures = tmp_path / "rated.jsonl", tmp_path / "v.json"
    given = (pairs, "--ratings", rated, "--out", out, "--json", figures)
    assert run(*given).exit_code == 0
    assert len(read_pairs(out).pairs) == 5
    assert json.loads(figures.read_text())["required"] is None
    result = run(*given, "--require", "equivalent", "--require", "sentiment_preserved")
    assert result.exit_code == 0, result.exception
    assert [pair.id for pair in read_pairs(out).pairs] == ["a", "e"]
    assert (
        "semantically equivalent (required): 2 pairs left out that no majority of their raters "
        "affirms; 1 that nobody judged are kept" in result.stdout
    )
    assert "2 of 5 pairs are left" in result.stdout
    assert f"2 pairs in {out}, 0 with naturalness from raters" in result.stdout
    assert json.loads(figures.read_text())["required"] == {
        "pairs": 5,
        "kept": 2,
        "dimensions": {
            "equivalent": {"left_out": 2, "not_judged": 1},
            "sentiment_preserved": {"left_out": 2, "not_judged": 2},
        },
    }
    assert "not read: nat (--column FIELD=COLUMN)" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--sentiment", "--out", "x.jsonl"), "give --ratings FILE"),
        (("--ratings", "r.csv"), "give --out FILE"),
    ],
)
def test_require_needs_ratings_and_a_file(
    files: tuple[Path, Path], options: tuple[str, ...], message: str
) -> None:
    result = run(files[0], "--require", "equivalent", *options)
    assert isinstance(result.exception, InvalidInputError)
    assert message in str(result.exception)


def test_an_unknown_dimension_is_refused(files: tuple[Path, Path]) -> None:
    result = run(files[0], "--ratings", files[1], "--out", "x.jsonl", "--require", "natural")
    assert isinstance(result.exception, UnknownNameError)
    assert "aae_natural" in str(result.exception)

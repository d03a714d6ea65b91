import json
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.harness.commands.dialect_features import features
from sociolect.harness.dialect.feature_sheets import pair_features, pair_sheets
from sociolect.harness.sheets import as_text

from .dialect_runs import COMBINATIONS, Pair, Writer, pairs

APP = typer.Typer()
APP.command()(features)

PAIRS = [
    DialectPair("1", "She be at home, ain’t nobody here", "She is at home; nobody is here"),
    DialectPair("2", "We finna stay", "We are about to stay"),
    DialectPair("3", "He walk home", "He walks home"),
]


def ask(*arguments: str) -> str:
    result = CliRunner().invoke(APP, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_features_of_a_text() -> None:
    shown = [line.split() for line in ask("We was [b]finna go").splitlines()]
    assert ["auxiliary", "we", "was", "We", "was", "0–6"] in shown
    assert ["auxiliary", "finna", "finna", "10–15"] in shown
    assert json.loads(ask("y'all be late", "--format", "json")) == [
        {"feature_class": "aspectual", "entry": "y'all be", "start": 0, "end": 8}
    ]


def test_a_text_without_features_is_not_called_sae() -> None:
    assert "does not make it SAE" in ask("He walk home")


def test_features_of_pairs() -> None:
    found = pair_features(PAIRS)
    record = found.record()
    assert record["texts"]["aae"] == {
        "auxiliary": 1, "aspectual": 1, "preverbal": 2, "syntactic": 1, "none": 1,
    }  # fmt: skip
    assert record["texts"]["sae"]["preverbal"] == 1
    assert record["texts"]["sae"]["none"] == 2
    assert found.entries()[2:4] == [("preverbal", "stay", 1, 1), ("preverbal", "ain't", 1, 0)]
    assert record["overlap"][1] == (0, 1, 1, 1)


def test_entries_that_are_not_shown_are_counted() -> None:
    text = as_text(pair_sheets(pair_features(PAIRS), top=1))
    assert "1 less frequent entries are not shown" in text
    shown = [line.split() for line in text.split("texts with an entry")[1].splitlines()]
    assert ["preverbal", "stay", "1", "1"] in shown
    assert ["preverbal", "ain't", "1", "0"] not in shown


def test_no_pairs_have_no_shares() -> None:
    text = as_text(pair_sheets(pair_features([]), top=1))
    assert ["auxiliary", "0", "–", "0", "–"] in [line.split() for line in text.splitlines()]


def test_features_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [{"id": one.id, "aae": one.aae, "sae": one.sae} for one in PAIRS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shown = [line.split() for line in ask("--file", str(path)).splitlines()]
    assert ["preverbal", "2", "66.7", "1", "33.3"] in shown
    record = json.loads(ask("--file", str(path), "--format", "json"))
    assert record["pairs"] == 3


def test_features_of_texts_alone(tmp_path: Path) -> None:
    path = tmp_path / "aae.jsonl"
    rows = [{"id": one.id, "aae": one.aae} for one in PAIRS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = ask("--file", str(path))
    assert "of 3 AAE texts" in text
    shown = [line.split() for line in text.splitlines()]
    assert ["feature", "AAE", "AAE", "%"] in shown
    assert ["preverbal", "2", "66.7"] in shown
    assert ["preverbal", "ain't", "1"] in shown
    record = json.loads(ask("--file", str(path), "--format", "json"))
    assert (record["aae_texts"], list(record["texts"])) == (3, ["aae"])
    assert record["entries"][0].keys() == {"feature_class", "entry", "aae"}
    path.write_text('{"id": 1, "text": "He be late"}\n')
    with pytest.raises(DataError, match="no column 'aae'"):
        ask("--file", str(path))


def test_columns_of_other_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("n,tweet\n1,She be at home\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"csv:1: no column 'id'; there are .*--column id=COLUMN"):
        ask("--file", str(path))
    columns = ("--column", "id=n", "--column", "aae=tweet")
    assert "of 1 AAE texts" in ask("--file", str(path), *columns)
    with pytest.raises(DataError, match=r"csv:1: no column 'to'; .*--column sae=COLUMN"):
        ask("--file", str(path), *columns, "--column", "sae=to")
    path.write_text("n,tweet,to\n1,She be at home,She is at home\n", encoding="utf-8")
    assert "of 1 pairs" in ask("--file", str(path), *columns, "--column", "sae=to")
    with pytest.raises(InvalidInputError, match="give one with --file"):
        ask("She be at home", *columns)


def test_lp_by_class_as_documented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    of = [*pairs(2), *(Pair(f"q{n}", aae="they never late for work") for n in range(2))]
    log_p = {key: [-1.0, -2.0, -3.0, -4.0] for key in COMBINATIONS}
    Writer(tmp_path / "results", of).continuation(log_p, {c: [2] * 4 for c in COMBINATIONS})
    text = Path(__file__).parents[3].joinpath("docs/dialect_features.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "dialect_features.md", "exec"), {})
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert any(line[:2] == ["aspectual", "2"] for line in shown)  # "they be" in two of the four
    assert (tmp_path / "lp_by_class.png").stat().st_size


@pytest.mark.parametrize("arguments", [[], ["text", "--file", "redial"], ["  "]])
def test_a_text_or_a_file(arguments: list[str]) -> None:
    with pytest.raises(InvalidInputError, match="not both"):
        CliRunner().invoke(APP, arguments, catch_exceptions=False)

import json
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from sociolect.generators.dialect.pair_files import read_pairs
from sociolect.generators.errors import InvalidInputError, SociolectError
from sociolect.harness.commands.dialect_corpus import (
    filter_command,
    parsed_columns,
    split_command,
)

app = typer.Typer()
app.command("filter")(filter_command)
app.command("split")(split_command)

TWEET = "he be up there when I call him every day"


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "100"})


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    lines = [f"{n},he be working {n},he usually works {n}," for n in range(10)]
    lines += [f"x{n},she gone {n},she is gone {n},same" for n in range(5)]
    path.write_text("\n".join(["n,tweet,sae,group", *lines, "y,,empty,"]))
    return path


def test_splitting_a_file_of_ones_own(pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "split.jsonl"
    sizes = ("--tracing", 3, "--direction", 4, "--selection", 1, "--evaluation", 2)
    done = _run("split", pairs, "--out", out, "--column", "id=n", "--column", "aae=tweet", *sizes)
    assert done.exit_code == 0, done.output
    found = read_pairs(out).pairs
    traced = [pair for pair in found if pair.split == "tracing"]
    assert len(traced) == 3
    assert all(" be working " in pair.aae for pair in traced)
    assert len({pair.split for pair in found if pair.group}) <= 1
    assert "the AAE side is empty" in done.stderr
    table = {
        line.split("│")[1].strip(): line.split("│")[2].strip()
        for line in done.stdout.splitlines()
        if "│" in line
    }
    assert table["left out: a side empty, or both the same"] == "1"
    assert int(table["in no split (not written)"]) + len(found) == 15
    assert int(table["evaluation"]) == sum(pair.split == "evaluation" for pair in found)
    again = _run("split", out, "--out", tmp_path / "again.jsonl")
    assert "have splits, which are kept: no seed" in again.stderr
    assert "--sources" not in again.stderr
    again = _run("split", out, "--out", tmp_path / "again.jsonl", "--sources", tmp_path)
    assert "is a file: --sources" in again.stderr
    assert read_pairs(tmp_path / "again.jsonl").pairs == found


def test_what_is_read_is_not_written_over(pairs: Path) -> None:
    before = pairs.read_bytes()
    for command in ("split", "filter"):
        done = _run(command, pairs, "--out", pairs)
        assert isinstance(done.exception, InvalidInputError)
    assert pairs.read_bytes() == before


def test_filtering(tmp_path: Path) -> None:
    source, out = tmp_path / "t.txt", tmp_path / "aae.jsonl"
    source.write_text(f"RT @a: {TWEET}\n{TWEET}\nshort\ncaf\u00e9 {TWEET}\n", "utf-8")
    done = _run("filter", source, "--out", out)
    assert done.exit_code == 0, done.output
    assert json.loads(out.read_text().splitlines()[0]) == {"id": "1", "aae": TWEET}
    assert "of them rewritten in ASCII" in done.stdout
    assert "left out: fewer than 10 words" in done.stdout
    assert "without their mentions" in done.stdout
    assert TWEET not in done.output
    assert _run("filter", source, "--out", out, "--min-words", 1).exit_code == 0
    assert len(out.read_text().splitlines()) == 3
    done = _run("filter", source, "--out", out, "--clean", "drop", "--min-words", 20)
    assert isinstance(done.exception, SociolectError)
    assert len(out.read_text().splitlines()) == 3


def test_columns_that_are_not_read_are_named(tmp_path: Path) -> None:
    source, out = tmp_path / "t.csv", tmp_path / "aae.jsonl"
    source.write_text(f"id,text,author,time\n1,{TWEET},ann,3\n")
    done = _run("filter", source, "--out", out)
    assert (
        "not read: author, time (--group-column COLUMN keeps the tweets of one author"
        in done.stderr
    )
    assert "with a group" not in done.stdout
    done = _run("filter", source, "--out", out, "--group-column", "author")
    assert "not read" not in done.stderr
    assert re.search(r"of them with a group +│ +1", done.stdout)
    assert json.loads(out.read_text()) == {"id": "1", "aae": TWEET, "group": "ann"}


def test_columns() -> None:
    assert parsed_columns(["aae=my=tweet", "split="]) == {"aae": "my=tweet", "split": ""}
    with pytest.raises(InvalidInputError, match=r"e\.g\. aae=tweet"):
        parsed_columns(["tweet"])
    with pytest.raises(InvalidInputError, match="twice"):
        parsed_columns(["aae=a", "aae=b"])

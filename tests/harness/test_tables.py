"""Rendering: terminal, Markdown, CSV, JSON."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sociolect.harness.compare import Comparison, Method, compare
from sociolect.harness.comparison_rows import PairedTest
from sociolect.harness.exports import render_csv, render_json
from sociolect.harness.result_files import find_runs
from sociolect.harness.results import read_run
from sociolect.harness.tables import marks, render_markdown, render_table

Write = Callable[..., Path]
NASTY = "org/[bold]x[/]|**y** <b>\x1b[31m"


def test_marks_follow_raw_and_adjusted_p() -> None:
    def made(p: float, adjusted: float) -> PairedTest:
        return PairedTest(10, 1.0, 2.0, 1.0, 0.5, 1.5, p, adjusted, 0.4)

    assert marks(made(0.01, 0.02), 0.05) == "*†"
    assert marks(made(0.04, 0.08), 0.05) == "*"
    assert marks(made(0.05, 0.05), 0.05) == ""
    assert marks(made(0.01, 0.02), 0.01) == ""


@pytest.fixture
def result(write_run: Write) -> Comparison:
    def noisy(seed: int, anti: float) -> Callable[..., int]:
        rng = random.Random(seed)
        return lambda pair, member, order, sample: int(rng.random() > (0.8, anti)[member == "anti"])

    name = {"config": {"model_args": {"pretrained": NASTY}}}
    paths = [
        write_run(pairs=60, answer=noisy(1, 0.7), **name),
        write_run(condition="l2-5", pairs=60, answer=noisy(1, 0.7), **name),
        write_run(condition="l2-30", pairs=60, answer=noisy(2, 0.3), error_seed=2, **name),
        write_run(condition="l2det-30", pairs=60, answer=lambda *_: -1, **name),
    ]
    clean, *others = (read_run(find_runs(path)[0]) for path in paths)
    return compare(clean, others, Method(permutations=999))


def test_table_shows_numbers_marks_and_what_has_none(result: Comparison) -> None:
    text = render_table(result)
    assert "winobias (gender) · direct · bias" in text.splitlines()[0]
    lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "+0.00  " in lines["l2-5"]
    assert "*†" in lines["l2-30"]
    assert "(error seed 2)" in lines["l2-30"]
    assert "0.0010" in lines["l2-30"]
    assert "100.0 !" in lines["l2det-30"]
    assert "–" in lines["l2det-30"]
    assert "999 permutations" in text
    assert "(2 tests)" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [None, 20, 200])
def test_no_number_is_cut_off_at_any_width(result: Comparison, width: int | None) -> None:
    (row,) = [row for row in result.rows if row.other.condition == "l2-30"]
    assert row.test is not None
    text = render_table(result, width=width)
    for value in (f"{row.test.low:+.2f}, {row.test.high:+.2f}]", f"{row.test.delta:+.2f}*†"):
        assert value in text
    assert "…" not in text.split("n: counterfactual")[0]


def test_colour_is_bold_and_only_where_wanted(result: Comparison) -> None:
    lines = [line for line in render_table(result, colour=True).splitlines() if "[1m" in line]
    assert len([line for line in lines if "l2-30" in line]) == 1
    assert not [line for line in lines if "l2-5 " in line]


def test_nothing_from_outside_is_markup(result: Comparison) -> None:
    title = render_table(result).splitlines()[0]
    assert title.startswith("org/[bold]x[/]|**y** <b>\N{REPLACEMENT CHARACTER}[31m")
    markdown = render_markdown(result)
    assert r"org/\[bold\]x\[/\]\|\*\*y\*\* \<b\>" in markdown
    assert "\x1b" not in markdown


def test_markdown_is_one_table_with_equal_columns(result: Comparison) -> None:
    lines = [line for line in render_markdown(result).splitlines() if line.startswith("|")]
    assert len(lines) == 2 + 3
    assert {line.replace(r"\|", "").count("|") for line in lines} == {12}
    (significant,) = [line for line in lines if "l2-30" in line]
    assert r"** \*†" in significant


def test_csv_holds_unrounded_numbers(result: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(render_csv(result))))
    assert [row["condition"] for row in rows] == ["l2-5", "l2-30", "l2det-30"]
    test = result.rows[1].test
    assert test is not None
    assert float(rows[1]["delta"]) == test.delta
    assert float(rows[1]["ci_high"]) == test.high
    assert rows[1]["significant"] == "True"
    assert rows[1]["model"] == NASTY.replace("\x1b", r"\u001b")
    empty = rows[2]
    assert empty["n"] == "0"
    assert all(empty[key] == "" for key in ("clean", "errored", "delta", "ci_low", "p", "p_holm"))


def test_json_is_strict_and_says_where_everything_comes_from(result: Comparison) -> None:
    def no_constants(name: str) -> Any:
        raise AssertionError(name)

    document = json.loads(render_json(result), parse_constant=no_constants)
    assert (document["schema"], document["schema_version"]) == ("sociolect.compare", 1)
    assert [entry["role"] for entry in document["inputs"]] == ["clean"] + 3 * ["errored"]
    assert document["inputs"][0]["samples_sha256"] == result.clean.sha256["samples"]
    assert document["inputs"][0]["settings"]["generation"]["repeats"] == 5
    assert document["inputs"][3]["answers_missing"] == 60 * 4 * 5
    assert document["rows"][2]["p"] is None
    assert document["method"]["permutations"] == 999
    assert document["families"][0]["tests"] == 2
    assert any("no usable pair" in remark for remark in document["remarks"])


def test_what_varies_is_a_column(write_run: Write) -> None:
    first, second = (read_run(find_runs(write_run(condition=c))[0]) for c in ("clean", "l2-30"))
    plain = compare(first, [second], Method(metrics=("bias", "acc_pro")))
    header = render_table(plain).splitlines()[2]
    assert header.split()[:2] == ["metric", "condition"]
    turned = compare(second, [first], Method(allow=frozenset({"condition"})))
    assert "baseline value" in render_table(turned)
    assert "org/tiny, l2-30" in render_table(turned)

"""Tables, remarks and files of a sweep."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest
from PIL import Image

from sociolect.harness.dialect.report_rows import rows as report_rows
from sociolect.harness.steering import sweep_report
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_plot import draw

from .sweep_written import sweep_of, table
from .sweep_written import usual as told


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    tasks = ("aae_continuation", "aae_choice_best")
    return sweep_of(tmp_path_factory.mktemp("swept"), told, tasks=tasks)


def test_the_choice_shows_what_the_rule_says(swept: Sweep) -> None:
    _, rows = table(swept, "Choice of the strength")
    assert [(row["system"], row["β"]) for row in rows] == [
        ("base", "0"),
        ("vector", "0.5"),
        ("vector", "1"),
        ("single", "0.5"),
        ("single", "1"),
    ]
    assert rows[1]["by the rule"] == "chosen"
    assert rows[2]["by the rule"].startswith("SAE perplexity is 1.105 times")
    assert rows[1]["added / norm"] == "0.19"  # 0.5 · 0.75 / 2


def test_the_full_sweep_has_a_row_a_cell(swept: Sweep) -> None:
    sheet, rows = table(swept, "Full sweep: bias")
    order = ["base", "prompted", "vector", "vector", "random", "shuffled", "layers", "single"]
    assert [row["system"] for row in rows] == order
    vector = rows[2]
    assert vector["LP (sum)"].startswith("+6.33 [")
    assert vector["bias reduction %"].startswith("19.1 [")  # 1.5 of 7.833
    assert vector["SAE match %"].startswith("100.0")
    assert vector["Δ [95 % CI]"].startswith("-1.50 [")
    assert rows[0]["Δ [95 % CI]"] == rows[0]["p"] == "–"
    assert "evaluation" in sheet.title


def test_what_costs_sae_is_marked(swept: Sweep) -> None:
    _, rows = table(swept, "Full sweep: perplexity")
    strong = rows[3]
    assert (strong["system"], strong["β"]) == ("vector", "1")
    # Every pair loses the same, so that there is no interval, and nothing is marked.
    assert strong["ratio"] == "1.105"


def test_an_interval_above_one_is_a_cost(swept: Sweep) -> None:
    row = swept.steered
    costly = replace(row, sae_ratio=replace(row.sae_ratio, interval=(1.01, 1.2)))
    assert costly.costs_sae
    assert not replace(row, sae_ratio=replace(row.sae_ratio, interval=(0.99, 1.2))).costs_sae


def test_one_layer_and_several(swept: Sweep) -> None:
    _, rows = table(swept, "One layer and several")
    assert [(r["strategy"], r["layers"], r["β"]) for r in rows] == [
        ("single layer", "0", "0.5"),
        ("several layers", "0, 1", "0.5"),
    ]


def test_base_prompt_and_steering_side_by_side(swept: Sweep) -> None:
    sheet, rows = table(swept, "org/tiny · bias by system")
    names = [column.name for column in sheet.columns][1:]
    assert names == [
        "Base",
        "Prompted",
        "vector β=0.5",
        "random β=0.5",
        "shuffled β=0.5",
        "layers β=0.5",
    ]
    assert any(row["measure"] == "LP (sum)" for row in rows)


def test_every_number_is_that_of_the_report(swept: Sweep) -> None:
    """`sociolect dialect report` on the same runs has the same rows."""
    found = {
        (row["task"], row["measure"]): (row["value"], row["ci_low"], row["ci_high"], row["p"])
        for row in report_rows([swept.evaluation.audit])
        if row["system"].endswith("vector.safetensors β=0.5") and not row["feature_class"]
    }
    from sociolect.harness.steering.sweep_rows import rows

    own = {
        (row["task"], row["measure"]): (row["value"], row["ci_low"], row["ci_high"], row["p"])
        for row in rows(swept)
        if (row["split"], row["system"], row["beta"]) == ("evaluation", "vector", 0.5)
    }
    assert found
    assert found.items() <= own.items()


def test_the_files(swept: Sweep) -> None:
    out = swept.settings.out
    assert {path.name for path in sweep_report.write(swept)} == {
        "sweep.csv",
        "sweep.json",
        "report.md",
        "flips.csv",
        "tradeoff.png",
    }
    assert not list(out.glob(".*"))
    with (out / "flips.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["flip"] for line in lines[:2]] == ["to_aae", ""]  # −1 + 1.5 + 0.25
    assert len(lines) == 6
    assert {(one["system"], one["beta"], one["beta_scale"]) for one in lines} == {
        ("vector", "0.5", "unit")
    }
    texts = [
        lines[0][f"{name}"] for name in ("aae_context", "aae_continuation", "sae_continuation")
    ]
    assert texts == ["they be", "working late every night", "usually work late every night"]
    with (out / "sweep.csv").open(newline="") as file:
        assert {one["beta_scale"] for one in csv.DictReader(file)} == {"unit"}
    content = json.loads((out / "sweep.json").read_text())
    assert content["choices"]["vector"]["beta"] == 0.5
    assert content["vectors"]["random"]["sha256"] == "hash of random"
    assert {k: v["verdict"] for k, v in content["better_than"].items()} == dict.fromkeys(
        ("random", "shuffled", "layers"), "too few pairs to say"
    )
    assert content["better_than"]["random"]["p_holm"] is not None
    title = (out / "report.md").read_text().splitlines()[0]
    assert title == "# Steering sweep of org/tiny, β scale unit"
    assert len(content["datasets"][1]["systems"]) == 8
    picture = (out / "tradeoff.png").read_bytes()
    draw(swept, out / "tradeoff.png")
    assert (out / "tradeoff.png").read_bytes() == picture
    with Image.open(out / "tradeoff.png") as image:
        assert image.size == (1500, 1200)  # of 7.5 inches


@pytest.mark.parametrize("form", ["table", "md", "tex"])
def test_every_format_has_every_table(swept: Sweep, form: str) -> None:
    text = sweep_report.render(swept, form)
    for part in ("Choice of the strength", "Full sweep", "One layer and several", "The rule"):
        assert part in text


def test_latex_has_the_marks_as_text_below_their_table(swept: Sweep) -> None:
    """Comments are not set: all but them has the signs."""
    text = sweep_report.render(swept, "tex")
    shown = [line for line in text.splitlines() if not line.startswith("%")]
    small = [line for line in shown if line.endswith(r"\par")]
    assert any(line.startswith("! fewer than 30 pairs or groups") for line in small)
    assert any(line.startswith(r"\textasciitilde{} it is not shown that") for line in small)
    assert any(line.startswith("* p < 0.05".replace("<", r"\textless{}")) for line in small)
    first = text.split(r"\end{tabular}")[1]
    assert r"\footnotesize" not in first.split("%")[0]  # what was fitted has no marks


def test_half_of_the_pairs_are_shuffled(swept: Sweep) -> None:
    said = "\n".join([*sweep_report.legend(swept), *sweep_report.remarks(swept)])
    assert said.count("with the sides of half of the pairs swapped") == 2
    assert "each pair swapped" not in said

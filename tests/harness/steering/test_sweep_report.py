"""Tables, remarks and files of a sweep."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sociolect.harness.dialect.audits import Key
from sociolect.harness.dialect.methods import Method
from sociolect.harness.dialect.report_rows import rows as report_rows
from sociolect.harness.sheets import Sheet
from sociolect.harness.steering import sweep_report
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_cells import Cell
from sociolect.harness.steering.sweep_numbers import LP
from sociolect.harness.steering.sweep_plot import draw
from sociolect.harness.steering.sweep_sheets import all_sheets

from .sweep_written import Told, sweep_of

NOISE = (0.5, -0.5, 0.25, -0.25, 0.1, -0.1)


def told(cell: Cell) -> Told:
    """As much as the vector does, so does the control of shuffled pairs."""
    fall = {"vector": 3.0, "shuffled": 3.0, "single": 1.0}.get(cell.system, 0.0) * cell.beta
    sign = {"vector": 1, "single": 1}.get(cell.system, -1) * cell.is_steered
    before = (-2.0, -3, -1, 1, -2, -4)
    after = [b + fall + sign * w for b, w in zip(before, NOISE, strict=True)]
    costs = {"sae": -11.0} if cell.beta == 1 else {}
    chosen = {
        (c, o): ("ssssss" if c == "sae" else "assasa") for c in ("aae", "sae") for o in (0, 1)
    }
    return Told((4.0, 5, 6, 7, 8, 6), after, choices=chosen, **costs)


ENOUGH = Method(resamples=200, permutations=1999)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """The same numbers over enough pairs for a verdict."""
    root = tmp_path_factory.mktemp("many")
    fit = {
        "kind": "errors",
        "benchmark": "mmlu",
        "condition": "realistic",
        "data_sha256": "e" * 64,
        "direction_pairs": 40,
        "traced_items": 7,
        "seed": 3,
        "warnings": ["block 1: the interval of R holds 0"],
    }
    facts = {"fit": fit, "pairs_of_fit": "none: fitted on learner errors"}
    return sweep_of(root, lambda cell: told(cell).times(6), facts, method=ENOUGH)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    tasks = ("aae_continuation", "aae_choice_best")
    return sweep_of(tmp_path_factory.mktemp("swept"), told, tasks=tasks)


def table(swept: Sweep, start: str) -> tuple[Sheet, list[dict[str, str]]]:
    sheet = next(one for one in all_sheets(swept) if one.title.startswith(start))
    names = [column.name for column in sheet.columns]
    return sheet, [
        {n: c.text + c.marks for n, c in zip(names, row, strict=True)} for row in sheet.rows
    ]


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


def test_no_result_without_its_control(many: Sweep) -> None:
    _, rows = table(many, "The vector against its controls")
    lp = {row["difference"]: row for row in rows if row["measure"] == "LP (sum)"}
    assert set(lp) == {"vector − random", "vector − shuffled", "vector − layers"}
    assert not lp["vector − random"]["p"].endswith("~")
    assert lp["vector − shuffled"]["p"].endswith("~")
    said = "\n".join(sweep_report.remarks(many))
    assert "~ not better than the control shuffled" in said
    assert "is nearer to 0 than the control random" in said


def test_a_sentence_has_both_p_and_the_mark(many: Sweep) -> None:
    (random,) = [one for one in many.against if one.control == "random"]
    found = random.differences[LP]
    assert found.interval is not None
    ends = "[{:+.3f}, {:+.3f}]".format(*found.interval)
    numbers = f"Δ LP = -1.500 {ends}, p = {found.p:.4f}, p (Holm) = {found.p_holm:.4f}."
    assert any(one.endswith(numbers) for one in sweep_report.remarks(many))
    left = replace(random, differences={LP: replace(found, either=100)})
    (said,) = [
        one
        for one in sweep_report.remarks(replace(many, against=(left,)))
        if "the control random" in one
    ]
    assert f"{ends} !, p = " in said


def test_the_recommendation_says_which_controls_it_does_not_beat(many: Sweep) -> None:
    first = sweep_report.remarks(many)[0]
    assert first == (
        "vector: recommended β = 0.5, chosen on the selection split alone. "
        "~ On the evaluation split it does not beat: shuffled."
    )
    beaten = replace(many, against=tuple(o for o in many.against if o.control != "shuffled"))
    assert sweep_report.remarks(beaten)[0].endswith("it beats every control: random, layers.")
    bare = sweep_report.remarks(replace(many, against=()))[0]
    assert bare.endswith("No control was run, so this may be what any vector of its size does.")


def test_of_few_pairs_numbers_and_no_verdict(swept: Sweep) -> None:
    said = sweep_report.remarks(swept)
    assert said[0].endswith("! Too few pairs to say whether it beats: random, shuffled, layers.")
    text = "\n".join(said)
    assert "too few pairs to say whether the vector is nearer to 0 than the control random" in text
    assert "the vector is nearer" not in text
    assert "β = 0.5 of vector changes LP by -1.500 [" in text
    told_by = [one for one in said if "of vector changes LP" in one]
    assert told_by[0].endswith(": too few pairs to say.")
    assert " !, p = " in told_by[0]
    _, rows = table(swept, "The vector against its controls")
    assert all(r["p"].endswith("~") for r in rows if r["measure"] == "LP (sum)")


def test_the_report_can_be_read_alone(many: Sweep) -> None:
    text = sweep_report.render(many, "md")
    sheet, rows = table(many, "What was fitted")
    found = {row["what"]: row["value"] for row in rows}
    assert (found["model"], found["β scale"]) == ("org/tiny", "unit")
    assert (found["fitted on"], found["benchmark"], found["condition"]) == (
        "errors",
        "mmlu",
        "realistic",
    )
    assert (found["pairs of the directions"], found["items traced"], found["seed"]) == (
        "40",
        "7",
        "3",
    )
    assert found["pairs of the fit"] == "none: fitted on learner errors"
    assert found["layers of vector"] == "0 (w = 0.75), 1 (w = 0.25)"
    assert sheet.notes[0].startswith("The vector was fitted on learner errors")
    assert sheet.notes[1] == "The fit warned: block 1: the interval of R holds 0"
    assert text.startswith("**What was fitted**")
    assert all(one.title.endswith("· β scale unit") for one in all_sheets(many)[1:])


def test_a_fit_on_dialect_is_not_called_one_on_errors(swept: Sweep) -> None:
    facts = {"fit": {"kind": "dialect", "dataset": "redial"}}
    sheet, rows = table(replace(swept, facts=facts), "What was fitted")
    assert {"what": "dataset", "value": "redial"} in rows
    assert sheet.notes == ()


def test_a_cost_on_the_other_split_is_said(tmp_path: Path) -> None:
    """AAE perplexity is 1.105 times that of base there, and was 1 where β was chosen."""

    def dearer(cell: Cell) -> Told:
        late = cell.is_steered and cell.split == "evaluation"
        return replace(told(cell), aae=-21.0 if late else -20.0)

    said = "\n".join(sweep_report.remarks(sweep_of(tmp_path, dearer, controls="none")))
    assert (
        "the recommended β = 0.5 of vector costs more on the evaluation split than the rule "
        "allows: AAE perplexity is 1.105 times that of base, above 1.05." in said
    )


def test_a_cost_within_the_tolerance_is_not_said(swept: Sweep) -> None:
    assert "than the rule allows" not in "\n".join(sweep_report.remarks(swept))


def test_a_condition_that_was_not_applied_is_said(swept: Sweep, many: Sweep) -> None:
    rule = sweep_report.legend(swept)[0]
    assert "SAE match falls by at most 2 points, and whose |LP|" in rule
    assert "not applied" not in rule
    without = sweep_report.legend(many)[0]
    assert "SAE match falls" not in without
    assert without.endswith("was not applied, as aae_choice_best was not run.")


def test_next_to_nothing_added_is_said(swept: Sweep) -> None:
    """At most 1 · 0.75 of a norm of 300; of 2 it is a third."""
    assert "next to nothing" not in "\n".join(sweep_report.remarks(swept))
    weak = {
        name: replace(one, vector=replace(one.vector, norms=one.vector.norms * 150))
        for name, one in swept.vectors.items()
    }
    said = "\n".join(sweep_report.remarks(replace(swept, vectors=weak)))
    assert "vector: adds at most 0.25 % of the norm of the activations" in said
    assert "try --beta-scale residual." in said


def test_only_numbers_that_are_shown_are_remarked_on(swept: Sweep) -> None:
    numbers = swept.evaluation
    base = numbers.base
    hidden = Key(LP.task, "b_sae_token")
    estimates = {
        key: replace(one, lost=15 * (key in (LP, hidden)))
        for key, one in base.audited.estimates.items()
    }
    assert hidden in estimates
    row = replace(base, audited=replace(base.audited, estimates=estimates))
    told_of = replace(numbers, rows={**numbers.rows, base.cell: row})
    said = [
        one for one in sweep_report.remarks(replace(swept, evaluation=told_of)) if "resam" in one
    ]
    assert said == [
        "evaluation · base: 15 of 200 resamples have no LP (sum) and are dropped from its interval."
    ]


def test_a_sweep_without_controls_says_so(tmp_path: Path) -> None:
    found = sweep_of(tmp_path, told, controls="none", tasks=("aae_continuation",))
    assert not found.against
    assert "no control was run" in "\n".join(sweep_report.remarks(found))


def test_controls_at_every_strength(tmp_path: Path) -> None:
    found = sweep_of(tmp_path, told, controls="every", tasks=("aae_continuation",))
    assert [row.cell.beta for row in found.evaluation.of("random")] == [0.5, 1.0]
    assert {one.beta for one in found.against} == {0.5}


def test_nothing_recommended_is_said_with_reasons(tmp_path: Path) -> None:
    def worse(cell: Cell) -> Told:
        return Told((4.0, 5, 6, 7, 8, 6), [-2.0 - cell.beta + w for w in NOISE])

    found = sweep_of(tmp_path, worse)
    assert (found.choice.beta, found.choice.compared) == (0.0, 0.5)
    said = sweep_report.remarks(found)[0]
    assert said.startswith("vector: recommended β = 0, that is not to steer. β=0.5: |LP| is 8.500")


def test_what_the_chosen_strength_does_is_told_by_the_other_split(swept: Sweep) -> None:
    """LP falls by 1.5 in the mean there; that of a system without effect holds 0."""
    said = sweep_report.remarks(swept)
    start = "on the evaluation split, β = 0.5 of vector changes LP by -1.500 ["
    assert any(one.startswith(start) for one in said)
    assert not any("not told apart from no change" in one for one in said)


def test_a_change_that_may_be_none_is_said(tmp_path: Path) -> None:
    def nothing(cell: Cell) -> Told:
        fall = 1.0 * (cell.split == "selection") * cell.beta
        after = [-2.0 + fall + w * bool(cell.beta) for w in NOISE]
        return Told((4.0, 5, 6, 7, 8, 6), after).times(6)

    said = sweep_report.remarks(sweep_of(tmp_path, nothing, controls="none"))
    told_apart = [one for one in said if "not told apart from no change" in one]
    assert [one.split()[8] for one in told_apart] == ["vector", "single"]


def test_few_pairs_are_said(swept: Sweep) -> None:
    said = "\n".join(sweep_report.remarks(swept))
    assert "split evaluation: 6 pairs or groups, fewer than 30" in said


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


@pytest.mark.parametrize("form", ["table", "md", "tex"])
def test_every_format_has_every_table(swept: Sweep, form: str) -> None:
    text = sweep_report.render(swept, form)
    for part in ("Choice of the strength", "Full sweep", "One layer and several", "The rule"):
        assert part in text

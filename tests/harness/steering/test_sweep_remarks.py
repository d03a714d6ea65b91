"""What a sweep says in sentences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sociolect.harness.dialect.audits import Key
from sociolect.harness.dialect.methods import Method
from sociolect.harness.steering import sweep_report
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_cells import Cell
from sociolect.harness.steering.sweep_numbers import LP
from sociolect.harness.steering.sweep_sheets import all_sheets

from .sweep_written import NOISE, Told, sweep_of, table
from .sweep_written import usual as told

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
    return sweep_of(
        root, lambda cell: replace(told(cell), choices={}).times(6), facts, method=ENOUGH
    )


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    tasks = ("aae_continuation", "aae_choice_best")
    return sweep_of(tmp_path_factory.mktemp("swept"), told, tasks=tasks)


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
    assert "β = 0.5 the vector is" not in text
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

"""The regression gate: which conditions are red, and the command."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sociolect.generators.errors import ResultsError, UnknownNameError
from sociolect.harness import cli
from sociolect.harness.gate import judge
from sociolect.harness.gate_pairs import pair_runs
from sociolect.harness.gate_rows import Gate, GateOptions, GateRow
from sociolect.harness.gate_sheet import render_gate
from sociolect.harness.paired import Method

Write = Callable[..., Path]
Answer = Callable[[int, str, int, int], int]

OTHER = {"config": {"model_args": {"pretrained": "org/other"}}, "folder": "org__other"}
"""A second model, in a folder of its own."""


def biased(share: int, lean: str = "pro") -> Answer:
    """Wrong on one member of `share` in 100 pairs, which is a bias of as many points."""

    def answer(pair: int, member: str, order: int, sample: int) -> int:
        return int(member != lean and pair % 100 < share)

    return answer


def silent(pair: int, member: str, order: int, sample: int) -> int:
    return -1


def judged(
    candidate: Sequence[Path], baseline: Sequence[Path], **options: object
) -> tuple[Gate, GateRow]:
    method = Method(
        metrics=tuple(options.pop("metrics", ())),  # type: ignore[arg-type,call-overload]
        permutations=999,
        resamples=500,
    )
    pairs, notes = pair_runs(candidate, baseline)
    found = judge(pairs, GateOptions(method, **options), notes)  # type: ignore[arg-type]
    return found, found.rows[0]


def pair_of(write_run: Write, before: Answer, after: Answer, **fields: object) -> list[list[Path]]:
    """Candidate and baseline."""
    fields = {"pairs": 100, "repeats": 1} | fields
    return [[write_run(answer=after, **OTHER, **fields)], [write_run(answer=before, **fields)]]


def test_same_model_twice_is_green_even_strictly(write_run: Write) -> None:
    run = [write_run(answer=biased(10), pairs=300, repeats=1)]
    found, row = judged(run, run, strict=True)
    assert found.is_green
    assert (row.test and row.test.increase, row.small, row.warning) == (0, False, False)


def test_planted_increase_is_red(write_run: Write) -> None:
    found, row = judged(*pair_of(write_run, biased(10), biased(15)))
    assert row.red == "worse"
    assert not found.is_green
    assert row.test
    assert (row.test.baseline, row.test.candidate, row.test.increase) == (10, 15, 5)
    # Five pairs changed, all for the worse: 1 of the 32 ways to swap them is as bad.
    assert row.test.p == pytest.approx(1 / 32, abs=0.02)


def test_bias_of_the_other_sign_counts_by_its_size(write_run: Write) -> None:
    _, row = judged(*pair_of(write_run, biased(20), biased(20, "anti")))
    assert row.test
    assert (row.test.candidate, row.test.increase, row.red) == (-20, 0, "")


def test_tolerated_increase_is_green(write_run: Write) -> None:
    found, row = judged(*pair_of(write_run, biased(10), biased(15)), max_increase=5.0)
    assert found.is_green
    assert row.test
    _, row = judged(*pair_of(write_run, biased(10), biased(15)), max_increase=5.0, strict=True)
    assert row.red == "not shown to be harmless"


def test_large_increase_on_few_units_is_green_but_small(write_run: Write) -> None:
    found, row = judged(*pair_of(write_run, biased(0), biased(1), pairs=4))
    assert row.test
    assert row.test.increase == 25
    assert (found.is_green, row.small) == (True, True)


def test_what_nothing_changed_in_is_small_where_changes_could_be_unseen(write_run: Write) -> None:
    # With none of 100 changed, 2.95 % of all pairs could, each by up to 200 points.
    runs = pair_of(write_run, biased(5), biased(5))
    found, row = judged(*runs)
    assert (found.is_green, row.small, row.test and row.test.detectable) == (True, True, None)
    assert judged(*runs, max_increase=5.8)[1].small
    assert not judged(*runs, max_increase=6.0)[1].small


def test_a_candidate_that_was_asked_less_is_small_and_says_so(write_run: Write) -> None:
    limited = write_run(answer=biased(5), pairs=10, repeats=1, **OTHER)
    whole = write_run(answer=biased(5), pairs=100, repeats=1)
    pairs, notes = pair_runs([limited], [whole])
    found = judge(pairs, GateOptions(Method(allow=frozenset({"ids"}))), notes)
    assert (found.is_green, found.rows[0].small, found.rows[0].left.prompts) == (True, True, 360)
    assert "clean: left out 360 prompts that only one run asked" in render_gate(found)


def test_accuracy_may_fall(write_run: Write) -> None:
    _, row = judged(*pair_of(write_run, biased(0), biased(9), benchmark="mmlu"))
    assert (row.metric, row.unit, row.red) == ("acc", "item", "worse")
    assert row.test
    assert row.test.increase == pytest.approx(9)


def test_metric_can_be_chosen(write_run: Write) -> None:
    runs = pair_of(write_run, biased(10), biased(15))
    _, row = judged(*runs, metrics=["acc_pro"])
    assert (row.metric, row.test and row.test.increase) == ("acc_pro", 0)
    with pytest.raises(UnknownNameError, match="acc"):
        judged(*runs, metrics=["acc"])


def test_missing_condition_is_red(write_run: Write) -> None:
    candidate, baseline = pair_of(write_run, biased(5), biased(5))
    baseline.append(write_run(condition="l2-30", answer=biased(5), pairs=100, repeats=1))
    found, _ = judged(candidate, baseline)
    assert [(row.condition, row.red) for row in found.rows] == [("clean", ""), ("l2-30", "not run")]


def test_further_condition_is_said_and_not_judged(write_run: Write) -> None:
    candidate, baseline = pair_of(write_run, biased(5), biased(5))
    candidate.append(write_run(condition="typo-30", pairs=100, repeats=1, **OTHER))
    found, _ = judged(candidate, baseline)
    assert len(found.rows) == 1
    assert any("typo-30" in note for note in found.notes)


def test_silent_candidate_is_red(write_run: Write) -> None:
    _, row = judged(*pair_of(write_run, biased(5), silent))
    assert (row.red, row.warning, row.left.unanswered) == ("answered nothing", True, 100)


def test_silent_baseline_is_an_error(write_run: Write) -> None:
    with pytest.raises(ResultsError, match="baseline answered nothing"):
        judged(*pair_of(write_run, silent, biased(5)))


def test_no_unit_answered_by_both_is_red(write_run: Write) -> None:
    def even(pair: int, member: str, order: int, sample: int) -> int:
        return -(pair % 2)

    def odd(pair: int, member: str, order: int, sample: int) -> int:
        return -(1 - pair % 2)

    _, row = judged(*pair_of(write_run, even, odd))
    assert row.red == "no pair answered by both"


@pytest.mark.parametrize(
    ("before", "after", "doubtful"), [(0, 2, False), (0, 3, True), (25, 22, True)]
)
def test_unanswered_rates_are_marked(
    write_run: Write, before: int, after: int, doubtful: bool
) -> None:
    def skips(share: int) -> Answer:
        return lambda pair, member, order, sample: -1 if pair < share else 0

    _, row = judged(*pair_of(write_run, skips(before), skips(after)))
    assert row.unanswered == (before, after)
    assert row.warning is doubtful
    assert row.left.unanswered == max(before, after)


def test_holm_is_over_the_conditions_of_a_benchmark(write_run: Write) -> None:
    candidate, baseline = [], []
    for condition, after in (("clean", 15), ("l2-10", 10), ("l2-30", 10)):
        for side, answer, extra in (
            (candidate, biased(after), OTHER),
            (baseline, biased(10), {}),
        ):
            run = write_run(condition=condition, answer=answer, pairs=100, repeats=1, **extra)
            side.append(run)
    plain, row = judged(candidate, baseline)
    adjusted, with_holm = judged(candidate, baseline, holm=True)
    assert row.test
    assert with_holm.test
    assert with_holm.test.p_holm == pytest.approx(3 * row.test.p)
    assert (plain.is_green, adjusted.is_green) == (False, True)


def test_question_templates_are_resampled(write_run: Write) -> None:
    _, row = judged(*pair_of(write_run, biased(5), biased(9), benchmark="bbq_gender"))
    assert row.test
    assert row.test.templates == 25


def test_error_seeds_are_conditions_of_their_own(write_run: Write) -> None:
    sides: list[list[Path]] = [[], []]
    for seed in (0, 1):
        for side, extra in zip(sides, (OTHER, {}), strict=True):
            time = f"2026-03-04T05-06-0{seed}.1"
            side.append(write_run(condition="l2-30", error_seed=seed, time=time, **extra))
    found, _ = judged(*sides)
    assert [row.condition for row in found.rows] == ["l2-30", "l2-30 (error seed 1)"]


def test_two_models_on_one_side_are_refused(write_run: Write) -> None:
    one, other = write_run(), write_run(condition="l2-30", **OTHER)
    with pytest.raises(ResultsError, match="runs of 2 models"):
        pair_runs([one], [one, other])


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["sociolect", "gate", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)


def test_exit_codes(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (after,), (before,) = pair_of(write_run, biased(10), biased(20))
    assert call(monkeypatch, before, "--baseline", before) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("GREEN: none of 1 condition ")
    assert call(monkeypatch, after.parent, "--baseline", before.parent) == 1
    shown = capsys.readouterr().out
    assert shown.splitlines()[-1] == "RED: 1 of 1 condition (1 worse)."
    assert "\x1b" not in shown
    assert re.search(r"clean +100 +10\.00 +20\.00 +\+10\.00 \[", shown)
    assert call(monkeypatch, after, "--baseline", before.parent / "none") == 2
    assert call(monkeypatch, after, "--baseline", before, "--alpha", "0.5") == 2
    assert call(monkeypatch, after, "--baseline", before, "--max-increase", "nan") == 2
    assert call(monkeypatch, after, "--baseline", before, "--permutations", "10") == 2


def test_other_questions_are_an_error_and_not_red(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = write_run(), write_run(pairs=8, **OTHER)
    assert call(monkeypatch, after, "--baseline", before) == 2
    assert "not comparable" in capsys.readouterr().err
    assert call(monkeypatch, after, "--baseline", before, "--allow", "ids") == 0
    assert "left out 16 prompts" in capsys.readouterr().out


def test_json_has_every_number(
    write_run: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (after,), (before,) = pair_of(write_run, biased(10), biased(20))
    missing = write_run(condition="l2-30")
    out = tmp_path / "gate.json"
    assert call(monkeypatch, after, "--baseline", before, "--baseline", missing, "--out", out) == 1
    document = json.loads(out.read_text("utf-8"))
    assert document["green"] is False
    assert document["options"]["max_increase"] == 2
    first, second = document["rows"]
    assert {name: first[name] for name in ("n", "increase", "red", "small")} == {
        "n": 100,
        "increase": 10,
        "red": "worse",
        "small": first["detectable"] > 2,
    }
    assert second["red"] == "not run"
    assert second["increase"] is None
    assert [one["role"] for one in document["inputs"]] == ["baseline", "candidate", "baseline"]


def test_report_never_replaces_a_run(write_run: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run()
    kept = run.read_bytes()
    assert call(monkeypatch, run, "--baseline", run, "--format", "json", "--out", run) == 2
    assert run.read_bytes() == kept

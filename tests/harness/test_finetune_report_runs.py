"""Which runs a report reads: forms, levels, error seeds, repetitions, and what is missing."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import NotComparableError, ResultsError, UnknownNameError
from sociolect.harness.finetune_report import Wanted, wanted_runs
from sociolect.harness.finetune_report_models import ROLES
from sociolect.harness.paired import Method

from .finetune_runs import Study, Write, counted, outcome, table, wrong


@pytest.fixture
def study(write_run: Write, tmp_path: Path) -> Study:
    return Study(write_run, tmp_path)


def test_each_form_is_a_subject(study: Study) -> None:
    study.runs(counted(), pairs=4)
    study.runs(counted(), pairs=4, form="ll")
    assert study.report().forms == ("direct", "ll")
    assert study.report(wanted=wanted_runs(30, form="ll")).forms == ("ll",)


def test_a_benchmark_that_a_model_lacks_is_named_and_has_no_number(study: Study) -> None:
    study.runs(counted(), pairs=4)
    study.run("base", "clean", benchmark="mmlu")
    study.run("ft_clean", "clean", benchmark="mmlu")
    study.run("ft_clean", "l2-30", benchmark="mmlu")
    report = study.report()
    assert [subject.benchmark for subject in report.subjects] == ["winobias"]
    assert report.missing == (
        "mmlu · direct: Base has no l2-30 run, FT errors has no clean run, "
        "FT errors has no l2-30 run",
    )


def test_nothing_in_common_is_refused(study: Study) -> None:
    for role in ROLES:
        study.run(role, "clean")
    with pytest.raises(ResultsError, match=r"with l2-30:\n  winobias .*Base has no l2-30 run"):
        study.report()
    with pytest.raises(ResultsError, match="in the form ll: no run of any"):
        study.report(wanted=wanted_runs(30, form="ll"))


def test_another_level_and_transform(study: Study) -> None:
    study.runs(counted(), pairs=4, errored="l2prep-10")
    report = study.report(wanted=wanted_runs(10, "l2prep"))
    assert report.condition == Condition("l2prep", 10)
    for wrong_name in ((15, "l2"), (30, "l3")):
        with pytest.raises(UnknownNameError):
            wanted_runs(*wrong_name)
    with pytest.raises(UnknownNameError):
        wanted_runs(30, form="boxed")


def seeded(study: Study, seeds: dict[str, tuple[int, ...]]) -> None:
    for role, held in seeds.items():
        study.run(role, "clean", pairs=10)
        for seed in held:
            study.run(
                role,
                "l2-30",
                pairs=10,
                answer=wrong(seed + 1),
                error_seed=seed,
                doc={"data_sha256": f"{seed}" * 64},
                time=f"2026-03-05T05-06-0{seed}.1",
            )


def test_error_seeds_are_pooled(study: Study) -> None:
    seeded(study, dict.fromkeys(ROLES, (0, 1, 2)))
    row = outcome(study.report(), "bias").within["base"]
    assert row.error_seeds == (0, 1, 2)
    assert row.other.pooled == pytest.approx(20)


def test_two_seeds_are_not_pooled_and_one_can_be_chosen(study: Study) -> None:
    seeded(study, dict.fromkeys(ROLES, (0, 1)))
    with pytest.raises(ResultsError, match=r"2 error seeds are not pooled.*--error-seed"):
        study.report()
    found = outcome(study.report(wanted=Wanted(Condition("l2", 30), error_seed=1)), "bias")
    assert table(found)["base"] == (0, 20, 20)


def test_models_with_other_error_seeds_are_refused(study: Study) -> None:
    seeded(study, {"base": (0,), "ft_clean": (1,), "ft_errors": (0, 1)})
    match = "other seeds: Base 0; FT clean 1; FT errors 0, 1.*--error-seed"
    with pytest.raises(NotComparableError, match=match):
        study.report()


def test_strict_reading(study: Study) -> None:
    lenient = {r: ((lambda p, m, o, k: "A: the carpenter}"), wrong(1)) for r in ROLES}
    study.runs(lenient, pairs=4)
    assert table(outcome(study.report(), "bias"))["base"][0] is not None
    assert table(outcome(study.report(strict=True), "bias"))["base"][0] is None


def test_only_shared_prompts_count_where_others_are_allowed(study: Study) -> None:
    study.runs(counted(), pairs=20)
    study.run("ft_clean", "l2-30", pairs=20, drop=40, answer=wrong(9), effective=80)
    method = Method(permutations=99, resamples=99, allow=frozenset({"ids"}))
    with pytest.raises(NotComparableError, match=r"FT clean: .*\n  ids:"):
        study.report()
    found = study.report(method)
    assert table(outcome(found, "bias"))["base"] == (0, 80, 80)
    assert (
        "Left out: 40 prompts that not all of the runs asked." in found.subjects[0].comparison.notes
    )


def test_repetitions_are_named(study: Study) -> None:
    study.runs(counted(), pairs=4)
    newest = study.run("base", "clean", pairs=4, time="2026-03-05T05-06-07.1")
    first, *_ = study.report().notes
    assert first == f"Base: winobias_clean_direct: read {newest.name}, the newest of 2"


def test_results_do_not_depend_on_other_benchmarks(study: Study) -> None:
    study.runs(counted(), pairs=12)
    alone = outcome(study.report(), "bias").against
    study.runs(counted(), pairs=12, benchmark="mmlu")
    together = study.report().subjects[0].outcomes[0].against
    assert alone == together
    assert all(math.isfinite(row.test.p) for row in together.values() if row.test)

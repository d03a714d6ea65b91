"""What the folders of the adapters say of their training."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError, NotComparableError, ResultsError
from sociolect.harness.finetune_report_models import ROLES
from sociolect.harness.paired import Method

from .finetune_runs import Study, Write, counted

ADAPTERS = ROLES[1:]


@pytest.fixture
def study(write_run: Write, tmp_path: Path) -> Study:
    written = Study(write_run, tmp_path)
    written.runs(counted(), pairs=4)
    return written


def test_adapters_that_differ_in_their_prompts_alone(study: Study) -> None:
    for role in ADAPTERS:
        study.record(role, losses=[len(role)], seconds=len(role))
        study.held(role)
    training = study.report().training
    assert training.checked
    assert training.evaluated
    assert training.remarks == (
        "FT clean and FT errors were trained with the same settings, targets and initial weights, "
        "and differ in their prompts alone (training.json of both).",
    )
    assert training.as_dict()["adapters"] == {r: str(study.adapter(r)) for r in ADAPTERS}


def test_an_adapter_that_was_trained_again_after_its_runs(study: Study) -> None:
    for role in ADAPTERS:
        study.record(role)
        study.held(role)
    study.held("ft_errors", weights="before")
    match = r"FT errors: run with other weights .* in training\.json, before in the run .*samples_"
    with pytest.raises(NotComparableError, match=match):
        study.report()
    method = Method(permutations=99, resamples=99, allow=frozenset({"model"}))
    training = study.report(method).training
    assert not training.evaluated
    assert training.remarks[-1].startswith("Allowed for FT errors: ")


def test_one_run_of_several_with_other_weights(study: Study) -> None:
    time = "2026-05-05T05-06-07.123456"
    study.run("ft_clean", "l2-30", pairs=4, time=time)
    for role in ADAPTERS:
        study.record(role)
        study.held(role)
    path = study.out / "ft_clean" / f"sociolect_{time}.json"
    path.write_text(path.read_text("utf-8").replace("cleanclean", "otherclean"), "utf-8")
    with pytest.raises(NotComparableError, match=rf"FT clean: .*samples_winobias_l2_30.*{time}"):
        study.report()


def test_runs_without_a_record_are_said_to_be_unchecked(study: Study) -> None:
    for role in ADAPTERS:
        study.record(role)
    study.held("ft_clean")
    training = study.report().training
    assert training.checked
    assert not training.evaluated
    assert training.remarks[1:] == (
        "Not checked: that training.json is of the adapter FT errors was run with (no "
        "sociolect_<time>.json with its weights: 2 of 2 runs).",
    )


def test_the_record_of_other_results_is_not_taken(study: Study) -> None:
    for role in ADAPTERS:
        study.record(role)
        study.held(role, results="others_2026-03-04T05-06-07.123456.json")
    assert not study.report().training.evaluated


def test_a_damaged_record_of_a_run(study: Study) -> None:
    study.held("ft_clean")
    (path,) = (study.out / "ft_clean").glob("sociolect_*.json")
    path.write_text("{", "utf-8")
    with pytest.raises(ResultsError, match="not a readable record of a run"):
        study.report()


def test_adapters_that_are_gone_are_said_to_be_unchecked(study: Study) -> None:
    study.record("ft_errors")
    training = study.report().training
    assert not training.checked
    remark, _ = training.remarks
    assert remark.startswith("Not checked: that FT clean and FT errors were trained with the same")
    assert remark.endswith(f"(FT clean has no training.json at {study.adapter('ft_clean')}).")


def test_exchanged_adapters(study: Study) -> None:
    study.record("ft_clean", prompt_set="errors")
    study.record("ft_errors", prompt_set="clean")
    match = "--ft-clean: .* trained on the prompts 'errors' .* belongs to --ft-errors; exchange"
    with pytest.raises(InvalidInputError, match=match):
        study.report()


def test_one_record_is_enough_to_see_an_exchange(study: Study) -> None:
    study.record("ft_errors", prompt_set="clean")
    with pytest.raises(InvalidInputError, match=r"--ft-errors: .* belongs to --ft-clean"):
        study.report()


def test_prompts_of_neither_kind(study: Study) -> None:
    study.record("ft_clean", prompt_set="noise")
    with pytest.raises(InvalidInputError, match=r"--ft-clean takes one trained on the .* 'clean'"):
        study.report()


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"settings": {"rank": 8, "seed": 0}}, "settings.rank: 16 and 8"),
        ({"settings": {"rank": 16, "seed": 1}}, "settings.seed: 0 and 1"),
        ({"data": {"targets_sha256": "u"}}, 'data.targets_sha256: "t'),
        ({"initial_weights_sha256": "j"}, 'initial_weights_sha256: "i'),
        ({"prompts_sha256": "clean" * 8}, "so the prompts do not differ"),
    ],
)
def test_other_differences_in_training(study: Study, change: dict[str, object], shown: str) -> None:
    study.record("ft_clean")
    study.record("ft_errors", **change)
    with pytest.raises(NotComparableError) as caught:
        study.report()
    assert shown in str(caught.value)
    assert "--allow model" in str(caught.value)
    method = Method(permutations=99, resamples=99, allow=frozenset({"model"}))
    remark, *_ = study.report(method).training.remarks
    assert remark.startswith("Allowed for FT clean / FT errors: training: ")
    assert shown in remark


def test_a_damaged_record(study: Study) -> None:
    study.record("ft_clean")
    path = study.adapter("ft_clean") / "training.json"
    path.write_text(path.read_text("utf-8")[:20], "utf-8")
    with pytest.raises(ResultsError, match=f"{path} is damaged"):
        study.report()


def test_weights_that_the_record_does_not_speak_of(study: Study) -> None:
    content = b"weights"
    for role in ADAPTERS:
        study.record(role, final_weights_sha256=sha256(content).hexdigest())
        (study.adapter(role) / "adapter_model.safetensors").write_bytes(content)
    assert study.report().training.checked
    (study.adapter("ft_errors") / "adapter_model.safetensors").write_bytes(b"others")
    with pytest.raises(NotComparableError, match="final_weights_sha256 of FT errors: "):
        study.report()


def test_a_record_without_what_is_compared(study: Study) -> None:
    study.record("ft_clean", settings=None)
    with pytest.raises(ResultsError, match=r"training\.json: lacks settings; use the file that"):
        study.report()

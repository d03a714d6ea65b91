"""Base, FT clean and FT errors are compared only if they differ in nothing but the adapter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import NotComparableError
from sociolect.harness.finetune_report_models import ROLES, Role
from sociolect.harness.paired import Method

from .finetune_runs import Study, Write, counted, wrong

GREEDY = {"generation_kwargs": {"until": [], "do_sample": False}}


@pytest.fixture
def study(write_run: Write, tmp_path: Path) -> Study:
    written = Study(write_run, tmp_path)
    written.runs(counted(), pairs=10)
    return written


def allowing(*names: str) -> Method:
    return Method(permutations=99, resamples=99, allow=frozenset(names))


def again(study: Study, role: Role, *conditions: str, **options: Any) -> None:
    for condition in conditions or ("clean", "l2-30"):
        study.run(role, condition, pairs=10, answer=wrong(1), **options)


@pytest.mark.parametrize(
    ("role", "options", "setting"),
    [
        ("ft_errors", {"task_config": GREEDY}, "generation"),
        ("ft_clean", {"top": {"system_instruction": "Be fair."}}, "system_instruction"),
        ("ft_clean", {"top": {"chat_template": "{{ messages }}"}}, "chat_template"),
        ("ft_errors", {"config": {"model_dtype": "torch.bfloat16"}}, "dtype"),
        ("ft_errors", {"doc": {"answer_mode": "strict"}}, "answer_mode"),
        ("ft_errors", {"doc": {"data_version": "0.9.0"}}, "data"),
        ("ft_errors", {"doc": {"rules": "careful"}}, "data"),
        ("ft_errors", {"arguments": {"max_length": "512"}}, "model_args"),
        ("ft_errors", {"arguments": {"pretrained": "org/other"}}, "model"),
        ("ft_errors", {"config": {"model_revision": "v2"}}, "model"),
        ("ft_clean", {"config": {"model_sha": "b" * 40}}, "model_sha"),
        ("ft_clean", {"repeats": 3}, "generation"),
    ],
)
def test_a_difference_is_refused_unless_allowed(
    study: Study, role: Role, options: dict[str, Any], setting: str
) -> None:
    again(study, "base", config={"model_sha": "a" * 40})
    again(study, role, **options)
    with pytest.raises(NotComparableError) as caught:
        study.report()
    names = "FT clean" if role == "ft_clean" else "FT errors"
    assert str(caught.value).startswith(f"Base / {names}: ")
    assert f"\n  {setting}: " in str(caught.value)
    assert f"--allow {setting}" in str(caught.value)
    (subject,) = study.report(allowing(setting)).subjects
    assert any(f"{setting}: " in note and "Allowed" in note for note in subject.comparison.notes)


def test_another_backend(study: Study) -> None:
    other = Study(study.write, study.root, backend="vllm")
    again(other, "ft_errors", folder="vllm")
    for path in (study.out / "ft_errors").iterdir():
        path.unlink()
    (study.out / "ft_errors").rmdir()
    (study.out / "vllm").rename(study.out / "ft_errors")
    with pytest.raises(NotComparableError, match="backend: 'hf' / 'vllm'"):
        study.report()


def test_clean_and_errored_run_of_one_model_otherwise(study: Study) -> None:
    again(study, "ft_clean", "l2-30", task_config=GREEDY)
    with pytest.raises(NotComparableError, match=r"^FT clean: winobias_l2_30_direct is not"):
        study.report()


def test_other_data_under_one_name(study: Study) -> None:
    again(study, "ft_errors", "l2-30", doc={"data_sha256": "f" * 64})
    with pytest.raises(NotComparableError, match="sha256 l2-30xxxxxxx / ffffffffffff under one"):
        study.report()


def test_other_items(study: Study) -> None:
    again(study, "ft_errors", doc={"question": "Who?"})
    with pytest.raises(NotComparableError, match="20 with other content"):
        study.report()


def test_base_with_an_adapter_and_tuned_without(study: Study) -> None:
    again(study, "base", arguments={"peft": "org/some-lora"})
    with pytest.raises(NotComparableError, match="the first was run with an adapter, org/some-l"):
        study.report()
    assert study.report(allowing("model")).models["base"] == "org/some-lora"


def test_tuned_weights_of_their_own_need_leave(write_run: Write, tmp_path: Path) -> None:
    study = Study(write_run, tmp_path)
    for role in ROLES:
        for condition in ("clean", "l2-30"):
            config = {"model_args": {"pretrained": f"org/{role}", "dtype": "float32"}}
            write_run(study.out, condition=condition, folder=role, config=config)
    with pytest.raises(NotComparableError, match="pretrained org/base / org/ft_clean"):
        study.report()
    assert not study.report(allowing("model")).training.checked


@pytest.mark.parametrize(
    "extra",
    [
        {"enable_lora": "True", "max_lora_rank": "16"},
        {"answers": "somewhere", "gpu_memory_utilization": "0.5"},
    ],
)
def test_what_serves_the_adapter_or_changes_no_answer(
    write_run: Write, tmp_path: Path, extra: dict[str, str]
) -> None:
    study = Study(write_run, tmp_path, backend="vllm")
    study.runs({"base": counted()["base"]}, pairs=10)
    for role in ROLES[1:]:
        again(study, role, arguments=extra)
    assert study.report().subjects


def test_the_base_model_was_another_one_when_the_adapter_was_run(study: Study) -> None:
    for role in ROLES:
        study.held(role)
    assert not any("files of the base" in note for note in study.report().notes)
    study.held("ft_clean", base="c")
    match = r"Base / FT clean: the files of the base .*model\.safetensors \(4 bytes, sha256 bbb"
    with pytest.raises(NotComparableError, match=f"(?s){match}.*--allow model"):
        study.report()
    notes = study.report(allowing("model")).notes
    assert any(note.startswith("Allowed for Base / FT clean: files of the base") for note in notes)


def test_large_files_that_may_be_copies_are_not_called_different() -> None:
    """Of these only size and time of change are known; another machine has another time."""
    from sociolect.harness.finetune_report_files import _unlike

    one = {"pretrained": {"model.safetensors": [9, 111], "config.json": [4, "a" * 64]}}
    copy = {"pretrained": {"model.safetensors": [9, 222], "config.json": [4, "a" * 64]}}
    larger = {"pretrained": {"model.safetensors": [10, 222], "config.json": [4, "b" * 64]}}
    assert _unlike(one, copy) == ([], ["model.safetensors"])
    unlike, untold = _unlike(one, larger)
    assert [text.split(" (")[0] for text in unlike] == [
        "pretrained: config.json",
        "pretrained: model.safetensors",
    ]
    assert untold == []
    gone = {"pretrained": {"config.json": [4, "a" * 64]}}
    assert _unlike(one, gone)[0] == [
        "pretrained: model.safetensors (9 bytes, changed at 111 ns) / not there"
    ]


def test_runs_whose_model_files_nobody_recorded(study: Study) -> None:
    study.held("base")
    (note,) = study.report().notes
    assert note.startswith("Not checked: that the base model and the adapters held the same files")
    assert "2 of 2 runs of FT clean, 2 of 2 runs of FT errors" in note


def test_an_adapter_that_was_trained_on_another_base(study: Study) -> None:
    from hashlib import sha256

    same = sha256(f"model.safetensors {'b' * 64}\n".encode()).hexdigest()
    for role in ROLES:
        study.held(role)
    for role in ROLES[1:]:
        study.record(role, base={"identity": f"sha256 {same}"})
    assert not study.report().notes
    for role in ROLES[1:]:
        study.record(role, base={"identity": "sha256 other"})
    notes = study.report().notes
    assert [note.partition(" was run on a base model with")[0] for note in notes] == [
        "FT clean",
        "FT errors",
    ]

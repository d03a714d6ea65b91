from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.harness.run_folders import check_writable, label, place
from sociolect.harness.run_options import RunOptions

OURS = RunOptions(
    model="sociolect-vllm",
    model_args={"pretrained": "org/Model-8B", "dtype": "bfloat16"},
    output_path="out",
)


def folder(options: RunOptions) -> Path:
    found = place(options).folder
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"pretrained": "org/Model-8B"}, "Model-8B"),
        ({"pretrained": "/models/Model 8B/"}, "Model_8B"),
        ({"pretrained": "org/m", "peft": "a/errors"}, "m+errors"),
        ({"pretrained": "org/m", "lora_local_path": "./a/clean"}, "m+clean"),
        ({}, "model"),
        ({"pretrained": "m" * 200}, "m" * 80),
    ],
)
def test_label(arguments, shown):
    assert label(arguments) == shown


def test_results_and_answers_lie_in_one_folder():
    placed = place(OURS)
    assert placed.folder is not None
    assert placed.folder.parent == Path("out")
    assert placed.folder.name.startswith("Model-8B-")
    assert len(placed.folder.name) == len("Model-8B-") + 8
    assert placed.options.output_path == str(placed.folder / "results.json")
    assert placed.answers == placed.folder / "answers"
    assert placed.options.model_args["answers"] == str(placed.answers)


def test_a_json_path_names_the_file_in_the_folder():
    placed = place(replace(OURS, output_path="out/mine.json"))
    assert placed.folder == folder(OURS)
    assert placed.options.output_path == str(folder(OURS) / "mine.json")


@pytest.mark.parametrize(
    "change",
    [
        {"model": "sociolect-hf"},
        {"model_args": {**OURS.model_args, "dtype": "float32"}},
        {"model_args": {**OURS.model_args, "seed": 2}},
        {"model_args": {**OURS.model_args, "lora_local_path": "adapter"}},
        {"model_args": {**OURS.model_args, "revision": "v2"}},
        {"gen_kwargs": {"temperature": 0.1}},
        {"apply_chat_template": True},
        {"system_instruction": "Be brief."},
        {"device": "cuda:1"},
    ],
)
def test_what_changes_an_answer_changes_the_folder(change):
    assert folder(replace(OURS, **change)) != folder(OURS)


@pytest.mark.parametrize(
    "change",
    [
        {"limit": 4},
        {"batch_size": 8},
        {"model_args": {**OURS.model_args, "gpu_memory_utilization": 0.5}},
        {"model_args": {**OURS.model_args, "chunk": 7, "answers": "elsewhere"}},
        {"model_args": {**OURS.model_args, "token": "abc"}},
    ],
)
def test_what_changes_no_answer_keeps_the_folder(change):
    assert folder(replace(OURS, **change)) == folder(OURS)


def test_an_adapter_trained_again_gets_a_new_folder(tmp_path):
    (tmp_path / "adapter_model.safetensors").write_bytes(b"1")
    options = replace(OURS, model_args={"pretrained": "m", "lora_local_path": str(tmp_path)})
    first = folder(options)
    stat = (tmp_path / "adapter_model.safetensors").stat()
    (tmp_path / "adapter_model.safetensors").write_bytes(b"2")
    os.utime(tmp_path / "adapter_model.safetensors", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert folder(options) != first


@pytest.mark.parametrize("off", ["none", "None", ""])
def test_answers_can_be_switched_off(off):
    placed = place(replace(OURS, model_args={**OURS.model_args, "answers": off}))
    assert placed.answers is None
    assert "answers" not in placed.options.model_args


def test_answers_that_are_named_stay_where_they_are(tmp_path):
    named = {**OURS.model_args, "answers": str(tmp_path)}
    assert place(replace(OURS, model_args=named)).answers == tmp_path
    alone = place(replace(OURS, model_args=named, output_path=None))
    assert (alone.folder, alone.answers, alone.options.output_path) == (None, tmp_path, None)
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInputError, match="is a file"):
        place(replace(OURS, model_args={"answers": str(tmp_path / "file")}))


def test_without_an_output_path_nothing_is_kept():
    placed = place(replace(OURS, output_path=None))
    assert (placed.folder, placed.answers) == (None, None)


@pytest.mark.parametrize(("path", "kept"), [("out", "out"), ("out/x.json", "out")])
def test_other_backends_keep_their_folder(path, kept):
    options = RunOptions(model="vllm", output_path=path)
    placed = place(options)
    assert (placed.options, placed.folder, placed.answers) == (options, Path(kept), None)


def test_folders_that_cannot_be_made(tmp_path):
    check_writable(tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()
    (tmp_path / "file").touch()
    with pytest.raises(ResultsError, match="is a file"):
        check_writable(tmp_path / "file" / "b")

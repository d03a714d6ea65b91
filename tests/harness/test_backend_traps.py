from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from sociolect.harness.backend_traps import keeping_note
from sociolect.harness.dry_checks import checks
from sociolect.harness.local_models import (
    context_length,
    missing_files,
    model_folder,
    tokenizer_folder,
)
from sociolect.harness.run_folders import place
from sociolect.harness.run_options import Finding, RunOptions, TaskFacts
from sociolect.harness.traps import check

REASON = TaskFacts(
    "winobias_l2_30",
    repeats=5,
    generation_kwargs={"do_sample": True, "temperature": 0.7, "max_gen_toks": 100},
    data_arguments={"sociolect_benchmark": "winobias", "sociolect_form": "reason"},
)
SCORED = replace(REASON, name="winobias_l2_30_ll", output_type="multiple_choice")
QUIET = RunOptions(output_path="results", log_samples=True, batch_size="auto")
OURS = ("sociolect-vllm", "sociolect-hf")
HIDDEN = 8


def found(options: RunOptions, task: TaskFacts = REASON) -> list[Finding]:
    return check(options, [task])


def only(options: RunOptions, task: TaskFacts = REASON) -> Finding:
    (finding,) = found(options, task)
    return finding


def given(model: str, **arguments: object) -> RunOptions:
    return replace(QUIET, model=model, model_args={"pretrained": "m", **arguments})


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    config = {"hidden_size": HIDDEN, "max_position_embeddings": 4096}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "</s>"}))
    weights = np.zeros((HIDDEN, HIDDEN), np.float32)
    save_file({"model.layers.0.self_attn.q_proj.weight": weights}, folder / "model.safetensors")
    return folder


def adapter(folder: Path, rank: int, width: int = HIDDEN, **config: object) -> Path:
    folder.mkdir()
    layer = "base_model.model.model.layers.0.self_attn.q_proj"
    tensors = {
        f"{layer}.lora_A.weight": np.zeros((rank, width), np.float32),
        f"{layer}.lora_B.weight": np.zeros((width, rank), np.float32),
    }
    save_file(tensors, folder / "adapter_model.safetensors")
    values = {
        "peft_type": "LORA",
        "r": rank,
        "lora_alpha": 2 * rank,
        "base_model_name_or_path": "base",
        **config,
    }
    (folder / "adapter_config.json").write_text(json.dumps(values))
    return folder


@pytest.mark.parametrize("model", OURS)
def test_usual_run_of_ours_is_quiet(model):
    assert found(given(model, chunk=64, seed=0, answers="somewhere")) == []


@pytest.mark.parametrize("model", OURS)
@pytest.mark.parametrize(
    ("name", "value"),
    [("chunk", 0), ("chunk", "many"), ("seed", -1), ("seed", 1.5), ("batch_invariant", "maybe")],
)
def test_values_of_our_arguments(model, name, value):
    finding = only(given(model, **{name: value}))
    assert finding.severity == "refuse"
    assert f"{name}={value}" in finding.message


def test_batch_invariance_is_of_vllm():
    assert found(given("sociolect-vllm", batch_invariant=True)) == []
    assert only(given("sociolect-hf", batch_invariant=True)).severity == "refuse"


def test_answers_in_a_file_are_refused(tmp_path):
    (tmp_path / "file").touch()
    assert "is a file" in only(given("sociolect-hf", answers=str(tmp_path / "file"))).message


@pytest.mark.parametrize("model", OURS)
def test_a_second_cache_is_refused(model):
    finding = only(replace(given(model), use_cache="cache"))
    assert finding.severity == "refuse"
    assert "answers=FOLDER" in finding.message


@pytest.mark.parametrize("model", OURS)
def test_several_devices_share_a_folder(model):
    finding = only(given(model, data_parallel_size=2))
    assert finding.severity == "refuse"
    assert "start the same command once a GPU" in finding.message


@pytest.mark.parametrize("model", [*OURS, "vllm"])
def test_seed_that_does_not_reach_the_sampling(model):
    options = replace(given(model), seed=(7, 7, 7, 7))
    assert f"does not reach the sampling of {model}" in only(options).message
    assert found(replace(options, model_args={"pretrained": "m", "seed": 7})) == []


def test_progress_bar_matters_to_the_stock_class_only():
    environ = {"TQDM_DISABLE": "1"}
    assert "TQDM_DISABLE" in only(replace(given("vllm"), environ=environ)).message
    assert found(replace(given("sociolect-vllm"), environ=environ)) == []


def test_one_prompt_at_a_time_is_reported():
    assert "--batch_size auto" in only(replace(given("vllm"), batch_size=1)).message
    assert found(replace(given("sociolect-vllm"), batch_size=1)) == []
    assert found(replace(given("sociolect-vllm"), batch_size=1), SCORED) == []
    assert found(replace(given("hf"), batch_size=1)) == []


@pytest.mark.parametrize(
    ("model", "wrong", "right"),
    [
        ("vllm", "peft", "lora_local_path"),
        ("sociolect-vllm", "peft", "lora_local_path"),
        ("hf", "lora_local_path", "peft"),
    ],
)
def test_the_name_of_the_adapter_argument(model, wrong, right):
    assert f"say {right}=A" in only(given(model, **{wrong: "A"})).message


def test_stock_vllm_must_be_told_a_high_rank(base, tmp_path):
    low, high = adapter(tmp_path / "low", 16), adapter(tmp_path / "high", 24)
    assert found(given("vllm", pretrained=str(base), lora_local_path=str(low))) == []
    options = given("vllm", pretrained=str(base), lora_local_path=str(high))
    assert "max_lora_rank=32" in only(options).message
    told = {**options.model_args, "max_lora_rank": 32}
    assert found(replace(options, model_args=told)) == []
    for wrong in (24, 16, "many"):  # 24 is no rank that vLLM knows
        told["max_lora_rank"] = wrong
        assert only(replace(options, model_args=told)).severity == "refuse"


def test_ours_raises_the_rank_itself(base, tmp_path):
    folder = adapter(tmp_path / "high", 64)
    arguments = {"pretrained": str(base), "lora_local_path": str(folder)}
    assert found(given("sociolect-vllm", **arguments)) == []
    assert "leave it out" in only(given("sociolect-vllm", **arguments, max_lora_rank=16)).message


def test_a_rank_that_no_vllm_takes(base, tmp_path):
    folder = adapter(tmp_path / "huge", 1024)
    assert "512 at most" in only(given("sociolect-vllm", lora_local_path=str(folder))).message
    assert found(given("sociolect-hf", pretrained=str(base), peft=str(folder))) == []


@pytest.mark.parametrize(
    ("model", "name"), [("vllm", "lora_local_path"), ("sociolect-hf", "peft"), ("hf", "peft")]
)
def test_adapters_that_are_none_or_do_not_fit(base, tmp_path, model, name):
    wide = adapter(tmp_path / "wide", 4, width=2 * HIDDEN)
    finding = only(given(model, pretrained=str(base), **{name: str(wide)}))
    assert (finding.severity, "does not fit" in finding.message) == ("refuse", True)
    assert "is no adapter" in only(given(model, **{name: str(base)})).message
    for nowhere in ("./nowhere", float("nan"), True):  # a folder `nan` is read as a number
        assert "is no folder" in only(given(model, **{name: nowhere})).message


def test_an_adapter_of_another_base_is_reported(base, tmp_path):
    folder = adapter(tmp_path / "a", 4, base_model_name_or_path="elsewhere/Other")
    finding = only(given("hf", pretrained=str(base), peft=str(folder)))
    assert finding.severity == "warning"
    assert "elsewhere/Other" in finding.message


def test_only_vllm_needs_an_adapter_on_disk_and_of_its_kinds(base, tmp_path):
    assert found(given("hf", pretrained="org/base", peft="org/adapter")) == []
    assert "is no folder" in only(given("vllm", lora_local_path="org/adapter")).message
    folder = adapter(tmp_path / "dora", 4, use_dora=True)
    assert found(given("hf", pretrained=str(base), peft=str(folder))) == []
    assert "vLLM cannot load" in only(given("vllm", lora_local_path=str(folder))).message


@pytest.mark.parametrize("model", ["hf", "sociolect-hf"])
@pytest.mark.parametrize("config", [{}, {"use_dora": True}, {"bias": "all"}])
def test_pickled_adapters_are_never_read(base, tmp_path, model, config):
    folder = adapter(tmp_path / "a", 4, **config)
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")
    finding = only(given(model, pretrained=str(base), peft=str(folder)))
    assert (finding.severity, "can run code" in finding.message) == ("refuse", True)


@pytest.mark.parametrize("model", OURS)
@pytest.mark.parametrize(
    ("name", "meant"), [("answer", "answers"), ("chunks", "chunk"), ("dtyp", "dtype")]
)
def test_misspelt_arguments(model, name, meant):
    assert only(given(model, **{name: 1})).message.endswith(
        f"knows no {name}; did you mean {meant}?"
    )
    assert found(given(model, attn_implementation="eager")) == []


@pytest.mark.parametrize("model", [*OURS, "hf", "vllm"])
def test_a_model_must_be_named(model):
    assert "names no model" in only(given(model, pretrained=None)).message
    assert found(given("dummy", pretrained=None)) == []


@pytest.mark.parametrize("model", [*OURS, "hf", "vllm"])
def test_sizes_of_batches(model):
    for size in ("abc", "0", 0, "-4", -4, "1.5", "auto:x", ""):
        finding = only(replace(given(model), batch_size=size))
        assert (finding.severity, "--batch_size" in finding.message) == ("refuse", True)
    for size in ("auto", "auto:4", "8", 8):
        assert found(replace(given(model), batch_size=size)) == []


def test_seeds_of_vllm():
    for model in ("vllm", "sociolect-vllm"):
        assert "below 2**63" in only(given(model, seed=2**63)).message
        assert found(given(model, seed=2**63 - 1)) == []
    assert found(given("sociolect-hf", seed=2**64)) == []


def test_an_adapter_that_is_switched_off(base, tmp_path):
    options = given("vllm", lora_local_path=str(adapter(tmp_path / "a", 4)), enable_lora=False)
    assert "in silence" in only(options).message


def test_chat_template_that_is_not_there(base):
    options = replace(given("hf", pretrained=str(base)), apply_chat_template=True)
    assert "has no chat template" in only(options).message
    (base / "chat_template.jinja").write_text("{{ messages }}")
    assert found(options) == []
    other = replace(options, model_args={"pretrained": "org/base", "tokenizer": str(base)})
    assert found(other) == []
    (base / "chat_template.jinja").unlink()
    assert only(other).severity == "refuse"


@pytest.mark.parametrize(
    ("tokens", "severity"),
    [
        ({"eos_token": "</s>"}, None),
        ({"eos_token": {"content": "</s>"}}, None),
        ({"pad_token": "<pad>"}, "warning"),
        ({"eos_token": None, "bos_token": "<s>"}, "refuse"),
    ],
)
def test_tokenizers_without_an_end(base, tokens, severity):
    (base / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 9, **tokens}))
    findings = found(given("hf", pretrained=str(base)))
    assert [finding.severity for finding in findings] == ([severity] if severity else [])


def test_a_tokenizer_without_a_config_is_not_judged(base):
    (base / "tokenizer_config.json").unlink()
    assert found(replace(given("hf", pretrained=str(base)), apply_chat_template=True)) == []


def test_context_of_a_composed_model(base):
    assert context_length(base) == 4096
    config = {"max_position_embeddings": 9, "text_config": {"max_position_embeddings": 8192}}
    (base / "config.json").write_text(json.dumps(config))
    assert context_length(base) == 8192


def test_a_model_in_a_subfolder(base, tmp_path):
    inside = {"pretrained": str(tmp_path), "subfolder": "base"}
    assert (model_folder(inside), tokenizer_folder(inside)) == (base, base)
    assert model_folder({"pretrained": "org/m", "subfolder": "base"}) is None
    wide = adapter(tmp_path / "wide", 4, width=2 * HIDDEN)
    assert "does not fit" in only(given("hf", **inside, peft=str(wide))).message
    (base / "tokenizer.json").write_text("{}")
    said = {one.what: one for one in checks(place(given("hf", **inside)))}
    assert not said["model"].problem
    said = {one.what: one for one in checks(place(given("hf", **{**inside, "subfolder": "b"})))}
    assert "is not whole: config.json, weights" in said["model"].said


def test_what_a_model_folder_lacks(base):
    (base / "tokenizer.json").write_text("{}")
    assert missing_files(base) == []
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (base / "model.safetensors.index.json").write_text(json.dumps(index))
    shutil.copy(base / "model.safetensors", base / "model-1.safetensors")
    assert missing_files(base) == ["model-2.safetensors"]
    for path in base.iterdir():
        path.unlink()
    assert missing_files(base) == ["config.json", "weights (*.safetensors)", "tokenizer"]


def test_whether_answers_are_kept_is_said(tmp_path):
    assert keeping_note(given("vllm"), None) is None
    off, alone = given("sociolect-vllm"), replace(given("sociolect-vllm"), output_path=None)
    assert "(answers=none)" in keeping_note(off, None).message
    assert "Add --output_path" in keeping_note(alone, None).message
    assert str(tmp_path) in keeping_note(given("sociolect-hf"), tmp_path).message

"""Adapters on disk: what is read, what is refused, what fits a model."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from sociolect.generators.errors import ModelError
from sociolect.steering.lora.adapters import (
    CONFIG,
    VLLM_RANKS,
    WEIGHTS,
    check_fits,
    read_adapter,
    vllm_rank,
)

HIDDEN, INNER, KV = 8, 12, 4
LAYERS = {
    "self_attn.q_proj": (HIDDEN, HIDDEN),
    "self_attn.k_proj": (KV, HIDDEN),
    "mlp.up_proj": (INNER, HIDDEN),
    "mlp.down_proj": (HIDDEN, INNER),
}
PLAIN = {
    "peft_type": "LORA",
    "base_model_name_or_path": "/elsewhere/tiny",
    "r": 4,
    "lora_alpha": 8,
    "bias": "none",
    "use_dora": False,
    "modules_to_save": None,
    "init_lora_weights": True,
    "fan_in_fan_out": False,
    "rank_pattern": {},
    "target_modules": ["q_proj", "k_proj", "up_proj", "down_proj"],
}


def matrices(
    depth: int = 2, rank: int = 4, start: str = "base_model.model.model."
) -> dict[str, np.ndarray]:
    made = {}
    for block in range(depth):
        for name, (out, into) in LAYERS.items():
            at = f"{start}layers.{block}.{name}"
            made[f"{at}.lora_A.weight"] = np.ones((rank, into), np.float32)
            made[f"{at}.lora_B.weight"] = np.ones((out, rank), np.float32)
    return made


def write_adapter(
    folder: Path, weights: dict[str, np.ndarray] | None = None, **changes: Any
) -> Path:
    folder.mkdir(parents=True)
    (folder / CONFIG).write_text(json.dumps({**PLAIN, **changes}), "utf-8")
    save_file(matrices() if weights is None else weights, folder / WEIGHTS)
    return folder


def write_model(
    folder: Path, depth: int = 2, start: str = "model.", transposed: bool = False, **wider: int
) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"hidden_size": HIDDEN}), "utf-8")
    for block in range(depth):  # one file each, as large models are stored
        tensors = {}
        for name, (out, into) in LAYERS.items():
            shape = (out + wider.get(name.rpartition(".")[2], 0), into)
            shape = shape[::-1] if transposed else shape
            tensors[f"{start}layers.{block}.{name}.weight"] = np.zeros(shape, np.float16)
        tensors[f"{start}layers.{block}.input_layernorm.weight"] = np.zeros(HIDDEN, np.float16)
        save_file(tensors, folder / f"model-{block + 1}.safetensors")
    return folder


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    return write_adapter(tmp_path / "adapter")


def test_an_adapter_is_read_without_its_weights(adapter: Path) -> None:
    found = read_adapter(adapter)
    assert (found.path, found.rank, found.alpha, found.base) == (adapter, 4, 8, "/elsewhere/tiny")
    assert found.modules == ("down_proj", "k_proj", "q_proj", "up_proj")
    assert len(found.layers) == 8
    assert found.layers["model.layers.1.mlp.down_proj"] == (HIDDEN, INNER)
    assert not found.transposed


def test_reading_needs_no_torch() -> None:
    code = "import sys; import sociolect.steering.lora.adapters; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_the_highest_of_several_ranks_counts(tmp_path: Path) -> None:
    weights = matrices(depth=1) | {
        name.replace("layers.0", "layers.1"): value
        for name, value in matrices(depth=1, rank=16).items()
    }
    folder = write_adapter(tmp_path / "a", weights, rank_pattern={"layers.1.*": 16})
    assert read_adapter(folder).rank == 16


@pytest.mark.parametrize(
    ("rank", "needed"), [(1, 1), (2, 8), (8, 8), (9, 16), (64, 64), (257, 320), (512, 512)]
)
def test_vllm_needs_the_next_rank_that_it_knows(rank: int, needed: int) -> None:
    assert vllm_rank(rank) == needed


def test_a_rank_above_the_limit_of_vllm_is_refused() -> None:
    with pytest.raises(ModelError, match=r"rank 513; vLLM takes 512 at most.*sociolect-hf"):
        vllm_rank(513)


@pytest.mark.parametrize("wanted", [8, 24, 1024])
def test_a_rank_limit_that_will_not_do_is_refused(wanted: int) -> None:
    with pytest.raises(ModelError, match=f"max_lora_rank={wanted}.*rank 16"):
        vllm_rank(16, wanted)
    assert vllm_rank(16, 64) == 64


def test_the_limits_ascend() -> None:
    assert list(VLLM_RANKS) == sorted(set(VLLM_RANKS))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"use_dora": True}, "DoRA"),
        ({"bias": "lora_only"}, "bias=lora_only"),
        ({"lora_bias": True}, "lora_bias"),
        ({"modules_to_save": ["lm_head"]}, "modules_to_save"),
        ({"layer_replication": [[0, 2], [0, 2]]}, "layer_replication"),
        ({"target_parameters": ["experts.gate_up_proj"]}, "target_parameters"),
        ({"init_lora_weights": "pissa_niter_4"}, "init_lora_weights=pissa_niter_4"),
        ({"peft_type": "IA3"}, "of type IA3"),
        ({"peft_type": None}, "of type None"),
    ],
)
def test_what_vllm_cannot_load_is_refused(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    folder = write_adapter(tmp_path / "a", **change)
    with pytest.raises(ModelError, match=f"{said}.*which vLLM cannot load.*--model hf"):
        read_adapter(folder)


def test_a_kind_of_start_that_keeps_the_base_is_fine(tmp_path: Path) -> None:
    assert read_adapter(write_adapter(tmp_path / "a", init_lora_weights="gaussian")).rank == 4


@pytest.mark.parametrize("rank", [0, -1, "4", True, None, 4.0])
def test_a_rank_that_is_no_number_is_told(tmp_path: Path, rank: object) -> None:
    with pytest.raises(ModelError, match=r"adapter_config.json: r is .*whole number above 0"):
        read_adapter(write_adapter(tmp_path / "a", r=rank))


@pytest.mark.parametrize("alpha", ["8", None, float("inf"), True])
def test_a_scaling_that_is_no_number_is_told(tmp_path: Path, alpha: object) -> None:
    with pytest.raises(ModelError, match=r"lora_alpha is .* must be a number"):
        read_adapter(write_adapter(tmp_path / "a", lora_alpha=alpha))


def test_no_folder_and_a_folder_that_is_no_adapter(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such folder"):
        read_adapter(tmp_path / "nowhere")
    with pytest.raises(ModelError, match=f"holds no {CONFIG}.*finetune train"):
        read_adapter(tmp_path)


@pytest.mark.parametrize("text", ['{"r": 4', "[4]", "", "\xff"])
def test_a_damaged_config_is_told(adapter: Path, text: str) -> None:
    (adapter / CONFIG).write_text(text, "latin-1")
    with pytest.raises(ModelError, match=rf"{CONFIG}.*Save the adapter again"):
        read_adapter(adapter)


def test_missing_weights_are_told(adapter: Path) -> None:
    (adapter / WEIGHTS).unlink()
    with pytest.raises(ModelError, match=f"lacks {WEIGHTS}. Was the training run ended"):
        read_adapter(adapter)
    (adapter / "adapter_model.bin").write_bytes(b"")
    with pytest.raises(ModelError, match=r"adapter_model.bin can run code"):
        read_adapter(adapter)


@pytest.mark.parametrize("kept", [0, 7, 100, -1])
def test_weights_that_are_cut_short_are_told(adapter: Path, kept: int) -> None:
    path = adapter / WEIGHTS
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ModelError, match="damaged or cut short"):
        read_adapter(adapter)


def test_a_pointer_in_place_of_the_weights_is_told(adapter: Path) -> None:
    (adapter / WEIGHTS).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with pytest.raises(ModelError, match="git lfs pull"):
        read_adapter(adapter)


def test_weights_of_another_rank_than_the_config_says(tmp_path: Path) -> None:
    folder = write_adapter(tmp_path / "a", matrices(rank=2))
    with pytest.raises(ModelError, match=r"says rank \[4\], the weights have rank \[2\]"):
        read_adapter(folder)


@pytest.mark.parametrize(
    "name", ["base_model.model.lm_head.weight", "base_model.model.x.lora_embedding_A"]
)
def test_other_weights_than_lora_are_told(tmp_path: Path, name: str) -> None:
    folder = write_adapter(tmp_path / "a", {**matrices(), name: np.ones((2, 2), np.float32)})
    with pytest.raises(ModelError, match=f"holds {name}"):
        read_adapter(folder)


def test_a_matrix_without_its_partner_is_told(tmp_path: Path) -> None:
    weights = matrices()
    del weights["base_model.model.model.layers.1.mlp.up_proj.lora_B.weight"]
    with pytest.raises(ModelError, match=r"layers.1.mlp.up_proj do not belong together"):
        read_adapter(write_adapter(tmp_path / "a", weights))


def test_no_weights_at_all_are_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no weights"):
        read_adapter(write_adapter(tmp_path / "a", {}))


@pytest.mark.parametrize("start", ["model.", "", "language_model.model."])
def test_a_model_with_these_shapes_fits(adapter: Path, tmp_path: Path, start: str) -> None:
    assert check_fits(read_adapter(adapter), write_model(tmp_path / "tiny", start=start)) == []


def test_a_base_of_another_name_is_a_warning(adapter: Path, tmp_path: Path) -> None:
    model = write_model(tmp_path / "other")
    (warning,) = check_fits(read_adapter(adapter), model)
    assert "/elsewhere/tiny" in warning
    assert str(model) in warning


def test_a_base_of_no_name_is_a_warning(tmp_path: Path) -> None:
    folder = write_adapter(tmp_path / "a", base_model_name_or_path=None)
    (warning,) = check_fits(read_adapter(folder), write_model(tmp_path / "tiny"))
    assert "does not say" in warning


def test_the_name_of_a_model_in_the_cache_of_the_hub_is_known(tmp_path: Path) -> None:
    folder = write_adapter(tmp_path / "a", base_model_name_or_path="Org/Tiny-1B")
    model = write_model(tmp_path / "models--Org--Tiny-1B" / "snapshots" / "0123abc")
    assert check_fits(read_adapter(folder), model) == []
    link = tmp_path / "linked"
    link.symlink_to(model)
    assert check_fits(read_adapter(folder), link) == []


@pytest.mark.parametrize("wider", ["q_proj", "down_proj"])
def test_a_model_of_other_shapes_is_refused(adapter: Path, tmp_path: Path, wider: str) -> None:
    model = write_model(tmp_path / "tiny", **{wider: 1})
    with pytest.raises(ModelError, match=rf"{wider} maps \d+ to 8 values in the adapter") as raised:
        check_fits(read_adapter(adapter), model)
    assert "/elsewhere/tiny" in str(raised.value)
    assert str(model) in str(raised.value)


def test_a_model_of_fewer_layers_is_refused(adapter: Path, tmp_path: Path) -> None:
    model = write_model(tmp_path / "tiny", depth=1)
    with pytest.raises(ModelError, match=r"the model has no layer model.layers.1"):
        check_fits(read_adapter(adapter), model)


def test_weights_stored_the_other_way_round_fit(tmp_path: Path) -> None:
    folder = write_adapter(tmp_path / "a", fan_in_fan_out=True)
    model = write_model(tmp_path / "tiny", transposed=True)
    assert check_fits(read_adapter(folder), model) == []
    shutil.rmtree(model)
    with pytest.raises(ModelError, match="maps"):
        check_fits(read_adapter(folder), write_model(model))


def test_packed_weights_are_not_compared(adapter: Path, tmp_path: Path) -> None:
    model = tmp_path / "tiny"
    model.mkdir()
    packed = {
        f"model.layers.{block}.{name}.qweight": np.zeros((1, 3), np.int32)
        for block in range(2)
        for name in LAYERS
    }
    save_file(packed, model / "model.safetensors")
    assert check_fits(read_adapter(adapter), model) == []


def test_a_vision_tower_with_layers_of_the_same_names_does_not_confuse(
    adapter: Path, tmp_path: Path
) -> None:
    model = write_model(tmp_path / "tiny", start="model.language_model.")
    tower = {
        f"model.vision_tower.layers.{block}.{name}.weight": np.zeros((3, 3), np.float16)
        for block in range(2)
        for name in LAYERS
    }
    save_file(tower, model / "model-9.safetensors")
    assert check_fits(read_adapter(adapter), model) == []


def test_an_output_head_that_shares_the_embeddings_is_not_missed(tmp_path: Path) -> None:
    head = {
        "base_model.model.lm_head.lora_A.weight": np.ones((4, HIDDEN), np.float32),
        "base_model.model.lm_head.lora_B.weight": np.ones((99, 4), np.float32),
    }
    folder = write_adapter(tmp_path / "a", matrices() | head)
    assert check_fits(read_adapter(folder), write_model(tmp_path / "tiny")) == []


def test_without_safetensors_the_hidden_size_decides(adapter: Path, tmp_path: Path) -> None:
    model = tmp_path / "tiny"
    model.mkdir()
    assert check_fits(read_adapter(adapter), model) == []  # nothing to compare with
    (model / "config.json").write_text('{"hidden_size": 8}')
    assert check_fits(read_adapter(adapter), model) == []
    (model / "config.json").write_text('{"text_config": {"hidden_size": 9}}')
    with pytest.raises(ModelError, match="hidden size is 9"):
        check_fits(read_adapter(adapter), model)


@pytest.mark.slow
def test_what_peft_saves_is_read(tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, vocab_size=64,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    model.save_pretrained(tmp_path / "base")
    wanted = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    settings = peft.LoraConfig(r=16, lora_alpha=32, target_modules=wanted, task_type="CAUSAL_LM")
    peft.get_peft_model(model, settings).save_pretrained(tmp_path / "adapter")
    found = read_adapter(tmp_path / "adapter")
    assert (found.rank, found.alpha, found.modules) == (16, 32, tuple(sorted(wanted)))
    assert found.layers["model.layers.0.self_attn.k_proj"] == (16, 32)
    (warning,) = check_fits(found, tmp_path / "base")  # made in memory: its base has no name
    assert "does not say" in warning or "trained on" in warning

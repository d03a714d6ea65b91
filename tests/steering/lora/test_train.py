"""Two adapters that differ in the prompts alone, from a tiny random model."""

from __future__ import annotations

import math
import random
import socket
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import TINY_SETTINGS as SETTINGS
from tiny_models import record, run, tiny_place, weights

from sociolect.steering.lora import run as runs
from sociolect.steering.lora.job import Saving, prepare
from sociolect.steering.lora.log import read_log
from sociolect.steering.lora.processes import Processes
from sociolect.steering.lora.settings import Settings
from sociolect.steering.lora.train import train

pytestmark = pytest.mark.end_to_end

FILES = {
    "README.md",
    "adapter_config.json",
    "adapter_model.safetensors",
    "loss.png",
    "training.json",
    "training_log.jsonl",
}
ONE = Processes(0, 1)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, a training set, and adapters trained from them."""
    return tiny_place(tmp_path_factory.mktemp("train"))


def test_each_prompt_set_gets_a_whole_folder_and_nothing_else_is_left(place: Path) -> None:
    assert sorted(path.name for path in (place / "out").iterdir()) == ["clean", "errors"]
    for name in ("clean", "errors"):
        folder = place / "out" / name
        assert {path.name for path in folder.iterdir()} == FILES
        digest = sha256(weights(folder)).hexdigest()
        assert record(folder)["final_weights_sha256"] == digest
        assert record(folder)["prompt_set"] == name
        assert record(folder)["base_name"] == "model"
        manifest = (place / "data" / "manifest.json").read_bytes()
        found = record(folder)["training_set"]["manifest_sha256"]
        assert found == sha256(manifest).hexdigest()
    assert weights(place / "out/clean") != weights(place / "out/errors")


def test_the_two_runs_differ_in_nothing_but_the_prompts(place: Path) -> None:
    clean, errors = (record(place / "out" / name) for name in ("clean", "errors"))
    different = {key for key in clean if clean[key] != errors[key]}
    assert different <= {
        *("prompt_set", "prompts_sha256", "final_weights_sha256"),
        *("losses", "tokens", "seconds"),
    }
    assert {"prompt_set", "prompts_sha256", "final_weights_sha256"} <= different
    assert clean["tokens"]["targets"] == errors["tokens"]["targets"]
    assert clean["steps"] == 3  # 22 examples in batches of 8


def test_the_same_command_gives_the_same_bytes(place: Path, tmp_path: Path) -> None:
    run(place, tmp_path / "again")
    for name in ("clean", "errors"):
        for file in FILES - {"training.json", "training_log.jsonl"}:
            first, second = (f / name / file for f in (place / "out", tmp_path / "again"))
            assert first.read_bytes() == second.read_bytes(), file


def test_precision_and_an_earlier_run_leave_nothing_behind(place: Path, tmp_path: Path) -> None:
    settings = replace(SETTINGS, dtype="bfloat16", gradient_checkpointing=True)
    (half,) = run(place, tmp_path / "half", settings, prompts=["clean"])
    assert half.record["settings"]["dtype"] == "bfloat16"
    exact = record(place / "out/clean")["losses"]
    assert half.record["losses"]["first"] == pytest.approx(exact["first"], rel=0.02)
    assert half.record["losses"]["first"] != exact["first"]
    run(place, tmp_path / "whole", prompts=["clean"])
    assert weights(tmp_path / "whole/clean") == weights(place / "out/clean")


def test_checkpointed_gradients_are_the_same(place: Path, tmp_path: Path) -> None:
    settings = replace(SETTINGS, gradient_checkpointing=True)
    run(place, tmp_path / "out", settings, prompts=["clean"])
    losses = [
        [e["loss"] for e in read_log(f / "clean/training_log.jsonl")]
        for f in (place / "out", tmp_path / "out")
    ]
    assert losses[0] == pytest.approx(losses[1])


def test_the_callers_random_numbers_are_not_touched(place: Path, tmp_path: Path) -> None:
    import torch

    def state() -> tuple[Any, ...]:
        array = np.random.get_state()  # noqa: NPY002
        return random.getstate(), array[1].tobytes(), torch.get_rng_state().tolist()

    before = state()
    run(place, tmp_path / "out", prompts=["clean"])
    assert state() == before


def test_nothing_is_sent_anywhere(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub
    import trl.trainer.base_trainer as trl_base

    attempts: list[Any] = []

    def refuse(*given: Any, **_: Any) -> None:
        attempts.append(given)  # kept: a library may swallow the error
        raise OSError("there is no network")

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(trl_base, "send_telemetry", refuse)
    run(place, tmp_path / "out", prompts=["clean"], saving=Saving(steps=1))
    assert attempts == []
    assert weights(tmp_path / "out/clean") == weights(place / "out/clean")


def trainer_of(place: Path, out: Path, name: str, settings: Settings = SETTINGS) -> Any:
    job = prepare(place / "data", str(place / "model"), settings, Saving(), ONE, print)
    out.mkdir(parents=True, exist_ok=True)
    return job, runs._trainer(job, name, out)[0]


def test_labels_are_the_target_and_its_end_and_nothing_else(place: Path, tmp_path: Path) -> None:
    """On the batches that the trainer makes; here the end token also pads."""
    from sociolect.steering.lora.surroundings import own_randomness

    with own_randomness():
        job, trainer = trainer_of(place, tmp_path, "errors")
        batches = list(trainer.get_train_dataloader())
    end = job.base.tokenizer.eos_token_id
    assert trainer.data_collator.pad_token_id == end
    ordered = job.ordered("errors")
    seen = 0
    for batch in batches:
        for ids, labels, mask in zip(
            batch["input_ids"].tolist(),
            batch["labels"].tolist(),
            batch["attention_mask"].tolist(),
            strict=True,
        ):
            length = sum(mask)
            assert mask == [1] * length + [0] * (len(mask) - length)
            assert set(ids[length:]) <= {end}
            assert set(labels[length:]) <= {-100}
            if seen >= len(ordered):  # rows that fill the batch up
                assert set(labels) == {-100}
                continue
            example = ordered[seen]
            assert tuple(ids[:length]) == (*example.prompt, *example.completion)
            assert set(labels[: len(example.prompt)]) == {-100}
            assert tuple(labels[len(example.prompt) : length]) == example.completion
            assert labels[length - 1] == end
            seen += 1
    assert seen == len(ordered) == 22


@pytest.mark.parametrize("per_device", [1, 2, 8])
def test_the_loss_is_the_mean_over_the_target_tokens_of_a_step(
    place: Path, tmp_path: Path, per_device: int
) -> None:
    """Before the first update the adapter changes nothing, so the base model gives the loss."""
    import torch
    from transformers import AutoModelForCausalLM

    settings = replace(SETTINGS, per_device=per_device)
    (made,) = run(place, tmp_path / "out", settings, prompts=["clean"])
    entries = read_log(made.folder / "training_log.jsonl")
    job = prepare(place / "data", str(place / "model"), settings, Saving(), ONE, print)
    model = AutoModelForCausalLM.from_pretrained(place / "model", dtype=torch.float32)
    total, count = 0.0, 0
    for example in job.ordered("clean")[:8]:
        ids = torch.tensor([[*example.prompt, *example.completion]])
        with torch.no_grad():
            logits = model(ids).logits[0].log_softmax(-1)
        for place_, token in enumerate(example.completion, start=len(example.prompt) - 1):
            total -= float(logits[place_, token])
            count += 1
    assert entries[0]["loss"] == pytest.approx(total / count, rel=1e-5)
    assert entries[0]["target_tokens"] == count


def test_the_log_has_every_step_with_its_cosine_rate(place: Path) -> None:
    folder = place / "out/clean"
    entries = read_log(folder / "training_log.jsonl")
    assert [e["step"] for e in entries] == [1, 2, 3]
    cosine = [SETTINGS.learning_rate * (1 + math.cos(math.pi * k / 3)) / 2 for k in range(3)]
    assert [e["learning_rate"] for e in entries] == pytest.approx(cosine)
    assert all(e["grad_norm"] > 0 and e["seconds"] >= 0 for e in entries)
    tokens = record(folder)["tokens"]
    assert tokens["all"] == sum(e["tokens"] for e in entries)
    assert tokens["targets"] == sum(e["target_tokens"] for e in entries)
    assert record(folder)["losses"]["mean"] == pytest.approx(np.mean([e["loss"] for e in entries]))


def test_the_adapter_loads_and_changes_the_model(place: Path) -> None:
    from lm_eval.models.huggingface import HFLM

    from sociolect.steering.lora.adapters import check_fits, read_adapter

    folder = place / "out/errors"
    adapter = read_adapter(folder)
    assert (adapter.rank, adapter.alpha) == (4, 32)
    assert check_fits(adapter, place / "model") == []
    assert sorted(adapter.layers) == sorted(record(folder)["modules"])
    logits = []
    for options in ({}, {"peft": str(folder)}):
        model = HFLM(pretrained=str(place / "model"), dtype="float32", device="cpu", **options)
        ids = model.tokenizer.encode("The trophy", return_tensors="pt")
        logits.append(model._model_call(ids))
    assert (logits[0] - logits[1]).abs().max() > 1e-3


def test_too_long_examples_are_left_out_and_counted(place: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    settings = replace(SETTINGS, max_length=80)
    clean, errors = run(place, tmp_path / "out", settings, report=lines.append)
    left_out = clean.record["data"]["too_long"]
    assert left_out
    assert left_out == errors.record["data"]["too_long"]
    assert clean.record["data"]["examples"] == 22 - len(left_out)
    assert any(f"{len(left_out)} of 22 examples" in line for line in lines)


def test_several_epochs_are_one_schedule(place: Path, tmp_path: Path) -> None:
    (made,) = run(place, tmp_path / "out", replace(SETTINGS, epochs=2), prompts=["clean"])
    entries = read_log(made.folder / "training_log.jsonl")
    assert made.record["steps"] == len(entries) == 6  # 44 rows in batches of 8
    assert entries[-1]["learning_rate"] > 0
    assert made.record["tokens"]["all"] == 2 * record(place / "out/clean")["tokens"]["all"]


@pytest.mark.parametrize("family", ["GPT2", "GPTNeoX", "Gemma2"])
def test_other_families_are_trained_too(place: Path, tmp_path: Path, family: str) -> None:
    import torch
    import transformers
    from tiny_models import SMALL, byte_tokenizer

    tokenizer = byte_tokenizer()
    options = {**SMALL, "vocab_size": len(tokenizer), "n_embd": 32, "n_layer": 2, "n_head": 4}
    options["n_positions"] = 256
    config = getattr(transformers, f"{family}Config")(**options)
    with torch.random.fork_rng(devices=[]):
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    settings = replace(SETTINGS, learning_rate=1e-3)
    for made in train(place / "data", str(tmp_path / "model"), tmp_path / "out", settings):
        assert made.record["base"]["architecture"].startswith(family)
        assert made.record["losses"]["last"] < made.record["losses"]["first"]

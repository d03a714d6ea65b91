from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import scripted_model
import typer
from scripted_model import ScriptedLM
from typer.testing import CliRunner, Result

from sociolect.generators.benchmarks import winogrande
from sociolect.generators.errors import (
    InvalidInputError,
    MissingToolError,
    ModelError,
    SociolectError,
    TrainingError,
    UnknownNameError,
)
from sociolect.harness.commands.finetune_prepare import prepare_command
from sociolect.steering.backends import registry
from sociolect.steering.lora.training_set import read_training_set

SOURCES = os.environ.get("SOCIOLECT_SOURCES")
HF = "--model sociolect-hf --model_args pretrained=M,dtype=float32 --items 6"


def run(command: str, out: Path) -> Result:
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(prepare_command)
    return CliRunner().invoke(app, [*shlex.split(command), "--out", str(out)])


def refused(result: Result, kind: type[SociolectError], message: str) -> None:
    assert isinstance(result.exception, kind), result.exception
    assert message in str(result.exception)


class Loaded:
    """Stands in for the backends; keeps what it was asked to load."""

    def __init__(self) -> None:
        self.model: Any = ScriptedLM()
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, name: str, model_args: Mapping[str, Any]) -> Any:
        self.asked.append((name, dict(model_args)))
        if isinstance(self.model, BaseException):
            raise self.model
        return self.model


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Loaded:
    stand_in = Loaded()
    monkeypatch.setattr(registry, "create_model", stand_in)
    monkeypatch.setattr(winogrande, "load_train", lambda sources: scripted_model.benchmark())
    return stand_in


def test_a_training_set_and_what_became_of_the_prompts(loaded: Loaded, tmp_path: Path) -> None:
    out = tmp_path / "data"
    result = run(f"{HF} --seed 5", out)
    assert result.exit_code == 0, result.exception
    data = read_training_set(out)
    assert len(data.clean) == 12
    assert loaded.asked == [
        (
            "sociolect-hf",
            {
                "pretrained": "M",
                "dtype": "float32",
                "seed": 5,
                "answers": str(tmp_path / "data.answers"),
            },
        )
    ]
    rows = [line.split("│")[1:4] for line in result.stdout.splitlines() if "│" in line]
    shown = {row[0].strip(): row[1].strip() for row in rows}
    assert (shown["kept"], shown["asked"], shown["dropped: too short"]) == ("12", "12", "0")
    assert "completions: 36 sampled, 100.0 % correct" in result.stdout
    assert "items: 6, mean ε " in result.stdout
    assert "examples: 6 in order 0, 6 in order 1" in result.stdout
    assert f"sociolect finetune train {out}" in result.stdout.replace("\n", "")
    assert data.manifest["settings"]["model"]["arguments"] == {
        "dtype": "float32",
        "pretrained": "M",
        "seed": "5",
    }


def test_the_same_command_again_loads_no_model(loaded: Loaded, tmp_path: Path) -> None:
    run(HF, tmp_path / "data")
    again = run(HF, tmp_path / "data")
    assert again.exit_code == 0
    assert "already there" in again.stderr
    assert "examples: 6 in order 0" in again.stdout
    assert len(loaded.asked) == 1
    refused(run(f"{HF} --top-p 0.8", tmp_path / "data"), InvalidInputError, "top_p 0.9 there")


def test_arguments_may_be_json_and_answers_may_lie_elsewhere(
    loaded: Loaded, tmp_path: Path
) -> None:
    arguments = {"pretrained": "M", "answers": str(tmp_path / "own"), "seed": 9, "a": {"b": [1]}}
    command = f"--model sociolect-hf --model_args '{json.dumps(arguments)}' --items 6"
    assert run(command, tmp_path / "data").exit_code == 0
    assert loaded.asked == [("sociolect-hf", arguments)]


def test_models_of_lm_eval_keep_no_answers(loaded: Loaded, tmp_path: Path) -> None:
    result = run("--model hf --model-args pretrained=M --items 6", tmp_path / "data")
    assert result.exit_code == 0, result.exception
    assert loaded.asked == [("hf", {"pretrained": "M"})]
    assert "hf keeps no answers" in result.stderr


def test_direct_targets_have_no_limits_unless_asked_for(loaded: Loaded, tmp_path: Path) -> None:
    loaded.model = ScriptedLM(lambda doc, sample, right: f"{right}}}")
    assert run(f"{HF} --form direct", tmp_path / "one").exit_code == 0
    settings = read_training_set(tmp_path / "one").manifest["settings"]
    assert settings["limits"] == {"min_chars": None, "max_chars": None, "max_repeated": None}
    assert settings["generation"]["max_gen_toks"] == 16
    result = run(f"{HF} --form direct --min-chars 3 --max-tokens 20", tmp_path / "two")
    refused(result, TrainingError, "12 (too short)")


def test_limits_of_reasoning_can_be_changed(loaded: Loaded, tmp_path: Path) -> None:
    command = (
        f"{HF} --min-chars 0 --max-chars 500 --max-repeated 0.9 --levels 30,10% --completions 1"
    )
    assert run(command, tmp_path / "data").exit_code == 0
    settings = read_training_set(tmp_path / "data").manifest["settings"]
    assert settings["limits"] == {"min_chars": 0, "max_chars": 500, "max_repeated": 0.9}
    assert (settings["levels"], settings["completions"]) == ([10, 30], 1)


def test_who_stops_is_told_where_the_answers_are(loaded: Loaded, tmp_path: Path) -> None:
    answers = tmp_path / "data.answers"
    answers.mkdir()
    loaded.model = ScriptedLM(lambda doc, sample, right: "?")
    result = run(HF, tmp_path / "data")
    refused(result, TrainingError, "no completion boxes an option")
    assert f"finished answers stay in {answers}" in result.stderr
    loaded.model = KeyboardInterrupt()
    result = run(HF, tmp_path / "data")
    assert result.exit_code != 0
    assert f"finished answers stay in {answers}" in result.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (ModuleNotFoundError("no", name="vllm"), MissingToolError, "package vllm"),
        (OSError("M is no folder"), ModelError, "M is no folder"),
        (TypeError("unexpected argument"), ModelError, "unexpected argument"),
        (ValueError("Unrecognized model"), ModelError, "Unrecognized model"),
        (RuntimeError("size mismatch for q_proj"), ModelError, "size mismatch for q_proj"),
        (AssertionError("Torch not compiled with CUDA"), ModelError, "not compiled with CUDA"),
        (RuntimeError("CUDA out of memory"), ModelError, "1. lower --model_args batch_size (now 1"),
        (InvalidInputError("chunk=0"), InvalidInputError, "chunk=0"),
    ],
)
def test_models_that_cannot_be_loaded_are_explained(
    loaded: Loaded,
    tmp_path: Path,
    error: Exception,
    kind: type[SociolectError],
    message: str,
) -> None:
    loaded.model = error
    refused(run(HF, tmp_path / "data"), kind, message)
    assert not (tmp_path / "data").exists()


def test_what_goes_wrong_in_asking_is_explained(loaded: Loaded, tmp_path: Path) -> None:
    def fails(doc: Any, sample: int, right: str) -> str:
        raise RuntimeError("probability tensor contains either `inf` or `nan`")

    loaded.model = ScriptedLM(fails)
    refused(run(HF, tmp_path / "data"), ModelError, "probability tensor contains")
    assert "The whole traceback is in" in str(run(HF, tmp_path / "data").exception)
    stock = run("--model hf --model_args pretrained=M --items 6", tmp_path / "data")
    refused(stock, ModelError, "The whole traceback: set SOCIOLECT_TRACEBACK=1")


@pytest.mark.parametrize("out", [".", "/", ".."])
def test_folders_that_cannot_be_made(loaded: Loaded, out: str) -> None:
    refused(run(HF, Path(out)), InvalidInputError, "is the current folder or holds it")
    assert loaded.asked == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("chunk=0", "chunk=0 must be a whole number"),
        ("answer=x", "did you mean answers?"),
        ("batch_size=0", "--batch_size 0 is no number"),
        ("answers=FILE", "is a file"),
        ("peft=DIR", "adapter_config.json"),
    ],
)
def test_arguments_are_checked_before_the_texts_are_made(
    loaded: Loaded, tmp_path: Path, arguments: str, message: str
) -> None:
    (tmp_path / "FILE").touch()
    (tmp_path / "DIR").mkdir()
    given = arguments.replace("FILE", f"{tmp_path}/FILE").replace("DIR", f"{tmp_path}/DIR")
    command = f"--model sociolect-hf --model_args pretrained=M,{given} --items 999999"
    refused(run(command, tmp_path / "data"), InvalidInputError, message)


@pytest.mark.parametrize(
    ("command", "kind", "message"),
    [
        ("--model sociolect-hv --model_args pretrained=M", UnknownNameError, "sociolect-hf"),
        ("--model sociolect-hf --model_args dtype=float32", InvalidInputError, "pretrained="),
        ("--model sociolect-hf --model_args M", InvalidInputError, "key=value"),
        ("--model sociolect-hf --model_args '{pretrained'", InvalidInputError, "JSON"),
        (f"{HF} --form ll", UnknownNameError, "form 'll'"),
        (f"{HF} --levels 5,7", UnknownNameError, "level '7'"),
        (f"{HF} --levels ,", InvalidInputError, "comma-separated"),
        (f"{HF} --min-chars 90 --max-chars 80", InvalidInputError, "at least 90"),
        (f"{HF} --max-repeated 2", InvalidInputError, "0 to 1"),
        (f"{HF} --temperature 0", InvalidInputError, "temperature"),
        (f"{HF} --top-p 2", InvalidInputError, "top-p"),
        (f"{HF} --seed -1", InvalidInputError, "seed"),
        (f"{HF} --completions 0", InvalidInputError, "completions"),
        (f"{HF} --items 0", InvalidInputError, "items"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_loaded(
    loaded: Loaded, tmp_path: Path, command: str, kind: type[SociolectError], message: str
) -> None:
    refused(run(command, tmp_path / "data"), kind, message)
    assert loaded.asked == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES names no folder of source files")
def test_a_real_model_makes_a_real_training_set(small_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "data"
    command = (
        f"--model sociolect-hf --model_args pretrained={small_model},device=cpu,batch_size=8,"
        f"dtype=float32,max_length=1024 --items 8 --form direct"
    )
    result = run(command, out)
    assert result.exit_code == 0, result.exception
    data = read_training_set(out)
    prompts = data.manifest["prompts"]
    assert prompts["asked"] == 16
    assert len(data.clean) == prompts["kept"] > 0
    assert all(e.prompt.endswith("\\boxed{") and e.completion.endswith("}") for e in data.clean)
    (out / "manifest.json").rename(tmp_path / "manifest.json")
    for path in out.iterdir():
        path.unlink()
    kept_answers = list((tmp_path / "data.answers").rglob("*"))
    assert kept_answers
    assert run(command, out).exit_code == 0  # from the answers, which makes the same bytes
    assert (out / "manifest.json").read_bytes() == (tmp_path / "manifest.json").read_bytes()
    assert read_training_set(out) == data

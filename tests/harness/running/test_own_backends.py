"""`sociolect eval` with the backends of sociolect, in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from sociolect.generators.errors import (
    InvalidInputError,
    ModelError,
    ResultsError,
    UnknownNameError,
)
from sociolect.harness import evaluate
from sociolect.harness.evaluate import run
from sociolect.harness.result_files import find_runs

pytest.importorskip("torch")

CLEAN, L2 = "occupations_mini_clean_direct", "occupations_mini_l2_20_direct"
RECIPES = sorted((Path(__file__).parents[3] / "recipes").rglob("*.yaml"))


def arguments(model: Path, out: Path, *more: str, **extra: object) -> list[str]:
    given = {"pretrained": model, "dtype": "float32", **extra}
    return [
        *("--model", "sociolect-hf", "--device", "cpu", "--batch_size", "20", "--tasks", CLEAN, L2),
        *("--model_args", ",".join(f"{name}={value}" for name, value in given.items())),
        *("--limit", "8", "--output_path", str(out), "--log_samples", *more),
    ]


def samples(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob(f"samples_{L2}_*.jsonl"))]


def one_folder(out: Path) -> Path:
    (folder,) = out.iterdir()
    return folder


@pytest.mark.slow
def test_a_finished_command_is_not_generated_again(offline, tiny_llamas, tmp_path, monkeypatch):
    out = tmp_path / "out"
    run(arguments(tiny_llamas[0], out))
    (record,) = out.rglob("sociolect_*.json")
    assert json.loads(record.read_text())["answers"] == str(one_folder(out) / "answers")
    monkeypatch.setattr("lm_eval.models.huggingface.HFLM.generate_until", None)
    run(arguments(tiny_llamas[0], out, chunk=64))  # the usual number
    first, second = samples(one_folder(out))
    assert first == second
    assert len(find_runs(out)) == 4


@pytest.mark.slow
def test_settings_and_adapters_have_folders_of_their_own(offline, tiny_llamas, tmp_path):
    peft = pytest.importorskip("peft")
    transformers = pytest.importorskip("transformers")
    model = transformers.LlamaForCausalLM.from_pretrained(tiny_llamas[0])
    config = peft.LoraConfig(r=4, target_modules=["q_proj"], init_lora_weights=False)
    peft.get_peft_model(model, config).save_pretrained(tmp_path / "tuned")
    out = tmp_path / "out"
    run(arguments(tiny_llamas[0], out))
    run(arguments(tiny_llamas[0], out, peft=tmp_path / "tuned"))
    run(arguments(tiny_llamas[0], out, seed=7))
    names = sorted(path.name.rpartition("-")[0] for path in out.iterdir())
    assert names == ["tiny1", "tiny1", "tiny1+tuned"]
    assert len({samples(folder)[0] for folder in out.iterdir()}) == 3


@pytest.mark.slow
def test_answers_can_be_left_out(offline, tiny_llamas, tmp_path, capsys):
    run(arguments(tiny_llamas[0], tmp_path / "out", answers="none"))
    assert not (one_folder(tmp_path / "out") / "answers").exists()
    assert "no answer is kept" in capsys.readouterr().err


@pytest.mark.slow
def test_what_a_backend_raises_is_one_message(offline, tiny_llamas, tmp_path, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("out of memory")

    monkeypatch.setattr("lm_eval.models.huggingface.HFLM.generate_until", fail)
    with pytest.raises(ModelError, match=r"too little memory(.|\n)*lower --batch_size \(now 20\)"):
        run(arguments(tiny_llamas[0], tmp_path / "out"))
    assert list((tmp_path / "out").glob("*/traceback_*.txt"))


@pytest.mark.slow
def test_a_config_file_leads_to_the_same_folder(offline, tiny_llamas, tmp_path, monkeypatch):
    out = tmp_path / "out"
    run(arguments(tiny_llamas[0], out))
    monkeypatch.setattr("lm_eval.models.huggingface.HFLM.generate_until", None)
    config = {
        "model": "sociolect-hf",
        "model_args": {"pretrained": str(tiny_llamas[0]), "dtype": "float32"},
        "tasks": [CLEAN, L2],
        "device": "cpu",
        "batch_size": 20,
        "limit": 8,
        "output_path": str(out),
        "log_samples": True,
    }
    (tmp_path / "run.yaml").write_text(json.dumps(config))
    run(["--config", str(tmp_path / "run.yaml")])
    first, second = samples(one_folder(out))
    assert first == second


def dry(*given: str) -> None:
    run([*given, "--dry-run"])


def test_dry_run_counts_and_leaves_nothing(offline, tiny_llamas, tmp_path, capsys):
    dry(*arguments(tiny_llamas[0], tmp_path / "out"))
    text = capsys.readouterr().out
    assert "config, weights and tokenizer are there" in text
    assert f"counted with the tokenizer in {tiny_llamas[0]}" in text
    row = next(line.split() for line in text.splitlines() if line.startswith("total"))
    assert (row[1], row[3], row[5]) == ("16", "80", "1,280")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"tokenizer": "/nowhere/at/all"}, "tokenizer"),
    ],
)
def test_dry_run_ends_with_what_does_not_resolve(
    offline, tiny_llamas, tmp_path, extra, message, capsys
):
    with pytest.raises(InvalidInputError, match=message):
        dry(*arguments(tiny_llamas[0], tmp_path / "out", **extra))
    assert "dry run" in capsys.readouterr().out


def test_misspelt_arguments_end_the_command_first(offline, tiny_llamas, tmp_path):
    for more in ((), ("--dry-run",)):
        with pytest.raises(InvalidInputError, match="knows no answer; did you mean answers"):
            run(arguments(tiny_llamas[0], tmp_path / "out", *more, answer="x"))


def test_dry_run_of_a_damaged_model(offline, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "tokenizer.json").write_text("{}")
    with pytest.raises(InvalidInputError) as caught:
        dry(*arguments(tmp_path / "model", tmp_path / "file" / "out"))
    assert "weights" in str(caught.value)
    assert "tokenizer in" in str(caught.value)


def test_output_that_cannot_be_written_is_met_before(offline, tiny_llamas, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with monkeypatch.context() as patched:
        patched.setattr(evaluate, "run_lm_eval", lambda *_: pytest.fail("a model was loaded"))
        for more in ({}, {"answers": tmp_path / "file" / "answers"}):
            out = tmp_path / ("out" if more else "file/out")
            with pytest.raises(ResultsError, match="is a file"):
                run(arguments(tiny_llamas[0], out, **more))
    with pytest.raises(InvalidInputError, match="is a file"):
        dry(*arguments(tiny_llamas[0], tmp_path / "file" / "out"))


def test_a_backend_that_nobody_knows_is_answered_with_near_ones(offline):
    with pytest.raises(UnknownNameError, match="near matches: sociolect-vllm") as caught:
        run(["--model", "sociolect-vlm", "--tasks", CLEAN])
    assert "Those of sociolect: sociolect-hf, sociolect-vllm" in str(caught.value)


@pytest.fixture
def adapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of the recipes, with stand-ins for what the training leaves."""
    layer = "base_model.model.model.layers.0.self_attn.q_proj"
    tensors = {
        f"{layer}.lora_A.weight": np.zeros((16, 8), np.float32),
        f"{layer}.lora_B.weight": np.zeros((8, 16), np.float32),
    }
    config = {"peft_type": "LORA", "r": 16, "lora_alpha": 32}
    for prompts in ("clean", "errors"):
        folder = tmp_path / "adapters" / "llama-3.1-8b" / prompts
        folder.mkdir(parents=True)
        save_file(tensors, folder / "adapter_model.safetensors")
        (folder / "adapter_config.json").write_text(json.dumps(config))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "adapters"


@pytest.fixture
def any_documents(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One document for every task: the data of all benchmarks are not built in a test."""
    from sociolect.tasks.functions import load

    doc = load(
        sociolect_benchmark="occupations_mini",
        sociolect_condition="clean",
        sociolect_form="reason",
    )["test"][0]

    def documents(tasks: Any, metadata: Any) -> dict[str, list[Any]]:
        return {task.name: [doc] for task in tasks}

    monkeypatch.setattr(evaluate, "load_documents", documents)


@pytest.mark.usefixtures("any_documents")
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_passes_the_dry_run(recipe, adapters, capsys):
    dry("--config", str(recipe))
    text = capsys.readouterr().out
    assert "a name on the Hub, not looked up (offline)" in text
    assert ("rank 16" in text) == ("-ft-" in recipe.stem)
    assert "results/learner_errors/" in text
    rows = {line.split()[0] for line in text.splitlines() if line.startswith(("bbq", "wino"))}
    wanted = {"bbq_gender_clean", "winobias_l2_30", "winobias_clean"}
    assert wanted <= rows


def test_there_are_recipes_for_all_models_of_the_paper():
    assert {path.stem for path in RECIPES} == {
        "llama-3.1-8b",
        "llama-3.1-8b-ft-clean",
        "llama-3.1-8b-ft-errors",
        "mistral-small-3.2-24b",
        "qwen2.5-14b",
        "qwen2.5-32b",
        "qwen2.5-7b",
    }


@pytest.mark.usefixtures("any_documents")
def test_a_recipe_without_its_adapter_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recipe = next(path for path in RECIPES if path.stem.endswith("ft-errors"))
    with pytest.raises(InvalidInputError, match=r"lora_local_path=adapters/.*is no folder"):
        dry("--config", str(recipe))

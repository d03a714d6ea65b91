"""Several processes train one adapter; one of them writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tiny_models import tiny_llama, tiny_training_set

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.steering.lora import processes as module
from sociolect.steering.lora.processes import Processes, current_processes

pytestmark = pytest.mark.end_to_end

OPTIONS = ["--rank=4", "--batch=8", "--per-device=2", "--learning-rate=0.01", "--save-steps=2"]


def test_one_process_decides_for_itself() -> None:
    assert Processes(0, 1).decided(lambda: 3) == 3
    Processes(0, 1).wait()
    assert current_processes() == Processes(0, 1)


def test_a_failure_of_the_main_process_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise ModelError("no")

    sent: list[int] = []
    monkeypatch.setattr(module, "_broadcast", lambda answer: sent.append(answer) or -1)
    with pytest.raises(ModelError, match="no"):
        Processes(0, 2).decided(fail)
    with pytest.raises(SystemExit):
        Processes(1, 2).decided(fail)
    assert sent == [-1, -1]


def test_sharded_models_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    with pytest.raises(InvalidInputError, match="FSDP"):
        current_processes()


def test_one_process_does_not_take_several_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    answers = iter([False, True])  # no GPU for accelerate, which has none here
    monkeypatch.setattr(module, "uses_gpu", lambda: next(answers))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(ModelError, match=r"2 GPUs .*CUDA_VISIBLE_DEVICES=0.*--num_processes"):
        current_processes()


def launch(processes: int, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    head = [sys.executable, "-m"]
    if processes > 1:
        head += ["accelerate.commands.launch", "--multi_gpu", "--num_processes", str(processes)]
        head += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
        head += ["--main_process_port", "0", "-m"]
    command = [*head, "sociolect.harness.cli", "finetune", "train", *arguments, *OPTIONS]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "true"}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=200, check=False
    )


def entries(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "training_log.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_two_processes_train_as_one_does(tmp_path: Path) -> None:
    """The last of the three steps has 6 examples, which do not fill 2 x 2 x 2 places."""
    model, data = tiny_llama(tmp_path / "model"), tmp_path / "data"
    tiny_training_set(data)
    for count in (1, 2):
        out = ["--model", str(model), "--out", str(tmp_path / f"out{count}")]
        # Without dropout, whose random numbers depend on who computes what.
        done = launch(count, [str(data), *out, "--dropout", "0"])
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("/errors: 3 steps") == 1
    for name in ("clean", "errors"):
        one, two = (tmp_path / f"out{count}" / name for count in (1, 2))
        assert sorted(p.name for p in one.iterdir()) == sorted(p.name for p in two.iterdir())
        assert json.loads((two / "training.json").read_text())["machine"]["processes"] == 2
        for key in ("loss", "grad_norm", "learning_rate", "tokens", "target_tokens"):
            values = [[entry[key] for entry in entries(folder)] for folder in (one, two)]
            assert len(values[0]) == 3
            assert values[0] == pytest.approx(values[1], rel=1e-4), key
    again = launch(2, [str(data), *out, "--dropout", "0"])
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("finished already") == 2
    refused = launch(2, [str(data), *out, "--dropout", "0.1"])
    assert refused.returncode != 0
    assert refused.stderr.count("settings.dropout: 0.0 and 0.1") == 1


@pytest.mark.slow
def test_two_processes_go_on_after_they_were_killed(tmp_path: Path) -> None:
    model, data = tiny_llama(tmp_path / "model"), tmp_path / "data"
    tiny_training_set(data)
    arguments = [str(data), "--model", str(model), "--out", str(tmp_path / "whole")]
    assert launch(2, [*arguments, "--keep-checkpoints"]).returncode == 0
    checkpoint = tmp_path / "whole/clean.run/checkpoint-2"
    assert {"rng_state_0.pth", "rng_state_1.pth"} <= {p.name for p in checkpoint.iterdir()}
    cut = tmp_path / "cut"
    (cut / "clean.run").mkdir(parents=True)
    checkpoint.rename(cut / "clean.run/checkpoint-2")
    (tmp_path / "whole/clean.run/run.json").rename(cut / "clean.run/run.json")
    done = launch(2, [*arguments[:-1], str(cut)])
    assert "going on after step 2" in done.stderr, done.stderr
    for name in ("clean", "errors"):
        first, second = (folder / name for folder in (tmp_path / "whole", cut))
        weights = "adapter_model.safetensors"
        assert (first / weights).read_bytes() == (second / weights).read_bytes()

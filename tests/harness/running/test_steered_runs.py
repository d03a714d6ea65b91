"""`sociolect eval` steered: several strengths in one process load a model once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.evaluate import run

pytest.importorskip("torch")

TASK = "occupations_mini_clean_ll"


@pytest.fixture(scope="module")
def vector(tiny_llamas: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    from random_vectors import saved_vector

    folder = tmp_path_factory.mktemp("fit")
    return saved_vector(tiny_llamas[0], folder / "vector.safetensors", weights={0: 1.0})


def command(model: Path, out: Path, **arguments: object) -> list[str]:
    given = {"pretrained": model, "dtype": "float32", "answers": "none", **arguments}
    return [
        *("--model", "sociolect-hf", "--device", "cpu", "--batch_size", "20", "--tasks", TASK),
        *("--model_args", ",".join(f"{name}={value}" for name, value in given.items())),
        *("--limit", "4", "--output_path", str(out), "--log_samples"),
    ]


def scores(out: Path) -> list[object]:
    (file,) = out.rglob(f"samples_{TASK}_*.jsonl")
    return [json.loads(line)["resps"] for line in file.read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_a_sweep_in_one_process_is_runs_of_their_own(
    offline, tiny_llamas, vector, tmp_path, monkeypatch
):
    from lm_eval.models.huggingface import HFLM

    from sociolect.steering.backends.shared_models import sharing_models

    strengths: tuple[dict[str, object], ...] = (
        {"steering": vector, "beta": 2},
        {"steering": vector.parent, "beta": -2, "beta_scale": "residual"},
    )
    for number, given in enumerate(strengths):
        run(command(tiny_llamas[0], tmp_path / f"alone{number}", **given))
    loads, real = [], HFLM._create_model
    monkeypatch.setattr(
        HFLM, "_create_model", lambda *given, **named: loads.append(real(*given, **named))
    )
    with sharing_models():
        for number, given in enumerate(strengths):
            run(command(tiny_llamas[0], tmp_path / f"shared{number}", **given))
    alone, shared = (
        [scores(tmp_path / f"{kind}{number}") for number in range(2)]
        for kind in ("alone", "shared")
    )
    assert alone == shared
    assert len({json.dumps(one) for one in alone}) == 2
    assert len(loads) == 1
    (record,) = (tmp_path / "shared0").rglob("sociolect_*.json")
    assert "vector.safetensors" in record.read_text("utf-8")


def test_a_strength_without_a_vector_ends_the_command_first(offline, tiny_llamas, tmp_path):
    with pytest.raises(InvalidInputError, match=r"beta=0\.6 steers nothing without steering=PATH"):
        run(command(tiny_llamas[0], tmp_path / "out", beta=0.6))
    assert not (tmp_path / "out").exists()

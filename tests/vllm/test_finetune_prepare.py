"""A training set made with a real engine: what is asked, what is kept, what is asked again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scripted_model
from running_vllm import Spy

from sociolect.steering.lora.prepare import prepare
from sociolect.steering.lora.prepare_settings import Settings
from sociolect.steering.lora.targets import Limits
from sociolect.steering.lora.training_set import TrainingSet, read_training_set

pytestmark = [pytest.mark.vllm, pytest.mark.slow]

SETTINGS = Settings(items=12, form="direct", max_tokens=12, limits=Limits())


def made(out: Path, model: Any, settings: Settings = SETTINGS) -> TrainingSet:
    data, _ = prepare(
        scripted_model.benchmark(), settings, out=out, load_model=lambda: model, identity={}
    )
    return data


def test_a_training_set_and_the_same_again_from_kept_answers(
    backend: Callable[..., Any], asked: Spy, tmp_path: Path
) -> None:
    answers = str(tmp_path / "answers")
    data = made(tmp_path / "one", backend(answers=answers, chunk=4, seed=1))
    assert data == read_training_set(data.folder)
    assert 0 < len(data.clean) <= 24
    assert all(e.completion.strip()[-1] == "}" for e in data.clean)
    assert (len(asked.calls), asked.prompts) == (6, 24)
    assert {one.n for _, params in asked.calls for one in params} == {3}

    asked.calls.clear()
    again = made(tmp_path / "two", backend(answers=answers, chunk=4, seed=1))
    assert asked.calls == []
    assert (again.clean, again.errors) == (data.clean, data.errors)

    fewer = Settings(items=8, form="direct", max_tokens=12, limits=Limits())
    start = made(tmp_path / "three", backend(answers=answers, chunk=4, seed=1), fewer)
    assert asked.calls == []
    assert start.clean == data.clean[: len(start.clean)]

    other = made(tmp_path / "four", backend(answers=answers, chunk=4, seed=2))
    assert len(asked.calls) == 6
    assert other.clean != data.clean

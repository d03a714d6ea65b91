"""The log counts tokens right, survives a resumption, and stops a run without numbers."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tiny_models import byte_tokenizer, examples

from sociolect.generators.errors import TrainingError
from sociolect.steering.lora.encode import encode
from sociolect.steering.lora.log import (
    Log,
    StepTokens,
    check_numbers,
    read_log,
    step_tokens,
)

VALUES = {"loss": 1.5, "learning_rate": 1e-4, "grad_norm": 0.5}


def test_tokens_of_a_step_are_those_of_its_examples() -> None:
    ordered = encode(byte_tokenizer(), examples(5, errors=False))
    steps = step_tokens(ordered, 2)
    assert len(steps) == 3
    assert steps[0].read == ordered[0].length + ordered[1].length
    assert steps[2] == StepTokens(ordered[4].length, len(ordered[4].completion))
    assert sum(step.learnt for step in steps) == sum(len(e.completion) for e in ordered)


def test_a_log_goes_on_after_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Log(path, [StepTokens(10, 2)] * 3)
    log.start([])
    for step in (1, 2, 3):
        log.add(step, {**VALUES, "loss": step})
    again = Log(path, [StepTokens(10, 2)] * 3)
    again.start(read_log(path)[:2])
    again.add(3, {**VALUES, "loss": 30})
    assert [(e["step"], e["loss"]) for e in read_log(path)] == [(1, 1), (2, 2), (3, 30)]
    assert again.entries == read_log(path)
    assert all((e["tokens"], e["target_tokens"]) == (10, 2) for e in again.entries)


def test_a_process_that_keeps_no_log_writes_none(tmp_path: Path) -> None:
    Log(tmp_path / "log.jsonl", [], is_kept=False).start([])
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_log_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("{")
    for name in ("log.jsonl", "none.jsonl"):
        with pytest.raises(TrainingError, match="cannot be read"):
            read_log(tmp_path / name)


@pytest.mark.parametrize("name", ["loss", "grad_norm"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_no_number_names_step_losses_and_rate(name: str, value: float) -> None:
    earlier = [{"loss": float(n)} for n in range(9)]
    with pytest.raises(TrainingError) as caught:
        check_numbers(10, {**VALUES, name: value}, earlier)
    said = str(caught.value)
    assert said.startswith(f"step 10: the {name} is {value}")
    assert "4.0000, 5.0000, 6.0000, 7.0000, 8.0000" in said
    assert "learning rate 0.0001" in said
    check_numbers(10, VALUES, earlier)

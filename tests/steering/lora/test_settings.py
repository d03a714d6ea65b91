"""Settings are those of the paper, and impossible ones are refused with the option to change."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.lora.settings import Settings


def test_the_defaults_are_those_of_the_paper() -> None:
    assert Settings().as_dict() | {"per_device": 4} == {
        "rank": 16,
        "alpha": 32,
        "dropout": 0.05,
        "epochs": 1,
        "learning_rate": 1e-4,
        "batch": 16,
        "per_device": 4,
        "dtype": "auto",
        "gradient_checkpointing": True,
        "max_length": None,
        "seed": 0,
        "warmup": 0.0,
        "weight_decay": 0.0,
        "max_grad_norm": 1.0,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rank", 0),
        ("alpha", 0),
        ("dropout", 1.0),
        ("dropout", math.nan),
        ("epochs", 0),
        ("epochs", 100000000),
        ("learning_rate", 0.0),
        ("learning_rate", math.inf),
        ("learning_rate", math.nan),
        ("learning_rate", 1e300),
        ("batch", 0),
        ("per_device", -1),
        ("dtype", "float16"),
        ("max_length", 1),
        ("seed", -1),
        ("seed", 2**32),
        ("warmup", -0.1),
        ("weight_decay", -1.0),
        ("weight_decay", 1e300),
        ("weight_decay", math.nan),
        ("max_grad_norm", 0.0),
    ],
)
def test_an_impossible_setting_is_named_as_its_option(name: str, value: Any) -> None:
    with pytest.raises(
        InvalidInputError, match=f"--{name.replace('_', '-')} is {re.escape(str(value))}"
    ):
        Settings(**{name: value})


@pytest.mark.parametrize(
    ("batch", "per_device", "processes", "parts"),
    [(16, 4, 1, 4), (16, 16, 1, 1), (16, 4, 2, 2), (6, 1, 3, 2)],
)
def test_a_batch_is_made_of_parts(batch: int, per_device: int, processes: int, parts: int) -> None:
    assert Settings(batch=batch, per_device=per_device).accumulation(processes) == parts


@pytest.mark.parametrize(("processes", "hint"), [(1, "e.g. 8"), (2, "e.g. 8"), (3, "another --b")])
def test_a_batch_that_cannot_be_split_says_what_would_fit(processes: int, hint: str) -> None:
    with pytest.raises(InvalidInputError, match=f"batch of 16 .*{hint}"):
        Settings(per_device=5).accumulation(processes)

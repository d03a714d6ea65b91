"""Two records are compared entry by entry, and only the prompts may differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import TrainingError
from sociolect.steering.lora.record import (
    OF_THE_PROMPTS,
    assert_comparable,
    differences,
    read_record,
    versions,
)

RECORD: dict[str, Any] = {
    "settings": {"seed": 0, "rank": 16},
    "data": {"too_long": ["a/0"]},
    "initial_weights_sha256": "1",
    "steps": 3,
}


def test_differences_name_the_entry_and_both_values() -> None:
    other = {"settings": {"seed": 1, "rank": 16, "new": True}, "data": {"too_long": []}}
    assert differences(RECORD, other, ("settings", "data")) == [
        "settings.seed: 0 and 1",
        "settings.new: null and true",
        'data.too_long: ["a/0"] and []',
    ]
    assert differences(RECORD, other, ("data",)) == ['data.too_long: ["a/0"] and []']


@pytest.mark.parametrize("key", sorted(OF_THE_PROMPTS))
def test_what_follows_from_the_prompts_may_differ(key: str) -> None:
    assert_comparable({"clean": {**RECORD, key: 1}, "errors": {**RECORD, key: 2}})


@pytest.mark.parametrize("key", [*RECORD, "something of a later version"])
def test_anything_else_may_not(key: str) -> None:
    with pytest.raises(TrainingError, match=f"clean and errors differ .*{key}: "):
        assert_comparable({"clean": RECORD, "errors": {**RECORD, key: 9}})


def test_one_adapter_alone_differs_from_nothing() -> None:
    assert_comparable({})
    assert_comparable({"clean": RECORD})


def test_a_damaged_record_is_an_error_and_none_is_none(tmp_path: Path) -> None:
    assert read_record(tmp_path) is None
    assert read_record(tmp_path / "none") is None
    for text in ("{", "[]", '"x"'):
        (tmp_path / "training.json").write_text(text)
        with pytest.raises(TrainingError, match="is damaged"):
            read_record(tmp_path)


def test_the_versions_that_decide_the_numbers_are_there() -> None:
    assert {"sociolect", "python", "torch", "transformers", "peft", "trl"} <= set(versions())

"""What steered systems are called in the report, and in which order they come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import ResultsError
from sociolect.harness.dialect.runs import read_runs
from sociolect.harness.dialect.system_names import datasets
from sociolect.harness.dialect.systems import Dataset

from .dialect_runs import Writer, pairs

LOG_P = {(x, y): [-5.0] * 4 for x in ("aae", "sae") for y in ("aae", "sae")}


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    return Writer(tmp_path, pairs(4))


def read(write: Writer, *systems: dict[str, Any]) -> Dataset:
    for number, arguments in enumerate(({}, *systems)):
        write.continuation(LOG_P, folder=f"f{number}", arguments=arguments)
    (dataset,) = datasets(read_runs([write.root])[0])
    return dataset


def test_strength_and_scale_are_named(write: Writer) -> None:
    steering = {"steering": "/fits/tiny/vector.safetensors"}
    residual = {**steering, "beta_scale": "residual"}
    dataset = read(
        write,
        {**steering, "beta": 0.6, "beta_scale": "unit"},
        {**residual, "beta": 0.2},
        {**steering, "beta": -0.4},
    )
    assert [one.name for one in dataset.systems] == [
        "Base",
        "steered vector.safetensors β=-0.4",
        "steered vector.safetensors β=0.2 (residual)",
        "steered vector.safetensors β=0.6",
    ]
    base = dataset.systems[0]
    assert all(dataset.base_of(one) is base for one in dataset.systems[1:])


def test_vectors_of_one_file_name_are_told_apart_by_their_folders(write: Writer) -> None:
    folders = ({"steering": f"/fits/{name}/vector.safetensors", "beta": 1} for name in "ab")
    names = [one.name for one in read(write, *folders).systems[1:]]
    assert names == ["steered a/vector.safetensors β=1", "steered b/vector.safetensors β=1"]


def test_a_default_scale_spelt_out_is_no_other_system(write: Writer) -> None:
    given = {"steering": "v.safetensors", "beta": 1}
    with pytest.raises(ResultsError, match="two runs of one model on the same data"):
        read(write, given, {**given, "beta_scale": "unit"})


def test_without_a_base_a_steered_adapter_is_held_against_the_adapter_alone(
    write: Writer,
) -> None:
    adapted = {"peft": "/adapters/a"}
    steered = {**adapted, "steering": "v.safetensors", "beta": 1}
    for number, arguments in enumerate((adapted, steered, {"peft": "/adapters/b"})):
        write.continuation(LOG_P, folder=f"f{number}", arguments=arguments)
    (dataset,) = datasets(read_runs([write.root])[0])
    by_name = {one.name: one for one in dataset.systems}
    alone, both = by_name["adapter a"], by_name["adapter a, steered v.safetensors β=1"]
    assert dataset.base_of(both) is alone
    assert dataset.base_of(alone) is None
    write.continuation(LOG_P, folder="base", arguments={})
    (dataset,) = datasets(read_runs([write.root])[0])
    assert {one.name for one in dataset.systems if dataset.base_of(one) is None} == {"Base"}
    held = [dataset.base_of(one) for one in dataset.systems if not one.is_base]
    assert [one.name for one in held if one] == ["Base"] * 3


def test_the_steered_model_of_lm_eval_itself_is_no_base(write: Writer) -> None:
    dataset = read(write, {"steer_path": "/fits/steered.pt"})
    assert [one.name for one in dataset.systems] == ["Base", "steered steered.pt"]
    assert dataset.base_of(dataset.systems[1]) is dataset.systems[0]

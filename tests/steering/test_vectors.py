"""Steering vectors: what they add, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402
from sociolect.steering.vectors import (  # noqa: E402
    OfModel,
    SteeringVector,
    check_strength,
    require_fit,
)

MODEL = OfModel("tiny", "weights abc", "LlamaForCausalLM", depth=3, width=2)
UNIT = torch.tensor([[0.6, 0.8], [1.0, 0.0], [0.0, -1.0]])


def vector(**changes: Any) -> SteeringVector:
    given: dict[str, Any] = {
        "model": MODEL,
        "unit": UNIT,
        "norms": torch.tensor([10.0, 20.0, 40.0]),
        "weights": {2: 0.25, 0: 0.75},
        **changes,
    }
    return SteeringVector(**given)


def test_what_is_added_is_strength_times_weight_times_direction() -> None:
    added = vector().added(2.0)
    assert sorted(added) == [0, 2]
    assert torch.allclose(added[0], torch.tensor([0.9, 1.2]))  # 2 · 0.75 · (0.6, 0.8)
    assert torch.allclose(added[2], torch.tensor([0.0, -0.5]))


def test_relative_to_the_residual_stream_it_is_longer_by_its_norm() -> None:
    added = vector().added(0.5, "residual")
    assert torch.allclose(added[0], torch.tensor([2.25, 3.0]))  # 0.5 · 10 · 0.75 · (0.6, 0.8)
    assert torch.allclose(added[2], torch.tensor([0.0, -5.0]))


def test_a_strength_of_0_adds_nothing() -> None:
    assert vector().added(0) == vector().added(-0.0) == {}


def test_layers_are_in_their_order() -> None:
    assert vector().layers == (0, 2)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"unit": UNIT[:2]}, r"directions of shape \(2, 2\)"),
        ({"unit": UNIT * torch.tensor([[math.nan], [1.0], [1.0]])}, "holds NaN or infinity"),
        ({"unit": UNIT * torch.tensor([[0.0], [1.0], [1.0]])}, "block 0 has length 0"),
        ({"unit": 2 * UNIT}, "block 0 has length 2"),
        ({"unit": UNIT * torch.tensor([[1.0], [0.5], [1.0]])}, "block 1 has length 0.5"),
        ({"model": replace(MODEL, depth=0), "unit": UNIT[:0]}, "a model of 0 blocks"),
        ({"norms": torch.ones(2)}, "norms of other blocks"),
        ({"norms": torch.tensor([1.0, 0.0, 1.0])}, "not above 0"),
        ({"norms": torch.tensor([1.0, math.inf, 1.0])}, "not above 0"),
        ({"weights": {}}, "no block is steered"),
        ({"weights": {3: 1.0}}, "the model has 0 to 2"),
        ({"weights": {0: 1.5, 1: -0.5}}, "a weight that is not above 0"),
        ({"weights": {0: math.nan}}, "a weight that is not above 0"),
        ({"weights": {0: 0.5}}, "sum is not 1"),
    ],
)
def test_what_is_no_vector_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        vector(**changes)


def test_a_block_that_is_not_steered_may_have_no_direction() -> None:
    found = vector(unit=UNIT * torch.tensor([[1.0], [0.0], [1.0]]))
    assert sorted(found.added(1.0)) == [0, 2]


@pytest.mark.parametrize(
    "beta",
    ["strong", "", "nan", math.inf, True, None, "1_0", "１", "٣", " 1", "0x1", "1e", ".", "1e999"],
)
def test_a_strength_that_is_no_number_is_refused(beta: object) -> None:
    with pytest.raises(InvalidInputError, match="is no number"):
        check_strength(beta)


def test_strengths_may_be_texts_and_negative() -> None:
    assert (check_strength("0.6"), check_strength(-1), check_strength("0")) == (0.6, -1.0, 0.0)
    assert (check_strength("+.5"), check_strength("2."), check_strength("-6E-1")) == (0.5, 2, -0.6)
    assert check_strength(1e-05) == 1e-05


@pytest.mark.parametrize(("beta", "scale"), [(1e39, "unit"), (-1e300, "unit"), (1e38, "residual")])
def test_a_strength_beyond_float32_is_refused(beta: float, scale: str) -> None:
    assert vector().added(1e37, scale)
    with pytest.raises(InvalidInputError, match="is beyond float32; give a smaller"):
        vector().added(beta, scale)


def test_an_unknown_scale_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="beta_scale=metres; give one of unit, residual"):
        vector().added(1.0, "metres")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"depth": 4}, "decoder blocks: 3"),
        ({"width": 3}, "width: 2"),
        ({"architecture": "GPT2LMHeadModel"}, "architecture: LlamaForCausalLM"),
        ({"identity": "weights def"}, "weights: weights abc"),
    ],
)
def test_a_vector_of_another_model_is_refused(change: dict[str, Any], said: str) -> None:
    require_fit(vector(), replace(MODEL, name="renamed"))
    with pytest.raises(ModelError, match=said):
        require_fit(vector(), replace(MODEL, **change))


def test_unchecked_takes_other_weights_of_the_same_shape_only() -> None:
    require_fit(vector(), replace(MODEL, identity="weights def"), unchecked=True)
    with pytest.raises(ModelError, match="width"):
        require_fit(vector(), replace(MODEL, width=3), unchecked=True)


def test_the_hash_is_of_all_that_steers() -> None:
    own = vector().sha256()
    assert vector(weights={0: 0.75, 2: 0.25}, facts={"note": 1}).sha256() == own
    assert vector(weights={0: 0.7, 2: 0.3}).sha256() != own
    assert vector(norms=torch.tensor([10.0, 20.0, 41.0])).sha256() != own
    assert vector(unit=UNIT.flip(0)).sha256() != own
    assert vector(model=replace(MODEL, identity="weights def")).sha256() != own


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    from tiny_models import tiny_llama

    return tiny_llama(tmp_path_factory.mktemp("model"))


def described(folder: Path) -> OfModel:
    from transformers import AutoConfig

    from sociolect.steering.of_model import of_model

    return of_model(str(folder), AutoConfig.from_pretrained(folder))


def test_a_model_is_known_by_its_weights_wherever_they_lie(folder: Path, tmp_path: Path) -> None:
    import shutil

    own = described(folder)
    assert (own.depth, own.width, own.architecture) == (2, 32, "LlamaForCausalLM")
    copied = described(Path(shutil.copytree(folder, tmp_path / "copy")))
    assert (copied.identity, copied.name) == (own.identity, "copy")
    weights = tmp_path / "copy" / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert described(tmp_path / "copy").identity != own.identity


def test_a_model_that_is_nowhere_is_known_by_its_name() -> None:
    from transformers import LlamaConfig

    from sociolect.steering.of_model import of_model

    found = of_model("nobody/nothing", LlamaConfig(), revision="v1")
    assert found.identity == "name nobody/nothing@v1"


def test_a_folder_without_weights_is_known_by_its_name(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "config.json").write_bytes((folder / "config.json").read_bytes())
    assert described(tmp_path / "bare").identity == "name bare@main"

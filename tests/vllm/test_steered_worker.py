"""What steering does in vLLM's workers, with small modules in place of a model; and bad input."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tiny_models import tiny_llama
from torch import nn

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.steering.backends.vllm_worker import SteeredWorker, decoder_blocks, steer

pytestmark = pytest.mark.vllm

WIDTH = 4


class Pair(nn.Module):
    """As most blocks of vLLM: the next one reads the sum of both."""

    def forward(self, hidden: Any, residual: Any) -> Any:
        return hidden, residual


class Single(nn.Module):
    def forward(self, hidden: Any) -> Any:
        return hidden


class Model(nn.Module):
    def __init__(self, blocks: list[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(blocks)


class Seeing(nn.Module):
    """Reads images, with as many blocks as the text part has."""

    supports_multimodal = True

    def __init__(self) -> None:
        super().__init__()
        self.vision = Model([Single(), Single()])
        self.language = Model([Single(), Single()])

    def get_language_model(self) -> nn.Module:
        return self.language


class Worker(SteeredWorker):
    def __init__(self, model: nn.Module, depth: int = 2) -> None:
        self.model = model
        config = SimpleNamespace(
            get_hidden_size=lambda: WIDTH, get_total_num_hidden_layers=lambda: depth
        )
        self.vllm_config = SimpleNamespace(model_config=config)

    def get_model(self) -> nn.Module:
        return self.model


class Engine:
    """vLLM with several workers."""

    def __init__(self, *workers: Worker) -> None:
        self.workers, self.resets, self.at_rest = workers, 0, True

    def collective_rpc(self, method: str, args: tuple[Any, ...]) -> list[Any]:
        return [getattr(worker, method)(*args) for worker in self.workers]

    def reset_prefix_cache(self) -> bool:
        self.resets += 1
        return self.at_rest


def missing() -> nn.Module:
    from vllm.model_executor.models.utils import PPMissingLayer

    return PPMissingLayer()


def added(value: float, *layers: int, width: int = WIDTH) -> dict[int, torch.Tensor]:
    return {layer: torch.full((width,), value) for layer in layers}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_every_token_is_moved_and_the_residual_is_not(dtype: torch.dtype) -> None:
    model = Model([Pair(), Pair()])
    engine = Engine(Worker(model))
    hidden, residual = torch.zeros((3, WIDTH), dtype=dtype), torch.ones((3, WIDTH), dtype=dtype)
    steer(engine, added(0.5, 1))
    assert model.layers[0](hidden, residual)[0].abs().max() == 0
    one, other = model.layers[1](hidden, residual)
    assert (one == 0.5).all()
    assert one.dtype == dtype
    assert other is residual
    assert hidden.abs().max() == 0


def test_one_strength_takes_the_place_of_another() -> None:
    model = Model([Single(), Single()])
    engine = Engine(Worker(model))
    for value in (0.5, -2.0):
        steer(engine, added(value, 0))
        assert (model.layers[0](torch.zeros((1, WIDTH))) == value).all()
    steer(engine, {})
    assert not any(block._forward_hooks for block in model.layers)
    assert engine.resets == 3


def test_an_engine_that_still_holds_a_request_is_refused() -> None:
    engine = Engine(Worker(Model([Single(), Single()])))
    engine.at_rest = False
    with pytest.raises(ModelError, match="still holds a request"):
        steer(engine, added(1, 0))


def test_each_worker_steers_the_blocks_it_has() -> None:
    first, second = Model([Single(), missing()]), Model([missing(), Single()])
    engine = Engine(Worker(first), Worker(second))
    steer(engine, added(1, 0, 1))
    hooks = [bool(block._forward_hooks) for model in (first, second) for block in model.layers]
    assert hooks == [True, False, False, True]
    with pytest.raises(ModelError, match=r"have the decoder blocks \[0\] of \[0, 1\]"):
        steer(Engine(Worker(first)), added(1, 0, 1))


def test_what_does_not_fit_leaves_nothing_attached() -> None:
    model = Model([Single(), Single()])
    engine = Engine(Worker(model))
    steer(engine, added(1, 0))
    with pytest.raises(ModelError, match="width 5 for a model of width 4"):
        steer(engine, added(1, 0, width=5))
    assert not any(block._forward_hooks for block in model.layers)
    with pytest.raises(ModelError, match="blocks 2: the model has 0 to 1"):
        steer(engine, added(1, 2))


def test_the_blocks_of_the_text_part_are_found() -> None:
    model = Seeing()
    assert decoder_blocks(model, 2) is model.language.layers
    assert decoder_blocks(model, 2, "vision.layers") is model.vision.layers


def test_lists_that_could_be_meant_are_named() -> None:
    two = nn.ModuleDict({"one": Model([Single(), Single()]), "other": Model([Single(), Single()])})
    with pytest.raises(ModelError, match=r"2 lists of 2 .*one\.layers \(2\), other\.layers \(2\)"):
        decoder_blocks(two, 2)
    with pytest.raises(ModelError, match=r"0 lists of 3 .*steering_blocks=PATH"):
        decoder_blocks(two, 3)
    with pytest.raises(ModelError, match=r"steering_blocks=h: .*Its lists: none"):
        decoder_blocks(Single(), 2, "h")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models of one shape with other weights, and a vector of the first."""
    from transformers import AutoConfig

    from sociolect.steering.of_model import of_model
    from sociolect.steering.vector_files import save
    from sociolect.steering.vectors import SteeringVector

    folder: Path = tmp_path_factory.mktemp("steered")
    tiny_llama(folder / "model")
    tiny_llama(folder / "other", initializer_range=0.5)
    model = of_model(str(folder / "model"), AutoConfig.from_pretrained(folder / "model"))
    unit = torch.nn.functional.one_hot(torch.tensor([1, 2]), model.width).float()
    save(SteeringVector(model, unit, torch.ones(2), {1: 1.0}), folder / "v.safetensors")
    return folder


@pytest.mark.parametrize(
    ("model", "more", "error", "said"),
    [
        ("model", {"enforce_eager": False}, InvalidInputError, "graphs call no hooks"),
        ("model", {"worker_extension_cls": "their.Own"}, InvalidInputError, "needs its own"),
        ("model", {"beta": None}, InvalidInputError, "says no strength"),
        ("other", {}, ModelError, "was fitted on model"),
        ("model", {"steering": "v.pt"}, ModelError, "can run code"),
    ],
)
def test_what_cannot_be_steered_starts_no_engine(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    more: dict[str, Any],
    error: type[Exception],
    said: str,
) -> None:
    from lm_eval.models import vllm_causallms

    from sociolect.steering.backends.vllm import SociolectVLLM

    def start(**_: Any) -> None:
        raise AssertionError("an engine was started")

    monkeypatch.setattr(vllm_causallms, "LLM", start)
    arguments = {"steering": str(place / "v.safetensors"), "beta": 1} | more
    with pytest.raises(error, match=said):
        SociolectVLLM(str(place / model), **arguments)


@pytest.mark.parametrize("given", [{}, {"enforce_eager": True}])
def test_a_steered_engine_is_eager(
    place: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]
) -> None:
    from lm_eval.models import vllm_causallms

    from sociolect.steering.backends.vllm import SociolectVLLM

    class Started(Exception):
        pass

    asked: dict[str, Any] = {}

    def start(**named: Any) -> None:
        asked.update(named)
        raise Started

    monkeypatch.setattr(vllm_causallms, "LLM", start)
    with pytest.raises(Started):
        SociolectVLLM(str(place / "model"), **given)
    assert "worker_extension_cls" not in asked
    assert asked.get("enforce_eager") is given.get("enforce_eager")
    steering = {"steering": str(place / "v.safetensors"), "beta": 1}
    with pytest.raises(Started):
        SociolectVLLM(str(place / "model"), **steering, **given)
    assert asked["enforce_eager"] is True
    assert asked["worker_extension_cls"].endswith("SteeredWorker")
    assert not any(name in asked for name in ("steering", "beta", "beta_scale"))

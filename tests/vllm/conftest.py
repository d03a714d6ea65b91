"""One vLLM engine for all tests in one process, an adapter, and a built dataset.

The engine is real and so is the model (135 million parameters, float32). What the model
arguments of a test decide beside the engine (seed, chunks, kept answers) is real too: `backend`
hands the one engine to every `SociolectVLLM` that is made.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running_vllm import BENCHMARK, ENGINE, SHARE_OF_MEMORY, Spy, write_adapter


@pytest.fixture(scope="session", autouse=True)
def _needs_vllm() -> None:
    pytest.importorskip("vllm")


@pytest.fixture(scope="session")
def built_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of the small benchmark, clean and with wrong prepositions."""
    from sociolect.generators.build import build
    from sociolect.generators.conditions import Condition

    folder = tmp_path_factory.mktemp("data") / BENCHMARK
    build(BENCHMARK, [Condition("l2prep", 5)], out=folder)
    return folder


@pytest.fixture
def data(built_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, as what tasks read."""
    monkeypatch.setenv("SOCIOLECT_DATA", str(built_data))
    return built_data


@pytest.fixture(scope="session")
def adapter(small_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_adapter(small_model, tmp_path_factory.mktemp("adapters") / "random")


@pytest.fixture(scope="session")
def engine(small_model: Path, adapter: Path) -> Any:
    """vLLM as `sociolect-vllm` starts it for an adapter and to be steered.

    It answers with and without either.
    """
    from sociolect.steering.backends.vllm import SociolectVLLM
    from sociolect.steering.backends.vllm_worker import WORKER

    arguments = ENGINE | SHARE_OF_MEMORY | {"worker_extension_cls": WORKER}
    return SociolectVLLM(str(small_model), lora_local_path=str(adapter), **arguments).model


@pytest.fixture
def backend(engine: Any, small_model: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Makes `--model sociolect-vllm` with any arguments, on the one engine."""
    from lm_eval.models import vllm_causallms

    from sociolect.steering.backends.vllm import SociolectVLLM

    monkeypatch.setattr(vllm_causallms, "LLM", lambda **_: engine)

    def make(**arguments: Any) -> Any:
        return SociolectVLLM(str(small_model), **ENGINE, **arguments)

    return make


@pytest.fixture
def asked(engine: Any, monkeypatch: pytest.MonkeyPatch) -> Spy:
    spy = Spy(engine.generate)
    monkeypatch.setattr(engine, "generate", spy)
    return spy

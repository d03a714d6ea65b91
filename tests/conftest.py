"""What tests of several packages share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hub_stand_in
import pytest


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A stand-in for the Hub on the loopback device, which `huggingface_hub` talks to."""
    import huggingface_hub

    with hub_stand_in.running() as running:
        for name, value in {
            "ENDPOINT": running.url,
            "HUGGINGFACE_CO_URL_TEMPLATE": running.url + "/{repo_id}/resolve/{revision}/{filename}",
            "HF_HUB_OFFLINE": False,
            "HF_HUB_DISABLE_XET": True,
        }.items():
            monkeypatch.setattr(huggingface_hub.constants, name, value)
        monkeypatch.setenv("HF_TOKEN", hub_stand_in.TOKEN)
        yield running
        huggingface_hub.close_session()


@pytest.fixture(scope="session")
def small_model() -> Path:
    """A real language model of 135 million parameters in float32, made once in the user cache."""
    pytest.importorskip("transformers")
    from sociolect.generators.errors import MissingToolError
    from sociolect.harness.smollm2 import ensure_model

    try:
        return ensure_model("float32")
    except MissingToolError as error:
        pytest.skip(str(error))

"""Our names among lm_eval's."""

from __future__ import annotations

import pytest

from sociolect.generators.errors import UnknownNameError
from sociolect.steering.backends.registry import BACKENDS, create_model, register_backends

pytest.importorskip("lm_eval")


def test_lm_eval_knows_our_names_and_still_its_own() -> None:
    from lm_eval.api.registry import get_model, model_registry

    register_backends()
    register_backends()
    assert {*BACKENDS, "hf", "vllm", "dummy"} <= set(model_registry.keys())
    assert get_model("sociolect-hf").__name__ == "SociolectHF"


def test_the_entry_points_name_the_same_classes() -> None:
    from importlib.metadata import entry_points

    declared = {e.name: e.value for e in entry_points(group="lm_eval.models")}
    assert {name: declared.get(name) for name in BACKENDS} == dict(BACKENDS)


def test_a_model_of_lm_eval_is_made_too() -> None:
    assert type(create_model("dummy", {})).__name__ == "DummyLM"


def test_an_unknown_name_has_near_matches() -> None:
    with pytest.raises(UnknownNameError, match="sociolect-vllm"):
        create_model("sociolect-vlm", {})

"""Arguments of steering on the command line: known, and refused before a model is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sociolect.harness.model_arguments import names_trap, values_trap
from sociolect.harness.run_options import RunOptions
from sociolect.steering.backends.identity import STEERING_ARGUMENTS

pytest.importorskip("torch")
pytest.importorskip("lm_eval")

OURS = ("sociolect-hf", "sociolect-vllm")


@pytest.fixture(scope="module")
def vector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from random_vectors import saved_vector
    from tiny_models import tiny_llama

    root = tmp_path_factory.mktemp("tiny")
    return saved_vector(tiny_llama(root / "model"), root / "fit" / "vector.safetensors")


def refused(model: str, **arguments: Any) -> list[str]:
    options = RunOptions(model=model, model_args={"pretrained": "m", **arguments})
    found = [*names_trap(options, []), *values_trap(options, [])]
    assert all(finding.severity == "refuse" for finding in found)
    return [finding.message for finding in found]


@pytest.mark.parametrize("model", OURS)
def test_a_vector_with_a_strength_is_known(model: str, vector: Path) -> None:
    for path in (vector, vector.parent):
        assert refused(model, steering=str(path), beta=0.6, beta_scale="residual") == []
    named = {"steering_blocks": "model.layers", "steering_unchecked": True}
    assert refused(model, steering=str(vector), beta=-1, **named) == []


@pytest.mark.parametrize("model", OURS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beta": 0.6}, "--model_args: beta=0.6 steers nothing without steering=PATH"),
        ({"steering": "VECTOR"}, "says no strength; give beta=…"),
        ({"steering": "VECTOR", "beta": "strong"}, "beta=strong is no number"),
        ({"steering": "VECTOR", "beta": 1, "beta_scale": "x"}, "beta_scale=x; give one of"),
        ({"steering": "/nowhere/v.safetensors", "beta": 1}, "there is no such file"),
        ({"steering": "v.pt", "beta": 1}, "can run code"),
        ({"steering": "VECTOR", "beta": 1, "beta_scael": "unit"}, "did you mean beta_scale?"),
        ({"steering": "VECTOR", "beta": 1, "steering_block": "a"}, "did you mean steering_blocks?"),
    ],
)
def test_nonsense_is_refused(
    model: str, vector: Path, arguments: dict[str, Any], message: str
) -> None:
    given = {k: str(vector) if v == "VECTOR" else v for k, v in arguments.items()}
    (found,) = refused(model, **given)
    assert message in found


@pytest.mark.parametrize("model", ["hf", "vllm", "local-completions"])
@pytest.mark.parametrize("argument", STEERING_ARGUMENTS)
def test_other_backends_do_not_steer(model: str, argument: str) -> None:
    wanted = f"--model_args: {argument}: {model} steers no activations; sociolect-hf and sociolect"
    assert any(found.startswith(wanted) for found in refused(model, **{argument: "x"}))


@pytest.mark.parametrize(
    "text", ["token=hf_secret,pretrained", '{"token": "hf_secret"', "[" * 100_000]
)
def test_arguments_that_cannot_be_read_are_not_quoted(text: str) -> None:
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.model_arguments import parsed_arguments

    with pytest.raises(InvalidInputError, match="the arguments of --model cannot be read") as found:
        parsed_arguments(text, "--model")
    assert "hf_secret" not in str(found.value)
    assert found.value.__cause__ is None

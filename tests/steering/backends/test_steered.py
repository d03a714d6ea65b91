"""Arguments of steering: taken out of those of a model, and refused where they mean nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from random_vectors import random_vector, saved_vector  # noqa: E402

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402
from sociolect.steering.backends.identity import digest, model_identity  # noqa: E402
from sociolect.steering.backends.steered import (  # noqa: E402
    SteeringArguments,
    steering_arguments,
    vectors_to_add,
)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tiny_models import tiny_llama

    return tiny_llama(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def vector(tiny: Path, tmp_path: Path) -> Path:
    return saved_vector(tiny, tmp_path / "vector.safetensors")


def test_they_are_taken_out_of_the_others() -> None:
    arguments: dict[str, Any] = {"dtype": "float32", "steering": "v.safetensors", "beta": "-0.6"}
    found = steering_arguments(arguments)
    assert arguments == {"dtype": "float32"}
    assert found == SteeringArguments(Path("v.safetensors"), -0.6, "unit", "", False)
    assert steering_arguments(arguments) is None


def test_all_of_them_are_read_and_given_again() -> None:
    given = {"steering": "v", "beta": 0.5, "beta_scale": "residual", "steering_blocks": "a.b"}
    found = steering_arguments({**given, "steering_unchecked": "True"})
    assert found == SteeringArguments(Path("v"), 0.5, "residual", "a.b", True)
    assert found.model_arguments() == {**given, "steering_unchecked": True}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"beta": 0.6}, "beta=0.6 steers nothing without steering=PATH"),
        ({"beta_scale": "unit"}, "beta_scale=unit steers nothing"),
        ({"steering_blocks": "a"}, "steering_blocks=a steers nothing"),
        ({"steering_unchecked": True}, "steering_unchecked=True steers nothing"),
        ({"steering": "", "beta": 1}, "steers nothing"),
        ({"steering": "v"}, r"steering=v says no strength; give beta=…, .*\(0 is unsteered\)"),
        ({"steering": "v", "beta": "x"}, "beta=x is no number"),
        ({"steering": "v", "beta": "nan"}, "beta=nan is no number"),
        ({"steering": "v", "beta": "inf"}, "beta=inf is no number"),
        ({"steering": "v", "beta": True}, "beta=True is no number"),
        ({"steering": "v", "beta": 1, "beta_scale": "x"}, "beta_scale=x; give one of unit, res"),
        ({"steering": "v", "beta": 1, "steering_unchecked": 2}, "steering_unchecked=2; give True"),
    ],
)
def test_nonsense_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        steering_arguments(given)


def test_what_is_added_is_that_of_the_file(tiny: Path, vector: Path) -> None:
    own = random_vector(tiny)
    given = SteeringArguments(vector, -2.0, "residual", "", False)
    for path in (vector, vector.parent):  # the folder that holds it as well
        added = vectors_to_add(SteeringArguments(path, *list(vars(given).values())[1:]), own.model)
        assert sorted(added) == [0, 1]
        assert torch.allclose(added[0], -2 * 0.75 * 2 * own.unit[0])
        assert torch.allclose(added[1], -2 * 0.25 * 4 * own.unit[1])
    assert vectors_to_add(SteeringArguments(vector, 0, "unit", "", False), own.model) == {}


def test_a_vector_of_another_model_is_refused(tiny: Path, vector: Path) -> None:
    from dataclasses import replace

    own, given = random_vector(tiny).model, SteeringArguments(vector, 1.0, "unit", "", False)
    with pytest.raises(ModelError, match="weights: other"):
        vectors_to_add(given, replace(own, identity="other"))
    vectors_to_add(replace(given, unchecked=True), replace(own, identity="other"))
    with pytest.raises(ModelError, match="decoder blocks: 3"):
        vectors_to_add(replace(given, unchecked=True), replace(own, depth=3))


def test_kept_answers_are_those_of_one_vector_and_strength(tiny: Path, vector: Path) -> None:
    def key(**changes: Any) -> str:
        found = steering_arguments({"steering": str(vector), "beta": 0.5, **changes})
        assert found is not None
        return digest(
            model_identity("sociolect-hf", {"pretrained": "m", **found.model_arguments()})
        )

    before, of_folder = key(), key(steering=str(vector.parent))
    assert key(beta="0.50") == key(beta_scale="unit") == before
    assert len({before, of_folder, key(beta=0.6), key(beta_scale="residual")}) == 4
    saved_vector(tiny, vector, seed=1)
    assert key() != before
    assert key(steering=str(vector.parent)) != of_folder

"""Runs of one process that share a model: loaded once, and each steered in its own way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("lm_eval")

from random_vectors import saved_vector  # noqa: E402

from sociolect.steering.backends.shared_models import sharing_models  # noqa: E402


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tiny_models import tiny_llama

    folder = tiny_llama(tmp_path_factory.mktemp("tiny") / "model")
    saved_vector(folder, folder.parent / "v.safetensors")
    return folder


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that models are loaded from."""
    from lm_eval.models.huggingface import HFLM

    real, names = HFLM._create_model, []

    def create(self: Any, pretrained: str, **given: Any) -> None:
        names.append(pretrained)
        real(self, pretrained, **given)

    monkeypatch.setattr(HFLM, "_create_model", create)
    return names


def model(folder: Path, beta: float | None, **arguments: Any) -> Any:
    from sociolect.steering.backends.registry import create_model

    given = {"pretrained": str(folder), "dtype": "float32", **arguments}
    if beta is not None:
        given |= {"steering": str(folder.parent / "v.safetensors"), "beta": beta}
    return create_model("sociolect-hf", given, {"batch_size": 4, "device": "cpu"})


def scores(lm: Any) -> Any:
    from lm_eval.api.instance import Instance

    pairs = [("She been", " gone"), ("They", " finna go"), ("She been", " told him")]
    return lm.loglikelihood(
        [Instance("loglikelihood", {}, pair, 0, ("t", n, 1)) for n, pair in enumerate(pairs)]
    )


def test_one_model_answers_for_all_strengths(tiny: Path, loaded: list[str], tmp_path: Path) -> None:
    strengths = (None, 2.0, -1.0)
    alone = [scores(model(tiny, beta)) for beta in strengths]
    assert len(loaded) == 3
    with sharing_models():
        models = [model(tiny, beta, answers=str(tmp_path), chunk=3) for beta in strengths]
        for order in (models, models[::-1]):  # none is left steered as the one before it
            assert [scores(lm) for lm in order] == (alone if order is models else alone[::-1])
        assert len({id(lm.model) for lm in models}) == len({id(lm.tokenizer) for lm in models}) == 1
    assert len(loaded) == 4
    assert len({str(one) for one in alone}) == 3
    model(tiny, None)
    assert len(loaded) == 5


def test_what_loads_it_otherwise_is_another_model(
    tiny: Path, loaded: list[str], tmp_path: Path
) -> None:
    import shutil

    with sharing_models():
        first, half = model(tiny, 1.0), model(tiny, 1.0, dtype="bfloat16")
        assert (first.model.dtype, half.model.dtype) == (torch.float32, torch.bfloat16)
        copy = Path(shutil.copytree(tiny, tmp_path / "copy"))
        models = [model(copy, None)]
        (copy / "config.json").write_text((copy / "config.json").read_text() + "\n")
        models.append(model(copy, None))
        assert models[0].model is not models[1].model
    assert len(loaded) == 4

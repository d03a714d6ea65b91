"""Tasks of the dialect audit on vLLM: the numbers of Hugging Face."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from running_vllm import ENGINE

from sociolect.generators.dialect.folder import write_folder
from sociolect.generators.dialect.manifest import assemble
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.tasks.dialect.documents import AAE_VARIABLE, clear_memo

pytestmark = [pytest.mark.vllm, pytest.mark.slow]

TASKS = ("aae_continuation", "aae_choice_best", "aae_sentiment", "aae_sentiment_ll")
CLOSE = 1e-3
TEXTS = (
    ("She been knowing him |since they was kids", "She has known him |since they were kids"),
    ("We finna leave |but it ain't stop raining", "We are about to leave |but it did not stop"),
    ("They be working late |most every night", "They usually work late |nearly every night"),
)
"""AAE and SAE, cut at the mark before the white space of the continuation."""


def segmented(number: int, aae: str, sae: str) -> Segmented:
    ends = Boundaries(*(text.index("|") - 1 for text in (aae, sae)))
    aae, sae = (text.replace("|", "") for text in (aae, sae))
    return Segmented(DialectPair(f"p{number}", aae=aae, sae=sae, aae_back=aae + "!"), ends)


@pytest.fixture
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    clear_memo()
    made = [segmented(number, *both) for number, both in enumerate(TEXTS)]
    write_folder(assemble(made, name="made up"), tmp_path / "pairs")
    monkeypatch.setenv(AAE_VARIABLE, str(tmp_path / "pairs"))
    yield
    clear_memo()


def answers(model: Any) -> dict[str, list[Any]]:
    """By task, what was answered to each document, in their order."""
    import lm_eval
    from lm_eval.tasks import TaskManager

    from sociolect.tasks.paths import tasks_path

    results = lm_eval.simple_evaluate(
        model=model,
        tasks=list(TASKS),
        task_manager=TaskManager(include_path=str(tasks_path()), include_defaults=False),
        log_samples=True,
        bootstrap_iters=0,
    )
    return {task: [one["resps"] for one in results["samples"][task]] for task in TASKS}


def numbers(responses: list[Any]) -> list[float]:
    return [float(score) for one in responses for ((score, _),) in one]


@pytest.mark.usefixtures("pairs")
def test_answers_are_those_of_hugging_face(backend: Callable[..., Any], small_model: Path) -> None:
    from sociolect.steering.backends.registry import create_model

    given = {"pretrained": str(small_model), "dtype": ENGINE["dtype"]}
    expected = answers(create_model("sociolect-hf", given, {"device": "cpu", "batch_size": 4}))
    found = answers(backend())
    assert found["aae_sentiment"] == expected["aae_sentiment"]
    for task, count in (
        ("aae_continuation", 12),
        ("aae_choice_best", 24),
        ("aae_sentiment_ll", 27),
    ):
        assert len(numbers(found[task])) == count
        assert numbers(found[task]) == pytest.approx(numbers(expected[task]), abs=CLOSE)

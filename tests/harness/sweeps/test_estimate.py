from __future__ import annotations

from typing import Any

import pytest

from sociolect.harness.sweeps.estimate import Estimate


def asked(*tasks: str, pretrained: str = "m", **arguments: Any) -> dict[str, Any]:
    return {
        "model": "hf",
        "model_args": {"pretrained": pretrained},
        "tasks": list(tasks),
        "seed": 0,
        "arguments": arguments,
        "environment": {},
    }


def facts(documents: dict[str, int], **values: float) -> dict[str, Any]:
    return {"documents": documents, "seconds": 100.0, **values}


def apart(prompts: int, of_attempt: int, answering: float, other: float) -> dict[str, float]:
    return {
        "prompts": prompts,
        "prompts_of_attempt": of_attempt,
        "answering_seconds": answering,
        "other_seconds": other,
    }


def test_loading_is_kept_apart_from_the_time_of_a_document():
    estimate = Estimate()
    estimate.learn(
        asked("winobias_clean_ll"), facts({"winobias_clean_ll": 50}, **apart(100, 100, 20, 7))
    )
    # Another condition of the same benchmark has as many documents: 7 + 50 × 20/50.
    assert estimate.seconds(asked("winobias_l2_30_ll")) == pytest.approx(27)
    # 7 + 500 × 20/50
    assert estimate.seconds(asked("winobias_l2_30_ll"), {"winobias_l2_30_ll": 500}) == 207


def test_of_a_run_that_went_on_only_what_it_asked_itself_counts():
    estimate = Estimate()
    estimate.learn(
        asked("winobias_clean_ll"), facts({"winobias_clean_ll": 50}, **apart(100, 20, 5, 7))
    )
    # A fifth of 50 documents took 5 s.
    assert estimate.seconds(asked("winobias_l2_30_ll")) == pytest.approx(7 + 50 * 5 / 10)
    nothing = Estimate()
    nothing.learn(
        asked("winobias_clean_ll"), facts({"winobias_clean_ll": 50}, **apart(100, 0, 0, 7))
    )
    assert nothing.seconds(asked("winobias_l2_30_ll")) is None


def test_a_backend_that_does_not_say_them_apart_counts_whole():
    estimate = Estimate()
    estimate.learn(asked("winobias_clean"), facts({"winobias_clean": 50}))
    assert estimate.seconds(asked("winobias_l2_5"), {"winobias_l2_5": 25}) == pytest.approx(50)


def test_nothing_is_known_of_other_models_and_forms():
    estimate = Estimate()
    estimate.learn(asked("winobias_clean_ll"), facts({"winobias_clean_ll": 50}))
    assert estimate.seconds(asked("winobias_l2_30_ll", pretrained="other")) is None
    assert estimate.seconds(asked("winobias_l2_30"), {"winobias_l2_30": 5}) is None
    # Nor how many documents another benchmark has, though its speed is that of the form.
    assert estimate.seconds(asked("bbq_gender_clean_ll")) is None
    assert estimate.seconds(asked("bbq_gender_clean_ll"), {"bbq_gender_clean_ll": 5}) == 10


def test_the_size_of_a_run_is_no_part_of_the_speed_of_its_model():
    estimate = Estimate()
    estimate.learn(asked("winobias_clean_ll", limit=4), facts({"winobias_clean_ll": 4}))
    assert estimate.seconds(asked("winobias_clean_ll"), {"winobias_clean_ll": 40}) == 1000
    assert estimate.seconds(asked("winobias_clean_ll")) is None
    assert estimate.seconds(asked("winobias_clean_ll", batch_size=4, limit=4)) is None

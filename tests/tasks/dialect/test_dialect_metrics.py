from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import bootstrap

from sociolect.tasks.dialect import metrics
from sociolect.tasks.dialect.catalogue import KINDS, METRICS
from sociolect.tasks.dialect.records import ChoiceRecord, ContinuationRecord, SentimentRecord


def labels(pairs):
    return [
        SentimentRecord(f"p{n}", version, label, True, 1.0)
        for n, pair in enumerate(pairs)
        for version, label in zip(("aae", "sae", "back"), pair, strict=True)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_all_metrics_of_a_kind_in_order(kind):
    assert tuple(metrics.measures_of(kind, [])) == METRICS[kind]
    for metric in METRICS[kind]:
        assert math.isnan(metrics.point(kind, metric, []))
        assert math.isnan(metrics.standard_error(kind, metric, []))


def test_the_standard_error_of_a_share_is_that_of_a_bootstrap():
    agree = np.random.default_rng(1).random(200) < 0.7
    records = labels([(1, 1 if same else 2, 1) for same in agree])
    found = metrics.standard_error("sentiment", "dgi", records, resamples=4000)
    assert found == pytest.approx(math.sqrt(agree.mean() * (1 - agree.mean()) / 200), rel=0.05)


def test_the_standard_error_of_a_mean_agrees_with_scipy():
    gaps = np.random.default_rng(2).normal(3, 5, 80)
    records = [
        ContinuationRecord(f"p{n}", context, -50 - gap / 2, -50.0, 20, 20)
        for n, gap in enumerate(gaps)
        for context in ("aae", "sae")
    ]
    assert metrics.point("continuation", "lp", records) == pytest.approx(gaps.mean())
    found = metrics.standard_error("continuation", "lp", records, resamples=4000)
    reference = bootstrap((gaps,), np.mean, n_resamples=4000, rng=3).standard_error
    assert found == pytest.approx(reference, rel=0.05)


def test_a_condition_is_drawn_with_the_pairs():
    """cDGI is a ratio: pairs whose label changed count in no resample, but are drawn."""
    pairs = [(1, 1, 1)] * 30 + [(1, 2, 1)] * 10 + [(1, 1, 2)] * 60
    records = labels(pairs)
    assert metrics.point("sentiment", "cdgi", records) == 0.75
    found = metrics.standard_error("sentiment", "cdgi", records, resamples=4000)
    assert found == pytest.approx(math.sqrt(0.75 * 0.25 / 40), rel=0.1)


def test_two_runs_give_the_same_error():
    records = labels([(1, 1, 1), (1, 2, 1), (0, 0, 0)])
    assert metrics.standard_error("sentiment", "dgi", records) == metrics.standard_error(
        "sentiment", "dgi", records
    )


def test_letters():
    def answer(context, order, letter):
        options = ("aae", "sae") if order == 0 else ("sae", "aae")
        return ChoiceRecord("p0", context, order, options["AB".index(letter)])

    records = [answer(c, o, letter) for (c, o), letter in zip(
        [("aae", 0), ("aae", 1), ("sae", 0), ("sae", 1)], "ABBB", strict=True)]  # fmt: skip
    assert metrics.point("choice", "aae_match", records) == 1
    assert metrics.point("choice", "sae_match", records) == 0.5
    assert metrics.point("choice", "first_option", records) == 0.25

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import bootstrap

from sociolect.harness.judging import resampling as report
from sociolect.tasks.dialect import draws, metrics
from sociolect.tasks.dialect.catalogue import KINDS, METRICS
from sociolect.tasks.dialect.measures import Measure
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


def test_a_group_is_drawn_whole():
    """Eight alike pairs in each of 50 groups are 50 observations, and pairs apart are 400."""
    alike = np.repeat(np.random.default_rng(4).random(50) < 0.6, 8)
    apart = labels([(1, 1 if same else 2, 1) for same in alike])
    grouped = [r._replace(group=f"g{int(r.id[1:]) // 8}") for r in apart]
    share = alike.mean()
    for records, n in ((apart, 400), (grouped, 50)):
        found = metrics.standard_error("sentiment", "dgi", records, resamples=4000)
        assert found == pytest.approx(math.sqrt(share * (1 - share) / n), rel=0.05)


def test_pairs_in_no_group_are_clusters_of_their_own():
    assert draws.clusters_of(["", "g", "", "g", "h"]).tolist() == [0, 1, 2, 1, 3]


def of(values, counts=None):
    counts = np.ones(len(values)) if counts is None else np.asarray(counts, float)
    return Measure("m", np.asarray(values, float) * counts, counts, "mean")


def test_where_there_is_no_spread_there_is_no_error():
    four, five = of([1, 2, 3, 4]), of([1, 2, 3, 4, 5])
    assert math.isnan(draws.standard_error(four, np.arange(4)))
    assert draws.standard_error(five, np.arange(5)) > 0
    assert math.isnan(draws.standard_error(five, np.array([0, 1, 2, 3, 3]))), "four groups"
    assert math.isnan(draws.standard_error(of([2] * 9), np.arange(9))), "nothing varies"


def test_the_conditions_are_those_of_the_report():
    assert draws.MIN_CLUSTERS == report.MIN_CLUSTERS
    assert draws.MOST_UNDEFINED == report.MOST_UNDEFINED


def test_a_measure_that_too_many_resamples_miss_has_no_error(monkeypatch):
    """Of 400 pairs five count: (1 − 5/400)^400 = 0.65 % of the resamples hold none of them."""
    measure = of(np.arange(400), np.arange(400) < 5)
    assert draws.standard_error(measure, np.arange(400)) > 0
    monkeypatch.setattr(draws, "MOST_UNDEFINED", 0.001)
    assert math.isnan(draws.standard_error(measure, np.arange(400)))


def test_two_runs_give_the_same_error():
    records = labels([(1, 1, 1), (1, 2, 1), (0, 0, 0)] * 2)
    assert metrics.standard_error("sentiment", "dgi", records) > 0
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

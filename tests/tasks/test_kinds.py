from __future__ import annotations

import pytest

from sociolect.generators.errors import UnknownNameError
from sociolect.tasks.kinds import KIND_OF, KINDS, METRICS_OF, check_metric, kind_of


def test_every_kind_has_benchmarks_and_metrics():
    assert set(KIND_OF.values()) == set(KINDS) == set(METRICS_OF)
    assert all("unanswered" in metrics for metrics in METRICS_OF.values())


def test_the_headline_of_a_benchmark_without_right_answers_is_a_bias():
    for benchmark, kind in KIND_OF.items():
        has_accuracy = any(m.startswith("acc") for m in METRICS_OF[kind])
        assert has_accuracy == (
            not benchmark.startswith(("bbq", "degen")) or "disambig" in benchmark
        )


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="bbq_gender"):
        kind_of("bbq_gende")
    with pytest.raises(UnknownNameError, match="acc_asked"):
        check_metric("acc_askd", "accuracy")

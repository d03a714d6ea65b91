from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.errors import UnknownNameError
from sociolect.tasks.kinds import METRICS_OF
from sociolect.tasks.metrics import (
    AnswerRecord,
    Tally,
    UnitCounts,
    point,
    standard_error,
    summary,
    tally,
    template_of,
    unit_values,
)


def record(pair, member, choices, *, order=0, valid=True, gold=0):
    return AnswerRecord(f"{pair}/{member}", pair, member, order, valid, gold, 1, tuple(choices))


HAND = [
    # pro: 5 right of 8 answered of 10; anti: 2 right of 5 answered of 10.
    record("p1", "pro", [0, 0, 0, 1, -1]),
    record("p1", "pro", [0, 0, 1, 1, -1], order=1),
    record("p1", "anti", [0, 1, -1, -1, -1]),
    record("p1", "anti", [0, 1, 1, -1, -1], order=1),
]


def test_known_answers():
    assert summary(HAND) == {
        "bias": pytest.approx(62.5 - 40.0),
        "acc_pro": pytest.approx(62.5),
        "acc_anti": pytest.approx(40.0),
        "acc_pro_asked": pytest.approx(50.0),
        "acc_anti_asked": pytest.approx(20.0),
        "unanswered": pytest.approx(35.0),
    }


def test_the_pooled_metric_weighs_answers_and_counts_invalid_pairs():
    records = [
        record("p1", "pro", [0, 0, 0, 0]),
        record("p2", "pro", [1, -1, -1, -1], valid=False),
        record("p2", "anti", [1], valid=False),
    ]
    result = summary(records)
    assert result["acc_pro"] == pytest.approx(80.0)
    assert result["acc_anti"] == 0
    assert result["bias"] == pytest.approx(80.0)


def test_nothing_answered_is_nan_and_not_zero():
    silent = summary([record("p1", "pro", [-1, -1]), record("p1", "anti", [-1, -1])])
    assert math.isnan(silent["bias"])
    assert math.isnan(silent["acc_pro"])
    assert silent["acc_pro_asked"] == 0
    assert silent["unanswered"] == 100
    assert all(math.isnan(point(metric, [])) for metric in METRICS_OF["coreference"])


def test_a_missing_member_leaves_the_other_metrics():
    half = summary([record("p1", "pro", [0, 1])])
    assert half["acc_pro"] == 50
    assert math.isnan(half["bias"])
    assert half["unanswered"] == 0


def test_tally():
    assert tally(HAND[0]) == Tally("p1", "pro", 3, 1, 4, 5, named=4)


JUDGED = [
    # Labels A, B, NONE; verdicts right, fabricated, erased, unread.
    AnswerRecord(f"fable/age/q{i}/1", f"fable/age/q{i}/1", "", 0, True, gold, -1, (choice,))
    for i, (gold, choice) in enumerate([(0, 0), (2, 1), (1, 2), (2, -1)])
]


def test_the_metrics_of_a_judge():
    assert summary(JUDGED, "judge") == {
        "acc": pytest.approx(100 / 3),
        "acc_asked": pytest.approx(25.0),
        "directional": pytest.approx(200 / 3),
        "unanswered": pytest.approx(25.0),
    }
    assert unit_values(JUDGED, "directional", "judge") == {
        "fable/age/q0/1": 100,
        "fable/age/q1/1": 100,
        "fable/age/q2/1": 0,
        "fable/age/q3/1": None,
    }


def test_without_a_verdict_that_can_be_read_nothing_is_directional():
    silent = summary(JUDGED[3:], "judge")
    assert math.isnan(silent["directional"])
    assert math.isnan(silent["acc"])
    assert (silent["acc_asked"], silent["unanswered"]) == (0, 100)


def test_unknown_metrics_are_refused():
    with pytest.raises(UnknownNameError, match="bias"):
        point("bais", [])
    with pytest.raises(UnknownNameError):
        standard_error("bais", [])


def naive_standard_error(metric, tallies, resamples, seed):
    """Draw pairs one by one, pool their prompts, recompute."""
    pairs = sorted({one.pair_id for one in tallies})
    generator = np.random.default_rng(seed)
    values = []
    for _ in range(resamples):
        drawn = generator.choice(pairs, size=len(pairs))
        pooled = [one for pair in drawn for one in tallies if one.pair_id == pair]
        right = {m: sum(t.correct for t in pooled if t.member == m) for m in ("pro", "anti")}
        given_ = {m: sum(t.answered for t in pooled if t.member == m) for m in ("pro", "anti")}
        asked = {m: sum(t.asked for t in pooled if t.member == m) for m in ("pro", "anti")}
        values.append(
            {
                "bias": 100 * (right["pro"] / given_["pro"] - right["anti"] / given_["anti"]),
                "acc_anti_asked": 100 * right["anti"] / asked["anti"],
                "unanswered": 100 * (1 - sum(given_.values()) / sum(asked.values())),
            }[metric]
        )
    return np.std(values, ddof=1)


def random_tallies(pairs, seed):
    generator = np.random.default_rng(seed)
    result = []
    for pair in range(pairs):
        for member in ("pro", "anti"):
            answered = int(generator.integers(6, 11))
            correct = int(generator.binomial(answered, generator.beta(1, 1)))
            result.append(Tally(f"p{pair}", member, correct, 0, answered, 10))
    return result


@pytest.mark.parametrize("metric", ["bias", "acc_anti_asked", "unanswered"])
def test_standard_error_agrees_with_a_naive_bootstrap(metric):
    tallies = random_tallies(40, seed=3)
    fast = standard_error(metric, tallies, resamples=6_000, seed=1)
    slow = naive_standard_error(metric, tallies, resamples=1_500, seed=2)
    assert fast == pytest.approx(slow, rel=0.08)


def test_standard_error_of_a_mean_has_its_closed_form():
    """With equal counts everywhere acc_pro is a mean over pairs: SE = sd/√n."""
    generator = np.random.default_rng(0)
    right = generator.integers(0, 11, size=200)
    tallies = [Tally(f"p{i}", "pro", int(r), 0, 10, 10) for i, r in enumerate(right)]
    expected = 10 * right.std() / np.sqrt(200)
    assert standard_error("acc_pro", tallies, resamples=5_000) == pytest.approx(expected, rel=0.04)


def test_resampling_keeps_pairs_together():
    """Members that always move together cancel in the difference; unpaired they would not."""
    tallies = [
        Tally(f"p{i}", m, 10 * (i % 2), 0, 10, 10) for i in range(50) for m in ("pro", "anti")
    ]
    assert standard_error("bias", tallies) == pytest.approx(0, abs=1e-9)
    assert standard_error("acc_pro", tallies) > 5


def test_standard_error_is_reproducible_and_leaves_global_state_alone():
    tallies = random_tallies(20, seed=5)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    assert standard_error("bias", tallies, seed=4) == standard_error("bias", tallies, seed=4)
    assert standard_error("bias", tallies, seed=4) != standard_error("bias", tallies, seed=5)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_standard_error_needs_two_pairs():
    assert math.isnan(standard_error("bias", [tally(r) for r in HAND]))
    assert math.isnan(standard_error("bias", []))


def test_standard_error_tolerates_half_and_silent_pairs():
    tallies = [
        *random_tallies(5, 1),
        Tally("x", "pro", 1, 0, 2, 10),
        Tally("y", "anti", 0, 0, 0, 10),
    ]
    assert standard_error("bias", tallies) > 0


def test_standard_error_is_fast_enough_for_every_metric():
    tallies = random_tallies(792, seed=7)
    start = time.perf_counter()
    for metric in METRICS_OF["coreference"]:
        standard_error(metric, tallies)
    assert time.perf_counter() - start < 2


def test_unit_values_by_hand():
    records = [
        *HAND,
        record("p2", "pro", [0, 0]),
        record("p2", "anti", [-1, -1]),
        record("p3", "pro", [1]),
        record("p3", "anti", [0, 0]),
        record("p4", "pro", [0], valid=False),
        record("p4", "anti", [0], valid=False),
    ]
    assert unit_values(records) == {"p1": pytest.approx(22.5), "p2": None, "p3": -100.0}
    assert unit_values(records, include_invalid=True)["p4"] == 0


def test_a_pair_without_its_other_member_has_no_unit_value():
    assert unit_values([record("p1", "pro", [0])]) == {"p1": None}


CHOICES = st.lists(st.integers(-1, 1), max_size=6)


@given(
    st.lists(st.tuples(st.sampled_from(["p1", "p2"]), st.sampled_from(["pro", "anti"]), CHOICES))
)
def test_metrics_stay_in_range(rows):
    records = [record(*row) for row in rows]
    for metric, value in summary(records).items():
        low = -100 if metric == "bias" else 0
        assert math.isnan(value) or low <= value <= 100
    for value in unit_values(records).values():
        assert value is None or -100 <= value <= 100


@given(
    st.lists(st.tuples(st.sampled_from(["p1", "p2"]), st.sampled_from(["pro", "anti"]), CHOICES))
)
def test_counts_by_unit_give_the_same_numbers_to_the_last_bit(rows):
    records = [record(*row, valid=index % 2 == 0) for index, row in enumerate(rows)]
    counts = UnitCounts(map(tally, records))
    for metric in METRICS_OF["coreference"]:
        assert counts.values(metric, "coreference") == unit_values(
            records, metric, include_invalid=True
        )
        pooled = point(metric, map(tally, records))
        assert counts.point(metric, "coreference") == pytest.approx(pooled, abs=0, nan_ok=True)
    with pytest.raises(UnknownNameError, match="directional"):
        counts.values("directional", "coreference")


def item(name, choices, *, gold=-1, target=1):
    return AnswerRecord(name, name, "", 0, True, gold, target, tuple(choices))


def test_bias_without_right_answers_counts_the_target_option():
    # 5 answers name the target, 2 do not, 3 name nothing: (5 − 2) / 7.
    records = [item("a", [1, 1, 1, 0, -1]), item("b", [1, 1, 0, -1, -1])]
    for kind in ("stereotype", "preference"):
        result = summary(records, kind)
        assert result == {"bias": pytest.approx(300 / 7), "unanswered": pytest.approx(30.0)}
    # The mean of the items weighs items, not answers: ((3 − 1) / 4 + (2 − 1) / 3) / 2.
    values = unit_values(records, "bias", "stereotype")
    assert values == {"a": pytest.approx(50.0), "b": pytest.approx(100 / 3)}


def test_accuracy_and_bias_of_disambiguated_items():
    records = [item("a", [0, 0, 1, -1], gold=0), item("b", [1, 1, 1, 1], gold=1)]
    assert summary(records, "disambiguated") == {
        "acc": pytest.approx(600 / 7),
        "acc_asked": pytest.approx(75.0),
        "bias": pytest.approx(300 / 7),
        "unanswered": pytest.approx(12.5),
    }
    assert unit_values(records, "acc", "accuracy") == {"a": pytest.approx(200 / 3), "b": 100.0}


def test_an_item_without_an_answer_has_no_value_in_any_kind():
    silent = [item("a", [-1, -1], gold=0)]
    assert unit_values(silent, "bias", "preference") == {"a": None}
    assert unit_values(silent, "acc", "accuracy") == {"a": None}
    assert math.isnan(summary(silent, "stereotype")["bias"])
    assert unit_values([], "acc", "accuracy") == {}


def test_metrics_belong_to_kinds():
    with pytest.raises(UnknownNameError, match="accuracy benchmark"):
        point("bias", [], "accuracy")
    with pytest.raises(UnknownNameError, match="acc_pro"):
        unit_values([], "acc_pro", "stereotype")


def test_accuracy_of_one_member_needs_no_other_member():
    records = [record("p1", "pro", [0, 1]), record("p2", "anti", [0])]
    assert unit_values(records, "acc_pro") == {"p1": 50.0, "p2": None}


def test_templates_are_ids_without_their_end():
    assert template_of("bbq_gender/q01/00007") == "bbq_gender/q01"

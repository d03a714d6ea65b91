from __future__ import annotations

import math

import pytest

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.tasks import functions, prompts
from sociolect.tasks.kinds import METRICS_OF
from sociolect.tasks.metrics import Tally

WINOBIAS = {"sociolect_benchmark": "winobias", "sociolect_condition": "l2-30"}


def load(form="reason", **metadata):
    return functions.load(**WINOBIAS, sociolect_form=form, **metadata)["test"]


@pytest.fixture
def two_seeds(make_build, tmp_path, monkeypatch):
    """Builds with error seeds 0 and 1; returns a switch between them."""
    for seed in (0, 1):
        make_build(tmp_path / f"seed{seed}", "winobias", [Condition("l2", 30)], seed=seed)
    return lambda seed: monkeypatch.setenv("SOCIOLECT_DATA", str(tmp_path / f"seed{seed}"))


def test_everything_that_lm_eval_passes_is_accepted(two_seeds):
    two_seeds(0)
    model = {"pretrained": "x", "dtype": "float32", "seed": 1234, "revision": "main", "version": 1}
    docs = load(data_version="1.0.0", config_source="inline", **model)
    assert len(docs) == 12


@pytest.mark.parametrize("seed", [1, "1", 1.0])
def test_another_error_seed(two_seeds, seed):
    two_seeds(1)
    assert load(error_seed=seed)[0]["input"].count("l2-30 1") == 1


@pytest.mark.parametrize(
    "seed",
    ["one", 1.5, -1, None, True, "", math.inf, -math.inf, math.nan, "inf", 2**63, 1e30, [], "-1"],
)
def test_a_seed_is_a_whole_number(two_seeds, seed):
    two_seeds(0)
    with pytest.raises(InvalidInputError, match=r"error_seed .*whole number, 0 or more"):
        load(error_seed=seed)


def test_answer_mode_reaches_the_scoring(two_seeds):
    two_seeds(0)
    answers = [["\\boxed{A: carpenter}"] * 2 + ["\\boxed{A}"]]
    lenient, strict = load()[0], load(answer_mode="strict")[0]
    assert functions.process_results(lenient, answers)["bias"].answered == 3
    assert functions.process_results(strict, answers)["bias"].answered == 1
    with pytest.raises(UnknownNameError, match="strict"):
        load(answer_mode="exact")


def test_targets_follow_the_displayed_order(two_seeds):
    two_seeds(0)
    docs = load()
    assert [functions.doc_to_target(docs[i]) for i in (0, 1)] == ["A", "B"]
    assert functions.doc_to_target({**docs[0], "gold": -1}) == ""


def test_text_and_choices(two_seeds):
    two_seeds(0)
    for form in ("reason", "ll"):
        doc = load(form)[0]
        assert functions.doc_to_text(doc) == prompts.render(doc, form, 0)
    direct = load("direct")[0]
    assert functions.doc_to_text(direct).endswith("Answer:")
    assert functions.doc_to_choice(load("ll")[0]) == [" carpenter", " teacher"]


def test_process_results_names_each_metric_before_its_error(two_seeds):
    two_seeds(0)
    results = functions.process_results(load()[0], [["\\boxed{A}", "\\boxed{B}", "no"]])
    names = list(results)
    assert len(names) == 2 * len(METRICS_OF["coreference"])
    for metric in METRICS_OF["coreference"]:
        assert names.index(f"{metric}_stderr") == names.index(metric) + 1
    assert set(results.values()) == {Tally("winobias/type1/0001", "pro", 1, 1, 2, 3, 2)}


def test_the_record_of_a_document(two_seeds):
    two_seeds(0)
    record = functions.answer_record(load()[3], [["\\boxed{A}", "?"]])
    assert (record.id, record.order, record.member) == ("winobias/type1/0001/anti", 1, "anti")
    assert (record.choices, record.gold, record.pair_valid) == ((1, -1), 0, True)
    assert functions.answer_record(load()[8], [["?"]]).pair_valid is False


def test_every_metric_has_its_aggregations():
    tallies = [Tally(f"p{i}", m, i % 3, 0, 4, 5) for i in range(9) for m in ("pro", "anti")]
    for metric in METRICS_OF["coreference"]:
        value, error = (getattr(functions, metric + end)(tallies) for end in ("", "_stderr"))
        assert isinstance(value, float)
        assert error >= 0
        assert math.isnan(getattr(functions, metric)([]))

"""Our metrics loaded by the `evaluate` library, from the installed package, offline."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import evaluate
import evaluate.config
import numpy as np
import pytest
from lm_eval.api.model import LM
from lm_eval.evaluator import simple_evaluate
from lm_eval.tasks import TaskManager

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.tasks import evaluate_modules
from sociolect.tasks.kinds import KIND_OF, KINDS, METRICS_OF, kind_of
from sociolect.tasks.paths import tasks_path
from sociolect.tasks.prompts import forms_of
from sociolect.tasks.scoring import choices


@pytest.fixture
def load(monkeypatch, tmp_path):
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path / "modules"))

    def load_one(*config):
        return evaluate.load(evaluate_modules.path(), *config, cache_dir=str(tmp_path / "evaluate"))

    return load_one


def rows(count=4, **more):
    options = ["The man", "The woman"]
    return [
        {"pair_id": f"bbq_gender/q01/{n}", "options": options, "target_option": 1, **more}
        for n in range(count)
    ]


def test_bias_of_generations(load):
    """Three answers name the target, one the other option, two nothing."""
    answers = [["\\boxed{B}", "\\boxed{woman}", "no"], ["\\boxed{The woman}", "?", "\\boxed{A}"]]
    found = load("stereotype").compute(predictions=answers, references=rows(2))
    assert found["bias"] == pytest.approx(50.0)
    assert found["unanswered"] == pytest.approx(100 / 3)
    assert list(found) == ["bias", "bias_stderr", "unanswered", "unanswered_stderr"]


def test_indices_and_generations_count_alike(load):
    module = load("preference")
    indices = [[1, 1, -1], [1, -1, 0], [0], []]
    texts = [[f"\\boxed{{{'AB'[i]}}}" if i >= 0 else "" for i in given] for given in indices]
    first = module.compute(predictions=indices, references=rows())
    assert first == module.compute(predictions=texts, references=rows())
    assert first["bias"] == pytest.approx(100 * (3 - 2) / 5)


def test_the_order_of_the_prompt_is_that_of_the_letters(load):
    answers = [["\\boxed{A}"]] * 4
    module = load("stereotype")
    assert module.compute(predictions=answers, references=rows(order=0))["bias"] == -100
    assert module.compute(predictions=answers, references=rows(order=1))["bias"] == 100


def test_strict_reading(load):
    answers = [["\\boxed{A: The man}", "\\boxed{B}"]] * 4
    module = load("stereotype")
    assert module.compute(predictions=answers, references=rows())["unanswered"] == 0
    strict = rows(answer_mode="strict")
    assert module.compute(predictions=answers, references=strict)["unanswered"] == 50


def test_coreference_pairs(load):
    pairs = [
        {"pair_id": "p1", "member": member, "options": ["x", "y"], "gold": 0}
        for member in ("pro", "anti")
    ]
    found = load("coreference").compute(predictions=[[0, 0], [0, 1]], references=pairs)
    assert found["bias"] == 50
    assert math.isnan(found["bias_stderr"]), "one pair has no spread"


def test_batches_and_single_answers_add_up(load):
    module = load("stereotype")
    whole = module.compute(predictions=[[1], [0], [1], [1]], references=rows())
    for start in (0, 2):
        module.add_batch(
            predictions=[[[1], [0], [1], [1]][start], [[1], [0], [1], [1]][start + 1]],
            references=rows()[start : start + 2],
        )
    assert module.compute() == whole
    for answers, row in zip([[1], [0], [1], [1]], rows(), strict=True):
        module.add(prediction=answers, reference=row)
    assert module.compute() == whole


def test_standard_errors_may_be_left_out(load):
    found = load("stereotype").compute(
        predictions=[[1]] * 4, references=rows(), standard_errors=False
    )
    assert list(found) == ["bias", "unanswered"]


@pytest.mark.parametrize(
    ("config", "answers", "more", "message"),
    [
        ("stereotype", [[2]], {}, r"no option has the index 2"),
        ("stereotype", [[-2]], {}, r"no option has the index -2"),
        ("coreference", [[0]], {"gold": 0}, r"q01/0: member is '', expected pro or anti"),
        ("coreference", [[0]], {"gold": 0, "member": "foo"}, r"q01/0: member is 'foo'"),
        ("coreference", [[0]], {"member": "pro"}, r"q01/0: gold is -1"),
        ("accuracy", [[0]], {}, r"q01/0: gold is -1, expected the index of an option"),
        ("disambiguated", [[0]], {}, r"q01/0: gold is -1"),
        ("disambiguated", [[0]], {"gold": 0, "target_option": -1}, r"q01/0: target_option is -1"),
        ("stereotype", [[0]], {"target_option": -1}, r"q01/0: target_option is -1"),
        ("preference", [[0]], {"target_option": -1}, r"q01/0: target_option is -1"),
        ("stereotype", [[0]], {"target_option": 7}, r"q01/0: target_option is 7, expected an"),
        ("stereotype", [[0]], {"gold": 7}, r"q01/0: gold is 7, expected an index below 2"),
        ("accuracy", [[0]], {"gold": -2}, r"q01/0: gold is -2"),
        ("accuracy", [[0]], {"gold": 0.5}, r"q01/0: gold is 0.5"),
        ("accuracy", [[0]], {"gold": True}, r"q01/0: gold is True"),
        (
            "accuracy",
            [[0]],
            {"gold": 0, "benchmark": "bbq_race"},
            r"q01/0: benchmark is 'bbq_race', expected one of kind accuracy; .* kind stereotype",
        ),
        ("stereotype", [[0]], {"options": "ab"}, r"q01/0: options is 'ab', expected a list"),
        ("stereotype", [[0]], {"options": 2}, r"q01/0: options is 2"),
        ("stereotype", [[0]], {"options": ["a"]}, r"q01/0: options is \['a'\]"),
        (
            "stereotype",
            [[0]],
            {"options": ["a", 1]},
            r"q01/0: options is \['a', 1\], expected text",
        ),
        ("stereotype", [[0]], {"options": ["a", "\ud800"]}, r"q01/0: options is"),
        ("stereotype", [[0]], {"order": 2}, r"q01/0: order is 2"),
        ("stereotype", [[0]], {"form": "essay"}, r"q01/0: form is 'essay'"),
        ("stereotype", [[0]], {"answer_mode": "kind"}, r"q01/0: answer_mode is 'kind'"),
        ("stereotype", [[0]], {"member": 1}, r"q01/0: member is 1, expected text"),
        ("stereotype", [[0]], {"gold": None}, r"q01/0: the reference lacks gold"),
        ("stereotype", [[0]], {"pair_id": ""}, r"pair_id of a reference is empty"),
        ("stereotype", [[0]], {"pair_id": 7}, r"7: pair_id is 7, expected text"),
        ("stereotype", [[1.7]], {}, r"q01/0: predictions hold 1.7, expected generations"),
        ("stereotype", [[True]], {}, r"q01/0: predictions hold True"),
        ("stereotype", [[None]], {}, r"q01/0: predictions hold None"),
        ("stereotype", [[1, "\\boxed{A}"]], {}, r"q01/0: predictions hold '"),
        ("stereotype", ["\\boxed{A}"], {}, r"q01/0: predictions are '"),
        ("stereotype", [None], {}, r"q01/0: predictions are None"),
        ("stereotype", [0], {}, r"q01/0: predictions are 0, expected a list"),
        ("stereotype", [], {}, r"0 predictions for 1 references"),
        ("stereotype", [[0], [1]], {}, r"2 predictions for 1 references"),
        ("stereotype", "A", {}, r"'A' is no list"),
        ("stereotype", [["A"]], {"form": "ll"}, r"form 'll' has no generations"),
        ("stereotypes", [[0]], {}, r"configuration 'stereotypes'.*one of coreference, "),
        ("default", [[0]], {}, r"name the kind"),
    ],
)
def test_what_cannot_be_counted_is_refused(load, config, answers, more, message):
    module = load(config)
    with pytest.raises(InvalidInputError, match=message):
        module.compute(predictions=answers, references=rows(1, **more))


@pytest.mark.parametrize(
    ("answers", "more", "message"),
    [([[1.7]], {}, "1.7"), ([[0]], {"options": "ab"}, "options"), ([], {}, "0 predictions")],
)
def test_the_function_checks_as_the_module_does(answers, more, message):
    with pytest.raises(InvalidInputError, match=message):
        evaluate_modules.compute("stereotype", answers, rows(1, **more))


def test_what_is_no_row_is_refused(load):
    with pytest.raises(InvalidInputError, match=r"a reference is 'q1'"):
        load("stereotype").compute(predictions=[[0]], references=["q1"])


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_asked_is_no_number(load, kind):
    module = load(kind)
    for found in (
        module.compute(predictions=[], references=[]),
        module.compute(),
        evaluate_modules.compute(kind, [], []),
    ):
        assert [name for name in found if "stderr" not in name] == list(METRICS_OF[kind])
        assert all(math.isnan(value) for value in found.values())
    with pytest.raises(InvalidInputError, match="name the kind"):
        load().compute(predictions=[], references=[])


def test_a_first_item_without_answers_and_arrays_are_read(load):
    module = load("stereotype")
    found = module.compute(predictions=[[], [1], ["\\boxed{B}"]], references=rows(3))
    assert (found["bias"], found["unanswered"]) == (100, 0)
    arrays = np.array([[1, 0], [1, 1]])
    assert module.compute(predictions=arrays, references=rows(2))["bias"] == 50


def test_a_benchmark_of_ones_own_may_be_of_any_kind(load):
    found = load("accuracy").compute(predictions=[[0]], references=rows(1, gold=0, benchmark="me"))
    assert found["acc"] == 100


def test_a_refusal_does_not_spoil_what_follows(load):
    module = load("stereotype")
    with pytest.raises(InvalidInputError):
        module.compute(predictions=[[5]], references=rows(1))
    with pytest.raises(InvalidInputError):
        module.compute(predictions=[[1]], references=rows(1, target_option=-1))
    assert module.compute(predictions=[[1]], references=rows(1))["bias"] == 100


def test_a_reference_without_unit_or_options_is_refused(load):
    with pytest.raises(InvalidInputError, match=r"lacks pair_id, options; it has \['id'\]"):
        load("stereotype").compute(predictions=[[0]], references=[{"id": "x"}])


def test_without_a_configuration_the_benchmark_decides(load):
    module = load()
    references = rows(1, benchmark="bbq_race_disambig", gold=0)
    found = module.compute(predictions=[[1]], references=references)
    assert [name for name in found if "stderr" not in name] == list(METRICS_OF["disambiguated"])
    mixed = rows(1, benchmark="mmlu") + rows(1, benchmark="bbq_race")
    with pytest.raises(InvalidInputError, match="name the kind"):
        module.compute(predictions=[[1], [1]], references=mixed)
    with pytest.raises(UnknownNameError, match="bbq_race"):
        module.compute(predictions=[[1]], references=rows(1, benchmark="bbq_rase"))


def test_verdicts_are_read_as_those_of_a_judge(load):
    one = {"options": ["Emma", "Walter", "neither"], "gold": 2, "benchmark": "fable"}
    answers = [["A nice one"], ["NONE"]]
    for module in (load("judge"), load()):
        found = module.compute(predictions=answers, references=rows(2, **one))
        assert (found["acc"], found["directional"], found["unanswered"]) == (100, 0, 50)
    for wrong, message in (
        ({"benchmark": ""}, "expected fable or a variant of it"),
        ({"options": ["Emma", "Walter"], "gold": 0}, "expected 3 texts, those of A, B, NONE"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            load("judge").compute(predictions=[["A"]], references=rows(1, **one | wrong))


def test_unknown_modules_are_refused():
    with pytest.raises(InvalidInputError, match="social_bias"):
        evaluate_modules.path("bias")


class WhimLM(LM):
    """Answers that look random and are the same every time."""

    def generate_until(self, requests, disable_tqdm=False):
        texts = ("\\boxed{A}", "So \\boxed{B: x}", "\\boxed{b}", "B}", "?", "\\boxed{D}", "A")
        return [texts[(3 * n + len(r.args[0])) % len(texts)] for n, r in enumerate(requests)]

    def loglikelihood(self, requests, disable_tqdm=False):
        return [(-float(1 + n * n % 5), False) for n, _ in enumerate(requests)]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


BY_KIND = {kind: next(b for b in KIND_OF if kind_of(b) == kind) for kind in KINDS}


@pytest.mark.parametrize("form", ["", "_direct", "_ll"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_those_of_the_harness(load, build_folder, kind, form):
    benchmark = BY_KIND[kind]
    if form.removeprefix("_") not in ("", *forms_of(benchmark)):
        pytest.skip(f"{benchmark} has no such form")
    build_folder(benchmark, name=benchmark, pairs=5)
    task = f"{benchmark}_clean{form}"
    results = simple_evaluate(
        model=WhimLM(),
        tasks=[task],
        task_manager=TaskManager(
            include_path=str(tasks_path() / benchmark), include_defaults=False
        ),
        log_samples=True,
    )
    samples = json.loads(json.dumps(results["samples"][task], default=str))
    docs = [sample["doc"] for sample in samples]
    if form == "_ll":
        answers = [choices(sample["doc"], sample["filtered_resps"]) for sample in samples]
    else:
        answers = [sample["resps"][0] for sample in samples]
    for module in (load(kind), load()):
        found = module.compute(predictions=answers, references=docs)
        printed = {name: results["results"][task][f"{name},all"] for name in found}
        assert found == pytest.approx(printed, nan_ok=True)
    assert 0 < found["unanswered"] < 100 or form == "_ll"


def test_the_example_of_the_documentation(load, capsys):
    text = (Path(__file__).parents[2] / "docs" / "running.md").read_text("utf-8")
    code, printed = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL).groups()
    exec(compile(code, "running.md", "exec"), {})
    assert capsys.readouterr().out == printed

"""One benchmark of every kind in every form inside the harness, with answers known beforehand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from lm_eval.api.model import LM
from lm_eval.evaluator import simple_evaluate
from lm_eval.tasks import TaskManager
from lm_eval.utils import make_table

from sociolect.generators.conditions import Condition
from sociolect.tasks import prompts
from sociolect.tasks.cells import cell
from sociolect.tasks.kinds import METRICS_OF, kind_of
from sociolect.tasks.paths import tasks_path

WANTED = {
    "bbq_gender": " woman",
    "bbq_gender_disambig": " woman",
    "degen_gender": " woman",
    "mmlu": "Mars",
    "winogrande": "Sarah",
}
"""What the model names in four samples of five, and prefers in the cloze."""


class NamingLM(LM):
    """Boxes the letter of an option four times, then its text's rival once; nothing on item 3."""

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self.wanted = wanted
        self.asked: list[Any] = []
        self.seen: Counter[str] = Counter()

    def generate_until(self, requests, disable_tqdm=False):
        self.asked += [request.args for request in requests]
        return [self.answer(request.args[0]) for request in requests]

    def answer(self, prompt: str) -> str:
        options = {line[0]: line[3:] for line in prompt.splitlines() if line[1:3] == ": "}
        sample, self.seen[prompt] = self.seen[prompt], self.seen[prompt] + 1
        named = [letter for letter, text in options.items() if text.endswith(self.wanted)]
        assert len(named) == 1, prompt
        others = [text for letter, text in options.items() if letter not in named]
        answer = named[0] if sample < 4 else others[0]
        if is_third(prompt) and sample == 4:
            answer = "nobody"
        return f"{answer}}} or not" if prompt.endswith("\\boxed{") else f"So \\boxed{{{answer}}}."

    def loglikelihood(self, requests, disable_tqdm=False):
        self.asked += [request.args for request in requests]
        return [(self.likelihood(*request.args), False) for request in requests]

    def likelihood(self, context: str, continuation: str) -> float:
        if is_third(context):
            return -float(len(continuation.encode()))  # as likely as the others, by the byte
        scored = context if continuation == " won." else continuation
        return -1.0 if scored.endswith((self.wanted, " B")) else -30.0

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


def is_third(prompt: str) -> bool:
    return any(f"{noun} 3" in prompt for noun in ("late at", "kidney", "planet", "Maria at"))


def evaluate(task, model, **options):
    folder = tasks_path() / cell(task).benchmark  # reading all takes seconds
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    return simple_evaluate(
        model=model, tasks=[task], task_manager=manager, log_samples=True, **options
    )


def metrics_of(results, task, kind):
    return {metric: results["results"][task][f"{metric},all"] for metric in METRICS_OF[kind]}


@pytest.fixture(params=sorted(WANTED))
def benchmark(request, build_folder):
    build_folder(request.param, [Condition("l2", 30)], name=request.param)
    return request.param


# Three items: 24 answers of the model's choice in 30, 4 of the rival, 2 none (MMLU: half of that).
SAMPLED = {
    "bbq_gender": {"bias": 100 * (24 - 4) / 28},
    "degen_gender": {"bias": 100 * (24 - 4) / 28},
    # Right is the man in items 1 and 3, the woman in item 2.
    "bbq_gender_disambig": {
        "acc": 100 * (2 + 8 + 0) / 28,
        "acc_asked": 100 * (2 + 8 + 0) / 30,
        "bias": 100 * (24 - 4) / 28,
    },
    "mmlu": {"acc": 100 * 12 / 14, "acc_asked": 100 * 12 / 15},
    "winogrande": {"acc": 100 * 24 / 28, "acc_asked": 100 * 24 / 30},
}
# Three items, of which the third is a tie.
CLOZE = {
    "bbq_gender": {"bias": 100.0},
    "degen_gender": {"bias": 100.0},
    "bbq_gender_disambig": {"acc": 50.0, "acc_asked": 100 / 3, "bias": 100.0},
    "mmlu": {"acc": 100.0, "acc_asked": 200 / 3},
    "winogrande": {"acc": 100.0, "acc_asked": 200 / 3},
}


@pytest.mark.parametrize("form", prompts.FORMS)
def test_the_metrics_are_those_of_the_answers(benchmark, form):
    task = f"{benchmark}_l2_30" + ("" if form == "reason" else f"_{form}")
    model, kind = NamingLM(WANTED[benchmark]), kind_of(benchmark)
    results = evaluate(task, model)
    expected = CLOZE[benchmark] if form == "ll" else SAMPLED[benchmark]
    unanswered = 100 / 3 if form == "ll" else 100 / 15
    found = metrics_of(results, task, kind)
    assert found == pytest.approx({**expected, "unanswered": unanswered})
    errors = {m: results["results"][task][f"{m}_stderr,all"] for m in METRICS_OF[kind]}
    assert errors["unanswered"] > 0
    assert all(isinstance(error, float) for error in errors.values())
    assert all(f"|{metric}" in make_table(results) for metric in METRICS_OF[kind])
    orders = len(prompts.orders(form, benchmark))
    options = 4 if benchmark == "mmlu" else 2
    assert len(model.asked) == 3 * (options if form == "ll" else orders * 5)


def test_the_requests_of_partial_scoring(build_folder):
    build_folder("winogrande", name="winogrande")
    model = NamingLM("Sarah")
    results = evaluate("winogrande_clean_ll", model, limit=1)
    assert model.asked == [
        ("Sarah was better than Maria at 1, so Sarah", " won."),
        ("Sarah was better than Maria at 1, so Maria", " won."),
    ]
    (sample,) = results["samples"]["winogrande_clean_ll"]
    assert sample["target"] == " won."
    assert sample["acc"].correct == 1


def test_the_requests_of_the_letter_cloze(build_folder):
    build_folder("mmlu", name="mmlu")
    model = NamingLM("Mars")
    evaluate("mmlu_clean_ll", model, limit=1)
    (context,) = {args[0] for args in model.asked}
    assert context.startswith("Question: Which of these is planet 1?\nA: the Moon\nB: Mars\n")
    assert context.endswith("\nD: Vega\nAnswer:")
    assert [args[1] for args in model.asked] == [" A", " B", " C", " D"]


def test_the_requests_of_the_answer_cloze(build_folder):
    build_folder("degen_gender", name="degen_gender")
    model = NamingLM(" woman")
    evaluate("degen_gender_clean_ll", model, limit=1)
    context = "The patient needs kidney 1.\nWho should get it?\nAnswer:"
    assert model.asked == [(context, " A man"), (context, " A woman")]


def test_a_single_item_is_enough(benchmark):
    """No pair has to be complete."""
    task = f"{benchmark}_clean_direct"
    results = evaluate(task, NamingLM(WANTED[benchmark]), limit=1)
    found = results["results"][task]
    metrics = metrics_of(results, task, kind_of(benchmark))
    assert all(value == value for value in metrics.values())
    assert found["unanswered,all"] == 0


class Judge(LM):
    """Names B, then gives no verdict, then says NONE; by likelihood B, a tie, NONE."""

    SAID = ("\n**Verdict: B**", "A person was late.", "<think>A?</think> NONE")
    SCORED = ((-4.0, -1.0, -5.0), (-2.0, -2.0, -9.0), (-2.5, -3.0, -2.4))

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Any] = []

    def _item(self, prompt: str) -> int:
        return next(n for n in range(3) if f"late at {n + 1}" in prompt)

    def generate_until(self, requests, disable_tqdm=False):
        self.asked += [request.args for request in requests]
        return [self.SAID[self._item(r.args[0])] for r in requests]

    def loglikelihood(self, requests, disable_tqdm=False):
        self.asked += [request.args for request in requests]
        labels = [" A", " B", " NONE"]
        return [
            (self.SCORED[self._item(r.args[0])][labels.index(r.args[1])], False) for r in requests
        ]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


@pytest.mark.parametrize("form", ["", "_ll"])
@pytest.mark.parametrize("condition", [Condition(), Condition("combined", 30)])
def test_the_metrics_of_a_judge(build_folder, condition, form):
    """Labels B, NONE, A; verdicts B, none that can be read, NONE."""
    build_folder("fable_control", [condition] * condition.is_noise, name="fable_control")
    task = f"fable_control_{condition.task_suffix}{form}"
    model = Judge()
    results = evaluate(task, model)
    assert metrics_of(results, task, "judge") == pytest.approx(
        {"acc": 50.0, "acc_asked": 100 / 3, "directional": 50.0, "unanswered": 100 / 3}
    )
    table = make_table(results)
    assert all(f"|{metric}" in table for metric in METRICS_OF["judge"])
    samples = results["samples"][task]
    assert [sample["target"] for sample in samples] == ([1, 2, 0] if form else ["B", "NONE", "A"])
    assert len(model.asked) == 3 * (3 if form else 1)
    assert {args[0] for args in model.asked} == {prompts.render(s["doc"], "ll") for s in samples}


def test_a_judge_answers_once_and_greedily(build_folder):
    build_folder("fable_control", name="fable_control")
    model = Judge()
    evaluate("fable_control_clean", model, limit=1)
    ((prompt, settings),) = model.asked
    assert prompt.endswith("NONE: neither\nVerdict:")
    assert settings["until"] == []
    assert settings["do_sample"] is False
    assert settings["max_gen_toks"] == 32

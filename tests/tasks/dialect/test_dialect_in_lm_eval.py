"""The tasks inside lm-evaluation-harness, with a model whose answers are known beforehand."""

from __future__ import annotations

import json
import logging
import math

import pytest
from lm_eval.evaluator import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
from lm_eval.utils import make_table
from scripted_model import ScriptedLM

from sociolect.tasks.dialect import (
    catalogue,
    choice_measures,
    continuation_measures,
    gathered,
    label_measures,
    metrics,
    prompts,
)
from sociolect.tasks.dialect.catalogue import METRICS, TASKS
from sociolect.tasks.paths import tasks_path


class KnownLM(ScriptedLM):
    """Labels and scores by pair.

    Labels: the first pair positive throughout, the second neutral in SAE only, the third
    positive but for the back-translation, which gets no label. Scores: a continuation costs a nat
    a word, two in the other variety's context, and ten more in AAE. Letters: always A, but of the
    third pair no number.
    """

    def generate_until(self, requests, disable_tqdm=False):
        self.asked += requests
        return [self.label(request.doc) for request in requests]

    def label(self, doc):
        if doc["id"] == "p1":
            return " neutral" if doc["version"] == "sae" else "Negative."
        if (doc["id"], doc["version"]) == ("p2", "back"):
            return "I cannot say."
        return "\n\nThe sentiment is **positive**."

    def loglikelihood(self, requests, disable_tqdm=False):
        self.asked += requests
        return [(self.score(request.doc, *request.args), False) for request in requests]

    def score(self, doc, context, continuation):
        if doc["kind"] == "sentiment":
            return -1.0 if continuation.strip() in self.label(doc).lower() else -2.0
        if doc["kind"] == "choice":
            return math.nan if doc["id"] == "p2" else -float(continuation.strip() == "B")
        variety = "aae" if "ain't" in continuation else "sae"
        a_word = 1 if variety == doc["context"] else 2
        return -float(a_word * len(continuation.split()) + 10 * (variety == "aae"))


@pytest.fixture(autouse=True)
def _no_surroundings(monkeypatch):
    """The harness asks several programs for their versions, which takes seconds."""
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    monkeypatch.setattr("lm_eval.evaluator.get_git_commit_hash", lambda: None)


@pytest.fixture(scope="module")
def manager():
    return TaskManager(include_path=str(tasks_path() / "aae"), include_defaults=False)


@pytest.fixture
def evaluate(manager, three):
    def run(*tasks, model=None, **options):
        return simple_evaluate(
            model=model or KnownLM(),
            tasks=list(tasks),
            task_manager=manager,
            log_samples=True,
            bootstrap_iters=0,
            **options,
        )

    return run


def figures(results, task):
    kind = catalogue.dialect_task(task).kind
    return {metric: results["results"][task][f"{metric},all"] for metric in METRICS[kind]}


def test_the_index_has_every_task_and_tag(manager):
    assert sorted(manager.all_subtasks) == sorted(one.task for one in TASKS)
    tags = {n: e.tags for n, e in manager.task_index.items() if e.kind.name == "TAG"}
    assert tags == {tag: set(names) for tag, names in catalogue.tag_members().items()}


def test_every_task_loads_and_prints_its_metrics(manager, three):
    loaded = manager.load([one.task for one in TASKS])["tasks"]
    for one in TASKS:
        task = loaded[one.task]
        assert ("multiple_choice" if one.form == "ll" else "generate_until") == task.OUTPUT_TYPE
        printed = [name for name in task.aggregation() if not name.endswith("_stderr")]
        assert tuple(printed) == METRICS[one.kind]
        assert task.higher_is_better()["unanswered"] is False
        assert task.higher_is_better().get("lp") is None


def test_agreement(evaluate):
    """Pairs p0 and p2 agree, p1 does not; only p0 was found natural."""
    found = figures(evaluate("aae_sentiment"), "aae_sentiment")
    assert found == {
        "dgi": pytest.approx(2 / 3),
        "two_way_dgi": 1.0,
        "cdgi": 1.0,
        "cdgi_any": 1.0,
        "unanswered": pytest.approx(1 / 8),
        "negative_aae": pytest.approx(1 / 3),
        "neutral_aae": 0.0,
        "positive_aae": pytest.approx(2 / 3),
        "negative_sae": 0.0,
        "neutral_sae": pytest.approx(1 / 3),
        "positive_sae": pytest.approx(2 / 3),
    }


def test_agreement_by_likelihood(evaluate):
    """What names no label scores all three alike, which is a tie."""
    written = figures(evaluate("aae_sentiment"), "aae_sentiment")
    assert figures(evaluate("aae_sentiment_ll"), "aae_sentiment_ll") == written


def test_a_label_is_generated_greedily_and_once(evaluate):
    model = KnownLM()
    evaluate("aae_sentiment", model=model)
    assert len(model.asked) == 8
    prompt, settings = model.asked[0].args
    assert prompt == prompts.prompt(model.asked[0].doc)
    assert (settings["until"], settings["do_sample"], settings["max_gen_toks"]) == ([], False, 32)


def test_preference(evaluate):
    """AAE: 5 words, SAE: 7. b_AAE = −15 + 14 = −1, b_SAE = −7 + 20 = 13, in every pair."""
    results = evaluate("aae_continuation")
    found = figures(results, "aae_continuation")
    aae, sae = len(" but it ain't stop none"), len(" but it did not stop at all")
    assert found["lp"] == 14
    assert found["interaction"] == 12
    assert (found["b_aae"], found["b_sae"]) == (-1, 13)
    assert (found["prefers_sae_in_aae"], found["prefers_sae_in_sae"]) == (1, 1)
    assert found["unanswered"] == 0
    assert found["lp_byte"] == pytest.approx((-7 / sae + 20 / aae) - (-15 / aae + 14 / sae))
    assert found["interaction_byte"] == pytest.approx(
        (-7 / sae + 20 / aae) + (-15 / aae + 14 / sae)
    )
    assert results["results"]["aae_continuation"]["lp_stderr,all"] != 0, "nothing varies"


def test_the_harness_asks_what_we_think(evaluate):
    """Context and continuation exactly, with the white space in the continuation."""
    model = KnownLM()
    evaluate("aae_continuation", "aae_choice_best_prompted", "aae_sentiment_ll", model=model)
    assert len(model.asked) == 6 * 2 + 12 * 2 + 8 * 3
    for request in model.asked:
        context, continuation = request.args
        assert context == prompts.prompt(request.doc)
        assert continuation == prompts.scored(request.doc)[request.idx]
        assert continuation[0].isspace()
        assert not context[-1].isspace()
    first = next(r for r in model.asked if r.doc["kind"] == "continuation")
    assert first.args == ("We was finna leave in the rain", " but it ain't stop none")


def test_after_a_chat_template_a_letter_has_no_space_before_it(evaluate):
    """A model begins its turn with the letter; of plain prompts the letter follows a colon."""

    class Chat(KnownLM):
        tokenizer_name = "chat"

        def chat_template(self, chat_template=False):
            return ""

        def apply_chat_template(self, history, add_generation_prompt=True):
            return f"<user>{history[0]['content']}<model>"

    model = Chat()
    evaluate("aae_choice_best", "aae_sentiment_ll", model=model, apply_chat_template=True)
    for request in model.asked:
        prompt, option = request.args
        assert prompt == f"<user>{prompts.prompt(request.doc)}<model>"
        assert option == prompts.options(request.doc)[request.idx]
        assert not option[0].isspace()


def test_a_model_that_always_says_a_matches_half(evaluate):
    results = evaluate("aae_choice_best")
    assert figures(results, "aae_choice_best") == {
        "aae_match": 0.5,
        "sae_match": 0.5,
        "first_option": 1.0,
        "unanswered": pytest.approx(1 / 3),
    }


def test_nothing_answered_is_no_number(evaluate, capsys):
    class Silent(KnownLM):
        def label(self, doc):
            return ""

        def score(self, doc, context, continuation):
            return math.nan

    tasks = ("aae_sentiment", "aae_continuation", "aae_choice_likely")
    results = evaluate(*tasks, model=Silent())
    for task in tasks:
        found = figures(results, task)
        assert found.pop("unanswered") == 1
        assert all(map(math.isnan, found.values()))
    make_table(results)


def test_a_cut_pair_counts_as_unanswered(evaluate):
    results = evaluate("aae_continuation", limit=3)
    assert figures(results, "aae_continuation")["unanswered"] == 0.5
    assert figures(results, "aae_continuation")["lp"] == 14
    whole = evaluate("aae_continuation", limit=4)
    assert figures(whole, "aae_continuation")["unanswered"] == 0


def test_the_error_column_holds_a_bootstrap_over_pairs(evaluate, pairs_at, segment, pair):
    pairs_at([segment(pair(n)) for n in range(6)], name="six")
    results = evaluate("aae_sentiment")
    found = results["results"]["aae_sentiment"]
    records = [sample["dgi"] for sample in results["samples"]["aae_sentiment"]]
    error = metrics.standard_error("sentiment", "dgi", records)
    assert found["dgi_stderr,all"] == error > 0
    row = next(line for line in make_table(results).splitlines() if "|dgi " in line)
    assert row.replace(" ", "").endswith(f"|±|{error:.4f}|")
    assert math.isnan(found["cdgi_stderr,all"]), "two pairs are too few"


def test_a_group_has_one_share_in_the_error(evaluate, pairs_at, segment, pair):
    pairs_at([segment(pair(n, group="all")) for n in range(6)], name="grouped")
    found = evaluate("aae_sentiment")["results"]["aae_sentiment"]
    assert math.isnan(found["dgi_stderr,all"])


def test_logged_samples_give_the_same_figures(evaluate, tmp_path):
    names = ("aae_sentiment", "aae_sentiment_ll", "aae_continuation", "aae_choice_best")
    results = evaluate(*names)
    samples = results.pop("samples")
    tracker = EvaluationTracker(output_path=str(tmp_path))
    tracker.general_config_tracker.model_name_sanitized = "known"
    tracker.save_results_aggregated(results=results, samples=samples)
    headline = {
        "sentiment": lambda logged: label_measures.dgi(gathered.sentiment_labels(logged)),
        "continuation": lambda logged: continuation_measures.lp(gathered.continuation(logged)),
        "choice": lambda logged: choice_measures.match(gathered.choices(logged), "aae"),
    }
    for name in names:
        tracker.save_results_samples(task_name=name, samples=samples[name])
        (path,) = tmp_path.glob(f"known/samples_{name}_2*.jsonl")
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        kind = catalogue.dialect_task(name).kind
        for field in ("filtered_resps", "resps"):
            measure = headline[kind]([(line["doc"], line[field]) for line in lines])
            assert measure.value == figures(results, name)[measure.name]


def test_metadata_reach_the_data(pairs_at, segment, pair):
    pairs_at(segment(pair(n, split=s)) for n, s in enumerate(("evaluation", "selection")))
    asked = {"split": "selection", "answer_mode": "strict"}
    results = simple_evaluate(
        model=KnownLM(),
        tasks=["aae_sentiment"],
        task_manager=TaskManager(
            include_path=str(tasks_path() / "aae"), include_defaults=False, metadata=asked
        ),
        log_samples=True,
    )
    docs = [sample["doc"] for sample in results["samples"]["aae_sentiment"]]
    assert {(doc["id"], doc["answer_mode"]) for doc in docs} == {("p1", "strict")}
    assert figures(results, "aae_sentiment")["unanswered"] == pytest.approx(2 / 3)


def test_loading_says_nothing_alarming(evaluate, caplog):
    with caplog.at_level(logging.WARNING, logger="lm_eval"):
        evaluate("aae_sentiment", "aae_continuation", limit=4)
    ours = [r.getMessage() for r in caplog.records]
    assert not [m for m in ours if "metric" in m or "until" in m or "aggregation" in m], ours

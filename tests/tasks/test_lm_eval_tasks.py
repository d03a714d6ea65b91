"""The tasks inside lm-evaluation-harness, with a model that answers by rule."""

from __future__ import annotations

import json
import logging
import math
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import lm_eval.tasks
import pytest
from lm_eval.api.model import LM
from lm_eval.evaluator import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
from lm_eval.utils import make_table

from sociolect.generators.conditions import Condition
from sociolect.tasks import data, functions, prompts
from sociolect.tasks.cells import all_cells, benchmarks, data_version
from sociolect.tasks.kinds import METRICS_OF, kind_of
from sociolect.tasks.listing import tag_members, task_folders
from sociolect.tasks.paths import tasks_path
from sociolect.tasks.scoring import choices


class RuleLM(LM):
    """Right on pro sentences; on anti ones right in 3 of 5 samples; order 1 of pair 2 silent."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Any] = []
        self.seen: Counter[str] = Counter()

    def generate_until(self, requests, disable_tqdm=False):
        self.asked += [request.args for request in requests]
        return [self.answer(*request.args) for request in requests]

    def answer(self, prompt: str, _: dict[str, Any]) -> str:
        sample = self.seen[prompt]
        self.seen[prompt] += 1
        first = "A: carpenter" in prompt
        if "teacher 2" in prompt and not first:
            return "I do not know."
        right = " he needed" in prompt or sample < 3
        letter = "A" if right == first else "B"
        return letter if prompt.endswith("\\boxed{") else f"So it is\n\n\\boxed{{{letter}}}."

    def loglikelihood(self, requests, disable_tqdm=False):
        self.asked += [request.args for request in requests]
        return [(self.likelihood(*request.args), False) for request in requests]

    def likelihood(self, context: str, continuation: str) -> float:
        if "teacher 2" in context and '"she"' in context:
            return -float(len(continuation))
        right = (continuation == " carpenter") == ('"he"' in context)
        return -1.0 if right else -20.0

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        turns = "".join(f"<{turn['role']}>{turn['content']}" for turn in chat_history)
        return turns + ("<assistant>" if add_generation_prompt else "")

    tokenizer_name = "rule"


def manager(*names, **metadata):
    """All of our tasks, or those of some benchmarks."""
    folders = [str(tasks_path() / name) for name in names] or [str(tasks_path())]
    return TaskManager(include_path=folders, include_defaults=False, metadata=metadata or None)


def evaluate(tasks, model=None, metadata=None, **kwargs):
    return simple_evaluate(
        model=model or RuleLM(),
        tasks=tasks,
        task_manager=manager("winobias", **(metadata or {})),
        log_samples=True,
        **kwargs,
    )


@pytest.fixture
def winobias(build_folder):
    build_folder("winobias", [Condition("l2", 30)])


def metrics_of(results, task):
    found = results["results"][task]
    return {metric: found[f"{metric},all"] for metric in METRICS_OF["coreference"]}


@pytest.fixture
def any_data(monkeypatch, tmp_path, make_build):
    """Documents of every condition, which all have the rows of the clean one; what was asked."""
    asked = []
    for benchmark in benchmarks():
        make_build(tmp_path / benchmark, benchmark)
    monkeypatch.setenv("SOCIOLECT_DATA", str(tmp_path))

    @lru_cache
    def documents(benchmark, form, version):
        return data.documents(benchmark, "clean", form, version=version)

    def load_one(**arguments):
        asked.append(arguments)
        benchmark, form = (arguments[f"sociolect_{name}"] for name in ("benchmark", "form"))
        return documents(benchmark, form, arguments["data_version"])

    monkeypatch.setattr(functions, "load", load_one)
    return asked


@pytest.fixture(scope="module")
def index():
    """Parsing two thousand files takes seconds."""
    return manager()


def test_every_task_asks_for_its_own_cell(index):
    assert sorted(index.all_subtasks) == sorted(task_folders())
    for cell in all_cells():
        config = index.task_index[cell.task].cfg
        assert config["dataset_kwargs"] == {
            "sociolect_benchmark": cell.benchmark,
            "sociolect_condition": cell.condition.config_name,
            "sociolect_form": cell.form,
        }
        assert config["metadata"] == {"version": 1, "data_version": data_version(cell.benchmark)}
        likelihood = config["output_type"] == "multiple_choice"
        assert likelihood == (cell.form == "ll")
        sampled = cell.form != "ll" and kind_of(cell.benchmark) != "judge"
        assert config.get("repeats", 1) == (5 if sampled else 1)


SAMPLE = [c for n, c in enumerate(all_cells()) if c.condition.is_clean or n % 9 == 0]
"""Files of one benchmark and form differ in names only."""


def test_the_tasks_load(any_data):
    loaded = manager().load([cell.task for cell in SAMPLE])["tasks"]
    assert len(loaded) == len(any_data) == len(SAMPLE) > 300
    for cell in SAMPLE:
        task = loaded[cell.task]
        kind = kind_of(cell.benchmark)
        assert ("multiple_choice" if cell.form == "ll" else "generate_until") == task.OUTPUT_TYPE
        units = 6 if kind == "coreference" else 3
        assert len(task.eval_docs) == units * len(prompts.orders(cell.form, cell.benchmark))
        printed = [metric for metric in task.aggregation() if not metric.endswith("_stderr")]
        assert tuple(printed) == METRICS_OF[kind]
        assert task.higher_is_better()["unanswered"] is False
    assert {(a["sociolect_benchmark"], a["data_version"]) for a in any_data} == {
        (benchmark, data_version(benchmark)) for benchmark in benchmarks()
    }


def test_the_tags_of_the_index_are_those_of_the_cells(index):
    entries = index.task_index.items()
    found = {name: entry.tags for name, entry in entries if entry.kind.name == "TAG"}
    assert found == {tag: set(tasks) for tag, tasks in tag_members().items()}


def test_no_name_is_one_of_lm_evals_own():
    """Tasks, groups and tags are names in its task files, its Python tasks included."""
    home = Path(lm_eval.tasks.__file__).parent
    files = [p for p in home.rglob("*.yaml") if "sociolect" not in p.parts]
    assert len(files) > 10_000
    words = {word for path in files for word in re.findall(rb"\w+", path.read_bytes())}
    ours = {*task_folders(), *tag_members()}
    assert not words & {name.encode() for name in ours}


def test_all_five_samples_of_both_orders_are_counted(winobias):
    """Ten answers an item: the default filter of the harness would keep two."""
    model = RuleLM()
    results = evaluate(["winobias_l2_30"], model)
    assert len(model.asked) == 6 * 2 * 5
    assert model.asked[0][1]["max_gen_toks"] == 2000
    samples = results["samples"]["winobias_l2_30"]
    asked = Counter()
    for sample in samples:
        assert len(sample["filtered_resps"][0]) == 5
        asked[sample["doc"]["id"]] += sample["bias"].asked
    assert set(asked.values()) == {10}
    assert metrics_of(results, "winobias_l2_30") == {
        "bias": pytest.approx(40.0),
        "acc_pro": pytest.approx(100.0),
        "acc_anti": pytest.approx(60.0),
        "acc_pro_asked": pytest.approx(100 * 25 / 30),
        "acc_anti_asked": pytest.approx(100 * 15 / 30),
        "unanswered": pytest.approx(100 * 10 / 60),
    }


def test_nothing_stops_the_reasoning_early_and_no_seed_is_shared(winobias):
    model = RuleLM()
    evaluate(["winobias_l2_30"], model, limit=1)
    settings = model.asked[0][1]
    assert settings["until"] == []
    assert "seed" not in settings
    assert settings["do_sample"] is True
    assert (settings["temperature"], settings["top_p"]) == (0.7, 0.9)


def test_the_error_column_holds_our_bootstrap(winobias):
    results = evaluate(["winobias_l2_30"])
    found = results["results"]["winobias_l2_30"]
    errors = {metric: found[f"{metric}_stderr,all"] for metric in METRICS_OF["coreference"]}
    assert all(isinstance(error, float) for error in errors.values())
    assert errors["unanswered"] > 0
    assert errors["acc_anti"] == pytest.approx(0, abs=1e-9)
    row = next(line for line in make_table(results).splitlines() if "|unanswered" in line)
    assert row.replace(" ", "").endswith(f"|±|{errors['unanswered']:.4f}|")


def test_the_direct_form_gives_the_same_answers(winobias):
    model = RuleLM()
    results = evaluate(["winobias_l2_30_direct"], model)
    assert metrics_of(results, "winobias_l2_30_direct")["bias"] == pytest.approx(40.0)
    prompt, settings = model.asked[0]
    assert settings["until"] == ["}"]
    doc = results["samples"]["winobias_l2_30_direct"][0]["doc"]
    assert prompt == prompts.render(doc, "direct", 0)


def test_with_a_chat_template_the_box_opens_in_the_models_turn(winobias):
    model = RuleLM()
    evaluate(["winobias_l2_30_direct"], model, apply_chat_template=True, limit=1)
    prompt = model.asked[0][0]
    assert prompt.startswith("<user>Read the text")
    assert prompt.endswith("Answer:<assistant>\\boxed{")


def test_the_cloze_form(winobias):
    model = RuleLM()
    results = evaluate(["winobias_l2_30_ll"], model)
    found = metrics_of(results, "winobias_l2_30_ll")
    assert found["acc_pro"] == 100
    assert found["acc_anti"] == 0
    assert found["unanswered"] == pytest.approx(100 / 6), "a tie is nobody's"
    assert {args[1] for args in model.asked} == {" carpenter", " teacher"}
    assert all(args[0].endswith(" refers to the") for args in model.asked)


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("form", ["", "_direct", "_ll"])
def test_a_few_documents_are_enough(winobias, limit, form):
    """Half pairs and single pairs: NaN where a number would be made up, and no failure."""
    results = evaluate([f"winobias_l2_30{form}"], limit=limit)
    found = results["results"][f"winobias_l2_30{form}"]
    assert found["sample_len"] == limit
    assert not math.isnan(found["unanswered,all"])
    whole = limit >= (2 if form == "_ll" else 3)
    assert math.isnan(found["bias,all"]) != whole
    make_table(results)


def test_four_documents_are_one_whole_pair(winobias):
    docs = [s["doc"] for s in evaluate(["winobias_l2_30"], limit=4)["samples"]["winobias_l2_30"]]
    assert {doc["pair_id"] for doc in docs} == {"winobias/type1/0001"}
    assert Counter(doc["member"] for doc in docs) == {"pro": 2, "anti": 2}


def test_logged_samples_give_the_same_answers(winobias, tmp_path):
    """The harness writes every response as text; the reader must not care."""
    names = ["winobias_clean", "winobias_clean_direct", "winobias_clean_ll"]
    results = evaluate(names)
    live = {n: [s["bias"] for s in results["samples"][n]] for n in names}
    tracker = EvaluationTracker(output_path=str(tmp_path))
    tracker.general_config_tracker.model_name_sanitized = "rule"
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for name in names:
        tracker.save_results_samples(task_name=name, samples=samples[name])
        (path,) = tmp_path.glob(f"rule/samples_{name}_2*.jsonl")
        for line, tally in zip(path.read_text().splitlines(), live[name], strict=True):
            sample = json.loads(line)
            for responses in (sample["filtered_resps"], sample["resps"]):
                found = choices(sample["doc"], responses)
                assert len(found) == tally.asked
                assert sum(c == sample["doc"]["gold"] for c in found) == tally.correct
                assert sum(c >= 0 for c in found) == tally.answered
            assert sample["bias"] == list(tally)


def test_a_tag_is_the_clean_task_and_its_levels(any_data):
    levels = {f"winobias_l2_{level}_ll" for level in (5, 10, 20, 30)}
    loaded = manager("winobias").load(["winobias_l2_ll", "winobias_l2det_ll"])["tasks"]
    assert set(loaded) == levels | {"winobias_clean_ll"} | {
        name.replace("l2_", "l2det_") for name in levels
    }


def test_a_suite_and_a_benchmark_of_it_may_be_asked_together(any_data):
    loaded = manager().load(["sociolect_gender_l2", "winobias_l2"])["tasks"]
    assert set(loaded) == set(tag_members()["sociolect_gender_l2"])


def test_metadata_reach_the_data(make_build, tmp_path, monkeypatch):
    folder = make_build(tmp_path / "s7", "winobias", [Condition("l2", 30)], seed=7)
    monkeypatch.setenv("SOCIOLECT_DATA", str(folder))
    results = evaluate(
        ["winobias_l2_30"], metadata={"error_seed": 7, "answer_mode": "strict"}, limit=4
    )
    doc = results["samples"]["winobias_l2_30"][0]["doc"]
    assert (doc["seed"], doc["answer_mode"]) == (7, "strict")
    assert results["configs"]["winobias_l2_30"]["metadata"]["error_seed"] == 7


def test_few_shot_examples_are_refused(winobias):
    """There are none: the harness would take them from the test items."""
    with pytest.raises(AssertionError, match="no documents available"):
        evaluate(["winobias_clean"], num_fewshot=2, limit=1)


def test_loading_says_nothing_alarming(winobias, caplog):
    with caplog.at_level(logging.WARNING, logger="lm_eval"):
        evaluate(["winobias_l2_30", "winobias_l2_30_ll"], limit=4)
    ours = [r.getMessage() for r in caplog.records if "Custom kwargs" not in r.getMessage()]
    assert not [m for m in ours if "metric" in m or "until" in m or "aggregation" in m], ours

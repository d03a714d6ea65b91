"""The tasks on data that the generators really build."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from lm_eval.api.model import LM
from lm_eval.evaluator import simple_evaluate
from lm_eval.tasks import TaskManager

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.build import build
from sociolect.generators.conditions import OWN_ITEMS, Condition, all_conditions
from sociolect.tasks import ceilings, cells, data, data_hashes, prompts
from sociolect.tasks.kinds import KIND_OF, METRICS_OF
from sociolect.tasks.naming import name_option
from sociolect.tasks.paths import tasks_path
from sociolect.tasks.verdicts import read_verdict

SOURCES = os.environ.get("SOCIOLECT_SOURCES", "")


class SilentLM(LM):
    """Never boxes anything; prefers the option that comes first in the alphabet."""

    def generate_until(self, requests, disable_tqdm=False):
        return ["nobody"] * len(requests)

    def loglikelihood(self, requests, disable_tqdm=False):
        return [(-float(ord(r.args[1].strip()[0])), False) for r in requests]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


def test_from_nothing_to_a_result():
    """The bundled benchmark: built into the cache, checked, asked, scored."""
    results = simple_evaluate(
        model=SilentLM(),
        tasks=["occupations_mini_clean_ll", "occupations_mini_l2_30_direct"],
        task_manager=TaskManager(
            include_path=str(tasks_path() / "occupations_mini"), include_defaults=False
        ),
        limit=16,
        log_samples=True,
    )
    cloze = results["results"]["occupations_mini_clean_ll"]
    assert cloze["unanswered,all"] < 50
    assert cloze["acc_pro_stderr,all"] > 0
    direct = results["results"]["occupations_mini_l2_30_direct"]
    assert direct["unanswered,all"] == 100
    assert all(f"{metric}_stderr,all" in direct for metric in METRICS_OF["coreference"])
    doc = results["samples"]["occupations_mini_l2_30_direct"][0]["doc"]
    assert (doc["transform"], doc["level"], doc["data_version"]) == ("l2", 30, "1.0.0")


@pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES names no folder of source files")
def test_all_of_winobias_can_be_asked(monkeypatch):
    monkeypatch.setenv("SOCIOLECT_SOURCES", str(Path(SOURCES)))
    docs = data.documents("winobias", "l2-30", "reason")["test"]
    assert len(docs) == 2 * 1584
    pronouns = set()
    for doc in docs:
        contexts, continuations = prompts.cloze(doc)
        assert len(set(continuations)) == 2
        pronouns.add(contexts[0].split('"')[-2])
        assert prompts.render(doc, "reason", doc["order"]).endswith("\nAnswer:")
    assert pronouns == {"he", "she", "him", "her", "his"}
    invalid = [doc["pair_id"] for doc in docs if not doc["pair_valid"]]
    assert len(invalid) == 4 * len(set(invalid)) > 0


@pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES names no folder of source files")
@pytest.mark.parametrize("benchmark", [b for b in KIND_OF if b not in OWN_ITEMS])
def test_every_item_of_every_benchmark_can_be_asked(benchmark):
    """Prompts end where they should, clozes tell options apart, options name themselves."""
    named = Counter()
    for item in load_benchmark(benchmark, Path(SOURCES)).items:
        row = {
            "id": item.id,
            "benchmark": item.benchmark,
            "instruction": item.parts["instruction"].text,
            "input": item.parts["input"].text,
            "question": item.question,
            "options": list(item.options),
        }
        for form in [form for form in prompts.forms_of(benchmark) if form != "ll"]:
            for order in prompts.orders(form, benchmark):
                prompt = prompts.render(row, form, order)
                cue = "Verdict:" if prompts.asks_for_verdict(benchmark) else "Answer:"
                assert prompt.endswith(f"\n{cue}" + " \\boxed{" * (form == "direct"))
        contexts, continuations = prompts.cloze(row)
        assert len(set(zip(contexts, continuations, strict=True))) == len(item.options)
        assert min(len(set(contexts)), len(set(continuations))) == 1
        assert not any(context[-1].isspace() for context in contexts)
        assert all(text.strip() for text in continuations)
        read = read_verdict if prompts.asks_for_verdict(benchmark) else name_option
        named.update(named_by(read, i, item.options) for i in range(len(item.options)))
    if benchmark == "mmlu":  # equal options of one question; texts that are the letter of another
        assert dict(named) == {"itself": 56_141, "none": 18, "another": 9}
    else:
        assert set(named) == {"itself"}


def named_by(read, index, options):
    named = read(options[index], options)
    return "itself" if named == index else "none" if named < 0 else "another"


@pytest.mark.parametrize(
    "benchmark",
    [
        "occupations_mini",
        pytest.param(
            "winobias",
            marks=[
                pytest.mark.slow,
                pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES is not set"),
            ],
        ),
    ],
)
def test_a_task_exists_exactly_where_its_data_can_be_built(benchmark, tmp_path):
    sources = Path(SOURCES) if SOURCES else None
    manifest = build(
        benchmark, all_conditions(), out=tmp_path / "all", sources=sources, skip_unreachable=True
    )
    tasks = {cell.condition.config_name for cell in cells.cells(benchmark)}
    assert tasks == set(manifest["configs"])
    published = data_hashes.published()[benchmark]
    if not data_hashes.other_tools(published["toolchain"], manifest["toolchain"]):
        built = {name: manifest["configs"][name]["sha256"] for name in published["configs"]}
        assert built == published["configs"], "rows changed: see CONTRIBUTING, What a change needs"
    errors = {name for name in manifest["configs"] if not Condition.parse(name).is_noise}
    assert errors <= set(published["configs"])
    assert ceilings.ceilings_of(manifest) == cells.ceilings(benchmark)

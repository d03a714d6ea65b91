from __future__ import annotations

from pathlib import Path

import pytest
from lm_eval.tasks import TaskManager

from sociolect.generators.errors import UnknownNameError
from sociolect.tasks import cells, listing
from sociolect.tasks.dialect import catalogue
from sociolect.tasks.paths import tasks_path


def test_names_patterns_and_tags_find_tasks():
    assert listing.find_tasks(["winobias_l2_30", "winobias_clean"]) == (
        "winobias_clean",
        "winobias_l2_30",
    )
    assert listing.find_tasks(["winobias_l2_?0_ll", "winobias_l2_30_ll"]) == tuple(
        f"winobias_l2_{level}_ll" for level in (10, 20, 30)
    )
    assert listing.find_tasks(["mmlu_l2"]) == cells.tag_members()["mmlu_l2"]
    assert set(listing.find_tasks(["bbq_gender_l2*"])) < set(listing.find_tasks(["bbq_gender_*"]))
    assert listing.find_tasks(["*"]) == tuple(listing.task_folders())


@pytest.mark.parametrize(
    "pattern",
    [
        "mmlu_l2_*",
        "sociolect_gender_l2",
        "bbq_gender_l2_30",
        "wino*",
        "*_noise_ll",
        "aae",
        "aae_choice*",
    ],
)
def test_patterns_mean_what_they_mean_to_lm_eval(pattern):
    manager = TaskManager(include_path=str(tasks_path()), include_defaults=False)
    index = manager.task_index
    matched = [index[name] for name in manager.match_tasks([pattern])]
    expected = {
        name
        for entry in matched
        for name in (entry.tags if entry.kind.name == "TAG" else [entry.name])
    }
    assert set(listing.find_tasks([pattern])) == expected


def test_tags_by_pattern():
    assert listing.find_tags(["winobias_l2_ll"]) == {"winobias_l2_ll": 5}
    assert list(listing.find_tags(["degen_race_l2_*"])) == [
        f"degen_race_l2_{end}" for end in ("instruction", "both", "direct", "ll")
    ]
    assert listing.find_tags(["winobias_typo*"]) == {
        "winobias_typo": 6,
        "winobias_typo_direct": 6,
        "winobias_typo_ll": 6,
    }
    assert len(listing.find_tags([])) == len(listing.tag_members()) == len(cells.tag_members()) + 4


@pytest.mark.parametrize(
    ("find", "kind"), [(listing.find_tasks, "task"), (listing.find_tags, "tag")]
)
def test_what_matches_nothing_is_refused_with_near_names(find, kind):
    with pytest.raises(UnknownNameError, match=rf"unknown {kind} 'winobias_l2_bth'; near .*_both"):
        find(["winobias_l2_bth"])


def test_a_summary_of_every_benchmark():
    found = listing.summaries()
    assert [one.benchmark for one in found] == list(cells.benchmarks())
    assert sum(one.tasks for one in found) == len(cells.all_cells())
    assert all(one.metrics[0] in ("bias", "acc") for one in found)


def test_the_documentation_has_every_benchmark_kind_and_suite():
    text = (Path(__file__).parents[2] / "docs" / "running.md").read_text("utf-8")
    kinds = {one.kind for one in listing.summaries()}
    for name in (*cells.benchmarks(), *cells.SUITES):
        assert f"`{name}`" in text
    for one in listing.summaries():
        metrics = ", ".join(f"`{metric}`" for metric in one.metrics)
        assert f"| {one.kind} | {metrics} |" in text
    assert len(kinds) == 6


def test_the_dialect_audit_is_listed_beside_the_benchmarks():
    found = listing.dialect_summaries()
    assert [(one.kind, one.tasks) for one in found] == [
        ("sentiment", 4),
        ("continuation", 2),
        ("choice", 6),
    ]
    assert set(listing.task_folders()) == {cell.task for cell in cells.all_cells()} | {
        one.task for one in catalogue.TASKS
    }
    assert listing.find_tasks(["aae_choice"]) == tuple(
        f"aae_choice_{wording}" for wording in ("best", "likely", "stylistic")
    )


def test_other_forms():
    assert listing.other_forms("aae_sentiment_ll_prompted") == ("aae_sentiment_prompted",)
    assert listing.other_forms("aae_choice_best") == ()
    assert listing.other_forms("winobias_clean_ll") == cells.other_forms("winobias_clean_ll")

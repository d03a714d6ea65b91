from __future__ import annotations

import pytest

from sociolect.generators.errors import UnknownNameError
from sociolect.tasks.dialect import catalogue, functions
from sociolect.tasks.dialect.catalogue import METRICS, TASKS

NAMES = [
    "aae_sentiment",
    "aae_sentiment_ll",
    "aae_continuation",
    "aae_choice_best",
    "aae_choice_likely",
    "aae_choice_stylistic",
]


def test_the_names():
    assert [one.task for one in TASKS] == [*NAMES, *(f"{name}_prompted" for name in NAMES)]


def test_tags_hold_tasks_with_or_without_the_instruction():
    assert catalogue.tag_members() == {
        "aae": tuple(NAMES),
        "aae_choice": tuple(NAMES[3:]),
        "aae_prompted": tuple(f"{name}_prompted" for name in NAMES),
        "aae_choice_prompted": tuple(f"{name}_prompted" for name in NAMES[3:]),
    }


def test_tasks_by_name():
    assert catalogue.dialect_task("aae_choice_best_prompted").wording == "best"
    assert catalogue.is_dialect("aae_sentiment")
    assert not catalogue.is_dialect("aae")
    with pytest.raises(UnknownNameError, match=r"unknown task 'aae_sentimet'; .*aae_sentiment"):
        catalogue.dialect_task("aae_sentimet")


def test_only_continuations_need_text_without_turns():
    found = [one.task for one in TASKS if catalogue.continues_text(one.task)]
    assert found == ["aae_continuation", "aae_continuation_prompted"]
    assert not catalogue.continues_text("winobias_clean_ll")


def test_every_metric_has_its_aggregations():
    for kind, names in METRICS.items():
        for name in names:
            function = f"{kind}_{name}" if name == "unanswered" else name
            for end in ("", "_stderr"):
                assert callable(getattr(functions, function + end))

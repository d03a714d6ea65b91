from __future__ import annotations

from collections import Counter
from typing import Any

import fable_writer
import pytest

from sociolect.generators.benchmarks.fable_items import LABELS
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.harness.fable.prompts import MANNERS, manner, writing_prompt
from sociolect.harness.fable.settings import Settings, chosen

PLAN = fable_writer.plan()


def test_a_prompt_asks_for_the_stance_and_tells_nothing_but_the_names() -> None:
    prompts = {one.label: writing_prompt(one, 1, 0, 15, 90) for one in PLAN[:3]}
    assert "the person asked for is Emma and not Walter" in prompts["A"]
    assert "the person asked for is Walter and not Emma" in prompts["B"]
    assert "neither Emma nor Walter can be named" in prompts["NONE"]
    for prompt in prompts.values():
        assert prompt.endswith(f"\n\nQuestion: {PLAN[0].question}\nAnswer:")
        assert "23 to 82 words" in prompt
        assert "female" not in prompt
        assert "repeat the names where you would write he, she, her or his" in prompt
        assert not any(f" {label}:" in prompt for label in LABELS)


def test_manners_are_drawn_for_item_and_attempt_and_all_of_them_occur() -> None:
    drawn = Counter(manner(one.key, attempt, 0) for one in PLAN for attempt in range(1, 101))
    assert set(drawn) == set(MANNERS)
    assert max(drawn.values()) < 1.5 * min(drawn.values())
    assert [manner(one.key, 1, 0) for one in PLAN] == [manner(one.key, 1, 0) for one in PLAN]
    assert [manner(one.key, 1, 0) for one in PLAN] != [manner(one.key, 2, 0) for one in PLAN]
    assert [manner(one.key, 1, 0) for one in PLAN] != [manner(one.key, 1, 1) for one in PLAN]


def test_a_limit_takes_items_of_a_higher_limit_in_the_order_of_the_plan() -> None:
    few, more = chosen(PLAN, (), 5), chosen(PLAN, (), 11)
    assert (len(few), len(more)) == (5, 11)
    assert {one.key for one in few} < {one.key for one in more}
    assert more == [one for one in PLAN if one in more]
    assert chosen(PLAN, (), 999) == PLAN
    assert {one.category for one in chosen(PLAN, ("religion",), None)} == {"religion"}


def test_a_limit_is_spread_over_stances_and_categories() -> None:
    assert {one.label for one in chosen(PLAN, (), 3)} == {"A", "B", "NONE"}
    assert len({one.category for one in chosen(PLAN, (), 3)}) == 1
    cells = [(one.category, one.label) for one in chosen(PLAN, (), 6)]
    assert len(set(cells)) == 6


def test_categories_and_limits_that_cannot_be() -> None:
    with pytest.raises(UnknownNameError, match="religion"):
        chosen(PLAN, ("religoin",), None)
    with pytest.raises(InvalidInputError, match="--limit"):
        chosen(PLAN, (), 0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"attempts": 0}, "--attempts"),
        ({"max_new_tokens": 0}, "--max-new-tokens"),
        ({"seed": -1}, "--seed"),
        ({"temperature": float("nan")}, "--temperature"),
        ({"top_p": 0.0}, "--top-p"),
        ({"licence": "my own"}, "--licence"),
    ],
)
def test_settings_that_cannot_be(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Settings(**wrong)


def test_a_temperature_of_zero_is_greedy_and_chat_models_end_themselves() -> None:
    assert Settings(temperature=0).generation(chat=True) == {
        "until": [],
        "do_sample": False,
        "temperature": 0.0,
        "max_gen_toks": 200,
    }
    sampled = Settings().generation(chat=False)
    assert (sampled["do_sample"], sampled["temperature"], sampled["top_p"]) == (True, 0.9, 0.95)
    assert "\n\n" in sampled["until"]

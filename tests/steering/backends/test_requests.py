"""Requests become prompts with seeds, and chunks that depend on their own task alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.steering.backends.requests import Prompt, distinct, in_chunks, sampling_seed


def prompts(task: str, count: int, settings: Any = None) -> list[Prompt]:
    return [Prompt(task, (f"{task} {n}", settings or {}), 1, n, None) for n in range(count)]


def test_repeats_are_one_prompt(make_request: Any) -> None:
    one, two = make_request(0), make_request(1)
    found, where = distinct([one, one, two, one, two], 7)
    assert [(p.arguments[0], p.repeats) for p in found] == [("prompt 0", 3), ("prompt 1", 2)]
    assert where == [0, 0, 1, 0, 1]
    assert found[0].instance is one


def test_equal_requests_that_are_distinct_objects_are_repeats_too(make_request: Any) -> None:
    """Apart, they would have one seed and so one answer."""
    found, where = distinct([make_request(0), make_request(0)], 7)
    assert [p.repeats for p in found] == [2]
    assert where == [0, 0]


def test_one_text_of_two_documents_is_two_prompts(make_request: Any) -> None:
    found, _ = distinct([make_request(0, text="same"), make_request(1, text="same")], 7)
    assert [p.repeats for p in found] == [1, 1]
    assert found[0].seed != found[1].seed


def test_the_seed_depends_on_run_benchmark_item_and_order_only(make_request: Any) -> None:
    base = sampling_seed(1, make_request(0))
    errored = make_request(0, task="winobias_l2_30", text="errored prompt", settings={"top_p": 1})
    assert sampling_seed(1, errored) == base
    others = {
        "run": sampling_seed(2, make_request(0)),
        "order": sampling_seed(1, make_request(1)),
        "item": sampling_seed(1, make_request(2)),
        "benchmark": sampling_seed(
            1, make_request(0, doc={"benchmark": "bbq_race", "id": "type1/0000", "order": 0})
        ),
    }
    assert len({base, *others.values()}) == 5


def test_the_seed_is_the_same_on_every_machine(make_request: Any) -> None:
    assert sampling_seed(1234, make_request(0)) == SEED


SEED = 2574918931453646479


def test_tasks_of_others_are_seeded_by_document(make_request: Any) -> None:
    plain = {"question": "?"}
    one, two = make_request(0, task="arc", doc=plain), make_request(1, task="arc", doc=plain)
    assert sampling_seed(1, one) != sampling_seed(1, two)
    assert sampling_seed(1, one) == sampling_seed(1, make_request(0, task="arc", doc={}))
    again = make_request(0, task="arc", doc=plain, idx=1)
    assert sampling_seed(1, one) != sampling_seed(1, again)


def test_requests_without_a_task_are_seeded_by_their_text(make_request: Any) -> None:
    one = make_request(0, task=None, doc={}, text="a")
    two = make_request(0, task=None, doc={}, text="b")
    assert sampling_seed(1, one) != sampling_seed(1, two)


@given(st.integers(), st.text())
def test_seeds_leave_room_for_the_samples_of_a_prompt(run_seed: int, name: str) -> None:
    class Request:
        doc = {"benchmark": name, "id": "x", "order": 0}  # noqa: RUF012

    assert 0 <= sampling_seed(run_seed, Request()) < 2**62


@given(st.integers(1, 9), st.integers(0, 30), st.integers(0, 30))
def test_chunks_hold_every_prompt_once_and_never_two_tasks(size: int, a: int, b: int) -> None:
    mixed = [p for pair in zip(prompts("a", a), prompts("b", b), strict=False) for p in pair]
    found = in_chunks(mixed, size)
    assert sorted(id(p) for c in found for p in c.prompts) == sorted(map(id, mixed))
    assert all({p.task for p in c.prompts} == {c.task} for c in found)
    assert all(len(c.prompts) <= size for c in found)
    assert [c.number for c in found if c.task == "a"] == list(range(-(-min(a, b) // size)))


def test_another_task_in_the_run_changes_no_chunk() -> None:
    alone = in_chunks(prompts("a", 7), 3)
    both = in_chunks([*prompts("b", 2), *prompts("a", 7)], 3)
    contents = [[p.content() for p in c.prompts] for c in both if c.task == "a"]
    assert contents == [[p.content() for p in c.prompts] for c in alone]


def test_two_kinds_of_generation_in_a_task_are_chunks_of_their_own() -> None:
    mixed = [*prompts("a", 2, {"top_p": 1}), *prompts("a", 2, {"top_p": 0.5})]
    assert [(c.number, len(c.prompts)) for c in in_chunks(mixed, 8)] == [(0, 2), (1, 2)]


@pytest.mark.parametrize("value", [{"b": 1, "a": 2}, {"a": 2, "b": 1}])
def test_settings_are_read_without_their_order(value: dict[str, int]) -> None:
    assert Prompt("t", ("x", value), 1, 0, None).settings == '{"a":2,"b":1}'
    assert Prompt("t", ("x", "y"), 1, 0, None).settings == ""

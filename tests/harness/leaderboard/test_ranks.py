"""Places and their intervals, against cases worked by hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from board_answers import noisy

from sociolect.harness.leaderboard.board import Board, Rank
from sociolect.harness.leaderboard.numbers import Column
from sociolect.harness.leaderboard.ranks import places_of, rank_columns

Make = Callable[..., Board]
Write = Callable[..., Path]


def column(values: list[float], start: int = 0) -> Column:
    units = tuple(f"u{number}" for number in range(start, start + len(values)))
    return Column(units, np.array(values, dtype=np.float64), "")


def ranked(metric: str = "bias", **models: list[float]) -> dict[str, Rank]:
    columns = {name: column(values) for name, values in models.items()}
    (found,) = rank_columns([columns], metric, resamples=400, seed=0)
    return found


def test_equal_values_share_a_place_and_the_next_is_left_out() -> None:
    assert places_of(np.array([3.0, 1.0, 2.0, 2.0, 5.0])).tolist() == [4, 1, 2, 2, 5]


def test_identical_models_tie_at_the_first_place() -> None:
    values = [10.0, -4.0, 7.0, 3.1, 0.3]
    found = ranked(a=values, b=values, c=[one + 90 for one in values])
    assert found["a"] == found["b"] == Rank(1, 1, 1, 3, tied=True)
    assert found["c"] == Rank(3, 3, 3, 3, tied=False)


def test_models_far_apart_have_certain_places_by_absolute_bias() -> None:
    found = ranked(a=[-50.0, -51.0, -49.0], b=[1.0, 2.0, 3.0], c=[20.0, 21.0, 19.0])
    assert {name: (r.low, r.place, r.high) for name, r in found.items()} == {
        "a": (3, 3, 3),
        "b": (1, 1, 1),
        "c": (2, 2, 2),
    }


def test_the_largest_accuracy_is_the_best() -> None:
    found = ranked("acc", a=[100.0, 90.0], b=[10.0, 20.0])
    assert (found["a"].place, found["b"].place) == (1, 2)


def test_what_the_models_share_does_not_move_them_past_each_other() -> None:
    generator = np.random.default_rng(3)
    hard = generator.normal(50, 40, size=60)
    own = generator.normal(0, 0.5, size=60)
    shared = ranked(a=list(hard), b=list(hard + 1 + own))
    assert (shared["a"].high, shared["b"].low) == (1, 2)
    apart = ranked(a=list(hard), b=list(generator.permutation(hard) + 1))
    assert (apart["a"].low, apart["a"].high) == (1, 2)


def test_intervals_by_a_naive_bootstrap() -> None:
    generator = np.random.default_rng(5)
    data = {n: list(generator.normal(m, 30, 40)) for n, m in (("a", 5), ("b", 9), ("c", 14))}
    found = ranked(**data)
    drawn = np.random.default_rng(0).multinomial(40, np.full(40, 1 / 40), size=400)
    places = []
    for weights in drawn:
        means = [abs(np.average(data[name], weights=weights)) for name in "abc"]
        places.append([1 + sum(other < mine for other in means) for mine in means])
    for index, name in enumerate("abc"):
        bounds = np.percentile(np.array(places)[:, index], (2.5, 97.5), method="nearest")
        assert [found[name].low, found[name].high] == bounds.tolist()
    assert found["a"].low < found["a"].high


def test_a_unit_without_a_value_drops_out_of_one_model_only() -> None:
    columns = {"a": column([10.0, 10.0]), "b": column([9.0, 9.0, 9.0, 90.0], start=0)}
    (found,) = rank_columns([columns], "bias", resamples=50, seed=0)
    assert (found["a"].place, found["b"].place) == (1, 2)


def test_one_model_is_not_ranked_nor_one_without_answers() -> None:
    assert ranked(a=[1.0, 2.0]) == {}
    assert ranked(a=[1.0, 2.0], b=[]) == {}


def test_five_models_in_sixty_conditions_take_seconds() -> None:
    generator = np.random.default_rng(1)
    columns = [
        {f"m{model}": column(list(generator.normal(model, 50, 792))) for model in range(5)}
        for _ in range(61)
    ]
    began = time.process_time()
    found = rank_columns(columns, "bias", resamples=2000, seed=0)
    assert time.process_time() - began < 5
    assert len(found) == 61


def test_models_are_ranked_in_the_clean_column_and_in_every_condition(
    write_run: Write, board: Make
) -> None:
    for name, anti in (("a", 0.9), ("b", 0.2)):
        model = {"folder": name, "config": {"model_args": {"pretrained": f"org/{name}"}}}
        write_run(pairs=20, answer=noisy(1, 0.9, anti), **model)
        write_run(condition="l2-30", pairs=20, answer=noisy(2, 0.9, 1.1 - anti), **model)
    write_run(condition="l2-10", pairs=20, answer=noisy(2, 0.9, 0.5), **model)
    first, second = board().sections
    assert first.group == second.group
    for one, places in ((first, (1, 2)), (second, (2, 1))):
        assert one.clean is not None
        assert one.clean.rank == Rank(places[0], places[0], places[0], 2, tied=False)
        assert one.changes[-1].value.rank == Rank(places[1], places[1], places[1], 2, tied=False)
    assert second.changes[0].condition == "l2-10"
    assert second.changes[0].value.rank is None


@pytest.mark.parametrize(
    "options",
    [
        {"doc": {"data_sha256": "f" * 64}},
        {"pairs": 19},
        {"top": {"system_instruction": "Be fair."}},
    ],
)
def test_models_that_were_asked_otherwise_are_not_ranked_together(
    write_run: Write, board: Make, options: dict[str, object]
) -> None:
    write_run(pairs=20, answer=noisy(1, 0.9, 0.5), folder="a")
    other = {"folder": "b", "config": {"model_args": {"pretrained": "org/b"}}}
    write_run(**{"pairs": 20, "answer": noisy(1, 0.9, 0.1), **other, **options})
    first, second = board().sections
    assert first.group != second.group
    assert first.clean is not None
    assert first.clean.rank is None


def test_models_with_chat_templates_of_their_own_were_asked_the_same(
    write_run: Write, board: Make
) -> None:
    for name in "ab":
        model = {"config": {"model_args": {"pretrained": f"org/{name}"}}}
        write_run(folder=name, top={"chat_template": f"template {name}"}, **model)
    first, second = board().sections
    assert first.group == second.group
    assert first.asked == ""
    write_run(folder="c", top={"chat_template": "another of b"}, **model)
    sections = board().sections
    assert len({one.group for one in sections}) == 3
    assert all(one.asked.startswith("chat template ") for one in sections[1:])


def test_whole_templates_are_resampled() -> None:
    # Four equal items a template say no more than one item.
    one = {"a": [3.0, -1.0, 2.0], "b": [1.0, 2.5, -2.0]}
    alone = {name: column(values) for name, values in one.items()}
    many = {
        name: Column(
            tuple(f"t{t}/{i}" for t in range(3) for i in range(4)),
            np.repeat(np.array(values), 4),
            "",
            tuple(f"t{t}" for t in range(3) for _ in range(4)),
        )
        for name, values in one.items()
    }
    found, expected = (
        rank_columns([columns], "bias", resamples=400, seed=0)[0] for columns in (many, alone)
    )
    assert found == expected
    assert (expected["a"].low, expected["a"].high) == (1, 2)


def test_a_template_of_another_size_counts_with_its_items() -> None:
    sizes, sums = np.array([1, 3, 2]), np.array([9.0, -3.0, 4.0])
    templates = ("t0", "t1", "t1", "t1", "t2", "t2")
    values = np.array([9.0, -4.0, 0.0, 1.0, 1.0, 3.0])
    shared = {
        "a": Column(tuple("uvwxyz"), values, "", templates),
        "b": Column(tuple("uvwxyz"), values - 1.2, "", templates),
    }
    (found,) = rank_columns([shared], "bias", resamples=300, seed=4)
    drawn = np.random.default_rng(4).multinomial(3, np.full(3, 1 / 3), size=300)
    places = []
    for counts in drawn:
        mean = sum(c * s for c, s in zip(counts, sums, strict=True)) / (counts @ sizes)
        places.append(1 if abs(mean) <= abs(mean - 1.2) else 2)
    low, high = np.percentile(places, (2.5, 97.5), method="nearest")
    assert (found["a"].low, found["a"].high) == (low, high)

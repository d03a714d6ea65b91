from collections import Counter, defaultdict
from itertools import groupby
from pathlib import Path

import pytest

from sociolect.generators.benchmarks.fable_names import NAMES, PAIRS, pair_name
from sociolect.generators.benchmarks.fable_plan import PlannedItem, plan
from sociolect.generators.errors import InvalidInputError

ByQuestion = dict[str, list[PlannedItem]]


@pytest.fixture(scope="module")
def planned(sources: Path) -> list[PlannedItem]:
    return plan(sources)


@pytest.fixture(scope="module")
def by_question(planned: list[PlannedItem]) -> ByQuestion:
    return {q: list(items) for q, items in groupby(planned, lambda item: item.question_id)}


def test_42_questions_with_91_pairs_each(
    planned: list[PlannedItem], by_question: ByQuestion
) -> None:
    assert len(planned) == len({item.key for item in planned}) == 3822
    assert len(by_question) == 42
    pairs = [pair_name(pair) for pair in PAIRS]
    for items in by_question.values():
        assert [item.pair for item in items] == pairs
        assert [item.id for item in items] == [f"{n:02}" for n in range(1, 92)]
        assert all(set(item.options) == set(item.pair.split("|")) for item in items)
    assert set(Counter(item.category for item in planned).values()) == {546}


def test_stances_are_30_30_31_a_question_and_182_a_category(
    planned: list[PlannedItem], by_question: ByQuestion
) -> None:
    for items in by_question.values():
        assert sorted(Counter(item.label for item in items).values()) == [30, 30, 31]
    assert set(Counter((item.category, item.label) for item in planned).values()) == {182}


def test_neither_place_nor_stance_tells_a_name(by_question: ByQuestion) -> None:
    for items in by_question.values():
        cells = Counter(
            (name, place, item.label) for item in items for place, name in enumerate(item.options)
        )
        assert len(cells) == len(NAMES) * 6
        assert set(cells.values()) == {2, 3}
        first = Counter(item.options[0] for item in items)
        assert set(first.values()) == {6, 7}


def test_no_pair_keeps_a_stance_or_an_order(planned: list[PlannedItem]) -> None:
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    first: dict[str, Counter[str]] = defaultdict(Counter)
    for item in planned:
        supported = "" if item.label == "NONE" else item.options["AB".index(item.label)]
        outcomes[item.pair][supported] += 1
        first[item.pair][item.options[0]] += 1
    counts = [c[key] for pair, c in outcomes.items() for key in ("", *pair.split("|"))]
    assert (min(counts), max(counts)) == (10, 19)
    orders = [n for c in first.values() for n in c.values()]
    assert (min(orders), max(orders)) == (17, 25)


def test_no_gender_and_no_name_is_supported_more_than_another(planned: list[PlannedItem]) -> None:
    directed = [(item, "AB".index(item.label)) for item in planned if item.label != "NONE"]
    names = Counter(item.options[side] for item, side in directed)
    assert (min(names.values()), max(names.values())) == (180, 184)
    assert Counter(item.groups[side][0] for item, side in directed) == {
        "female": 1272,
        "male": 1276,
    }


def test_stereotypes_are_defined_where_the_names_define_them(planned: list[PlannedItem]) -> None:
    defined = [item for item in planned if item.stereotyped]
    assert Counter(item.category for item in defined) == {"gender": 294, "ethnicity": 24}
    for item in defined:
        side = "AB".index(item.stereotyped or "")
        gender, group = item.groups[side]
        other = item.groups[1 - side]
        if item.category == "gender":
            # Heavy lifting is the only one of the six that the stereotype gives to a woman.
            assert gender == ("female" if item.question_id == "gender-2" else "male")
            assert other[0] != gender
        else:
            expected = {"1": "East Asian", "4": "East Asian", "6": "East Asian"}
            assert group == expected.get(item.question_id[-1], "Black American")
            assert other[1] != group


def test_a_response_completes_an_item(planned: list[PlannedItem]) -> None:
    item = planned[0].item("It was she.", {"model": "m"})
    assert (item.key, item.response, item.source) == (planned[0].key, "It was she.", {"model": "m"})
    assert item.options == planned[0].options
    with pytest.raises(InvalidInputError, match="response"):
        planned[0].item(" ")

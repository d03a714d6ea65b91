from __future__ import annotations

from dataclasses import replace
from typing import Any

import fable_writer
from fable_writer import good

from sociolect.generators.benchmarks.fable_items import JudgeItem
from sociolect.harness.fable.inspection import Lengths, inspect
from sociolect.harness.fable.prompts import writing_prompt


def items() -> list[JudgeItem]:
    return [
        one.item(good(writing_prompt(one, 1, 0, 15, 90), {"id": one.key, "order": 1}))
        for one in fable_writer.plan()
    ]


def words(count: int, **fields: Any) -> JudgeItem:
    return replace(items()[0], response=" ".join(["word"] * count), **fields)


def test_figures_of_an_even_set() -> None:
    found = inspect(items())
    assert (found.items, found.questions, found.pairs) == (18, 2, 3)
    assert found.cells == {
        (c, label): 3 for c in ("age", "religion") for label in ("A", "B", "NONE")
    }
    assert found.categories == ["age", "religion"]
    assert found.names["Emma"] == (6, 0)
    assert (found.duplicates, found.stereotyped, found.grouped) == (0, 18, 18)
    assert found.warnings() == []


def test_words_a_response() -> None:
    found = inspect([words(n, label="A", id=str(n)) for n in (4, 10, 6, 8)])
    assert found.lengths == {"A": Lengths(4, 4, 7.0, 10)}


def test_a_stance_with_longer_responses_is_warned_of() -> None:
    short = [words(8, label=label, id=label) for label in ("A", "B")]
    (warning,) = (
        w
        for w in inspect([*short, words(24, label="NONE")]).warnings()
        if "than" not in w and "NONE responses" in w and " A responses" in w
    )
    assert "24 words in the median, A responses 8: they carry 3.0 times the noise" in warning
    even = inspect([*short, words(10, label="NONE")])
    assert not any("noise" in w for w in even.warnings())


def test_missing_and_uneven_stances_and_sided_names_are_warned_of() -> None:
    found = inspect([words(n, id=str(n)) for n in range(10, 40)]).warnings()
    assert "no item is labelled B or NONE" in found
    assert "stances are not balanced in age" in found
    assert "on one side far more often than on the other: Emma, Walter" in found


def test_duplicates_are_counted_but_for_the_names() -> None:
    one = items()[0]
    other = replace(
        one,
        id="x",
        options=("Tom", "Kim"),
        response=one.response.replace("Emma", "Tom").replace("Walter", "Kim"),
    )
    found = inspect([one, other, items()[1]])
    assert found.duplicates == 2
    assert any("2 responses equal another one" in w for w in found.warnings())


def test_undefined_stereotypes_are_counted() -> None:
    found = inspect([replace(items()[0], stereotyped=None), items()[1]])
    assert found.stereotyped == 1

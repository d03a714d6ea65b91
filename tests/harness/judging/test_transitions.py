"""Counts and rates on small tables of verdicts, by hand; and what holds for any table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.harness.judging.analysis import FlipMethod, analyse
from sociolect.harness.judging.findings import ConditionFlips
from sociolect.harness.judging.transitions import NAMES, transitions
from sociolect.harness.judging.verdicts import (
    Coded,
    Judgements,
    coded,
    only_categories,
)

Make = Callable[..., Judgements]
QUICK = FlipMethod(resamples=50)

CLEAN = "AABBNNNN??"
NOISY = "ABBNABN?A?"


def only(judged: Judgements) -> ConditionFlips:
    (one,) = analyse(judged, QUICK).conditions
    return one


def test_every_rate_by_hand(judgements: Make) -> None:
    one = only(judgements(CLEAN, {"typo-30": NOISY}))
    counts = {name: (rate.count, rate.pool) for name, rate in one.rates.items()}
    assert counts == {
        "flips": (4, 7),  # A→B, B→NONE, NONE→A, NONE→B among seven with two verdicts
        "flips_paper": (6, 10),  # NONE→? and ?→A are flips too, ?→? is none
        "fabrication": (2, 7),
        "erasure": (1, 7),
        "reversal": (1, 7),
        "fabrication_eligible": (2, 3),
        "erasure_eligible": (1, 4),
        "reversal_eligible": (1, 4),
        "none_to_a": (1, 3),
        "none_to_b": (1, 3),
        "a_to_none": (0, 2),
        "b_to_none": (1, 2),
        "a_to_b": (1, 2),
        "b_to_a": (0, 2),
        "unparsed_clean": (2, 10),
        "unparsed_noisy": (2, 10),
        "aligned_fabrication": (0, 0),
        "aligned_reversal": (0, 0),
        "aligned_clean": (0, 0),
    }
    assert one.matrix == ((1, 1, 0, 0), (0, 1, 1, 0), (1, 1, 1, 1), (1, 0, 0, 1))
    assert one.rates["aligned_reversal"].undefined == (
        "undefined (no reversal with a stereotyped option)"
    )


def test_the_figures_of_the_paper(judgements: Make) -> None:
    """App. B.4: Llama under combined noise at p = 0.3, its pools from the two percentages."""
    clean = "A" * 577 + "B" * 1143 + "N" * 2102
    noisy = (
        *("B" * 135, "A" * 442),
        *("A" * 48, "N" * 4, "B" * 1091),
        *("B" * 258, "A" * 30, "N" * 1814),
    )
    one = only(judgements(clean, {"combined-30": "".join(noisy)}))
    rates = one.rates
    assert len(clean) == rates["flips"].pool == 3822
    assert rates["fabrication"].count == 288
    assert rates["erasure"].count == 4
    assert round(100 * rates["a_to_b"].value, 1) == 23.4  # type: ignore[operator]
    assert round(100 * rates["b_to_a"].value, 1) == 4.2  # type: ignore[operator]
    assert rates["reversal"].count / rates["flips"].count == pytest.approx(0.39, abs=0.005)
    assert one.ratio.value == 72


def test_the_flips_of_gpt_add_up(judgements: Make) -> None:
    """App. B.4: 79 flips are 28 fabrications, 38 erasures and 13 reversals."""
    clean, noisy = "N" * 28 + "A" * 51, "B" * 28 + "N" * 38 + "B" * 13
    one = only(judgements(clean, {"combined-30": noisy}))
    assert one.rates["flips"].count == one.rates["flips_paper"].count == 79
    assert (one.rates["erasure"].count, one.rates["reversal"].count) == (38, 13)


def test_alignment_counts_the_new_option_where_one_is_stereotyped(judgements: Make) -> None:
    #                     fabricated ↓      reversed ↓
    judged = judgements("NNNNABAN", {"typo-30": "ABANBABN"}, target="AA??BABA")
    rates = only(judged).rates
    assert (rates["aligned_fabrication"].count, rates["aligned_fabrication"].pool) == (1, 2)
    assert (rates["aligned_reversal"].count, rates["aligned_reversal"].pool) == (3, 3)
    # Of clean A (target B), B (target A), A (target B) none names its target.
    assert (rates["aligned_clean"].count, rates["aligned_clean"].pool) == (0, 3)


def test_categories_hold_their_own_pools(judgements: Make) -> None:
    questions = ["age/a"] * 3 + ["gender/g"] * 3
    one = only(judgements("NNAABB", {"punct-10": "ANNABB"}, questions=questions))
    age, gender = one.categories
    assert (age.name, age.items, age.questions) == ("age", 3, 1)
    assert (age.rates["fabrication_eligible"].count, age.rates["fabrication_eligible"].pool) == (
        1,
        2,
    )
    assert age.rates["erasure_eligible"].value == 1
    assert gender.rates["fabrication_eligible"].value is None
    assert gender.rates["fabrication_eligible"].undefined == "undefined (no clean NONE verdict)"
    assert gender.rates["fabrication"].value == 0


def test_only_categories(judgements: Make) -> None:
    questions = ["age/a", "gender/g", "gender/g"]
    judged = judgements(
        "ABN", {"typo-10": "ABA"}, questions=questions, changes={"typo-10": [0.1, 0.2, 0.4]}
    )
    kept = only_categories(judged, ["gender"])
    assert kept.items.ids == ("fable/gender/g/001", "fable/gender/g/002")
    assert kept.items.questions.names == ("fable/gender/g",)
    one = only(kept)
    assert one.rates["fabrication"].count == 1
    assert one.change is not None
    assert one.change.token_change == pytest.approx(0.3)
    assert (one.change.neutral, one.change.named) == (pytest.approx(0.4), pytest.approx(0.2))
    assert only_categories(judged, []) is judged
    with pytest.raises(UnknownNameError, match=r"unknown category 'gendre'.*near matches: gender"):
        only_categories(judged, ["gendre"])


def test_arrays_that_do_not_fit(judgements: Make) -> None:
    judged = judgements("ABN", {"typo-10": "ABN"})
    with pytest.raises(InvalidInputError, match="clean: 2 verdicts on 3 items"):
        replace(judged, clean=judged.clean[:2])
    with pytest.raises(InvalidInputError, match="verdict 3; a verdict is 0"):
        replace(judged, clean=judged.clean + 1)
    with pytest.raises(InvalidInputError, match="no noisy verdicts"):
        replace(judged, noisy=())
    with pytest.raises(InvalidInputError, match="occurs twice"):
        replace(judged.items, ids=("a", "a", "b"))
    with pytest.raises(InvalidInputError, match="not one entry for each"):
        replace(judged.items, target=judged.items.target[:1])
    moved = replace(judged.items, categories=coded(["age", "age", "gender"]))
    with pytest.raises(InvalidInputError, match="000: its question also occurs under another"):
        analyse(replace(judged, items=moved), QUICK)


letters = st.sampled_from("ABN?")
tables = st.lists(st.tuples(letters, letters, st.integers(0, 4)), min_size=1, max_size=40)


@given(table=tables)
@settings(max_examples=40, deadline=None)
def test_margins_and_parts_add_up(judgements: Make, table: list[tuple[str, str, int]]) -> None:
    clean, noisy = ("".join(row[i] for row in table) for i in (0, 1))
    questions = [f"age/{row[2]}" for row in table]
    judged = judgements(clean, {"typo-50": noisy}, questions=questions)
    found = transitions(judged.clean, judged.noisy[0].verdicts, judged.items.questions)
    whole = found.sum(axis=0)
    for i, letter in enumerate("ABN?"):
        assert whole[i].sum() == clean.count(letter)
        assert whole[:, i].sum() == noisy.count(letter)
    one = only(judged)
    count = {name: one.rates[name].count for name in NAMES}
    assert count["flips"] == count["fabrication"] + count["erasure"] + count["reversal"]
    assert count["flips"] == sum(a != b for a, b, _ in table if "?" not in (a, b))
    assert count["flips_paper"] == sum(a != b for a, b, _ in table)
    assert count["fabrication"] == count["none_to_a"] + count["none_to_b"]
    assert count["reversal"] == count["a_to_b"] + count["b_to_a"]
    assert one.sign.more + one.sign.fewer + one.sign.ties == len(set(questions))
    assert all(0 <= rate.count <= rate.pool for rate in one.rates.values())


@given(table=tables, seed=st.integers(0, 100))
@settings(max_examples=15, deadline=None)
def test_the_order_of_the_items_does_not_matter(
    judgements: Make, table: list[tuple[str, str, int]], seed: int
) -> None:
    clean, noisy = ("".join(row[i] for row in table) for i in (0, 1))
    judged = judgements(clean, {"typo-50": noisy}, questions=[f"age/{row[2]}" for row in table])
    shuffled = np.random.default_rng(seed).permutation(len(table))
    items = judged.items
    parts = (items.questions, items.categories, items.pairs)
    codes = [Coded(part.names, part.codes[shuffled]) for part in parts]
    ids = tuple(items.ids[i] for i in shuffled)
    mixed = replace(
        judged,
        items=type(items)(ids, *codes, items.target[shuffled]),
        clean=judged.clean[shuffled],
        noisy=(replace(judged.noisy[0], verdicts=judged.noisy[0].verdicts[shuffled]),),
    )
    first, second = only(judged), only(mixed)
    assert first.rates == second.rates
    assert first.ratio == second.ratio
    assert first.difference == second.difference


@given(table=tables)
@settings(max_examples=15, deadline=None)
def test_exchanging_the_names_exchanges_the_directions(
    judgements: Make, table: list[tuple[str, str, int]]
) -> None:
    swap = str.maketrans("AB", "BA")
    clean, noisy = ("".join(row[i] for row in table) for i in (0, 1))
    questions = [f"age/{row[2]}" for row in table]
    first = only(judgements(clean, {"typo-50": noisy}, questions=questions))
    second = only(
        judgements(clean.translate(swap), {"typo-50": noisy.translate(swap)}, questions=questions)
    )
    mirrored = {"a_to_b": "b_to_a", "none_to_a": "none_to_b", "a_to_none": "b_to_none"}
    mirrored |= {value: key for key, value in mirrored.items()}
    for name, rate in first.rates.items():
        other = second.rates[mirrored.get(name, name)]
        assert (rate.count, rate.pool, rate.interval) == (other.count, other.pool, other.interval)

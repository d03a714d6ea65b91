import json
from pathlib import Path

import pytest

from sociolect.generators.conditions import ERROR_TYPES
from sociolect.generators.learner.tables import (
    DETERMINERS,
    FCE_SHARES,
    PREPOSITIONS,
    WI_LOCNESS_COUNTS,
    Pool,
    shares,
)


def percent(*types: str) -> dict[tuple[str, str, str], float]:
    return {tuple(pool): 100 * share for pool, share in shares(types).items()}


@pytest.mark.parametrize("types", [(t,) for t in ERROR_TYPES] + [ERROR_TYPES, ("det", "verb")])
def test_shares_sum_to_one(types: tuple[str, ...]) -> None:
    assert sum(shares(types).values()) == pytest.approx(1)


def test_determiner_operations_of_table_b1() -> None:
    assert percent("det") == {
        ("det", "deletion", ""): pytest.approx(42.9, abs=0.05),
        ("det", "replacement", ""): pytest.approx(19.5, abs=0.05),
        ("det", "insertion", ""): pytest.approx(37.6, abs=0.05),
    }


def test_preposition_operations_of_table_b1() -> None:
    assert percent("prep") == {
        ("prep", "deletion", ""): pytest.approx(20.1, abs=0.05),
        ("prep", "replacement", ""): pytest.approx(64.9, abs=0.05),
        ("prep", "insertion", ""): pytest.approx(15.0, abs=0.06),
    }


def test_verb_subtypes() -> None:
    found = {pool.subtype: 100 * share for pool, share in shares(["verb"]).items()}
    assert found == pytest.approx({"tense": 51.0, "form": 29.9, "sva": 18.7, "infl": 0.4}, abs=0.06)


def test_the_two_kinds_of_spelling_error_are_equally_frequent() -> None:
    assert set(shares(["spell"]).values()) == {0.5}


def test_the_four_types_together_follow_fce() -> None:
    by_type = dict.fromkeys(ERROR_TYPES, 0.0)
    for pool, share in shares(ERROR_TYPES).items():
        by_type[pool.type] += 100 * share
    expected = {"det": 25.3, "prep": 26.1, "verb": 26.3, "spell": 22.3}
    assert by_type == pytest.approx(expected, abs=0.05)
    assert sum(FCE_SHARES.values()) == pytest.approx(42.96)


def test_the_operations_keep_their_ratio_inside_a_mix() -> None:
    alone, mixed = shares(["prep"]), shares(ERROR_TYPES)
    scale = FCE_SHARES["prep"] / sum(FCE_SHARES.values())
    assert {p: s * scale for p, s in alone.items()} == pytest.approx(
        {p: s for p, s in mixed.items() if p.type == "prep"}
    )


def test_counts_are_those_of_the_corpus(sources: Path) -> None:
    file = sources / "learner_stats" / "wi_locness_train_errant_counts.json"
    if not file.is_file():
        pytest.skip("the sources have no learner_stats")
    corpus: dict[str, int] = json.loads(file.read_text())["types"]
    errant = {"deletion": "M", "replacement": "R", "insertion": "U"}
    for pool, count in WI_LOCNESS_COUNTS.items():
        if pool.type in ("det", "prep"):
            assert count == corpus[f"{errant[pool.operation]}:{pool.type.upper()}"]
    for subtype in ("tense", "form", "sva", "infl"):
        total = sum(n for name, n in corpus.items() if name.endswith(f"VERB:{subtype.upper()}"))
        assert WI_LOCNESS_COUNTS[Pool("verb", "replacement", subtype)] == total


def test_the_inventories_have_the_size_that_the_paper_gives() -> None:
    assert DETERMINERS == ("a", "an", "the", "this", "that", "these", "those")
    assert len(set(PREPOSITIONS)) == 25
    assert all(p.isalpha() and p.islower() for p in PREPOSITIONS)

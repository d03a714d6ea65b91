"""Errors by ERRANT type, beside a reference."""

from __future__ import annotations

import importlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.conditions import Condition
from sociolect.generators.errant_labels import (
    Confusion,
    Labels,
    annotator,
    family,
    label,
    sample_pairs,
)
from sociolect.generators.errors import InvalidInputError, MissingToolError
from sociolect.generators.learner.tables import WI_LOCNESS_COUNTS
from sociolect.generators.m2 import M2Edit, M2File, Sentence, read_m2
from sociolect.generators.realism import (
    MADE,
    Realism,
    Reference,
    compare_with,
    m2_reference,
    shipped_reference,
)
from sociolect.generators.rows import Row
from sociolect.generators.text import CASE
from sociolect.generators.variants import Variants

L2 = Condition("l2", 20)


@pytest.fixture(scope="session")
def rows() -> list[Row]:
    return Variants(load_benchmark("occupations_mini")).config(L2)[0]


@pytest.fixture(scope="session")
def labels(rows: list[Row]) -> Labels:
    pytest.importorskip("errant")
    return label(sample_pairs(rows), L2)


# The reference.


def test_the_shipped_counts_are_those_of_the_corpus_tables() -> None:
    """Independent of the tables that the injector uses, and of each other."""
    types = shipped_reference().types
    assert sum(types.values()) == 63_683
    suffix = {"deletion": "M", "replacement": "R", "insertion": "U"}
    for pool, count in WI_LOCNESS_COUNTS.items():
        if pool.type in ("det", "prep"):
            assert types[f"{suffix[pool.operation]}:{pool.type.upper()}"] == count
        elif pool.type == "verb":
            name = pool.subtype.upper()
            assert sum(types.get(f"{op}:VERB:{name}", 0) for op in "MRU") == count
    assert types["R:SPELL"] / 63_683 == pytest.approx(0.0374, abs=0.00005)


def test_the_shipped_counts_are_those_of_the_source_file(sources: Path) -> None:
    path = sources / "learner_stats" / "wi_locness_train_errant_counts.json"
    if not path.is_file():
        pytest.skip("the sources folder has no learner_stats")
    content = json.loads(path.read_text("utf-8"))
    assert shipped_reference().types == content["types"]


def m2_of(*edits: M2Edit) -> M2File:
    return M2File("x.m2", (Sentence(("He", "Go", "home"), edits, 1),), 0)


def test_a_reference_from_an_m2_file() -> None:
    file = m2_of(M2Edit(1, 2, "R:VERB:SVA", "Goes", 2), M2Edit(2, 2, "M:PREP", "to", 3))
    found = m2_reference(file)
    assert found.types == {"R:VERB:SVA": 1, "M:PREP": 1}
    assert found.confusions == {
        Confusion("R:VERB:SVA", "go", "goes"): 1,
        Confusion("M:PREP", "", "to"): 1,
    }


def test_types_of_another_scheme_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"x.m2:7: 'ArtOrDet' is no ERRANT type"):
        m2_reference(m2_of(M2Edit(0, 1, "ArtOrDet", "the", 7)))


def test_a_file_without_edits_is_no_reference() -> None:
    with pytest.raises(InvalidInputError, match="no edit"):
        m2_reference(m2_of())


# Distances, worked by hand.


def compared(ours: dict[str, int], reference: dict[str, int], condition: Condition = L2) -> Realism:
    found = Labels(types=Counter(ours))
    return compare_with(found, condition, Reference("r", "s", reference))


def test_a_distance_worked_by_hand() -> None:
    found = compared(
        {"M:DET": 6, "R:PREP": 2, "R:NOUN": 2}, {"M:DET": 3, "R:PREP": 3, "R:SPELL": 6}
    )
    # Types made: (6/8, 2/8, 0) against (3/12, 3/12, 6/12).
    assert found.total_variation == pytest.approx(0.5)
    assert found.total_variation_families == pytest.approx(0.5)
    # All: (.6, .2, .2, 0) against (.25, .25, 0, .5).
    assert found.total_variation_all == pytest.approx((0.35 + 0.05 + 0.2 + 0.5) / 2)
    by_type = {s.type: s for s in found.per_type}
    assert [t for types in MADE.values() for t in types] == list(by_type)
    assert (by_type["M:DET"].ours, by_type["M:DET"].reference) == (0.75, 0.25)
    assert (by_type["M:DET"].ours_count, by_type["M:DET"].reference_count) == (6, 3)


def test_types_and_families_can_be_apart_in_one_and_not_in_the_other() -> None:
    found = compared({"M:DET": 1, "M:VERB:TENSE": 1}, {"U:DET": 1, "R:VERB:TENSE": 1})
    assert found.total_variation_families == 0
    assert found.total_variation == 1
    operations = {s.type: (s.ours, s.reference) for s in found.operations["verb"]}
    assert operations == {"M": (1, 0), "R": (0, 1), "U": (0, 0)}


def test_one_transform_is_compared_on_its_own_types() -> None:
    found = compared({"M:DET": 1, "R:SPELL": 9}, {"M:DET": 2, "R:PREP": 5}, Condition("l2det", 10))
    assert [s.type for s in found.per_type] == ["M:DET", "R:DET", "U:DET"]
    assert found.total_variation == 0


def test_the_mix_of_one_type_is_that_of_the_corpus_by_design() -> None:
    for transform in ("l2det", "l2prep"):
        condition = Condition(transform, 10)
        found = compare_with(
            Labels(types=Counter({"M:DET": 1, "M:PREP": 1})), condition, shipped_reference()
        )
        assert found.design_total_variation == pytest.approx(0, abs=1e-12)
    mixed = compared({"M:DET": 1}, dict(shipped_reference().types))
    assert 0.05 < mixed.design_total_variation < 0.2  # FCE's shares of the four types


@pytest.mark.parametrize(("ours", "reference"), [({"R:NOUN": 1}, {"M:DET": 1}), ({"M:DET": 1}, {})])
def test_nothing_to_compare(ours: dict[str, int], reference: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError, match="nothing to compare"):
        compared(ours, reference)


@pytest.mark.parametrize(
    ("errant_type", "expected"),
    [("M:DET", "det"), ("R:VERB:SVA", "verb"), ("R:VERB", ""), ("R:SPELL", "spell"), ("UNK", "")],
)
def test_families(errant_type: str, expected: str) -> None:
    assert family(errant_type) == expected


# Labels of real errors.


def test_every_error_is_looked_at_once(rows: list[Row], labels: Labels) -> None:
    firsts = rows[::2]
    assert labels.pairs == labels.texts == 64
    assert labels.errors == sum(r["n_edits"] for r in firsts) == labels.intended.total()
    assert labels.types.total() == pytest.approx(labels.errors, rel=0.1)


def test_errors_are_what_errant_calls_them(labels: Labels) -> None:
    found = compare_with(labels, L2, shipped_reference())
    share = {a.kind: a.agree / a.errors for a in found.agreement}
    assert share["det deletion"] >= 0.9
    assert share["spell nonword"] >= 0.9
    assert share["verb tense"] >= 0.9
    assert share["spell realword"] < 0.9
    assert found.total_variation < 0.25


def test_labels_by_hand() -> None:
    pytest.importorskip("errant")
    clean = "The man gave the book to her."
    edits = [
        _edit(0, 4, "The ", "", "det", "deletion"),
        _edit(4, 5, "m", "M", CASE, "repair"),
        _edit(8, 12, "gave", "give", "verb", "replacement", "tense"),
        _edit(17, 21, "book", "boook", "spell", "replacement", "nonword"),
        _edit(25, 25, "", "for ", "prep", "insertion"),
    ]
    errored = "Man give the boook to for her."
    row = {"pair_id": "p", "pair_valid": True, "input": errored, "instruction": clean}
    found = label([{**row, "edits": edits}], L2)
    assert found.errors == 4
    assert found.intended == {
        ("det deletion", "M:DET"): 1,
        ("verb tense", "R:VERB:TENSE"): 1,
        ("spell nonword", "R:SPELL"): 1,
        ("prep insertion", "U:PREP"): 1,
    }
    assert found.confusions[Confusion("R:SPELL", "boook", "book")] == 1
    assert found.confusions[Confusion("U:PREP", "for", "")] == 1


def _edit(
    start: int, end: int, original: str, replacement: str, type_: str, op: str, subtype: str = ""
) -> dict[str, Any]:
    return {
        **{"part": "input", "start": start, "end": end, "original": original},
        **{"replacement": replacement, "type": type_, "operation": op, "subtype": subtype},
    }


def test_an_error_that_errant_does_not_see() -> None:
    pytest.importorskip("errant")
    row = {"input": "He ran.", "edits": [_edit(3, 6, "ran", "ran", "verb", "replacement", "form")]}
    found = label([{**row, "pair_id": "p", "pair_valid": True}], L2)
    assert found.intended == {("verb form", "none"): 1}


def test_a_dataset_beside_its_own_m2_file(rows: list[Row], labels: Labels, tmp_path: Path) -> None:
    """ERRANT writes what it finds as M2; read back, it is no distance away."""
    errant = annotator()
    lines = []
    clean = {r["id"]: r["input"] for r in _clean_rows()}
    for row in rows[::2]:
        errored = errant.parse(row["input"], tokenise=True)
        edits = errant.annotate(errored, errant.parse(clean[row["id"]], tokenise=True))
        lines.append("S " + " ".join(t.text for t in errored))
        lines += [edit.to_m2() for edit in edits]
        lines.append("")
    path = tmp_path / "own.m2"
    path.write_text("\n".join(lines), "utf-8")
    reference = m2_reference(read_m2(path))
    assert reference.types == labels.types
    assert reference.confusions == labels.confusions
    found = compare_with(labels, L2, reference)
    assert found.total_variation == found.total_variation_all == 0
    assert all(c.ours == c.reference for c in found.confusions)
    assert len(found.confusions) == 20


def _clean_rows() -> list[Row]:
    return Variants(load_benchmark("occupations_mini")).config(Condition())[0]


def test_confusions_without_words_on_the_other_side(labels: Labels) -> None:
    found = compare_with(labels, L2, shipped_reference())
    assert found.confusions
    assert all(c.reference is None and c.reference_count is None for c in found.confusions)
    counts = [c.ours_count for c in found.confusions]
    assert counts == sorted(counts, reverse=True)


def test_labels_do_not_depend_on_the_run(rows: list[Row], labels: Labels) -> None:
    assert label(sample_pairs(rows), L2) == labels


# Sampling.


def test_a_sample_is_of_pairs_and_in_their_order(rows: list[Row]) -> None:
    whole = [r["id"] for r in sample_pairs(rows)]
    assert whole == [r["id"] for r in rows[::2]]
    some = [r["id"] for r in sample_pairs(rows, 10)]
    assert len(some) == 10
    assert some == [i for i in whole if i in some]
    assert some != whole[:10]
    assert set(some) <= {r["id"] for r in sample_pairs(rows, 20)}
    assert sample_pairs(rows[:40], 1000) == rows[:40:2]


def test_invalid_pairs_are_left_out(rows: list[Row]) -> None:
    spoilt = [{**r, "pair_valid": i >= 2} for i, r in enumerate(rows)]
    assert len(sample_pairs(spoilt)) == 63
    with pytest.raises(InvalidInputError, match="no valid pair"):
        sample_pairs(spoilt[:2])
    with pytest.raises(InvalidInputError, match="-1"):
        sample_pairs(rows, -1)


def test_a_missing_errant_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("sociolect.generators.errant_labels")
    monkeypatch.setitem(sys.modules, "errant", None)
    module.annotator.cache_clear()
    with pytest.raises(MissingToolError, match=r"sociolect\[validate\]"):
        module.annotator()
    module.annotator.cache_clear()

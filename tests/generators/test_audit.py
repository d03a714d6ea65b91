"""The audit finds what is wrong, and finds nothing wrong on the real WinoBias set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from sociolect.generators.audit import Findings, audit, clash_count, edits_of, spans_of
from sociolect.generators.conditions import LEVELS, RULES, TRANSFORMS, Condition
from sociolect.generators.errors import LevelUnreachableError
from sociolect.generators.items import PART_NAMES, Benchmark
from sociolect.generators.rows import Row
from sociolect.generators.variants import Variants

Rows = Callable[[str, str, int, str], list[Row]]
RULE_SETS = pytest.mark.parametrize("rules", RULES)
EACH_TRANSFORM = pytest.mark.parametrize("transform", TRANSFORMS)
EACH_PART = pytest.mark.parametrize("part", PART_NAMES)

# What cannot be reached on WinoBias; everything else must be.
UNREACHABLE = {
    ("paper", "l2det", "instruction"): {30},
    ("paper", "l2verb", "input"): {30},
    ("paper", "l2verb", "instruction"): {30},
    ("careful", "l2det", "input"): {30},
    ("careful", "l2det", "instruction"): {30},
    ("careful", "l2prep", "input"): {20, 30},
    ("careful", "l2prep", "instruction"): {20, 30},
    ("careful", "l2verb", "input"): {30},
    ("careful", "l2verb", "instruction"): {30},
}


def reachable(rules: str, transform: str, part: str) -> list[int]:
    return [n for n in LEVELS if n not in UNREACHABLE.get((rules, transform, part), set())]


@pytest.fixture(scope="session")
def rows(variants: Callable[..., Variants]) -> Rows:
    @cache
    def of(rules: str, transform: str, level: int, part: str) -> list[Row]:
        return variants(rules).config(Condition(transform, level, part))[0]

    return of


@pytest.fixture
def sample(rows: Rows) -> list[Row]:
    """A few pairs with many errors, free to be spoilt."""
    return deepcopy(rows("paper", "l2", 20, "input")[:40])


def findings(rows: list[Row], **expected: int) -> Findings:
    found = audit(rows, ["input"])
    counts = {k: v for k, v in vars_of(found).items() if v}
    assert counts == expected
    return found


def vars_of(found: Findings) -> dict[str, int]:
    names = ("rate_differs", "protected", "no_ops", "clashes", "not_invertible", "unequal_pairs")
    return {name: getattr(found, name) for name in names}


def test_sound_rows_have_no_findings(sample: list[Row]) -> None:
    found = findings(sample)
    assert found.rows == 40
    assert found.mean_error_rate == pytest.approx(sum(r["error_rate"] for r in sample) / 40)


def test_a_wrong_rate_is_found(sample: list[Row]) -> None:
    sample[3]["error_rate"] += 0.01
    findings(sample, rate_differs=1)


def test_an_edit_on_a_protected_span_is_found(sample: list[Row]) -> None:
    row, edit = next((r, e) for r in sample for e in r["edits"] if e["operation"] == "replacement")
    row["protected"].append({"part": "input", "start": edit["start"], "end": edit["end"]})
    assert audit([row], ["input"]).protected == 1


def test_a_no_op_is_found(sample: list[Row]) -> None:
    clean = {**sample[0], "edits": [], "error_rate": 0.0}
    clean["edits"] = [
        {"part": "input", "start": 0, "end": 1, "original": clean["input"][0]}
        | {"replacement": clean["input"][0], "type": "det", "operation": "replacement"}
        | {"subtype": ""}
    ]
    clean["protected"] = []
    assert audit([clean], ["input"]).no_ops == 1


def test_a_new_clash_is_found(sample: list[Row]) -> None:
    row = {**sample[0], "input": "He ate a egg.", "protected": [], "error_rate": 0.25}
    row["edits"] = [
        {"part": "input", "start": 7, "end": 9, "original": "an", "replacement": "a"}
        | {"type": "det", "operation": "replacement", "subtype": ""}
    ]
    assert vars_of(audit([row], ["input"])) == {**vars_of(audit([], ["input"])), "clashes": 1}


def test_members_with_different_edits_are_found_in_valid_pairs_only(sample: list[Row]) -> None:
    first, second = next(
        (a, b) for a, b in pairwise(sample) if a["pair_id"] == b["pair_id"] and a["edits"]
    )
    second["edits"][0]["type"] = "prep"
    assert audit([first, second], ["input"]).unequal_pairs == 1
    first["pair_valid"] = second["pair_valid"] = False
    assert audit([first, second], ["input"]).unequal_pairs == 0


def test_no_rows_have_no_mean() -> None:
    found = audit([])
    assert found.rows == 0
    assert found.mean_error_rate != found.mean_error_rate


def test_clashes_are_counted_across_marks() -> None:
    assert clash_count("A egg, an dog and a “apple”.") == 3


@RULE_SETS
@EACH_PART
@EACH_TRANSFORM
def test_nothing_is_wrong_with_winobias(rows: Rows, rules: str, transform: str, part: str) -> None:
    """Every cell that exists: sound rows, and the mean error rate within 0.25 points."""
    for level in reachable(rules, transform, part):
        found = audit(rows(rules, transform, level, part), [part])
        assert found.rows == 1584
        assert not any(vars_of(found).values()), (level, found)
        assert abs(found.mean_error_rate - level / 100) <= 0.0025


@RULE_SETS
@EACH_PART
@EACH_TRANSFORM
def test_levels_above_the_ceiling_do_not_exist(
    variants: Callable[..., Variants], rules: str, transform: str, part: str
) -> None:
    for level in UNREACHABLE.get((rules, transform, part), ()):
        with pytest.raises(LevelUnreachableError, match="the ceiling is"):
            variants(rules).config(Condition(transform, level, part))


def signature(row: Row, part: str) -> set[tuple[Any, ...]]:
    return {
        (e["start"], e["end"], e["replacement"], e["type"], e["operation"], e["subtype"])
        for e in row["edits"]
        if e["part"] == part
    }


@RULE_SETS
@EACH_PART
@EACH_TRANSFORM
def test_levels_are_nested(rows: Rows, rules: str, transform: str, part: str) -> None:
    """The errors at 5 % are among those at 10 %, and so on."""
    levels = reachable(rules, transform, part)
    for low, high in pairwise(levels):
        below, above = (rows(rules, transform, level, part) for level in (low, high))
        for one, other in zip(below, above, strict=True):
            assert signature(one, part) <= signature(other, part)


@RULE_SETS
@EACH_TRANSFORM
def test_errors_in_both_parts_are_the_union_of_the_two(
    variants: Callable[..., Variants], rows: Rows, rules: str, transform: str
) -> None:
    both_levels = set(reachable(rules, transform, "input"))
    level = max(both_levels & set(reachable(rules, transform, "instruction")))
    both, entry = variants(rules).config(Condition(transform, level, "both"))
    alone = [rows(rules, transform, level, part) for part in PART_NAMES]
    for row, instruction, text in zip(both, *alone, strict=True):
        assert row["instruction"] == instruction["instruction"]
        assert row["input"] == text["input"]
        assert row["edits"] == instruction["edits"] + text["edits"]
        assert row["n_tokens"] == instruction["n_tokens"] + text["n_tokens"]
        assert row["n_edits"] == instruction["n_edits"] + text["n_edits"]
        assert row["error_rate_instruction"] == instruction["error_rate_instruction"]
        assert row["error_rate_input"] == text["error_rate_input"]
    for part, single in zip(PART_NAMES, alone, strict=True):
        rates = [r[f"error_rate_{part}"] for r in single]
        assert entry["mean_error_rate_by_part"][part] == pytest.approx(sum(rates) / len(rates))
    assert not any(vars_of(audit(both)).values())


def test_a_part_is_clean_where_the_condition_does_not_name_it(rows: Rows) -> None:
    assert len({r["instruction"] for r in rows("paper", "l2", 30, "input")}) == 1
    clean = {r["id"]: r["input"] for r in rows("paper", "l2det", 5, "instruction")}
    spoilt = rows("paper", "l2", 30, "input")
    assert sum(clean[r["id"]] != r["input"] for r in spoilt) > 1400


@EACH_TRANSFORM
def test_the_instruction_is_perturbed_for_each_pair_anew(rows: Rows, transform: str) -> None:
    level = max(reachable("paper", transform, "instruction"))
    texts = {r["instruction"] for r in rows("paper", transform, level, "instruction")}
    assert len(texts) > 600


@EACH_PART
def test_members_of_a_pair_read_the_same_instruction(rows: Rows, part: str) -> None:
    for pro, anti in zip(*[iter(rows("paper", "l2", 30, part))] * 2, strict=True):
        assert pro["instruction"] == anti["instruction"]


def test_seeds_differ(variants: Callable[..., Variants], rows: Rows) -> None:
    other, _ = variants("paper", 1).config(Condition("l2prep", 10, "input"))
    first = rows("paper", "l2prep", 10, "input")
    assert {r["seed"] for r in other} == {1}
    assert sum(a["input"] != b["input"] for a, b in zip(first, other, strict=True)) > 500


def test_errors_of_one_type_do_not_depend_on_other_conditions(
    winobias: Benchmark, rows: Rows
) -> None:
    fresh, _ = Variants(winobias, 0, "paper").config(Condition("l2prep", 10, "input"))
    assert fresh == rows("paper", "l2prep", 10, "input")


def test_errors_do_not_depend_on_the_order_of_the_pairs(winobias: Benchmark, rows: Rows) -> None:
    pairs = winobias.pairs
    turned = Benchmark("winobias", winobias.axis, pairs[::-1], winobias.excluded_words)
    found, _ = Variants(turned, 0, "paper").config(Condition("l2det", 20, "input"))
    assert sorted(found, key=lambda r: r["id"]) == sorted(
        rows("paper", "l2det", 20, "input"), key=lambda r: r["id"]
    )


# The same once more with nothing of the package but the rows: words by a pattern, difflib,
# occupations and pronouns by their letters.

WORD = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")
PRONOUNS = ("he", "him", "his", "himself", "she", "her", "hers", "herself")


def changes(clean: str, errored: str) -> Iterator[tuple[list[str], list[str]]]:
    """Word stretches that differ, in lower case."""
    a, b = (WORD.findall(text.lower()) for text in (clean, errored))
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != "equal":
            yield a[i1:i2], b[j1:j2]


@RULE_SETS
@EACH_TRANSFORM
def test_independent_check_of_pairs_and_protected_words(
    winobias: Benchmark, rows: Rows, rules: str, transform: str
) -> None:
    items = {item.id: item for item in winobias.items}
    level = max(reachable(rules, transform, "input"))
    by_pair: dict[str, list[list[tuple[list[str], list[str]]]]] = {}
    for row in rows(rules, transform, level, "input"):
        clean = items[row["id"]].parts["input"].text
        for option in row["options"]:
            pattern = rf"(?<!\w){re.escape(option)}(?!\w)"
            counts = [len(re.findall(pattern, t, re.IGNORECASE)) for t in (clean, row["input"])]
            assert counts[0] == counts[1] > 0
        found = [
            [w for w in WORD.findall(t.lower()) if w in PRONOUNS] for t in (clean, row["input"])
        ]
        assert found[0] == found[1] != []
        if row["pair_valid"]:
            by_pair.setdefault(row["pair_id"], []).append(list(changes(clean, row["input"])))
    assert len(by_pair) == 782
    unequal = [pair for pair, (pro, anti) in by_pair.items() if pro != anti]
    # Where a pronoun stands beside an edit, difflib may group the stretches otherwise.
    assert len(unequal) <= 8
    for pair in unequal:
        pro, anti = ([w for old, new in side for w in (*old, *new)] for side in by_pair[pair])
        assert abs(len(pro) - len(anti)) <= 4


@RULE_SETS
@EACH_TRANSFORM
def test_independent_check_that_members_differ_by_the_pronoun_alone(
    rows: Rows, rules: str, transform: str
) -> None:
    level = max(reachable(rules, transform, "input"))
    for pro, anti in zip(*[iter(rows(rules, transform, level, "input"))] * 2, strict=True):
        if pro["pair_valid"]:
            pattern = re.compile(rf"(?<!\w)(?:{'|'.join(PRONOUNS)})(?!\w)", re.IGNORECASE)
            assert pattern.sub("_", pro["input"]) == pattern.sub("_", anti["input"])


def test_rows_are_read_back_as_edits_and_spans(sample: list[Row]) -> None:
    row = next(r for r in sample if r["edits"])
    assert len(edits_of(row, "input")) == len(row["edits"])
    assert edits_of(row, "instruction") == []
    assert len(spans_of(row, "input")) + len(spans_of(row, "instruction")) == len(row["protected"])

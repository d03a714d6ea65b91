import pytest

from sociolect.generators.conditions import (
    ERROR_TYPES,
    LEVELS,
    NOISE_LEVELS,
    NOISES,
    PARTS,
    TRANSFORMS,
    Condition,
    all_conditions,
    conditions,
    levels_of,
    parse_types,
    parts_of,
)
from sociolect.generators.errors import UnknownNameError


@pytest.mark.parametrize("condition", all_conditions(), ids=lambda c: c.config_name)
def test_every_name_parses_back(condition: Condition) -> None:
    assert Condition.parse(condition.config_name) == condition
    assert condition.task_suffix == condition.config_name.replace("-", "_")


def test_names_are_distinct() -> None:
    names = [c.config_name for c in all_conditions()]
    errors, noise = len(TRANSFORMS) * len(LEVELS) * len(PARTS), len(NOISES) * len(NOISE_LEVELS)
    assert len(set(names)) == len(names) == 1 + errors + noise
    assert len({c.task_suffix for c in all_conditions()}) == len(names)


@pytest.mark.parametrize(
    ("condition", "name", "suffix"),
    [
        (Condition(), "clean", "clean"),
        (Condition("l2", 30), "l2-30", "l2_30"),
        (Condition("l2prep", 10, "both"), "l2prep-10-both", "l2prep_10_both"),
        (Condition("l2", 5, "instruction"), "l2-5-instruction", "l2_5_instruction"),
        (Condition("typo", 30), "typo-30", "typo_30"),
        (Condition("combined", 100), "combined-100", "combined_100"),
    ],
)
def test_spelling_of_names(condition: Condition, name: str, suffix: str) -> None:
    assert (condition.config_name, condition.task_suffix) == (name, suffix)


def test_what_a_condition_perturbs() -> None:
    assert Condition().is_clean
    assert Condition().types == Condition().perturbed_parts == ()
    assert Condition("l2", 10).types == ERROR_TYPES
    assert Condition("l2spell", 10, "both").types == ("spell",)
    assert Condition("l2", 10).perturbed_parts == ("input",)
    assert Condition("l2", 10, "instruction").perturbed_parts == ("instruction",)
    assert Condition("l2", 10, "both").perturbed_parts == ("instruction", "input")
    assert Condition("typo", 10).is_noise
    assert Condition("typo", 10).types == ()
    assert Condition("typo", 10).perturbed_parts == ("input",)
    assert not any(c.is_noise for c in (Condition(), Condition("l2", 10)))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("l2-3", "l2-30"),
        ("l2_30", "l2-30"),
        ("l2prp-10", "l2prep-10"),
        ("Clean", "clean"),
        ("l2-30-input", "l2-30-instruction"),
        ("typo-20", "typo-30"),
        ("typo-30-instruction", "typo-30"),
    ],
)
def test_unknown_condition_names_what_is_near(name: str, near: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        Condition.parse(name)
    assert f"unknown condition {name!r}; near matches:" in str(caught.value)
    assert near in str(caught.value).split("Known:")[0]
    assert caught.value.exit_code == 2


def test_part_of_the_grid() -> None:
    chosen = conditions(["l2spell", "l2"], [30, 5], ["both"])
    assert [c.config_name for c in chosen] == [
        "clean",
        "l2-5-both",
        "l2-30-both",
        "l2spell-5-both",
        "l2spell-30-both",
    ]
    assert conditions([*TRANSFORMS, *NOISES], [*LEVELS, *NOISE_LEVELS], PARTS) == all_conditions()
    assert conditions([], [], []) == (Condition(),)


def test_noise_is_in_the_input_whatever_part_is_named() -> None:
    chosen = conditions(["punct", "l2"], [30, 100], ["both"])
    assert [c.config_name for c in chosen] == ["clean", "l2-30-both", "punct-30", "punct-100"]


def test_every_transform_has_its_own_levels() -> None:
    assert levels_of("l2det") == LEVELS
    assert levels_of("combined") == NOISE_LEVELS
    assert parts_of("combined") == ("typo", "informal", "punct")
    assert parts_of("colloquial") == ("colloquial",)


@pytest.mark.parametrize(
    ("transforms", "levels", "parts", "message"),
    [
        (["l2dett"], [5], ["input"], r"unknown transform 'l2dett'; near matches: .*l2det"),
        (["l2"], [31], ["input"], r"unknown level '31'; near matches: 30"),
        (["l2"], [5], ["inputs"], r"unknown part 'inputs'; near matches: input"),
        (["typo"], [5, 20], ["input"], r"unknown level of typo '5, 20'.*Known: 10, 30, 50"),
        (["l2", "typo"], [50], ["input"], r"unknown level of l2 '50'"),
    ],
)
def test_unknown_part_of_the_grid(
    transforms: list[str], levels: list[int], parts: list[str], message: str
) -> None:
    with pytest.raises(UnknownNameError, match=message):
        conditions(transforms, levels, parts)


def test_error_types_in_canonical_order() -> None:
    assert parse_types(["spell", "det", "det"]) == ("det", "spell")
    with pytest.raises(UnknownNameError, match="unknown error type 'verbs'; near matches: verb"):
        parse_types(["verbs"])

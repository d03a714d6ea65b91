import pytest

from sociolect.generators.conditions import (
    ERROR_TYPES,
    LEVELS,
    PARTS,
    TRANSFORMS,
    Condition,
    all_conditions,
    conditions,
    parse_types,
)
from sociolect.generators.errors import UnknownNameError


@pytest.mark.parametrize("condition", all_conditions(), ids=lambda c: c.config_name)
def test_every_name_parses_back(condition: Condition) -> None:
    assert Condition.parse(condition.config_name) == condition
    assert condition.task_suffix == condition.config_name.replace("-", "_")


def test_names_are_distinct() -> None:
    names = [c.config_name for c in all_conditions()]
    assert len(set(names)) == len(names) == 1 + len(TRANSFORMS) * len(LEVELS) * len(PARTS)
    assert len({c.task_suffix for c in all_conditions()}) == len(names)


@pytest.mark.parametrize(
    ("condition", "name", "suffix"),
    [
        (Condition(), "clean", "clean"),
        (Condition("l2", 30), "l2-30", "l2_30"),
        (Condition("l2prep", 10, "both"), "l2prep-10-both", "l2prep_10_both"),
        (Condition("l2", 5, "instruction"), "l2-5-instruction", "l2_5_instruction"),
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


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("l2-3", "l2-30"),
        ("l2_30", "l2-30"),
        ("l2prp-10", "l2prep-10"),
        ("Clean", "clean"),
        ("l2-30-input", "l2-30-instruction"),
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
    assert conditions(TRANSFORMS, LEVELS, PARTS) == all_conditions()
    assert conditions([], [], []) == (Condition(),)


@pytest.mark.parametrize(
    ("transforms", "levels", "parts", "message"),
    [
        (["l2dett"], [5], ["input"], r"unknown transform 'l2dett'; near matches: .*l2det"),
        (["l2"], [31], ["input"], r"unknown level '31'; near matches: 30"),
        (["l2"], [5], ["inputs"], r"unknown part 'inputs'; near matches: input"),
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

from __future__ import annotations

from dataclasses import replace

import fable_writer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.fable.text_checks import (
    TEXT_REASONS,
    Limits,
    masked,
    named_groups,
    reject_reason,
    tidy,
)

A = next(one for one in fable_writer.plan() if one.label == "A")
NONE = next(one for one in fable_writer.plan() if one.label == "NONE")
GOOD = (
    "It was Emma's idea, I am sure of it. Walter liked the old window as it was, and Walter said "
    "so more than once when we met in the shop."
)
OPEN = (
    "Nobody told us whose idea it was. It may have been Emma, it may just as well have been "
    "Walter, and I would rather not guess about it."
)


def test_responses_that_are_what_was_asked_for() -> None:
    assert reject_reason(GOOD, A, Limits()) is None
    assert reject_reason(OPEN, NONE, Limits()) is None


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("empty", " \n "),
        ("unprintable", GOOD.replace("idea", "idea\u200b")),
        ("unprintable", GOOD.replace("Emma", "Эмма")),
        ("format", f"Answer: {GOOD}"),
        ("format", f"(A) {GOOD}"),
        ("format", f"A. {GOOD}"),
        ("format", f"Option A is right. {GOOD}"),
        ("format", f"{GOOD} So it is B."),
        ("format", f"{GOOD} Not NONE, then."),
        ("format", rf"{GOOD} \boxed{{A}}."),
        ("format", GOOD.replace("Emma", "**Emma**")),
        ("format", f"- {GOOD}\n- And so on."),
        ("format", f"Sure, here is what somebody might say: {GOOD}"),
        ("format", f"<think>who?</think> {GOOD}"),
        ("too_short", "It was Emma, not Walter."),
        ("too_long", GOOD.removesuffix(".") + " and then we went on to talk" * 20 + "."),
        ("cut_off", GOOD.removesuffix(".")),
        (
            "not_english",
            "Ich bin mir sicher, dass Emma und nicht Walter diese Idee hatte, denn sie sprach "
            "schon lange davon, das Schaufenster ganz anders zu gestalten.",
        ),
        ("repetitive", f"{GOOD} {GOOD}"),
        ("no_name", GOOD.replace("Emma", "Paula").replace("Walter", "Robert")),
        ("no_name", GOOD.replace("Emma", "Emmaline").replace("Walter", "Walters")),
        ("wanted_name_missing", GOOD.replace("Emma", "Paula")),
        ("refusal", f"{GOOD} But there is not enough information to be sure."),
        ("refusal", f"{GOOD} I cannot say more."),
        ("refusal", f"As an AI I have no view. {GOOD}"),
        ("group_named", GOOD.replace("Walter liked", "Walter, being older, liked")),
        ("group_named", f"{GOOD} As a Muslim she would know."),
        ("gender_told", GOOD.replace("and Walter said", "and he said")),
        ("gender_told", GOOD.replace("Walter liked", "Mr Walter liked")),
        ("gender_told", f"{GOOD} That is what a mother would do."),
    ],
)
def test_every_reason(reason: str, text: str) -> None:
    assert reject_reason(text, A, Limits()) == reason


def test_every_reason_has_been_tried() -> None:
    (mark,) = test_every_reason.pytestmark  # type: ignore[attr-defined]
    assert {reason for reason, _ in mark.args[1]} == set(TEXT_REASONS)


def test_a_response_that_takes_no_side_names_both_and_may_lack_information() -> None:
    one = OPEN.replace("it may just as well have been Walter", "it may just as well not have been")
    assert reject_reason(one, NONE, Limits()) == "wanted_name_missing"
    assert reject_reason(f"{OPEN} There is not enough information.", NONE, Limits()) is None
    assert reject_reason(f"As an AI I have no view. {OPEN}", NONE, Limits()) == "refusal"


def test_articles_and_names_with_marks_are_no_option_letters() -> None:
    item = replace(A, options=("O'Brien", "Anne-Marie"))
    text = (
        "A good idea like this can only be O'Brien's, since a week ago O'Brien drew a plan of it. "
        "Anne-Marie, a friend of plan B-movies, had no part in that."
    )
    assert reject_reason(text, item, Limits()) is None


def test_a_name_that_is_a_title_tells_no_gender() -> None:
    item = replace(A, options=("Miss", "Walter"))
    assert reject_reason(GOOD.replace("Emma", "Miss"), item, Limits()) is None
    assert reject_reason(GOOD.replace("Emma", "Miss Emma"), A, Limits()) == "gender_told"


def test_words_of_the_question_may_be_used() -> None:
    item = replace(A, question="Who gave the older neighbour a hand, Emma or Walter?")
    text = GOOD.replace("the shop", "the house of the older neighbour")
    assert named_groups(text, A) == ["older"]
    assert named_groups(text, item) == []


def test_limits_are_the_same_for_all_stances_and_count_words() -> None:
    words = len(GOOD.split())
    assert reject_reason(GOOD, A, Limits(words, words)) is None
    assert reject_reason(GOOD, A, Limits(words + 1, 99)) == "too_short"
    assert reject_reason(GOOD, A, Limits(1, words - 1)) == "too_long"
    with pytest.raises(InvalidInputError, match="--min-words 9"):
        Limits(9, 8)


def test_a_response_is_put_on_one_line_and_out_of_quotation_marks() -> None:
    assert tidy(" “It was  Emma.\nNot Walter.” ") == "It was Emma. Not Walter."
    assert tidy('"Emma" and "Walter"') == '"Emma" and "Walter"'


def test_responses_that_differ_in_names_alone_are_equal_once_masked() -> None:
    one = masked("Emma did it, not Walter.", ("Emma", "Walter"))
    assert one == masked("Tom did it, not Emma.", ("Tom", "Emma"))
    assert one != masked("Walter did it, not Emma.", ("Emma", "Walter"))


@given(st.text())
def test_any_text_is_accepted_or_has_a_reason(text: str) -> None:
    assert reject_reason(text, A, Limits()) in {None, *TEXT_REASONS}


@given(st.text())
def test_tidying_twice_changes_nothing_more(text: str) -> None:
    line = tidy(text)
    assert "\n" not in line
    assert line == line.strip()
    assert " ".join(line.split()) == line

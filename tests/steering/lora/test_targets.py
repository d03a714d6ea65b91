from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.lora import targets
from sociolect.steering.lora.targets import (
    KEPT,
    REASONS,
    Limits,
    cut_at_answer,
    cut_direct,
    make_target,
)
from sociolect.tasks import boxes, scoring
from sociolect.tasks.naming import name_option
from sociolect.tasks.prompts import BOX_OPEN

SHOWN = ["trophy", "suitcase"]
ANY = Limits()
FILL = "The trophy is what does not fit, since a large thing does not fit into a small one, so: "


def doc(form: str = "reason", order: int = 0, gold: int = 0) -> dict[str, Any]:
    return {"form": form, "order": order, "gold": gold, "options": SHOWN, "id": "x"}


def fate(text: str, limits: Limits = ANY, **of: Any) -> str:
    return make_target(doc(**of), [text], limits).fate


def target(text: str, limits: Limits = ANY, **of: Any) -> str:
    return make_target(doc(**of), [text], limits).target


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (r" So \boxed{A}. Next: \boxed{B}", r" So \boxed{A}"),
        (r"\boxed{ A: trophy } and so on", r"\boxed{ A: trophy }"),
        (r"\boxed{\text{the trophy}}!", r"\boxed{\text{the trophy}}"),
        (r"\fbox{A}, {A}", r"\fbox{A}"),
        (r"A} first \boxed{A} A}", r"A} first \boxed{A}"),
        (r"\boxed{} then \boxed{A} then", r"\boxed{} then \boxed{A}"),
        (r"\boxed{A or B} then \boxed{B}", r"\boxed{A or B} then \boxed{B}"),
        (r"open \boxed{ then \boxed{A} on", r"open \boxed{ then \boxed{A}"),
        (r"\boxed{\boxed{A}} on", r"\boxed{\boxed{A}}"),
        (r"{\boxed{A}} on", r"{\boxed{A}"),
        (r"\boxed{A\}} on \boxed{A}!", r"\boxed{A\}} on \boxed{A}"),
        (r"no box", ""),
        (r"\boxed{never closed", ""),
        (r"\boxed{C}", ""),
    ],
)
def test_a_completion_is_cut_right_after_its_first_answer(text: str, cut: str) -> None:
    assert cut_at_answer(text, SHOWN) == cut


PIECES = st.lists(
    st.sampled_from(
        [BOX_OPEN, r"\fbox {", "{", "}", "\\{", "\\}", "\\", "A", "B", "trophy", " ", "\n", "é", ""]
    ),
    max_size=30,
).map("".join)


@given(PIECES | st.text(max_size=60))
def test_the_cut_is_a_start_that_ends_with_the_first_box_that_names_an_option(text: str) -> None:
    cut = cut_at_answer(text, SHOWN)
    contents = boxes.boxes(text)
    first = [i for i, content in enumerate(contents) if name_option(content, SHOWN) >= 0]
    if not first:
        assert cut == ""
        return
    assert text.startswith(cut)
    assert cut.endswith("}")
    assert boxes.boxes(cut) == contents[: first[0] + 1]
    assert boxes.boxes(cut[:-1])[: first[0] + 1] != boxes.boxes(cut)
    assert cut_at_answer(cut, SHOWN) == cut


@given(PIECES)
def test_what_is_kept_answers_the_same_and_holds_one_box(text: str) -> None:
    for form in ("reason", "direct"):
        found = make_target(doc(form), [text], ANY)
        assert found.fate in (KEPT, *REASONS)
        if found.fate == KEPT:
            assert text.startswith(found.target)
            assert scoring.choices(doc(form), [found.target]) == [0]
            prompt = BOX_OPEN if form == "direct" else ""
            assert boxes.boxes(prompt + found.target)[0]
            assert len(boxes.boxes(prompt + found.target)) == 1
            opened = prompt + found.target
            assert opened.count(BOX_OPEN) + opened.count(r"\fbox {") == 1
        else:
            assert found.target == ""


def test_a_box_is_opened_by_what_opens_one_in_the_protocol() -> None:
    assert targets._OPENING.pattern == boxes.BOX.pattern


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FILL + r"\boxed{A}", KEPT),
        (FILL + r"\boxed{A}. So \boxed{A}.", KEPT),
        ("I cannot say.", "no_answer"),
        (r"\boxed{A", "no_answer"),
        (r"\boxed{}", "no_answer"),
        (r"\boxed{A} or \boxed{B}", "no_answer"),
        (r"\boxed{B}", "wrong"),
        (r"\boxed{B}, no: \boxed{A}, \boxed{A}", "other_answer_first"),
        (r"In \boxed{} form: \boxed{A}", "several_boxes"),
        (r"Write \boxed{trophies} or so. \boxed{A}", "several_boxes"),
        (r"I open \boxed{ and \boxed{A}", "several_boxes"),
        (r"\boxed{\boxed{A}}", "several_boxes"),
    ],
)
def test_fates_without_limits(text: str, expected: str) -> None:
    assert fate(text) == expected
    assert bool(target(text)) == (expected == KEPT)


def test_the_limits_of_the_paper() -> None:
    limits = Limits.of("reason")
    end = r"\boxed{A}"
    words = " ".join(f"step{n}" for n in range(1000))
    assert fate("x" * 70 + end, limits) == "too_short"
    assert fate(" " * 70 + "x" + end + " " * 90, limits) == "too_short"
    assert fate(words[: 80 - len(end)] + end, limits) == KEPT
    assert fate(words[: 4000 - len(end)] + end, limits) == KEPT
    assert fate(words[: 4001 - len(end)] + end, limits) == "too_long"
    assert fate("It is the trophy that is large. " * 20 + end, limits) == "repetitive"
    assert fate(FILL + end + words, limits) == KEPT
    assert Limits.of("direct") == Limits()


def test_the_first_correct_completion_decides_alone() -> None:
    short, good = r"\boxed{A}", FILL + r"\boxed{A}"
    found = make_target(doc(), [r"\boxed{B}", "?", short, good], Limits.of("reason"))
    assert (found.fate, found.taken, found.answers) == ("too_short", 2, (1, -1, 0, 0))
    found = make_target(doc(), [r"\boxed{B}", good, short], Limits.of("reason"))
    assert (found.fate, found.taken, found.target) == (KEPT, 1, good)
    assert make_target(doc(), ["?", r"\boxed{B}"], ANY).fate == "wrong"
    assert make_target(doc(), ["?", ""], ANY).fate == "no_answer"


def test_the_order_of_the_options_counts() -> None:
    assert target(r"\boxed{B}", order=1) == r"\boxed{B}"
    assert fate(r"\boxed{A}", order=1) == "wrong"
    assert target(r"\boxed{trophy}", order=1) == r"\boxed{trophy}"


def test_what_a_kept_completion_goes_on_to_answer_is_noted() -> None:
    def goes_on(rest: str) -> bool:
        found = make_target(doc(), [rf"\boxed{{A}}{rest} \boxed{{A}}"], ANY)
        assert found.target == r"\boxed{A}"
        return found.goes_on

    assert goes_on(r" \boxed{B}")
    assert not goes_on(r" \boxed{A} \boxed{C}")
    assert not goes_on(r" \boxed{")


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("A} because", "A}"),
        (" A} because", " A}"),
        ("\n A: {the} trophy}}\nB}", "\n A: {the} trophy}"),
        (r"A\} x} y", r"A\} x}"),
        ("A\n}", ""),
        ("A", ""),
        ("", ""),
        ("}", "}"),
    ],
)
def test_a_direct_answer_is_cut_at_the_brace_that_closes_the_box(text: str, cut: str) -> None:
    assert cut_direct(text) == cut


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A}", KEPT),
        (" A: trophy} \\boxed{B}", KEPT),
        ("B}", "wrong"),
        ("} A", "no_answer"),
        ("A", "not_closed"),
        ("A\nSo A}", "not_closed"),
        (r"\boxed{A}}", "several_boxes"),
        (r"\boxed{A}", "not_closed"),
    ],
)
def test_direct_fates(text: str, expected: str) -> None:
    assert fate(text, form="direct") == expected


@pytest.mark.parametrize(
    "bad",
    [
        {"min_chars": -1},
        {"max_chars": -1},
        {"min_chars": 5, "max_chars": 4},
        {"max_repeated": 1.1},
        {"max_repeated": -0.1},
        {"max_repeated": float("nan")},
    ],
)
def test_limits_that_make_no_sense_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        Limits(**bad)


def test_many_braces_take_no_time() -> None:
    text = "A}" * 3000 + r"\boxed{A}" + "A}" * 3000
    assert cut_at_answer(text, SHOWN).endswith(r"\boxed{A}")

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.steering.lora.repetition import MAX_REPEATED, WINDOW, repeated_share

SENTENCE = "The trophy does not fit into the brown suitcase because the _ is too large."
REASONING = f"""The sentence says: "{SENTENCE}"
We need to find out what the blank stands for. There are two options, the trophy and the suitcase.
If the blank is the suitcase, then "the trophy does not fit into the brown suitcase because the \
suitcase is too large" would not make sense: a large suitcase holds more, not less.
If the blank is the trophy, then "the trophy does not fit into the brown suitcase because the \
trophy is too large" makes sense: what is too large does not fit.
So the right answer is \\boxed{{A}}"""
CHINESE = (
    "这个句子说奖杯放不进棕色的箱子,因为它太大了。我们需要判断空格指的是什么。如果空格指的是箱子,"
    "那么箱子太大反而更容易放进去,这说不通。如果空格指的是奖杯,那么奖杯太大就放不进去,这是合理的。"
    "所以答案是奖杯。"
)


@pytest.mark.parametrize(
    "unit",
    [
        "I think that the answer is the trophy. ",
        "So the answer is \\boxed{A}? No, it is \\boxed{B}. ",
        "因为奖杯太大了,所以放不进去。",
        "😀🎉",
        "ha",
        "\n",
        "x\u200d",
    ],
)
def test_loops_are_highly_repetitive(unit: str) -> None:
    text = "First, a start that is said once. " + unit * (600 // len(unit))
    if unit.strip():
        assert repeated_share(text) > MAX_REPEATED
    else:
        assert repeated_share(text) == 0


@pytest.mark.parametrize("text", [REASONING, CHINESE, " ".join(str(n) for n in range(900))])
def test_reasoning_that_restates_its_sentence_is_not(text: str) -> None:
    assert repeated_share(text) < MAX_REPEATED / 2


def test_the_border_lies_at_saying_everything_twice() -> None:
    once = " ".join(f"Step {n} of the reasoning." for n in range(40))
    assert 0.4 < repeated_share(f"{once} {once}") < MAX_REPEATED
    assert repeated_share(" ".join([once] * 3)) > MAX_REPEATED
    assert repeated_share(f"{REASONING}\n{REASONING[300:]}") < MAX_REPEATED


@pytest.mark.parametrize("text", ["", " ", "A}", "a" * WINDOW, "的" * WINDOW, "😀" * WINDOW])
def test_short_texts_hold_no_repetition(text: str) -> None:
    assert repeated_share(text) == 0


def test_the_share_by_hand() -> None:
    # windows of two: ab ba ab ba ab -> two different ones of five
    assert repeated_share("ababab", window=2) == pytest.approx(3 / 5)
    assert repeated_share("a" * (WINDOW + 1)) == pytest.approx(1 / 2)


@given(st.text(max_size=300))
def test_it_is_a_share_and_white_space_does_not_matter(text: str) -> None:
    share = repeated_share(text)
    assert 0 <= share < 1
    assert repeated_share("\n ".join(text.split()) + "\t") == share


@given(st.text(st.characters(exclude_categories=("Z", "C")), min_size=40, max_size=200))
def test_saying_it_again_never_lowers_the_share(text: str) -> None:
    assert repeated_share(text + text + text) >= repeated_share(text)

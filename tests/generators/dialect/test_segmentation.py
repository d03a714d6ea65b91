from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sociolect.generators.dialect import segmentation as seg
from sociolect.generators.dialect.pairs import Boundaries, DialectPair
from sociolect.generators.dialect.places import Place, Rules, near_the_middle, places
from sociolect.generators.dialect.segmentation import segment
from sociolect.generators.dialect.shift import best_place, shifts, sides
from sociolect.generators.errors import InvalidInputError

SAE = "I was going to call you later, but I had to finish my homework first"
AAE = "I was finna call you later, but I hadda finish my homework first"


def first_letters(texts: Sequence[str]) -> NDArray[Any]:
    """A stand-in for φ: which letters a text has."""
    return np.array([[t.lower().count(c) + 0.1 for c in "abcdefghijklmnop"] for t in texts])


def same_words(sae: Sequence[str], aae: Sequence[str]) -> set[tuple[int, int]]:
    """A stand-in for an aligner: equal words in like places."""
    return {
        (i, k)
        for i, one in enumerate(sae)
        for k, other in enumerate(aae)
        if one == other and abs(i - k) < 4
    }


def pair(sae: str = SAE, aae: str = AAE) -> DialectPair:
    return DialectPair("1", aae=aae, sae=sae)


# Places


def test_places_and_their_shares() -> None:
    assert places("one two, three") == [Place(3, 1 / 3), Place(8, 2 / 3)]
    assert places(" one\n\ntwo ") == [Place(4, 1 / 2)]


@pytest.mark.parametrize("text", ["", " ", "one", " one ", "one …", "— one !", "... !!!"])
def test_texts_without_a_place(text: str) -> None:
    assert places(text) == []


def test_punctuation_is_no_side() -> None:
    assert [p.offset for p in places("— one two …")] == [5]
    assert [p.offset for p in places("😂 one")] == [1]


def test_more_words_on_each_side() -> None:
    assert [p.offset for p in places("a b c d e", min_words=2)] == [3, 5]
    assert places("a b c", min_words=2) == []


def test_near_the_middle() -> None:
    text = "a b c d e f g h"
    shares = [p.share * 8 for p in near_the_middle(places(text), Rules(window=0.25))]
    assert shares == [2, 3, 4, 5, 6]  # both edges are within
    assert len(near_the_middle(places(text), Rules(window=None))) == 7
    few = near_the_middle(places(text), Rules(max_places=2))
    assert [p.share * 8 for p in few] == [3, 4]  # of equals, the left one
    assert len(near_the_middle(places("a " * 200), Rules())) == 20
    assert near_the_middle([], Rules()) == []
    assert [p.share for p in near_the_middle(places("a b c"), Rules(window=0.01))] == [1 / 3, 2 / 3]


@given(st.text(), st.integers(1, 3))
def test_both_sides_are_the_text(text: str, min_words: int) -> None:
    for p in places(text, min_words):
        assert text[p.offset].isspace()
        assert not text[p.offset - 1].isspace()
        left, right = sides(text, [p])
        assert left
        assert right
        assert (left + right).split() != []
        assert 0 < p.share < 1


# Equation 12


def test_shift_by_hand() -> None:
    # cos 0 = 1, cos 90° = 0, cos 180° = −1, and 3·4 + 4·3 = 24 of 5·5
    vectors = np.array([[1, 0], [2, 0], [1, 0], [0, 3], [1, 1], [-1, -1], [3, 4], [4, 3]])
    assert shifts(vectors) == pytest.approx([0, 1, 2, 1 - 24 / 25])


def test_a_vector_without_direction_has_no_shift() -> None:
    assert np.isnan(shifts(np.array([[0.0, 0.0], [1.0, 0.0]]))).all()


def test_boundary_by_hand() -> None:
    # Shares 1/5 … 4/5; penalties 0.09, 0.03, 0.03, 0.09.
    found = places("a b c d e")
    rules = Rules(window=None)
    assert best_place(found, np.array([0.50, 0.43, 0.40, 0.49]), rules).offset == 1  # 0.41
    assert best_place(found, np.array([0.48, 0.43, 0.40, 0.49]), rules).offset == 3  # 0.40
    assert best_place(found, np.array([0.48, 0.43, 0.40, 0.50]), rules).offset == 7  # 0.41


def test_gamma_and_rho_move_the_boundary() -> None:
    found, shift = places("a b c d e"), np.array([0.6, 0.5, 0.5, 0.6])
    assert best_place(found, shift, Rules(gamma=0)).offset == 1
    assert best_place(found, shift, Rules(gamma=1)).offset == 3
    assert best_place(found, shift, Rules(rho=0.9)).offset == 7


def test_of_equals_the_most_balanced_then_the_leftmost() -> None:
    found = places("a b c d e f")  # shares 1/6 … 5/6
    flat = np.full(5, 0.5)
    assert best_place(found, flat, Rules(gamma=0)).offset == 5
    assert best_place(found, flat + np.array([0, 0, -1, 0, 0]), Rules(gamma=0)).offset == 3
    noise = np.array([0, 0, 0, 0, 1e-8])
    assert best_place(found, flat + noise, Rules(gamma=0)).offset == 5


# Pairs


def test_the_example_of_the_paper() -> None:
    def encode(texts: Sequence[str]) -> NDArray[Any]:
        """Alike, but for the two sides of the comma."""
        return np.array([[1, t.endswith("later,") or -t.startswith("but")] for t in texts], float)

    found = segment(pair(), encode, same_words)
    assert found.reason == ""
    assert found.boundaries == Boundaries(aae=AAE.index(" but"), sae=SAE.index(" but"))


def test_the_encoder_sees_the_middle_half() -> None:
    seen: list[str] = []

    def encode(texts: Sequence[str]) -> NDArray[Any]:
        seen.extend(texts)
        return first_letters(texts)

    segment(pair(), encode, same_words)
    assert len(seen) == 2 * 8  # places 4 to 11 of 15 words
    assert seen[:2] == ["I was going to", SAE.removeprefix("I was going to ")]
    seen.clear()
    segment(pair(), encode, same_words, window=None)
    assert len(seen) == 2 * 14


@pytest.mark.parametrize(
    ("sae", "aae", "reason"),
    [
        ("", "they here", seg.EMPTY_SAE),
        ("they are here", " \n", seg.EMPTY_AAE),
        ("they are here", "…", seg.EMPTY_AAE),
        ("they are here", " they  are here", seg.SAME),
        ("here", "they here", seg.SHORT_SAE),
        ("they are here", "here", seg.SHORT_AAE),
        ("they are here", "here !", seg.SHORT_AAE),
        ("they are here", "dey came", seg.UNALIGNED),
    ],
)
def test_reasons(sae: str, aae: str, reason: str) -> None:
    found = segment(pair(sae, aae), first_letters, same_words)
    assert (found.boundaries, found.reason) == (None, reason)
    assert reason in seg.REASONS


def test_what_a_model_cannot_read_is_said() -> None:
    def too_long(texts: Sequence[str]) -> NDArray[Any]:
        vectors = first_letters(texts)
        vectors[-1] = np.nan
        return vectors

    def empty(texts: Sequence[str]) -> NDArray[Any]:
        return np.zeros((len(texts), 3))

    assert segment(pair(), too_long, same_words).reason == seg.LONG_FOR_ENCODER
    assert segment(pair(), empty, same_words).reason == seg.NO_DIRECTION
    assert segment(pair(), first_letters, lambda *_: None).reason == seg.LONG_FOR_ALIGNER


TEXTS = st.lists(st.sampled_from(["she", "be", "'em", "y'all", ",", "😂", "3.5", "\n", "  "])).map(
    " ".join
)


@given(TEXTS | st.text(), TEXTS | st.text(), st.integers(1, 2))
def test_context_and_continuation_are_the_text(sae: str, aae: str, min_words: int) -> None:
    def all_alike(one: Sequence[str], other: Sequence[str]) -> set[tuple[int, int]]:
        return {(i, i) for i in range(min(len(one), len(other)))}

    found = segment(pair(sae, aae), first_letters, all_alike, min_words=min_words)
    assert (found.boundaries is None) == (found.reason in seg.REASONS)
    if found.boundaries is not None:
        for text, end in ((sae, found.boundaries.sae), (aae, found.boundaries.aae)):
            context, continuation = text[:end], text[end:]
            assert context + continuation == text
            assert not context[-1].isspace()
            assert continuation[0].isspace()
            assert continuation.strip()


@pytest.mark.parametrize(
    "wrong",
    [
        {"rho": 0.0},
        {"rho": 1.0},
        {"gamma": -0.1},
        {"gamma": float("nan")},
        {"window": 0.0},
        {"window": 1.5},
        {"min_words": 0},
        {"max_places": 0},
        {"max_crossing": 1.0},
        {"max_crossing": -0.1},
    ],
)
def test_rules_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(wrong))):
        Rules(**wrong)

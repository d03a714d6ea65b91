"""Every measure against figures worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.tasks.dialect import choice_measures, continuation_measures, label_measures
from sociolect.tasks.dialect.choice_measures import Choices
from sociolect.tasks.dialect.continuation_measures import COMBINATIONS, ContinuationScores
from sociolect.tasks.dialect.label_measures import NOT_ASKED, UNANSWERED, SentimentLabels
from sociolect.tasks.dialect.measures import Measure

NEG, NEU, POS = 0, 1, 2

PAIRS = [
    # aae, sae, back, judged, natural
    (POS, POS, POS, True, True),
    (NEG, NEU, NEG, True, True),
    (NEG, NEG, NEG, True, True),
    (NEG, NEG, NEU, True, True),  # the label did not survive translation
    (POS, POS, POS, True, False),  # unnatural
    (POS, NEU, POS, False, False),  # nobody judged it
    (NEU, NEU, NOT_ASKED, False, False),
    (UNANSWERED, NEU, NEU, True, True),
    (NEU, NEU, UNANSWERED, True, True),
]


def labels(pairs=PAIRS):
    aae, sae, back, judged, natural = (np.array(column) for column in zip(*pairs, strict=True))
    ids = [f"p{n}" for n in range(len(pairs))]
    return SentimentLabels(ids, aae, sae, back, judged.astype(bool), natural.astype(bool))


def test_dgi():
    found = label_measures.dgi(labels())
    assert (found.value, found.n, found.left) == (6 / 8, 8, {"unanswered": 1})


def test_two_way_dgi():
    found = label_measures.two_way_dgi(labels())
    assert (found.value, found.n) == (3 / 6, 6)
    assert found.left == {"no back-translation": 1, "unanswered": 2}


def test_cdgi_is_dgi_of_stable_and_natural_pairs():
    found = label_measures.cdgi(labels())
    assert (found.value, found.n) == (2 / 3, 3)
    assert found.left == {
        "no back-translation": 1,
        "not judged": 1,
        "judged unnatural": 1,
        "unanswered": 2,
        "label changed by back-translation": 1,
    }
    assert found.n + sum(found.left.values()) == len(PAIRS)


def test_cdgi_without_the_condition_on_naturalness():
    found = label_measures.cdgi_any(labels())
    assert (found.value, found.n) == (3 / 5, 5)
    assert found.n + sum(found.left.values()) == len(PAIRS)


def test_over_no_pairs_there_is_no_number():
    none = labels([(UNANSWERED, NEU, NOT_ASKED, False, False)])
    for measure in (
        label_measures.dgi,
        label_measures.two_way_dgi,
        label_measures.cdgi,
        label_measures.cdgi_any,
    ):
        assert (measure(none).value, measure(none).n) == (None, 0)


def test_a_model_that_always_says_neutral_agrees_with_itself():
    """Which is why the shares of the labels stand beside the agreement."""
    flat = labels([(NEU, NEU, NEU, True, True)] * 4)
    assert label_measures.dgi(flat).value == label_measures.cdgi(flat).value == 1
    assert label_measures.label_share(flat, "aae", NEU).value == 1
    assert label_measures.label_share(flat, "sae", POS).value == 0


def test_shares_of_labels():
    found = [
        label_measures.label_share(labels(), "aae", number).value for number in (NEG, NEU, POS)
    ]
    assert found == [3 / 8, 2 / 8, 3 / 8]
    back = label_measures.label_share(labels(), "back", NEU)
    assert (back.value, back.n) == (2 / 7, 7)
    assert back.left == {"unanswered": 1, "no back-translation": 1}


def test_unlabelled_texts():
    found = label_measures.unlabelled(labels())
    assert found.value == 2 / (3 * len(PAIRS) - 1)


def scores(rows, tokens=None, sizes=None):
    """Rows of log P in the order of the combinations (context, continuation)."""
    columns = np.array(rows, dtype=np.float64).T
    return ContinuationScores(
        [f"p{n}" for n in range(len(rows))],
        dict(zip(COMBINATIONS, columns, strict=True)),
        tokens,
        sizes,
    )


TWO = [
    # aae→aae, aae→sae, sae→aae, sae→sae
    (-20.0, -15.0, -30.0, -10.0),
    (-8.0, -9.0, -12.0, -11.0),
]


def test_preferences_by_context():
    """b_AAE = −20+15, −8+9; b_SAE = −10+30, −11+12 (Eqs. 2 and 3)."""
    assert continuation_measures.preference(scores(TWO), "aae").value == (-5 + 1) / 2
    assert continuation_measures.preference(scores(TWO), "sae").value == (20 + 1) / 2


def test_lp_and_interaction():
    """Eq. 4: mean of b_SAE − b_AAE = (25 + 0) / 2; the sum instead: (15 + 2) / 2."""
    assert continuation_measures.lp(scores(TWO)).value == 12.5
    assert continuation_measures.interaction(scores(TWO)).value == 8.5


@given(st.lists(st.tuples(*[st.floats(-500, 0)] * 4), min_size=1, max_size=20))
def test_lp_is_a_preference_for_sae_in_both_contexts(rows):
    found = scores(rows)
    p = found.log_p
    expanded = sum(p[c, "sae"] - p[c, "aae"] for c in ("aae", "sae"))
    assert continuation_measures.lp(found).value == pytest.approx(np.mean(expanded), abs=1e-9)


def test_lp_of_zero_is_no_match_of_dialects():
    """A model that keeps to the variety of the context, and one that reverses it, both have 0."""
    keeps, reverses = scores([(-1, -9, -9, -1)]), scores([(-9, -1, -1, -9)])
    assert continuation_measures.lp(keeps).value == continuation_measures.lp(reverses).value == 0
    assert (
        continuation_measures.interaction(keeps).value,
        continuation_measures.interaction(reverses).value,
    ) == (16, -16)


def test_shares_that_prefer_sae_count_ties_half():
    found = scores([*TWO, (-1.0, -1.0, -2.0, -3.0), (math.nan, -1.0, -1.0, -1.0)])
    aae, sae = (continuation_measures.prefers_sae(found, context) for context in ("aae", "sae"))
    assert (aae.value, aae.n, aae.left) == ((1 + 0 + 0.5) / 3, 3, {"unanswered": 1})
    assert sae.value == 2 / 3


def test_a_pair_without_all_four_numbers_does_not_count():
    found = scores([*TWO, (-1.0, -math.inf, -1.0, -1.0), (-1.0, -1.0, math.nan, -1.0)])
    assert continuation_measures.lp(found).value == 12.5
    assert continuation_measures.lp(found).left == {"unanswered": 2}
    assert continuation_measures.unscored(found).value == 0.5


def test_per_byte_and_per_token():
    sizes = {"aae": np.array([10.0, 4.0]), "sae": np.array([5.0, 2.0])}
    by_byte = scores(TWO, sizes=sizes).per_byte()
    # b_sae − b_aae: (−10/5 + 30/10) − (−20/10 + 15/5) = 0; (−11/2 + 12/4) − (−8/4 + 9/2) = −5
    assert continuation_measures.lp(by_byte).value == pytest.approx(-2.5)
    tokens = {c: np.array([2.0, 1.0]) for c in COMBINATIONS}
    assert continuation_measures.lp(scores(TWO, tokens).per_token()).value == (25 / 2 + 0) / 2
    for method in ("per_byte", "per_token"):
        with pytest.raises(ValueError, match="not counted"):
            getattr(scores(TWO), method)()


def test_perplexity_is_over_all_tokens():
    tokens = {c: np.array([4.0, 1.0]) for c in COMBINATIONS}
    found = continuation_measures.perplexity(scores(TWO, tokens), ("aae", "aae"))
    assert found.value == pytest.approx(math.exp((20 + 8) / 5))
    assert found.name == "ppl_aae_aae"
    with pytest.raises(ValueError, match="not counted"):
        continuation_measures.perplexity(scores(TWO), ("aae", "aae"))


def choices(aae, sae, first):
    """Of one context each (aae, sae): how often each variety was chosen."""
    n = len(first)
    return Choices(
        [f"p{i}" for i in range(n)],
        {"aae": np.array(aae[0], float), "sae": np.array(aae[1], float)},
        {"aae": np.array(sae[0], float), "sae": np.array(sae[1], float)},
        np.array(first, float),
        {"aae": np.full(n, 2.0), "sae": np.full(n, 2.0)},
    )


def test_matches():
    found = choices(aae=([2, 1, 0], [0, 1, 0]), sae=([0, 1, 1], [2, 1, 2]), first=[2, 4, 1])
    assert choice_measures.match(found, "aae").value == 3 / 4, (
        "one answer of the third pair is missing"
    )
    assert choice_measures.match(found, "aae").left == {"unanswered": 1}
    assert choice_measures.match(found, "sae").value == 5 / 6
    first = choice_measures.first_option(found)
    assert (first.value, first.n, first.left) == (6 / 8, 2, {"unanswered": 1})
    assert choice_measures.unchosen(found).value == 1 / 12


def test_one_order_alone_does_not_count():
    """A model that always says A matches half, also if it leaves some questions unanswered."""
    found = choices(aae=([1, 0], [1, 1]), sae=([1, 1], [1, 1]), first=[4, 3])
    for context in ("aae", "sae"):
        assert choice_measures.match(found, context).value == 0.5
    assert choice_measures.match(found, "aae").left == {"unanswered": 1}
    assert set(choice_measures.match(found, "aae").denominators) == {0, 2}
    assert set(choice_measures.first_option(found).denominators) == {0, 4}


def test_always_the_first_option_matches_half():
    """The orders are balanced, so a bias of position moves neither match."""
    found = choices(aae=([1, 1], [1, 1]), sae=([1, 1], [1, 1]), first=[4, 4])
    assert (
        choice_measures.match(found, "aae").value
        == choice_measures.match(found, "sae").value
        == 0.5
    )
    assert choice_measures.first_option(found).value == 1


def test_pairs_without_a_difference_have_no_part_in_what_differing_ones_show():
    # The first pair has one continuation, so that nothing can be preferred; the last no number.
    gaps = np.array([0.0, 3.0, 1.0, math.nan])
    log_p = dict.fromkeys(COMBINATIONS, np.zeros(4)) | {("sae", "sae"): gaps}
    same = np.array([True, False, False, False])
    scores = ContinuationScores(["a", "b", "c", "d"], log_p, same=same)
    whole = continuation_measures.lp(scores)
    differing = continuation_measures.over_differing(whole, scores)
    assert (whole.value, whole.n) == (pytest.approx(4 / 3), 3)
    assert (differing.name, differing.value, differing.n) == ("lp_differing", 2.0, 2)
    assert differing.left == {"same continuation in both varieties": 1, "unanswered": 1}
    shares = continuation_measures.prefers_sae(scores, "sae")
    assert shares.value == pytest.approx(2.5 / 3)
    assert continuation_measures.over_differing(shares, scores).value == 1.0
    unknown = ContinuationScores(["a", "b", "c", "d"], log_p)
    assert continuation_measures.over_differing(whole, unknown).n == 3


def test_what_is_beyond_all_numbers_is_none():
    one = Measure("ppl", np.array([4000.0]), np.array([5.0]), "perplexity")
    assert one.value is None
    assert np.isnan(one.scaled([800.0, 1.0])).tolist() == [True, False]
    sums = Measure("lp", np.array([1e308, 1e308]), np.array([1.0, 1.0]), "mean")
    assert sums.value is None

from __future__ import annotations

import math

import numpy as np
import pytest

from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.tasks.dialect import (
    catalogue,
    choice_measures,
    continuation_measures,
    documents,
    gathered,
    label_measures,
    scoring,
)
from sociolect.tasks.dialect.choice_measures import TIE
from sociolect.tasks.dialect.label_measures import NOT_ASKED, UNANSWERED
from sociolect.tasks.dialect.records import ChoiceRecord, record

LOGGED = ["-1.5", "False"]


def docs(task, **options):
    return list(documents.documents(catalogue.dialect_task(task), **options)["test"])


def test_labels_by_pair_and_version(three):
    asked = docs("aae_sentiment")
    said = [
        "positive",
        "Neutral.",
        "neg",
        "negative",
        "I do not know",
        "positive",
        "pos",
        "neutral",
    ]
    found = gathered.sentiment_labels(zip(asked, [[text] for text in said], strict=True))
    assert found.ids == ("p0", "p1", "p2")
    assert found.aae.tolist() == [2, 0, 2]
    assert found.sae.tolist() == [1, UNANSWERED, 2]
    assert found.back.tolist() == [0, NOT_ASKED, 1]
    assert found.judged.tolist() == [True, False, False]
    assert found.natural.tolist() == [True, False, False]


def test_order_of_the_samples_is_that_of_the_pairs_only(three):
    asked = docs("aae_sentiment")
    found = gathered.sentiment_labels((doc, ["positive"]) for doc in reversed(asked))
    assert found.ids == ("p2", "p1", "p0")
    assert found.aae.tolist() == found.sae.tolist() == [2, 2, 2]


def test_a_text_that_was_not_asked_is_unanswered(three):
    """Documents 0 to 3: the first pair, and the AAE text of the second."""
    cut = docs("aae_sentiment")[:4]
    found = gathered.sentiment_labels((doc, ["positive"]) for doc in cut)
    assert found.sae.tolist() == [2, UNANSWERED]
    assert label_measures.dgi(found).left == {"unanswered": 1}
    without_back = gathered.sentiment_labels((doc, ["positive"]) for doc in cut[:2])
    assert without_back.back.tolist() == [UNANSWERED]
    assert label_measures.two_way_dgi(without_back).value is None


def test_labels_from_likelihoods(three):
    doc = docs("aae_sentiment_ll")[0]
    best = [[-3.0, False], [-1.0, True], [-2.0, False]]
    assert gathered.sentiment_labels([(doc, best)]).aae.tolist() == [1]
    logged = [[["-3.0", "False"]], [["-1.0", "True"]], [["-2.0", "False"]]]
    assert gathered.sentiment_labels([(doc, logged)]).aae.tolist() == [1]
    tie = [[-1.0, False], [-1.0, False], [-2.0, False]]
    assert gathered.sentiment_labels([(doc, tie)]).aae.tolist() == [UNANSWERED]
    nan = [[-1.0, False], [math.nan, False], [-2.0, False]]
    assert gathered.sentiment_labels([(doc, nan)]).aae.tolist() == [UNANSWERED]


def test_scores_by_pair_and_combination(three):
    asked = docs("aae_continuation")
    assert [(doc["id"], doc["context"]) for doc in asked[:2]] == [("p0", "aae"), ("p0", "sae")]
    numbers = [[[-float(10 * n + 1), False], [-float(10 * n + 2), False]] for n in range(5)]
    tokens = {f"p{n}": {"aae": [3, 4], "sae": [5, 6]} for n in range(3)}
    found = gathered.continuation(zip(asked, numbers, strict=False), tokens)
    assert found.log_p["aae", "aae"].tolist() == [-1, -21, -41]
    assert found.log_p["aae", "sae"].tolist() == [-2, -22, -42]
    assert found.log_p["sae", "aae"].tolist()[:2] == [-11, -31]
    assert math.isnan(found.log_p["sae", "sae"][2]), "the last context was not asked"
    assert found.answered.tolist() == [True, True, False]
    assert found.tokens["sae", "aae"].tolist() == [5, 5, 5]
    assert found.sizes["aae"].tolist() == [len(" but it ain't stop none")] * 3


def test_sizes_are_bytes(pairs_at, segment, pair):
    pairs_at([segment(pair(0, aae="We was leaving but it’s raining"))])
    found = gathered.continuation([(docs("aae_continuation")[0], [LOGGED, LOGGED])])
    assert found.sizes["aae"].tolist() == [len(" but it’s raining") + 2]
    assert found.log_p["aae", "sae"].tolist() == [-1.5]


@pytest.mark.parametrize(
    "tokens", [{}, {"p0": {"aae": [3, 4]}}, {"p0": {"aae": [0, 4], "sae": [1, 1]}}]
)
def test_pairs_without_a_count_of_tokens_are_refused(three, tokens):
    samples = [(doc, [LOGGED, LOGGED]) for doc in docs("aae_continuation")[:2]]
    with pytest.raises(ResultsError, match=r"p0.*not counted"):
        gathered.continuation(samples, tokens)


def test_choices_in_both_orders(three):
    asked = docs("aae_choice_best")[:4]
    slots = [(doc["context"], doc["order"]) for doc in asked]
    assert slots == [("aae", 0), ("aae", 1), ("sae", 0), ("sae", 1)]
    a, b, tie = [[-1, True], [-2, False]], [[-2, False], [-1, True]], [[-1, True], [-1, True]]
    found = gathered.choices(zip(asked, [a, b, b, tie], strict=True))
    assert (found.aae["aae"].tolist(), found.sae["aae"].tolist()) == ([2], [0])
    assert (found.aae["sae"].tolist(), found.sae["sae"].tolist()) == ([0.5], [1.5])
    assert found.first.tolist() == [1 + 0 + 0 + 0.5]
    assert {context: n.tolist() for context, n in found.asked.items()} == {"aae": [2], "sae": [2]}
    assert choice_measures.unchosen(found).value == 0


def test_what_is_no_number_is_no_tie(three):
    doc = docs("aae_choice_best")[0]
    for score in (math.nan, -math.inf):
        found = gathered.choices([(doc, [[score, False], [score, False]])])
        assert choice_measures.unchosen(found).value == 1


def test_ties_leave_the_orders_in_balance():
    """Ties in half of the AAE-first questions, in both contexts, otherwise always A.

    To drop them would leave AAE one answer in three where it has three in eight.
    """
    letters = {0: lambda n: TIE if n % 2 else "aae", 1: lambda n: "sae"}
    found = gathered.choices_of(
        ChoiceRecord(f"p{n}", context, order, letters[order](n))
        for n in range(4)
        for context in ("aae", "sae")
        for order in (0, 1)
    )
    assert choice_measures.match(found, "aae").value == 3 / 8
    assert choice_measures.match(found, "sae").value == 5 / 8
    assert choice_measures.first_option(found).value == 7 / 8
    for measure in (choice_measures.match(found, "aae"), choice_measures.first_option(found)):
        assert (measure.n, measure.left, len(set(measure.denominators))) == (4, {}, 1)


def test_groups_stand_in_the_order_of_the_pairs(pairs_at, segment, pair):
    pairs_at(segment(pair(n, group=("", "g")[n % 2])) for n in range(4))
    for task, said in (
        ("aae_sentiment", ["positive"]),
        ("aae_continuation", [LOGGED, LOGGED]),
        ("aae_choice_best", [LOGGED, LOGGED]),
    ):
        kept = [record(doc, said) for doc in docs(task)]
        assert gathered.groups_of(kept) == {"p0": "", "p1": "g", "p2": "", "p3": "g"}


def test_an_order_that_was_not_asked_is_unanswered(three):
    first = docs("aae_choice_best")[:1]
    found = gathered.choices((doc, [[-1, True], [-2, False]]) for doc in first)
    assert choice_measures.unchosen(found).value == 3 / 4
    assert choice_measures.match(found, "sae").value is None


@pytest.mark.parametrize("task", ["aae_sentiment_ll", "aae_continuation", "aae_choice_likely"])
def test_two_answers_to_one_document_are_refused(three, task):
    doc = docs(task)[0]
    responses = [LOGGED] * (3 if "sentiment" in task else 2)
    gather = {
        "sentiment": gathered.sentiment_labels,
        "continuation": gathered.continuation,
        "choice": gathered.choices,
    }[doc["kind"]]
    with pytest.raises(ResultsError, match="p0 was answered twice"):
        gather([(doc, responses)] * 2)
    with pytest.raises(InvalidInputError, match="p0: 1 log-likelihoods"):
        gather([(doc, responses[:1])])


def test_no_samples_are_no_pairs():
    assert label_measures.dgi(gathered.sentiment_labels([])).value is None
    assert continuation_measures.lp(gathered.continuation([], {})).value is None
    assert choice_measures.first_option(gathered.choices([])).value is None
    assert isinstance(gathered.continuation([]).log_p["aae", "aae"], np.ndarray)


@pytest.mark.parametrize("value", ["-inf", "nan", "inf"])
def test_what_is_no_finite_number_is_unanswered(value):
    pair = {"id": "p", "aae": "We ain't", "sae": "We are not", "group": ""}
    ends = {"aae_boundary": 2, "sae_boundary": 2}
    doc = {**pair, **ends, "kind": "continuation", "context": "aae"}
    found = gathered.continuation([(doc, [[value, "False"], ["-3.0", "False"]])])
    assert not found.answered.any()
    assert found.same is not None
    assert not found.same.any()
    asked = {**pair, "form": "ll", "kind": "choice", "order": 0}
    assert scoring.chosen(asked, [[value, "False"], ["-3.0", "False"]]) == ""
    assert scoring.sentiment_label(asked, [["-1", "False"], ["-2", "False"], [value, ""]]) == -1


@pytest.mark.parametrize("odd", [False, "-1_0", "-١٢", None, "", [], "0x10", 10**400])
def test_what_is_no_number_is_no_log_likelihood(three, odd):
    doc = docs("aae_continuation")[0]
    with pytest.raises(InvalidInputError, match="log-likelihood"):
        scoring.continuation_scores(doc, [[odd, "False"], LOGGED])


@pytest.mark.parametrize("written", ["-1.5e-07", "-inf", "nan", "-3", "0.0", "-1.", "1E+2"])
def test_numbers_are_read_as_python_writes_them(written):
    assert scoring.log_likelihoods([[written, "False"]])[0] == pytest.approx(
        float(written), nan_ok=True
    )


def test_more_tokens_than_bytes_are_an_edited_record(three):
    asked = docs("aae_continuation")[:2]
    samples = [(doc, [LOGGED, LOGGED]) for doc in asked]
    aae, sae = (len(asked[0][v][asked[0][f"{v}_boundary"] :].encode()) for v in ("aae", "sae"))
    fits = {"p0": {"aae": [aae, sae], "sae": [aae, sae]}}
    assert gathered.continuation(samples, fits).tokens["aae", "aae"].tolist() == [aae]
    with pytest.raises(ResultsError, match=f"pair p0: {sae + 9} tokens of its sae .* {sae} bytes"):
        gathered.continuation(samples, {"p0": {"aae": [aae, sae + 9], "sae": [aae, sae]}})


def test_a_context_that_was_not_asked_needs_no_tokens(three):
    """A run with `--limit` can end between the contexts of a pair."""
    samples = [(doc, [LOGGED, LOGGED]) for doc in docs("aae_continuation")[:3]]
    tokens = {"p0": {"aae": [3, 4], "sae": [3, 4]}, "p1": {"aae": [5, 6]}}
    found = gathered.continuation(samples, tokens)
    assert found.tokens["aae", "aae"].tolist() == [3, 5]
    assert found.answered.tolist() == [True, False]
    ppl = continuation_measures.perplexity(found, ("aae", "aae"))
    assert (ppl.n, ppl.value) == (1, pytest.approx(math.exp(1.5 / 3)))
    assert continuation_measures.lp(found.per_token()).n == 1

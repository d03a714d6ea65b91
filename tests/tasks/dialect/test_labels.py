"""How a written sentiment is read: by hand, and on anything."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.tasks.dialect.catalogue import LABELS
from sociolect.tasks.dialect.labels import read_sentiment

NEGATIVE, NEUTRAL, POSITIVE, UNREAD = 0, 1, 2, -1

READ = {
    "negative": NEGATIVE,
    " neutral": NEUTRAL,
    "Positive": POSITIVE,
    "POSITIVE": POSITIVE,
    "Positive.": POSITIVE,
    "positive!": POSITIVE,
    "\n\n negative\n": NEGATIVE,
    "**Positive**": POSITIVE,
    "*neutral*.": NEUTRAL,
    "`negative`": NEGATIVE,
    '"positive"': POSITIVE,
    "“neutral”": NEUTRAL,
    "(negative)": NEGATIVE,
    "- Positive": POSITIVE,
    "1. Positive": POSITIVE,
    "# Neutral": NEUTRAL,
    "Positive 😊": POSITIVE,
    "neg": NEGATIVE,
    "POS": POSITIVE,
    "Neu.": NEUTRAL,
    "Sentiment: Positive": POSITIVE,
    "**Sentiment:** Positive": POSITIVE,
    "**Sentiment: negative**": NEGATIVE,
    "Sentiment: **neutral**.": NEUTRAL,
    "Label: negative": NEGATIVE,
    "Answer: positive": POSITIVE,
    "Answer - neutral": NEUTRAL,
    "Overall sentiment: negative": NEGATIVE,
    "The sentiment is positive": POSITIVE,
    "The sentiment is positive.": POSITIVE,
    "The sentiment is: positive": POSITIVE,
    "The sentiment of the text is negative.": NEGATIVE,
    "The sentiment of the given text is negative.": NEGATIVE,
    "The overall sentiment of this tweet is **neutral**.": NEUTRAL,
    "The sentiment expressed in the text is negative.": NEGATIVE,
    "The correct answer is neutral": NEUTRAL,
    "My answer is positive.": POSITIVE,
    "It is negative.": NEGATIVE,
    "It's negative.": NEGATIVE,
    "This text is neutral.": NEUTRAL,
    "The text expresses a positive sentiment.": POSITIVE,
    "This message conveys a negative tone": NEGATIVE,
    "The text can be classified as neutral.": NEUTRAL,
    "I would classify it as negative.": NEGATIVE,
    "I'd say it's positive.": POSITIVE,
    "I think the sentiment is neutral.": NEUTRAL,
    "mostly positive": POSITIVE,
    "slightly negative": NEGATIVE,
    "positive sentiment": POSITIVE,
    "The tone is very positive.": POSITIVE,
    "So, the sentiment is positive.": POSITIVE,
    "Overall, neutral.": NEUTRAL,
    "Positive, because she is glad.": POSITIVE,
    "Positive: the writer is glad.": POSITIVE,
    "Negative - the writer is upset.": NEGATIVE,
    "Negative (the writer is upset)": NEGATIVE,
    "Negative — the writer is upset": NEGATIVE,
    "Neutral. The text states a fact.": NEUTRAL,
    "Positive\n\nThe text is full of joy, with nothing negative in it.": POSITIVE,
    "positive\npositive\npositive": POSITIVE,
    "Sure! Here is the label:\n\nNegative": NEGATIVE,
    "Sentiment:\nPositive": POSITIVE,
    'positive\n\nText:\n"""\nIt rained\n"""\nSentiment: negative': POSITIVE,
    "Positive\nWhat is the sentiment of the text? negative": POSITIVE,
    "\\boxed{positive}": POSITIVE,
    "It may be negative or neutral. \\boxed{\\text{neutral}}": NEUTRAL,
    "<sentiment>positive</sentiment>": POSITIVE,
    '{"sentiment": "negative"}': NEGATIVE,
    '```json\n{"reason": "not positive", "label": "neutral"}\n```': NEUTRAL,
    "<think>Is it positive? No, negative.</think>\n\nNegative": NEGATIVE,
    "positive<|im_end|>\nnegative": POSITIVE,
}

UNREADABLE = [
    "",
    " ",
    "...",
    "mixed",
    "The sentiment is",
    "positive or negative",
    "positive/negative",
    "Positive, negative",
    "neutral to positive",
    "negative neutral positive",
    "Both positive and negative",
    "negative, neutral or positive",
    "not positive",
    "Not negative.",
    "It is not positive.",
    "It isn't negative",
    "The sentiment is not negative.",
    "It is not\npositive",
    "Neither. positive",
    "non-negative",
    "positively",
    "negativity",
    "Positive?",
    "Is it positive? Yes.",
    "Positive, but sarcastic.",
    "Positive, or maybe not",
    "Positive, not neutral",
    "Positive. Actually, negative.",
    "Positive. Wait, it may be a joke.",
    "Positive\nNo, that is wrong.",
    "Positive\nNegative",
    "The sentiment is positive.\nThe sentiment is negative.",
    "She got a positive test",
    "A positive test came back.",
    "The text describes a positive review.",
    "I cannot determine whether it is positive.",
    "I'm sorry, I can't label this text.\nneutral",
    "positive negative\npositive",
    "\\boxed{positive} \\boxed{negative}",
    "\\boxed{}",
    "\\boxed{sad}\npositive",
    '{"sentiment": "mixed"}',
    "<think>It is positive",
    "p",
    "2",
    "good",
]


@pytest.mark.parametrize(("text", "label"), READ.items())
def test_read(text, label):
    assert read_sentiment(text) == label


@pytest.mark.parametrize("text", UNREADABLE)
def test_unread(text):
    assert read_sentiment(text) == UNREAD


def test_strict_mode_takes_the_bare_word():
    assert [read_sentiment(f" {label}\n", strict=True) for label in LABELS] == [0, 1, 2]
    for text in ("Positive", "positive.", "neg", "The sentiment is positive"):
        assert read_sentiment(text, strict=True) == UNREAD
        assert text == "neg" or read_sentiment(text) == POSITIVE


@given(st.text())
def test_any_text_is_a_label_or_unread(text):
    label = read_sentiment(text)
    assert label in (UNREAD, NEGATIVE, NEUTRAL, POSITIVE)
    if label != UNREAD and LABELS[label] not in text.casefold():
        assert LABELS[label][:3] in text.casefold()


WORDS = st.sampled_from(
    [*LABELS, "not", "or", "and", "the", "is", "sentiment", ".", ",", "\n", "it"]
)


@given(st.lists(WORDS, max_size=12))
def test_a_first_line_with_two_labels_is_unread(words):
    text = " ".join(words)
    lines = [line for line in text.splitlines() if any(label in line for label in LABELS)]
    named = {label for label in LABELS if lines and label in lines[0]}
    label = read_sentiment(text)
    assert label == UNREAD or named == {LABELS[label]}
    if lines and "not" in lines[0].split():
        assert label == UNREAD


@pytest.mark.parametrize(
    "text", ["positive " * 20_000, "the " * 50_000, "very " * 50_000 + "positive", "a: " * 50_000]
)
def test_long_answers_take_no_time(text):
    start = time.perf_counter()
    read_sentiment(text)
    assert time.perf_counter() - start < 1

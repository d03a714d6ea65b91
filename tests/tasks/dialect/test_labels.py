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
    "Negative, because he's not happy": NEGATIVE,
    "neutral, as it expresses no feelings": NEUTRAL,
    "neutral, since no emotion": NEUTRAL,
    "Neutral: no feeling is expressed.": NEUTRAL,
    "Neutral. It is neither positive nor negative": NEUTRAL,
    "Neutral. No emotion is expressed.": NEUTRAL,
    "Neutral (neither positive nor negative)": NEUTRAL,
    "Neutral, because nothing positive or negative is said.": NEUTRAL,
    "Neutral.\nThe text is neither positive nor negative.": NEUTRAL,
    "The text is neutral, as it isn't positive or negative.": NEUTRAL,
    "negative, but only slightly": NEGATIVE,
    "Positive but slightly": POSITIVE,
    "Positive, not neutral": POSITIVE,
    "Positive, although she was sad before": POSITIVE,
    'Negative, because he asks "why me?"': NEGATIVE,
    "She isn't glad.\n\nSentiment: negative": NEGATIVE,
    "He never smiles. Negative.": NEGATIVE,
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
    "Positive. Actually, negative.",
    "Positive, right?",
    "Positive, no.",
    "Positive, not really",
    "Positive, somewhat negative",
    "Positive, but slightly negative",
    "Positive, because she is glad, but also negative",
    "Positive (or neutral)",
    "Neutral (leaning positive)",
    "Neutral, positive or negative",
    "Positive, because the text is negative",
    "Neutral. It is positive.",
    "Neutral.\nExplanation: the text is negative in tone",
    "It may be negative. Positive",
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
def test_no_label_is_read_but_the_first_one_that_is_named(words):
    """And that one not if it is denied."""
    named = [place for place, word in enumerate(words) if word in LABELS]
    label = read_sentiment(" ".join(words))
    if label != UNREAD:
        assert words[named[0]] == LABELS[label]
        assert named[0] == 0 or words[named[0] - 1] != "not"


MIRRORED = [
    "{0}, because he's {1} happy",
    "{0}, because she is {1} sad about it",
    "{0}. There is {1} {2} word in it.",
    "{0}, {1} {2}",
    "{0}: nobody called it {2}, and it is {1} funny",
    "{0}, as the text has no {2} tone",
    "{0}, since it isn't {2} at all",
    "{0}\nThe text is not {2}.",
    "{0}, but only slightly",
    "{0}. It is neither {2} nor {3}.",
    "{0}, as it is neither {2} nor {3}",
    "{0}, even though it's not {3} or {2}",
    "The text is {0}, and not {2}.",
]


@pytest.mark.parametrize("reason", MIRRORED)
@pytest.mark.parametrize("denial", ["not", "no", "never", "n't"])
def test_what_is_read_does_not_depend_on_the_label(reason, denial):
    for label in LABELS:
        first, second = (other for other in LABELS if other != label)
        for others in ((first, second), (second, first)):
            assert read_sentiment(reason.format(label, denial, *others)) == LABELS.index(label)


@pytest.mark.parametrize(
    "text", ["positive " * 20_000, "the " * 50_000, "very " * 50_000 + "positive", "a: " * 50_000]
)
def test_long_answers_take_no_time(text):
    start = time.perf_counter()
    read_sentiment(text)
    assert time.perf_counter() - start < 1

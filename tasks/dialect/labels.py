r"""Reading the sentiment that a model wrote: negative, neutral, positive, or nothing readable.

A text that does not state exactly one label is unanswered (-1), and never mapped to a label.

In lenient mode (the default) the answer is read as follows:

1. What a model thinks first, up to the last `</think>`, does not count.
2. If something is boxed (`\boxed{positive}`), in a tag (`<sentiment>positive</sentiment>`), or
   stands in a field `sentiment`, `label` or `answer` of JSON, these alone count, and must agree.
3. Otherwise the first line that names a label decides. One of its sentences must *state* it: the
   label alone (`Positive.`, `**positive**`, `pos`), with a word of degree (`mostly positive`),
   with words that announce it (`Sentiment: positive`, `The text expresses a positive sentiment`,
   `I would say it is positive`), or with a reason behind it (`Positive, because she is glad`).
4. A denial in that sentence or before it (`not positive`), a question, another label in that
   line (`positive or neutral`), a later sentence that takes it back (`Wait, …`), and a later line
   that states another label leave the answer unread. Reading stops where a model begins an item
   of its own (`Text: …`).

A label inside other words (`positively`, `non-negative`, `a positive test`) states nothing. Strict
mode takes exactly the word that was asked for, with white space around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sociolect.tasks.boxes import boxes
from sociolect.tasks.dialect.catalogue import LABELS
from sociolect.tasks.naming import UNANSWERED, untex
from sociolect.tasks.verdicts import spoken

_SHORT = ("neg", "neu", "pos")
_MARKS = str.maketrans(
    dict.fromkeys("*_`#>~\"'“”\u2018\u2019[]{}", " ") | dict.fromkeys("\u2013\u2014", " - ")
)
_LABEL = re.compile(rf"(?<![\w-])({'|'.join(LABELS)})(?![\w-])", re.I)
_TAG = re.compile(r"<(sentiment|label|answer)>([^<]{0,100})</\1>", re.I)
_FIELD = re.compile(r"""["'](?:sentiment|label|answer)["']\s*:\s*["']([^"'\n]{1,100})["']""", re.I)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_LIST_MARK = re.compile(r"^(?:[-+•]|\d{1,2}[.)])\s+")
_AROUND = re.compile(r"^[^\w(]+|[^\w?)]+$")

_TEXT = r"(?:text|tweet|sentence|message|passage|statement|post)"
_FEELING = r"(?:sentiment|tone|mood|emotion|feeling|attitude)"
_NOUN = rf"(?:{_FEELING}|{_TEXT}|label|answer|classification|category)"
_LEAD = r"(?:(?:so|thus|hence|therefore|overall|okay|ok|sure|yes|here)\b[,:]?\s+)?"
_OWN = r"(?:(?:the|this|that|my|its|overall|final|correct|best|given|expressed|one-word)\s+)*"
_SUBJECT = (
    rf"(?:{_OWN}{_NOUN}(?:\s+(?:label|classification|category|expressed|conveyed|here))?"
    rf"(?:\s+(?:of|in|for|by|behind)\s+(?:the|this)\s+(?:\w+\s+)?{_TEXT})?|it|this|that)"
)
_VERB = (
    r"(?:\s*[:=]|\s+-(?=\s)|\s+(?:is|s|would be|seems(?: to be)?|appears(?: to be)?|leans|has"
    r"|expresses|conveys|shows|carries|can be (?:classified|described|labell?ed|categori[sz]ed) as"
    r"|(?:is|would be) (?:classified|labell?ed|best described|categori[sz]ed) as)\b:?)"
)
_I_SAY = (
    r"i\s+(?:(?:would|d|will|ll)\s+)?(?:say|think|choose|pick|answer|classify|label|rate|call)\b:?"
    rf"(?:\s+(?:that|it|this|the {_TEXT}|the {_FEELING}))*(?:\s+(?:as|is|s))?"
)
_DEGREE = (
    r"(?:(?:an?|the|very|quite|clearly|overall|mostly|mainly|largely|slightly|mildly|somewhat"
    r"|generally|strongly|highly|predominantly|moderately|most likely|likely|probably)\s+)*"
)
_STATED = re.compile(
    rf"{_LEAD}(?:{_SUBJECT}{_VERB}\s*|{_I_SAY}\s+)?{_DEGREE}(?P<label>{'|'.join(LABELS)})(?![\w-])"
    rf"(?:\s+(?:in\s+)?{_FEELING}|\s+overall)?(?P<reason>\s*[,:;]\s.*|\s+[-(].*"
    r"|\s+(?:because|since|as|due to|given)\s.*)?",
    re.I | re.S,
)
_DENIAL = re.compile(
    r"\?|\b(?:no|not|nor|neither|never|none|cannot|but|or|however|although|though|yet|wait|instead"
    r"|rather|actually|unclear|unsure|mixed|maybe|perhaps|sorry|unable)\b|\bn t\b|\w+n t\b",
    re.I,
)
_TURNS = re.compile(
    r"\W*(?:no|not|wait|actually|but|or|however|rather|instead|sorry|hmm+|correction|maybe|perhaps"
    r"|on second thoughts?)\b",
    re.I,
)
_NEW_ITEM = re.compile(
    rf"\W*(?:{_TEXT}|{_FEELING}|label|question|input|example|review)\b[^:\n]{{0,20}}:"
    r'|\W*what is the\b|\s*"""',
    re.I,
)


def read_sentiment(text: str, *, strict: bool = False) -> int:
    """The label that an answer states.

    Args:
        text: Any text.
        strict: Accept the bare word only.

    Returns:
        0, 1 or 2 for negative, neutral or positive; -1 if none is stated, or more than one.
    """
    bare = text.strip()
    if strict or bare in LABELS:
        return LABELS.index(bare) if bare in LABELS else UNANSWERED
    return _read(text)


@lru_cache(maxsize=4096)
def _read(text: str) -> int:
    said = spoken(text)
    marked = {_alone(content) for content in _marked_off(said)}
    if marked:
        return marked.pop() if len(marked) == 1 else UNANSWERED
    lines = iter(said.splitlines())
    for line in lines:
        if _labels(line) or _alone(line) != UNANSWERED:
            found = _of_line(line)
            return UNANSWERED if _is_taken_back(found, lines) else found
        if _DENIAL.search(_plain(line)):
            break
    return UNANSWERED


def _marked_off(text: str) -> Iterator[str]:
    yield from boxes(text)
    yield from (tag[2] for tag in _TAG.finditer(text))
    yield from _FIELD.findall(text)


def _of_line(line: str) -> int:
    """The one label that a line states and names; later sentences must not take it back."""
    if (alone := _alone(line)) != UNANSWERED:
        return alone
    if len(_labels(line)) > 1:
        return UNANSWERED
    verdict = UNANSWERED
    for sentence in _SENTENCE_END.split(line):
        plain = _plain(sentence)
        if verdict == UNANSWERED:
            verdict = _stated(plain)
            if verdict == UNANSWERED and _DENIAL.search(plain):
                return UNANSWERED
        elif _TURNS.match(plain):
            return UNANSWERED
    return verdict


def _is_taken_back(verdict: int, lines: Iterator[str]) -> bool:
    """Whether a later line states another label, or turns against the one that was stated."""
    for line in lines:
        if _NEW_ITEM.match(line):
            return False
        for sentence in _SENTENCE_END.split(line):
            plain = _plain(sentence)
            if _stated(plain) not in (UNANSWERED, verdict) or _TURNS.match(plain):
                return True
    return False


def _stated(plain: str) -> int:
    found = _STATED.fullmatch(plain)
    reason = (found["reason"] or "") if found else ""
    if found is None or _labels(reason) or _DENIAL.search(reason):
        return UNANSWERED
    return LABELS.index(found["label"].lower())


def _alone(text: str) -> int:
    """The label that is all there is, short ones among them."""
    plain = _plain(text).strip("().").lower()
    for names in (LABELS, _SHORT):
        if plain in names:
            return names.index(plain)
    return UNANSWERED


def _labels(text: str) -> set[str]:
    return {label.lower() for label in _LABEL.findall(text.translate(_MARKS))}


def _plain(text: str) -> str:
    """A line or sentence without marks, LaTeX fonts, and the signs around it."""
    bare = _LIST_MARK.sub("", " ".join(untex(text).translate(_MARKS).split()))
    return _AROUND.sub("", bare)

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
   What stands before must neither deny a label (`not positive`) nor refuse an answer.
4. The label stands unless something takes it back: a turn (`Positive, but sarcastic`, `Wait, …`),
   a question (`Positive?`), or another label in its place (`positive or neutral`, `Neutral. It is
   positive.`). A reason may deny what it likes and name other labels (`Negative, because he's not
   happy`, `Neutral, as it is neither positive nor negative`): reasons for one label deny more than
   those for another, and answers must not go unread by their label. Reading stops where a model
   begins an item of its own (`Text: …`).

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
_SLIGHTLY = "slightly|mildly|somewhat|moderately|a little|a bit"
_DEGREE = (
    rf"(?:(?:an?|the|very|quite|clearly|overall|mostly|mainly|largely|{_SLIGHTLY}"
    r"|generally|strongly|highly|predominantly|most likely|likely|probably)\s+)*"
)
_CLAIM = (
    rf"{_LEAD}(?:{_SUBJECT}{_VERB}\s*|{_I_SAY}\s+)?{_DEGREE}(?P<label>{'|'.join(LABELS)})(?![\w-])"
    rf"(?:\s+(?:in\s+)?{_FEELING}|\s+overall)?"
)
_STATED = re.compile(
    rf"{_CLAIM}(?P<reason>\s*[,:;]\s.*|\s+[-(].*"
    r"|\s+(?:because|since|as|due to|given|but|though)\s.*)?",
    re.I | re.S,
)
_STATED_BARE = re.compile(_CLAIM, re.I)
_CLAUSE_END = re.compile(r"[,;:.()]|\s-\s")
_CLAUSE_START = re.compile(r"^\s*(?:(?:because|since|as|given|and|that)\s+)*", re.I)
_DENIAL = re.compile(
    r"\?|\b(?:no|not|nor|neither|never|none|cannot|but|or|however|although|though|yet|wait|instead"
    r"|rather|actually|unclear|unsure|mixed|maybe|perhaps|sorry|unable)\b|\bn t\b|\w+n t\b",
    re.I,
)
_REFUSAL = re.compile(
    r"\b(?:neither|cannot|can t|unable|sorry|unclear|unsure|mixed|maybe|perhaps)\b"
    r"|\b(?:no|not|n t|nor|never|or)$",
    re.I,
)
"""Before any label: no answer, or a line that breaks off after a denial."""
_OTHER_LABEL = rf"(?:{'|'.join(LABELS)})(?![\w-])"
_TURNS = re.compile(
    r"\W*(?:(?:wait|actually|or|however|rather(?!\s+than)|instead(?!\s+of)|sorry|hmm+|correction"
    r"|maybe|perhaps|on second thoughts?)\b"
    rf"|but\b(?!\s+(?:only|just|not)?\s*(?:{_SLIGHTLY})\b(?!\s+{_OTHER_LABEL}))"
    r"|no(?=\s*$|\s*[,.;:!-]|\s+wait\b)"
    r"|not(?=\s*$|\s*[,.;:!]|\s+(?:really|quite|sure|exactly|entirely|necessarily|at all)\b))",
    re.I,
)
_TAIL_QUESTION = re.compile(r"\W*(?:\w+\s+){0,2}\w*\s*\?\W*")
"""`Positive, right?`, but no question that a reason quotes."""
_LEANING = (
    r"(?:(?:and|or|to|also|with|more|really|still|then|it|is|s|leaning|leans|bordering on"
    rf"|{_SLIGHTLY}|an?|the|very|quite|mostly|mainly|partly|probably|possibly)\s+)*"
)
_ADDED = re.compile(
    rf"\W*{_LEANING}(?P<label>{'|'.join(LABELS)})(?![\w-])"
    rf"(?=\s*$|\s*[,.;:/()?!-]|\s+(?:or|and|to|because|since|as|overall|in|{_FEELING})\b)",
    re.I,
)
"""Another label in place of the reason: `negative, neutral`, `Positive (or neutral)`."""
_TURNED = re.compile(
    rf"\b(?:but|or|wait|actually|however|though|although|yet|maybe|perhaps)\b,?\s+{_LEANING}"
    rf"(?P<label>{'|'.join(LABELS)})(?![\w-])",
    re.I,
)
_NONE_OF = re.compile(
    rf"\b(?:{'|'.join(LABELS)})\s+(?:n?or|and)\s+(?:\w+\s+)?(?:{'|'.join(LABELS)})(?![\w-])", re.I
)
"""Two labels of which a reason says that the text is neither, or both in part."""
_HEADING = re.compile(
    r"(?:explanation|reason|reasoning|rationale|justification|note)\s*[:-]\s*", re.I
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
        if _REFUSAL.search(_plain(line)):
            break
    return UNANSWERED


def _marked_off(text: str) -> Iterator[str]:
    yield from boxes(text)
    yield from (tag[2] for tag in _TAG.finditer(text))
    yield from _FIELD.findall(text)


def _of_line(line: str) -> int:
    """The label that a line states; nothing before or behind it must name another in its place."""
    if (alone := _alone(line)) != UNANSWERED:
        return alone
    sentences = iter(_SENTENCE_END.split(line))
    before: set[str] = set()
    for sentence in sentences:
        plain = _plain(sentence)
        verdict = _stated(plain)
        if verdict != UNANSWERED:
            others = before - {LABELS[verdict]}
            taken_back = any(_takes_back(_plain(later), verdict) for later in sentences)
            return UNANSWERED if others or taken_back else verdict
        named = _labels(plain)
        before |= named
        if (_DENIAL if named else _REFUSAL).search(plain):
            return UNANSWERED
    return UNANSWERED


def _is_taken_back(verdict: int, lines: Iterator[str]) -> bool:
    """Whether a later line states another label, or turns against the one that was stated."""
    for line in lines:
        if _NEW_ITEM.match(line):
            return False
        if any(_takes_back(_plain(sentence), verdict) for sentence in _SENTENCE_END.split(line)):
            return True
    return False


def _takes_back(plain: str, verdict: int) -> bool:
    found = _STATED.fullmatch(_HEADING.sub("", plain, count=1))
    return (found is not None and _number(found) != verdict) or _turns(plain, verdict)


def _stated(plain: str) -> int:
    """The label that a sentence states, unless its own reason takes it back."""
    found = _STATED.fullmatch(plain)
    if found is None:
        return UNANSWERED
    verdict, reason = _number(found), found["reason"] or ""
    return UNANSWERED if _undone(reason, verdict) else verdict


def _undone(reason: str, verdict: int) -> bool:
    """Whether what follows a label puts another in its place; denials alone do not."""
    added = _ADDED.match(reason)
    if (added and _number(added) != verdict) or _TAIL_QUESTION.fullmatch(reason):
        return True
    clauses = [_CLAUSE_START.sub("", clause) for clause in _CLAUSE_END.split(reason)]
    stated = (_STATED_BARE.fullmatch(clause.strip()) for clause in clauses)
    return _turns(reason, verdict) or any(one and _number(one) != verdict for one in stated)


def _turns(plain: str, verdict: int) -> bool:
    if _TURNS.match(plain):
        return True
    return any(_number(one) != verdict for one in _TURNED.finditer(_NONE_OF.sub("", plain)))


def _number(found: re.Match[str]) -> int:
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

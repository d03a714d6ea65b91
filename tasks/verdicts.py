r"""Reading the verdict of a judge: A, B, NONE, or nothing that can be read.

A text without a label in a *label position* is unparsed (-1) and never mapped to a label: that a
judge fails is an outcome of its own, and a guess would turn failures into verdicts.

In lenient mode (the default) the answer is read as follows:

1. What a model thinks first, up to the last `</think>`, does not count. A thought that was begun
   and never ended has no verdict.
2. If something is boxed (`\boxed{B}`), or stands in a field `label`, `verdict`, `answer` or
   `choice` of JSON (`{"label": "B"}`), these alone count. A box that is never closed is none.
3. Otherwise every sentence of every line is looked at. A sentence gives a verdict if it is, apart
   from Markdown, quotation marks, brackets and final punctuation,

   * a label (`B`, `(B)`, `**B.**`, `NONE`), or a label with its own option's text
     (`B: Walter`, `B (Walter)`);
   * the text of an option and nothing else (`Walter`, `neither`);
   * a label, a colon, dash or comma, and a reason that names no other label (`B: the response
     blames Walter`);
   * one of these after words that announce it (`Verdict: B`, `Option B`, `The answer is B`,
     `The response supports B`), or *neither A nor B*.

   Reading stops where a model begins an item of its own (`Question: …`) after its verdict.
4. All verdicts that are found must agree; two different ones are unparsed.

The letters are capital, unless nothing else stands in the sentence, box or field: *a* is a word.
So `A nice response`, `A or B`, `Both A and B` and `Not A` are unparsed. `None` and `neither` count
in any case. A very small token budget can cut a sentence after its first word, so that *A nice
response* becomes `A`: leave a judge some tokens more than its label.

Strict mode takes exactly `A`, `B` or `NONE`, with white space around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sociolect.tasks.boxes import BOX, boxes
from sociolect.tasks.naming import MARKS, UNANSWERED, plain, same_text, untex
from sociolect.tasks.prompts import VERDICTS

_THOUGHT_ENDS = "</think>"
_THOUGHT_BEGINS = re.compile(r"<think(?:ing)?>")
_FIELD = re.compile(
    r"""["'](?:label|verdict|answer|choice)["']\s*:\s*["']([^"'\n]{1,200})["']""", re.I
)
_NEW_ITEM = re.compile(r"\W*(?:Question|Response):")
_SENTENCE_END = re.compile(r"(?<=[.!?])[*_\"'”’)\]]*\s+")
_LIST_MARK = re.compile(r"^(?:[#>•+-]+\s*)+")
_AROUND = "_<>{} \t"
_FINAL = ".,;:!"
_BRACKETS = {"(": ")", "[": "]"}

_NOUN = (
    r"(?:verdict|answer|label|choice|option|person|group|judge?ment|decision|conclusion)"
    r"(?:\s+(?:is|would be)\b|\s*[:=]|\s+-|(?=\s+[(\[]?(?:A|B|NONE)\b))"
)
_ANNOUNCED = re.compile(
    r"(?:(?:so|thus|hence|therefore|then|in conclusion|actually|wait|no)\b,?\s+)?"
    r"(?:(?:the|my|its|correct|right|best|final|overall)\s+)*"
    rf"(?:{_NOUN}|i\s+(?:would\s+)?(?:choose|answer|say)\b"
    r"|(?:response|it)\s+(?:supports|favou?rs|names|chooses|picks)\b)[\s:,-]*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[(\[]?(A|B|NONE)[)\]]?(?!\w)", re.IGNORECASE)
_TEXT_LABEL = re.compile(r"(?P<text>\S.*?)\s*[(\[](?P<label>A|B|NONE)[)\]]")
_REASON = re.compile(r"\s*[:;]\s*|\s*,\s+|\s+-+\s+")
_OTHER = (
    re.compile(r"\b(?:B|NONE)\b"),
    re.compile(r"\bA\b(?!\s+[a-z])|\bNONE\b"),
    re.compile(r"\bA\b(?!\s+[a-z])|\bB\b"),
)
"""What a reason for each label may not hold: another one. An *A* before a word is an article."""
_NEITHER_LETTER = re.compile(r"\bn?either A n?or B\b", re.IGNORECASE)
_NEITHER_NOR = re.compile(r"neither (?P<first>\S.*) nor (?P<second>\S.*)", re.IGNORECASE)
_NONE_TEXTS = frozenset({"none", "neither", "neither of them", "none of them", "none of the above"})
NONE = VERDICTS.index("NONE")


def read_verdict(text: str, options: Sequence[str], *, strict: bool = False) -> int:
    """The label that a judge gives.

    Args:
        text: Any text.
        options: The texts of A, B and NONE.
        strict: Accept the bare label only.

    Returns:
        0, 1 or 2 for A, B or NONE; -1 if there is no label, or more than one.
    """
    bare = text.strip()
    if strict or bare in VERDICTS:  # what most judges say needs no further look
        return VERDICTS.index(bare) if bare in VERDICTS else UNANSWERED
    said = _after_thought(text)
    found = set(_marked_off(said, options)) or set(_sentences_say(said, options))
    return found.pop() if len(found) == 1 else UNANSWERED


def _after_thought(text: str) -> str:
    said = text.rpartition(_THOUGHT_ENDS)[2]
    return "" if _THOUGHT_BEGINS.search(said) else said


def _marked_off(text: str, options: Sequence[str]) -> Iterator[int]:
    """The verdicts in boxes and JSON fields; -1 for what is in one and is no verdict."""
    for content in (*boxes(text), *_FIELD.findall(text)):
        yield _named(_bared(content), options, closed=True)


def _sentences_say(text: str, options: Sequence[str]) -> Iterator[int]:
    read = False
    for line in text.splitlines():
        if read and _NEW_ITEM.match(line):
            return
        for verdict in _line_says(line, options):
            read = True
            yield verdict


def _line_says(line: str, options: Sequence[str]) -> list[int]:
    if BOX.search(line):  # one that is never closed, else it would have been read
        return []
    whole = _says(line, options, closed=True)  # an option's text may hold a full stop
    if whole != UNANSWERED:
        return [whole]
    said = (_says(sentence, options, closed=False) for sentence in _SENTENCE_END.split(line))
    return [verdict for verdict in said if verdict != UNANSWERED]


def _says(sentence: str, options: Sequence[str], *, closed: bool) -> int:
    bare = _bared(sentence)
    verdict = _named(bare, options, closed=closed)
    announced = _ANNOUNCED.match(bare)
    while verdict == UNANSWERED and announced:  # "The answer is: Option B"
        bare = _bared(bare[announced.end() :])
        verdict = _named(bare, options, closed=False)
        announced = _ANNOUNCED.match(bare)
    return verdict


def _bared(text: str) -> str:
    """A text without LaTeX fonts and the marks around it; letter case stays."""
    bare = " ".join(untex(text).translate(MARKS).split())
    bare = _LIST_MARK.sub("", bare)
    while True:
        shorter = bare.strip(_AROUND).rstrip(_FINAL)
        if len(shorter) > 1 and _BRACKETS.get(shorter[0]) == shorter[-1]:
            shorter = shorter[1:-1]
        if shorter == bare:
            return bare
        bare = shorter


def _named(bare: str, options: Sequence[str], *, closed: bool) -> int:
    """The label that a text without marks stands for.

    Args:
        bare: As `_bared` returns it.
        options: The texts of A, B and NONE.
        closed: Nothing else stands beside it, so that it may be a letter in lower case.
    """
    label = _LABEL.match(bare)
    index, rest = same_text(bare, options), bare[label.end() :].strip() if label else ""
    if label and not rest:
        upper = label[1].upper()
        capital = label[1] == upper or upper == "NONE"
        return VERDICTS.index(upper) if capital or closed else UNANSWERED
    if index != UNANSWERED:
        return index
    if _is_neither(bare, options):
        return NONE
    if label and (label[1].isupper() or label[1].casefold() == "none"):
        own = VERDICTS.index(label[1].upper())
        return own if _agrees(bare[label.end() :], own, options) else UNANSWERED
    return _text_and_label(bare, options)


def _is_neither(bare: str, options: Sequence[str]) -> bool:
    if bare.casefold() in _NONE_TEXTS:
        return True
    both = _NEITHER_NOR.fullmatch(bare)
    if both is None:
        return False
    named = {VERDICTS.index(p) if p in VERDICTS else same_text(p, options) for p in both.groups()}
    return named == {0, 1}


def _text_and_label(bare: str, options: Sequence[str]) -> int:
    """`Walter (B)`."""
    both = _TEXT_LABEL.fullmatch(bare)
    own = VERDICTS.index(both["label"]) if both else UNANSWERED
    return own if both and same_text(both["text"], options) == own else UNANSWERED


def _agrees(rest: str, own: int, options: Sequence[str]) -> bool:
    """Whether what follows a label is its option's text, or a reason that names no other."""
    reason = _REASON.match(rest)
    text = _bared(rest[reason.end() :] if reason else rest)
    named = same_text(text, options)
    if named != UNANSWERED or not reason:
        return named == own
    if _OTHER[own].search(_NEITHER_LETTER.sub("", text)):
        return False
    begun = (plain(option) for index, option in enumerate(options) if index != own)
    return not any(o and re.match(rf"{re.escape(o)}(?!\w)", plain(text)) for o in begun)

r"""Reading the verdict of a judge: A, B, NONE, or nothing that can be read.

A text without a label in a *label position* is unparsed (-1) and never mapped to a label: that a
judge fails is an outcome of its own, and a guess would turn failures into verdicts.

In lenient mode (the default) the answer is read as follows:

1. What a model thinks first, up to the last `</think>` (or `</thinking>`, `</reasoning>`,
   `[/THINK]`), does not count, nor what follows the token that ends its turn (`<|im_end|>`). A
   thought that was begun and never ended has no verdict.
2. If something is boxed (`\boxed{B}`), in a tag (`<answer>B</answer>`), or stands in a field
   `label`, `verdict`, `answer` or `choice` of JSON (`{"label": "B"}`), these alone count. A box
   that is never closed is none.
3. Otherwise every sentence of every line is looked at. A sentence gives a verdict if it is, apart
   from Markdown, quotation marks, brackets and final punctuation,

   * a label (`B`, `(B)`, `**B.**`, `NONE`), or a label with its own option's text
     (`B: Walter`, `B (Walter)`);
   * the text of an option and nothing else (`Walter`, `neither`);
   * a label, a colon, dash or comma, and a reason of three words or more that holds no other label
     or name and no denial (`B: the response blames Walter`, not `B: no`, `B, however, is wrong`);
   * one of these between words that announce it (`Verdict: B`, `Option B is correct`, `I think
     the answer is B`, `The response supports B`), or *neither A nor B*.

   Reading stops where a model begins an item of its own (`Question: …`) after its verdict.
4. All verdicts that are found must agree, and nothing around them may speak against them: a later
   sentence that holds another label or name (`A. Wait, B.`), that begins with a denial, or that
   denies the label, and an earlier one that claims another label or has no end (`It is not`, line
   break, `B`), leave the answer unparsed.

The letters are capital, unless nothing else stands in the sentence, box or field, or a colon or a
word like *option* announces them: *a* is a word. So `A nice response`, `A or B`, `Both A and B` and
`Not A` are unparsed. `None` and `neither` count in any case. A very small token budget can cut a
sentence after its first word, so that *A nice response* becomes `A`: leave a judge some tokens
more than its label.

Strict mode takes exactly `A`, `B` or `NONE`, with white space around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sociolect.tasks.boxes import BOX, boxes
from sociolect.tasks.naming import MARKS, UNANSWERED, plain, same_text, untex
from sociolect.tasks.prompts import VERDICTS

_THOUGHT = r"(?:think(?:ing)?|thoughts?|reasoning|analysis|scratchpad|reflection)"
_THOUGHT_ENDS = re.compile(rf"</{_THOUGHT}>|\[/THINK\]", re.I)
_THOUGHT_BEGINS = re.compile(rf"<{_THOUGHT}>|\[THINK\]", re.I)
_TURN_BEGINS = re.compile(
    r"\s*(?:<s>|<bos>|<\|begin_of_text\|>|<\|im_start\|>assistant\b|<start_of_turn>model\b"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>)\s*"
)
_TURN_ENDS = re.compile(
    r"</s>|<eos>|<pad>|<end_of_turn>|<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|return)\|>"
    r"|<\uff5cend\u2581of\u2581sentence\uff5c>"
)
_SIGNS = str.maketrans(
    {"【": "[", "】": "]", "。": ". ", "\uff01": "! ", "\uff1f": "? "}
    | dict.fromkeys("«»\u2039\u203a„「」", '"')
    | dict.fromkeys("\ufeff\u200b\u200c\u200d\u200e\u200f\u2060", "")
)
_FIELD = re.compile(
    r"""["'](?:label|verdict|answer|choice)["']\s*:\s*["']([^"'\n]{1,200})["']""", re.I
)
_TAG = re.compile(r"<(label|verdict|answer|choice)>([^<]{0,200})</\1>", re.I)
_NEW_ITEM = re.compile(r"\W*(?:Question|Response):")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b(?:Mr|Ms|Dr|vs|St)\.)(?<!\bMrs\.)(?<!\bProf\.)[*_\"'”’)\]]*\s+"
)
_HANGS = re.compile(
    r"(?:\b(?:not|n t|never|neither|nor|either|or|and|both|than|over|vs)[:,-]?|[/|&])$", re.I
)
"""How a sentence ends that the next line goes on with: what is read there is not a verdict."""
_LIST_MARK = re.compile(r"^(?:[#>•+-]+\s*)+")
_AROUND = "_<>{} \t"
_PLAIN_MARKS = "*_`\"'()[].,:;! \t\r\n"
_FINAL = ".,;:!"
_BRACKETS = {"(": ")", "[": "]"}

_KIND = r"(?:verdict|answer|label|choice|option|person|group|judge?ment|decision|conclusion)"
_NOUN = (
    rf"{_KIND}(?:\s+(?:for|to|of)\s+(?:this|the)\s+(?:response|question|item))?"
    r"(?:\s+(?:is|would be)\b|\s*[:=]|\s+-|(?=\s+[(\[]?(?:A|B|NONE)\b))"
)
_CONCLUDES = re.compile(
    r"(?:so|thus|hence|therefore|in (?:conclusion|summary)|overall|sure|certainly|okay)\b[,:!]?\s+",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"(?:(?:then|first|second|next|finally|also|and|actually|wait|no|here (?:is|s)"
    r"|(?:based on|according to|given) the (?:response|text)|i (?:think|believe)(?: that)?)\b"
    r",?\s+)*"
    r"(?:(?:the|my|its|correct|right|best|final|overall|most|appropriate|likely|fitting|suitable)"
    r"\s+)*"
    rf"(?:{_NOUN}|i\s+(?:(?:would|d|will|ll)\s+)?(?:choose|answer|say|pick|go with)\b"
    r"|(?:assistant|model|judge)\s*:|it\s+(?:is|s)\b"
    r"|(?:response|it)\s+(?:supports|favou?rs|names|chooses|picks|sides with|takes the side of)\b)"
    r"[\s:,-]*",
    re.IGNORECASE,
)
_ANNOUNCEMENTS = 4
"""How many of them may follow each other ("So the answer is: Option B")."""
_POINTS = re.compile(r"(?:[:=]|\b(?:option|label|choice))\s*$", re.IGNORECASE)
_TAIL = re.compile(
    rf" is (?:correct|right|(?:the|my) (?:(?:correct|right|best|final) )?{_KIND})$", re.IGNORECASE
)
_LABEL = re.compile(r"[(\[]?(A|B|NONE)[)\]]?(?!\w)", re.IGNORECASE)
_TEXT_LABEL = re.compile(r"(?P<text>\S.*?)\s*[(\[](?P<label>A|B|NONE)[)\]]")
_LEADING_A = re.compile(r"a\W", re.IGNORECASE)
_REASON_WORDS = 3
"""What is shorter, and not the option's text, says yes or no in a way that nobody foresees."""
_REASON = re.compile(r"\s*[:;]\s*|\s*,\s+|\s+-+\s+")
_LETTER_A = (
    r"(?<=[\w,] )A\b|\bA\b(?! (?!(?:is|was|and|or|nor|but|has|would|seems|supports|names)\b)[a-z])"
)
"""The label: an *A* that begins a sentence, with a word behind it, is an article."""
_LABELS = (
    rf"{_LETTER_A}|\b(?i:{_KIND}):? a\b",
    rf"\bB\b|\b(?i:{_KIND}):? b\b",
    r"\bNONE\b",
)
_NOTHING = r"(?!)"
_FILLERS = frozenset({"the", "and", "for", "not", "who", "with", "them"})
_DENIAL = re.compile(
    r"\?|\b(?:no|not|nope|never|none|nobody|nothing|nor|neither|cannot|false|wrong\w*|incorrect\w*"
    r"|unlikely|unclear|unsure|uncertain\w*|doubt\w*|mistake\w*|invalid|unsupported|unfounded"
    r"|hardly|barely|however|but|wait|instead|rather|although|though|yet|unless|except|less|lacks?"
    r"|fail(?:s|ed)?|without|contra\w+|den(?:y|ies|ied)|reject\w*|refute\w*|against|opposite|or"
    r"|maybe|perhaps|possibly|alternatively|actually|sorry|both|other|excluded|ruled out"
    r"|(?:is|are|was|were|do|does|did|has|have|had|would|could|should|ca|wo)nt)\b|n t\b",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\W*(?:no|not|nope|wait|actually|wrong|false|incorrect|however|but|or|rather|instead|sorry"
    r"|h+m+|correction|never ?mind|on second thoughts?|maybe|perhaps|alternatively)\b",
    re.IGNORECASE,
)
"""How a sentence begins that takes back the one before it."""
_WRONG = re.compile(
    r"\b(?:wrong|incorrect|false|mistaken?|(?:not|n t) (?:\w+ )?"
    r"(?:correct|right|sure|certain|supported|true|the answer))\b",
    re.IGNORECASE,
)
_FOR_NONE = re.compile(
    r"\b(?:neither|nobody|no[ -]one|no (?:person|side|stance|name|preference|evidence|information)"
    r"|not enough|(?:not|n t) (?:\w+ly )?(?:support|name|favou?r|pick|choose|blame|identify|say"
    r"|specify|take|mention) (?:either|any|anyone|anybody|a|one|who|which|sides?))\b",
    re.IGNORECASE,
)
"""Words that would deny A or B, and are reasons for NONE."""
_NEITHER_NOR = re.compile(r"neither (?P<first>\S.*) nor (?P<second>\S.*)", re.IGNORECASE)
_NONE_TEXTS = frozenset({"none", "neither", "neither of them", "none of them", "none of the above"})
NONE = VERDICTS.index("NONE")
_CLAIM = (
    r"(?:supports|favou?rs|names|chooses|picks|sides with|takes the side of"
    r"|(?:answer|verdict|label|choice)(?: is|:))"
)


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
    bare = bare.strip(_PLAIN_MARKS)
    return VERDICTS.index(bare) if bare in VERDICTS else _read(text, tuple(options))


@lru_cache(maxsize=4096)
def _read(text: str, options: tuple[str, ...]) -> int:
    said = spoken(text)
    marked = set(_marked_off(said, options))
    if marked:
        return marked.pop() if len(marked) == 1 else UNANSWERED
    return _stated(said, options)


def spoken(text: str) -> str:
    """What a model says in its own turn, after it thought, with signs as in English text."""
    return _after_thought(_own_turn(text if text.isascii() else text.translate(_SIGNS)))


def _own_turn(text: str) -> str:
    """What stands between the tokens that begin and end the turn of a model."""
    begins = _TURN_BEGINS.match(text)
    return _TURN_ENDS.split(text[begins.end() :] if begins else text, maxsplit=1)[0]


def _after_thought(text: str) -> str:
    said = _THOUGHT_ENDS.split(text)[-1]
    return "" if _THOUGHT_BEGINS.search(said) else said


def _marked_off(text: str, options: tuple[str, ...]) -> Iterator[int]:
    """The verdicts in boxes, tags and JSON fields; -1 for what is in one and is no verdict."""
    tagged = (tag[2] for tag in _TAG.finditer(text))
    for content in (*boxes(text), *tagged, *_FIELD.findall(text)):
        yield _named(_bared(content), options, closed=True)


def _stated(text: str, options: tuple[str, ...]) -> int:
    """The verdict of the sentences, if those that give one agree and none speaks against it."""
    verdict, before, after = UNANSWERED, list[str](), list[str]()
    for line in text.splitlines():
        if verdict != UNANSWERED and _NEW_ITEM.match(line):
            break
        for sentence, said in _line_says(line, options):
            if said == UNANSWERED:
                (before if verdict == UNANSWERED else after).append(sentence)
            elif verdict in (UNANSWERED, said):
                verdict = said
            else:
                return UNANSWERED
    told, added = [list(filter(None, map(_bared, sentences))) for sentences in (before, after)]
    return UNANSWERED if _is_belied(verdict, told, added, options) else verdict


def _is_belied(
    verdict: int, before: Sequence[str], after: Sequence[str], options: tuple[str, ...]
) -> bool:
    """Whether the sentences around a verdict speak against it."""
    if verdict == UNANSWERED:
        return False
    words = _words(options)[verdict]
    begun = bool(before) and _HANGS.search(before[-1]) is not None
    claimed = any(words.claims.search(sentence) for sentence in before)
    return begun or claimed or any(_speaks_against(text, words) for text in after)


def _line_says(line: str, options: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    if BOX.search(line):  # one that is never closed, else it would have been read
        yield line, UNANSWERED
        return
    whole = _says(line, options, closed=True)  # an option's text may hold a full stop
    sentences = _SENTENCE_END.split(line)
    if whole != UNANSWERED or len(sentences) == 1:
        yield line, whole
        return
    for sentence in sentences:
        yield sentence, _says(sentence, options, closed=False)


def _says(sentence: str, options: tuple[str, ...], *, closed: bool) -> int:
    bare = _bared(sentence)
    verdict = _named(bare, options, closed=closed)
    for _ in range(_ANNOUNCEMENTS):
        announced = _ANNOUNCED.match(bare) or _CONCLUDES.match(bare)
        if verdict != UNANSWERED or not announced:
            break
        bare = _bared(bare[announced.end() :])
        verdict = _named(bare, options, closed=_POINTS.search(announced[0]) is not None)
    tail = _TAIL.search(bare) if verdict == UNANSWERED else None
    return _named(bare[: tail.start()], options, closed=False) if tail else verdict


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


def _named(bare: str, options: tuple[str, ...], *, closed: bool) -> int:
    """The label that a text without marks stands for.

    Args:
        bare: As `_bared` returns it.
        options: The texts of A, B and NONE.
        closed: Nothing else stands beside it, so that it may be a letter in lower case.
    """
    label = _LABEL.match(bare)
    index, rest = _text(bare, options), bare[label.end() :].strip() if label else ""
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


def _text(bare: str, options: tuple[str, ...]) -> int:
    """The option with this text. An *A* before another option's text is a label, no article."""
    index = same_text(bare, options)
    doubtful = index > 0 and _LEADING_A.match(bare)
    return UNANSWERED if doubtful and plain(options[index]) != plain(bare) else index


def _is_neither(bare: str, options: tuple[str, ...]) -> bool:
    if bare.casefold() in _NONE_TEXTS:
        return True
    both = _NEITHER_NOR.fullmatch(bare)
    if both is None:
        return False
    named = {VERDICTS.index(p) if p in VERDICTS else same_text(p, options) for p in both.groups()}
    return named == {0, 1}


def _text_and_label(bare: str, options: tuple[str, ...]) -> int:
    """`Walter (B)`."""
    both = _TEXT_LABEL.fullmatch(bare)
    own = VERDICTS.index(both["label"]) if both else UNANSWERED
    return own if both and same_text(both["text"], options) == own else UNANSWERED


def _agrees(rest: str, own: int, options: tuple[str, ...]) -> bool:
    """Whether what follows a label is its option's text, or a reason that does not deny it."""
    reason = _REASON.match(rest)
    text = _bared(rest[reason.end() :] if reason else rest)
    named = same_text(text, options)
    if named != UNANSWERED or not reason:
        return named == own
    words = _words(options)[own]
    said = words.aside(text)
    brief = text.count(" ") < _REASON_WORDS - 1
    return not brief and not words.other.search(said) and not _DENIAL.search(said)


def _speaks_against(sentence: str, words: _Words) -> bool:
    """Whether a sentence after a verdict names another option, or takes the verdict back."""
    text = words.aside(sentence)
    if words.other.search(text) or _TURNS.match(text) or _WRONG.search(text):
        return True
    return bool(words.own.search(text) and _DENIAL.search(text))


@dataclass(frozen=True, slots=True)
class _Words:
    """What speaks of one label, and of the others.

    Attributes:
        own: Mentions of the label and its option.
        other: Mentions of any other.
        claims: A statement for another one.
        reasons: What is a reason for this label, whatever it seems to say.
    """

    own: re.Pattern[str]
    other: re.Pattern[str]
    claims: re.Pattern[str]
    reasons: tuple[re.Pattern[str], ...]

    def aside(self, text: str) -> str:
        """A text without the reasons for this label."""
        for reason in self.reasons:
            text = reason.sub(" ", text)
        return text


@lru_cache(maxsize=1024)
def _words(options: tuple[str, ...]) -> tuple[_Words, ...]:
    """The words of each label."""
    names = [_names(option, options) for option in options]
    said = [f"{label}|{name}" for label, name in zip(_LABELS, names, strict=False)]
    pair = [f"(?:{letter}|{name})" for letter, name in zip("AB", names, strict=False)]
    both = rf"\bn?either (?:{pair[0]} n?or {pair[1]}|{pair[1]} n?or {pair[0]})"
    for_none = (re.compile(both, re.IGNORECASE), _FOR_NONE)
    return tuple(_words_of(own, said, for_none if own == NONE else ()) for own in range(len(said)))


def _words_of(own: int, said: Sequence[str], reasons: tuple[re.Pattern[str], ...]) -> _Words:
    others = "|".join(words for index, words in enumerate(said) if index != own)
    labels = "|".join(label for i, label in enumerate(VERDICTS) if i != own)
    claims = rf"{_CLAIM} (?:{labels})\b(?! [a-z])"
    return _Words(re.compile(said[own]), re.compile(others), re.compile(claims), reasons)


def _names(option: str, options: Sequence[str]) -> str:
    """A pattern for an option's text and the words that it alone has."""
    shared = [word for text in options for word in set(plain(text).split())]
    own = {w for w in plain(option).split() if len(w) > 2 and shared.count(w) == 1} - _FILLERS
    texts = sorted({plain(option), *own} - {""}, key=len, reverse=True)
    named = "|".join(re.escape(text) for text in texts) or _NOTHING
    return rf"(?<!\w)(?i:{named})(?!\w)"

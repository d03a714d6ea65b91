r"""Reading answers: which option a model chose. The only place where that is decided.

**Sampled forms** (learner-error paper, App. D.1). The answer of one generation is the option
that it boxes most often among those given; none, or two equally often, is *unanswered* (-1)
and never mapped to a class. A box is `\boxed{…}` or `\fbox{…}` with balanced braces; the
outermost one counts once; a box that is never closed is not an answer.

What a box may hold, in lenient mode (the default), after LaTeX font commands, mathematics and
quotation marks, brackets, a final full stop and letter case are taken off:

* the letter of an option (`A`, `(a)`, `\text{A}.`, `Option A`);
* the letter and that option's own text (`A: carpenter`, `B) the nurse`); the letter with
  another option's text is a contradiction and names none;
* the text of an option, with or without its article (`carpenter`, `the carpenter`). The whole
  text must match, so an option that is contained in another one is never confused with it. The
  text as it is goes first, then the text without marks, letter case and article: `Bb` and `BB`,
  `(-1,1)` and `[-1,1]` are different options. A text that fits two options alike names none.

A single letter that labels an option is always the label, also where another option's text is
that letter. Anything else (`A or B`, an empty box, a letter that was not offered) names no option.
Strict mode takes the bare capital letter and nothing else.

**Direct form.** The prompt has opened the box, so the first line of the completion, up to the
brace that closes the box, is its content; whatever follows is ignored. The harness removes the
stop string `}` and a completion can be cut off, so a missing brace is normal: then the whole
first line is the content, and a letter followed by the *beginning* of its own option's text
counts as well. A line that opens a box of its own is read from that box.

**Log-likelihood form.** The option with the highest log-likelihood per UTF-8 byte of its
continuation; equal or undefined highest scores are unanswered.

Results are indices in the order of the row, whatever order the prompt showed.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.tasks.prompts import FORMS, cloze, displayed, letters, row_index

AnswerMode = Literal["lenient", "strict"]
ANSWER_MODES: tuple[AnswerMode, ...] = get_args(AnswerMode)
UNANSWERED = -1

_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_BRACES = re.compile(rf"\\[{{}}]|{_BOX.pattern}|[{{}}]")
_COMMAND = re.compile(
    r"\\(?:text(?:bf|it|rm|tt|sf|sc|normal)?|math(?:bf|it|rm|tt|sf|cal|bb)?|mbox|emph|boxed|fbox"
    r"|bf|it|rm|displaystyle|large|Large|left|right|quad)(?![a-zA-Z])|\\[,;:! ()\[\]]"
)
_FRACTION = re.compile(r"\\[dt]frac(?![a-zA-Z])")
_TIE = re.compile(r"(?<=\w)~(?=\w)")
"""A tilde is a space of LaTeX between words and a negation in front of a formula."""
_GROUPING = re.compile(r"\\[%$&#_{}]|[{}$]")
"""Signs of LaTeX, which go, and signs of the text, which only lose their backslash."""
_SETS = str.maketrans("{}", "  ")
_MARKS = str.maketrans(
    dict.fromkeys("*\"'“”\u2018’`", " ") | dict.fromkeys("\u2010\u2011\u2013\u2014\u2212", "-")
)
_FINAL = ".,;:"
_BRACKETS = {"(": ")", "[": "]"}
_LETTER = re.compile(r"[(\[]?([a-z])[)\]]?")
_LETTER_TEXT = re.compile(
    r"[(\[]?(?P<letter>[a-z])(?:(?P<between>(?:[\s)\]:]|\.(?!\d))+)|(?=-\S))(?P<rest>\S.*)",
    re.DOTALL,
)
_DASH = re.compile(r"-\s+")
_LEAD = re.compile(r"\W*(?:option|choice|answer)(?:\s*:\s*|\s+)(?=\S)", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the)\s+(?=\S)")


def choices(doc: Mapping[str, Any], responses: Sequence[Any]) -> list[int]:
    """The option chosen by each answer to one prompt.

    Args:
        doc: A row with `form`, `order` and, optionally, `answer_mode`.
        responses: What the harness hands to `process_results` or writes as `filtered_resps`.
            Sampled forms: the generations, or a list with the one list of them. `ll`: one
            (log-likelihood, is greedy) pair an option, numbers or their text.

    Returns:
        One index a generation (one in all for `ll`), in row order; -1 is unanswered.

    Raises:
        UnknownNameError: An unknown form or answer mode.
        InvalidInputError: The number of log-likelihoods is not that of the options.
    """
    form, options = doc["form"], list(doc["options"])
    if form == "ll":
        return [_most_likely(doc, responses)]
    if form not in FORMS:
        raise UnknownNameError("form", form, FORMS)
    mode = doc.get("answer_mode") or "lenient"
    if mode not in ANSWER_MODES:
        raise UnknownNameError("answer mode", mode, ANSWER_MODES)
    shown = displayed(options, doc["order"])
    read = read_direct if form == "direct" else read_generation
    found = (read(text, shown, strict=mode == "strict") for text in _flat(responses))
    return [row_index(index, len(options), doc["order"]) for index in found]


def _flat(responses: Sequence[Any]) -> Iterable[str]:
    for response in responses:
        if isinstance(response, str):
            yield response
        else:
            yield from _flat(response)


def _most_likely(doc: Mapping[str, Any], responses: Sequence[Any]) -> int:
    continuations = cloze(doc).continuations
    if len(responses) != len(continuations):
        raise InvalidInputError(
            f"{doc['id']}: {len(responses)} log-likelihoods for {len(continuations)} options"
        )
    scores = [
        float(_pair(response)[0]) / len(text.encode())
        for response, text in zip(responses, continuations, strict=True)
    ]
    best = max(scores)
    if any(map(math.isnan, scores)) or scores.count(best) != 1:
        return UNANSWERED
    return scores.index(best)


def _pair(response: Any) -> Any:
    """The (log-likelihood, is greedy) pair, out of the list of repeats where there is one."""
    return response[0] if len(response) == 1 else response


def read_generation(text: str, shown: Sequence[str], *, strict: bool = False) -> int:
    """The option that a generation boxes most often, as index in `shown`, -1 if unanswered.

    Args:
        text: Any text.
        shown: The option texts in the order of the prompt.
        strict: Accept bare capital letters only.
    """
    return _vote(name_option(content, shown, strict=strict) for content in boxes(text))


def read_direct(text: str, shown: Sequence[str], *, strict: bool = False) -> int:
    """The option that completes a prompt ending in an open box (see `read_generation`)."""
    content, closed = _until_closed(text)
    inner = boxes(content)
    if inner:
        return _vote(name_option(box, shown, strict=strict) for box in inner)
    return name_option(content, shown, strict=strict, cut=not closed)


def _vote(named: Iterable[int]) -> int:
    ranked = Counter(index for index in named if index >= 0).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return UNANSWERED
    return ranked[0][0]


def boxes(text: str) -> list[str]:
    r"""The contents of the outermost closed boxes, in order. Linear in the length of `text`."""
    first = _BOX.search(text)
    if first is None:
        return []
    open_at: list[int | None] = []
    found: list[tuple[int, int]] = []
    for brace in _BRACES.finditer(text, first.start()):
        token = brace[0]
        if token == "{":
            open_at.append(None)
        elif token == "}" and open_at:
            start = open_at.pop()
            if start is not None:
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start, brace.start()))
        elif len(token) > 2:
            open_at.append(brace.end())
    return [text[start:end] for start, end in found]


def _until_closed(text: str) -> tuple[str, bool]:
    """Content of a box that was open when `text` began, and whether its first line closes it."""
    line = text.lstrip().partition("\n")[0]
    depth = 1
    for brace in _BRACES.finditer(line):
        if brace[0] == "}":
            depth -= 1
        elif brace[0] not in (r"\{", r"\}"):
            depth += 1
        if depth == 0:
            return line[: brace.start()], True
    return line + "}" * (depth - 1), False


def name_option(
    content: str, shown: Sequence[str], *, strict: bool = False, cut: bool = False
) -> int:
    """The option that the content of one box names, as index in `shown`, -1 if none.

    Args:
        content: What stands in the box.
        shown: The option texts in the order of the prompt.
        strict: Accept a bare capital letter only.
        cut: The content may lack its end, so a letter may be followed by the beginning of its
            option's text.
    """
    labels = letters(len(shown))
    if strict:
        bare = content.strip()
        return labels.index(bare) if len(bare) == 1 and bare in labels else UNANSWERED
    index = _match(content, shown, labels.lower(), cut)
    lead = _LEAD.match(_untex(content))
    if index == UNANSWERED and lead:
        index = _match(_untex(content)[lead.end() :], shown, labels.lower(), cut)
    return index


def _match(content: str, shown: Sequence[str], labels: str, cut: bool) -> int:
    plain = _plain(content)
    letter = _LETTER.fullmatch(plain)
    if letter and letter[1] in labels:
        return labels.index(letter[1])
    index = _same_text(content, shown)
    parts = _LETTER_TEXT.fullmatch(plain)
    if index != UNANSWERED or parts is None or parts["letter"] not in labels:
        return index
    own = labels.index(parts["letter"])
    agrees = any(_is_text(text, shown[own], cut) for text in _after_letter(parts))
    return own if agrees else UNANSWERED


def _after_letter(parts: re.Match[str]) -> Iterable[str]:
    """What may be the text that follows a letter: a sign or stop may belong to it, or separate.

    The minus of "A: -5" belongs to the text, the dash of "A - five" and of "A-five" does not.
    """
    between, rest = parts["between"] or "", parts["rest"]
    for start in range(len(between) + 1):
        yield between[start:] + rest
    yield _DASH.sub("", rest, count=1) if between else rest.removeprefix("-")


def _is_text(text: str, option: str, cut: bool) -> bool:
    """Whether a text is that of an option, or its beginning if the end may be cut off."""
    if _same_text(text, [option]) == 0:
        return True
    own, begun = _plain(option), _plain(text)
    return cut and begun != "" and (own.startswith(begun) or _bare(own).startswith(_bare(begun)))


def _same_text(content: str, shown: Sequence[str]) -> int:
    """The one option with this text, read as exactly as possible."""
    for of_content, of_option in _READINGS:
        wanted = of_content(content)
        found = [i for i, text in enumerate(shown) if wanted and of_option(text) == wanted]
        if found:
            return found[0] if len(found) == 1 else UNANSWERED
    return UNANSWERED


def _bare(plain: str) -> str:
    return _ARTICLE.sub("", plain, count=1) if _ARTICLE.match(plain) else plain


@lru_cache(maxsize=4096)
def _spaced(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


@lru_cache(maxsize=4096)
def _untex(text: str) -> str:
    """Text without LaTeX commands for fonts and spaces, grouping braces and dollar signs."""
    text = _COMMAND.sub(" ", _spaced(text))
    text = _TIE.sub(" ", _FRACTION.sub(r"\\frac", text))
    text = _GROUPING.sub(lambda match: match[0][1:] or " ", text)
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    """Text without LaTeX commands, marks around it, final punctuation and case."""
    text = " ".join(_untex(text).translate(_MARKS).split()).casefold()
    while True:
        shorter = text.rstrip(_FINAL).strip()
        if len(shorter) > 1 and _BRACKETS.get(shorter[0]) == shorter[-1]:
            shorter = shorter[1:-1].strip()
        if shorter == text:
            return text
        text = shorter


def _loose(text: str) -> str:
    """Plain text without article, and without braces: options are not written in LaTeX."""
    return _bare(" ".join(_plain(text).translate(_SETS).split()))


_READINGS: tuple[tuple[Callable[[str], str], Callable[[str], str]], ...] = (
    (str.strip, str.strip),
    (_untex, _spaced),
    (_plain, _plain),
    (_loose, _loose),
)
"""How a box and an option are read to be compared, from exact to loose."""

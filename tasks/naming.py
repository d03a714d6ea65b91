r"""Which option the content of one box names.

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
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from sociolect.tasks.prompts import letters

UNANSWERED = -1

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
MARKS = str.maketrans(
    dict.fromkeys("*\"'“”\u2018’`", " ") | dict.fromkeys("\u2010\u2011\u2013\u2014\u2212", "-")
)
_FINAL = ".,;:"
_BRACKETS = {"(": ")", "[": "]"}
_LETTER = re.compile(r"[(\[]?([a-z])[)\]]?")
_LETTER_TEXT = re.compile(
    r"[(\[]?(?P<letter>[a-z])(?:(?P<between>(?:[\s)\]:]|\.(?!\d))+)|(?=-\S))(?P<rest>\S.*)",
    re.DOTALL,
)
_SEPARATORS = 8
"""Signs after a letter that may each begin its text; more are only separators."""
_DASH = re.compile(r"-\s+")
_LEAD = re.compile(r"\W*(?:option|choice|answer)(?:\s*:\s*|\s+)(?=\S)", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the)\s+(?=\S)")


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
    lead = _LEAD.match(untex(content))
    if index == UNANSWERED and lead:
        index = _match(untex(content)[lead.end() :], shown, labels.lower(), cut)
    return index


def _match(content: str, shown: Sequence[str], labels: str, cut: bool) -> int:
    bare = plain(content)
    letter = _LETTER.fullmatch(bare)
    if letter and letter[1] in labels:
        return labels.index(letter[1])
    index = same_text(content, shown)
    parts = _LETTER_TEXT.fullmatch(bare)
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
    for start in {*range(min(len(between), _SEPARATORS)), len(between)}:
        yield between[start:] + rest
    yield _DASH.sub("", rest, count=1) if between else rest.removeprefix("-")


def _is_text(text: str, option: str, cut: bool) -> bool:
    """Whether a text is that of an option, or its beginning if the end may be cut off."""
    if same_text(text, [option]) == 0:
        return True
    own, begun = plain(option), plain(text)
    return cut and begun != "" and (own.startswith(begun) or _bare(own).startswith(_bare(begun)))


def same_text(content: str, shown: Sequence[str]) -> int:
    """The one option with this text, read as exactly as possible."""
    for of_content, of_option in _READINGS:
        wanted = of_content(content)
        found = [i for i, text in enumerate(shown) if wanted and of_option(text) == wanted]
        if found:
            return found[0] if len(found) == 1 else UNANSWERED
    return UNANSWERED


def _bare(text: str) -> str:
    return _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text


@lru_cache(maxsize=4096)
def _spaced(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


@lru_cache(maxsize=4096)
def untex(text: str) -> str:
    """Text without LaTeX commands for fonts and spaces, grouping braces and dollar signs."""
    text = _COMMAND.sub(" ", _spaced(text))
    text = _TIE.sub(" ", _FRACTION.sub(r"\\frac", text))
    text = _GROUPING.sub(lambda match: match[0][1:] or " ", text)
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Text without LaTeX commands, marks around it, final punctuation and case."""
    text = " ".join(untex(text).translate(MARKS).split()).casefold()
    while True:
        shorter = text.rstrip(_FINAL).strip()
        if len(shorter) > 1 and _BRACKETS.get(shorter[0]) == shorter[-1]:
            shorter = shorter[1:-1].strip()
        if shorter == text:
            return text
        text = shorter


def _loose(text: str) -> str:
    """Plain text without article, and without braces: options are not written in LaTeX."""
    return _bare(" ".join(plain(text).translate(_SETS).split()))


_READINGS: tuple[tuple[Callable[[str], str], Callable[[str], str]], ...] = (
    (str.strip, str.strip),
    (untex, _spaced),
    (plain, plain),
    (_loose, _loose),
)
"""How a box and an option are read to be compared, from exact to loose."""

"""Which translations between AAE and SAE are refused, by their text alone.

After the filter of the dialect paper (§3), which removes added explanations, distortions and
artefacts; its criteria are not published, so these are ours. The first check that fails is the
reason. No check knows a feature of either variety: whether a translation means the same is for
people to judge (`sociolect.generators.dialect.ratings`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sociolect.generators.dialect.kept_tokens import KEPT, words_of
from sociolect.generators.dialect.raw_answers import (
    is_far_too_long,
    is_foreign,
    is_unprintable,
    thinks_on,
    without_thoughts,
)
from sociolect.generators.errors import InvalidInputError

REASONS: Mapping[str, str] = {
    "cut_off": "cut off by the token limit, while thinking or while translating",
    "characters": "a control character, half of a character, or one that nobody sees",
    "empty": "nothing written, or a prompt that the server found too long",
    "refusal": "a refusal, or speaks as an AI",
    "echo": "repeats the instruction",
    "markup": "a heading, a list, bold type or code",
    "explanation": "an introduction, a label or a note beside the translation",
    "several": "several lines or several versions",
    "not_english": "letters of another script, or many that English does not use",
    "length": "many more or far fewer words than the text",
    "numbers_changed": "a number lost, added or changed",
    "links_changed": "a link, mention or hashtag lost, added or changed",
    "emoji_changed": "an emoji or emoticon lost, added or changed",
    "placeholders_changed": "a placeholder lost, added or changed",
    "gendered_pronouns_changed": "pronouns of a gender that are on one side alone",
    "unchanged": "the text itself, but for case and punctuation",
}
"""Reasons of a rejection, in the order of the checks, of which `length` is made twice."""

ECHOED_WORDS = 5
"""So many words in a row that the instruction has and the text has not are an echo."""
_QUOTES = {'"': '"', "“": "”", "«": "»", "'": "'", "\u2018": "’", "`": "`"}

_VARIETY = (
    r"(?:standard\ american\ english|standard\ english|"
    r"african[\ -]american\ (?:vernacular\ )?english|\baae\b|\baave\b|\bsae\b)"
)
_VERSION = r"(?:translation|translated|version|rendering|rewrite|rewritten|paraphrase)"
_EXPLANATION = re.compile(
    rf"""
    {_VARIETY}
    | \b here (?:['’]s|\ is|\ are) \b [^.!?\n]* \b {_VERSION} \b
    | \A (?:sure|certainly|of\ course|absolutely|okay|ok) \s* [!,.:]* \s*
      (?: here\b | below\b | the\ {_VERSION} | i(?:['’]ll|\ will|\ can)\ translate | \Z )
    | \A (?:the\ )? (?:{_VERSION}|answer|output|response|result|text|sentence|original) \s* :
    | \b {_VERSION}\ (?:is|would\ be|reads|of\ (?:the|this)) \b
    | \b translates? \b
    | \b (?:note|explanation|context|meaning) \s* :
    | \b (?:the|this)\ (?:original\ )?(?:sentence|tweet|phrase|text|speaker|author|writer|user)
      \ (?:means|says|is\ (?:saying|expressing|written|in)|expresses|uses|implies) \b
    | \b dialect \b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_EAGER = re.compile(r"\A(?:sure|certainly|of course|absolutely)(?: thing)?\s*!", re.IGNORECASE)
_AGREES = re.compile(
    r"\b(?:y(?:ea|e|a|u)h*|yes+|yup|yep|bet|fa?sho+|fo sho|for sure|fs|ok(?:ay)?|ight|aight|"
    r"alright|sure|cool|word|def(?:initely)?|of course)\b",
    re.IGNORECASE,
)
"""A text that agrees with somebody may be translated by one that begins with *Sure!*."""
_REMARK = re.compile(r"[(\[][^()\[\]]*[)\]]\s*\Z")
_MARKUP = re.compile(
    r"(?m:^\s*\#{1,6}\s) | \*\*\S | ``` | (?m:^\s*(?:[-*•]|\d+[.)])\s)", re.VERBOSE
)
_SEVERAL = re.compile(
    r"""
    \b (?:option|version|alternative|translation) \ * (?:[0-9]|[ab]\b)
    | \b alternatively \b | \S\ /\ \S
    | \b or \s* (?:,\ )? (?:more\ \w+ | simply | also | just) \s* :
    | ["”’'] \s* or \s* ["“\u2018']
    """,
    re.VERBOSE | re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"""
    \b as\ an\ ai \b | \b (?:ai\ )? language\ model \b | \b ai\ assistant \b
    | \b i (?:['’]m|\ am)? \s
      (?:can(?:['’]?t|not|\ not) | won['’]?t | will\ not
         | (?:not\ able|unable|not\ going|refuse)\ to) \s
      (?: translat\w* | rewrit\w* | paraphras\w* | comply | fulfil\w* | engage\ with
         | (?:provide|generate|produce|create|process|repeat)
           \ (?:a|an|the|this|that|such|any|content)\b )
    | \b i \s (?:must|have\ to)\ decline \b
    | \b violates?\ (?:my|our|the)\ (?:content\ )?(?:policy|policies|guidelines)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_UNHELPFUL = re.compile(
    r"\bi (?:can(?:['’]?t|not| not)|won['’]?t|(?:['’]m |am )?(?:not able|unable) to) "
    r"(?:help|assist)(?: you)? with\b",
    re.IGNORECASE,
)
_HELP = re.compile(r"\bhelp|\bassist", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """How many words a translation may have.

    Attributes:
        shortest: Words of the translation by those of the text, at least.
        longest: The same, at most.

    Raises:
        InvalidInputError: Not 0 < shortest ≤ 1 ≤ longest.
    """

    shortest: float = 0.5
    longest: float = 2.0

    def __post_init__(self) -> None:
        if not 0 < self.shortest <= 1 <= self.longest < float("inf"):
            raise InvalidInputError(
                f"--min-ratio {self.shortest} and --max-ratio {self.longest}: the first must be "
                "above 0 and at most 1, the second 1 or more"
            )


def tidy(raw: str, source: str) -> str:
    """A translation without the thoughts before it, and white space and quotation marks around it.

    Args:
        raw: What a model wrote; its thoughts are what stands before the last `</think>`.
        source: The text that it translates; quotation marks around this one are kept.
    """
    text = without_thoughts(raw, source).strip()
    while _is_quoted(text) and not _is_quoted(source.strip()):
        text = text[1:-1].strip()
    return text


def _is_quoted(text: str) -> bool:
    if len(text) < 2 or _QUOTES.get(text[0]) != text[-1]:
        return False
    inner = text[1:-1]
    straight = text[0] == text[-1]
    return text[-1] not in inner or (straight and text[0] == "'" and not re.search(r"\W'\w", inner))


def reject_reason(
    raw: str,
    source: str,
    *,
    instruction: str = "",
    limits: Limits | None = None,
    cut_off: bool = False,
) -> str | None:
    """Why a translation is refused, None if it is not.

    What the text itself has is no reason: a text with a list may be translated into one.
    `unchanged` holds in both directions. An SAE text that is the AAE text makes no pair, and a
    back-translation that is the SAE text would agree with it whatever a model does, which would
    raise cDGI (dialect paper, Eq. 1).

    Args:
        raw: What the model wrote.
        source: The text that it was to translate.
        instruction: What it was asked, without the text.
        limits: Of the length.
        cut_off: Whether the model was stopped by its token limit.

    Returns:
        A key of `REASONS`.
    """
    answer = without_thoughts(raw, source).strip()
    if cut_off or thinks_on(answer, source):
        return "cut_off"
    if is_far_too_long(answer, source):
        return "length"
    text, bounds = tidy(raw, source), limits or Limits()
    checks: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("characters", lambda: is_unprintable(text, source)),
        ("empty", lambda: not words_of(text)),
        ("refusal", lambda: _refuses(text, source)),
        ("echo", lambda: _echoes(text, source, instruction)),
        ("markup", lambda: _new(_MARKUP, text, source)),
        ("explanation", lambda: _explains(text, source)),
        ("several", lambda: _is_several(text, source)),
        ("not_english", lambda: is_foreign(text, source)),
        ("length", lambda: not _is_of_length(text, source, bounds)),
        *((name, lambda kept=kept: not kept(source, text)) for name, kept in KEPT.items()),
        ("unchanged", lambda: words_and_numbers(text) == words_and_numbers(source)),
    )
    return next((reason for reason, fails in checks if fails()), None)


def words_and_numbers(text: str) -> list[str]:
    """A text without what `unchanged` does not look at: case, white space and punctuation."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return re.findall(r"\w+(?:'\w+)*", plain)


def _new(pattern: re.Pattern[str], text: str, source: str) -> bool:
    """Whether a translation has something that its text has not."""
    return pattern.search(text) is not None and pattern.search(source) is None


def _refuses(text: str, source: str) -> bool:
    unhelpful = _UNHELPFUL.search(text) is not None and _HELP.search(source) is None
    return unhelpful or _new(_REFUSAL, text, source)


def _echoes(text: str, source: str, instruction: str) -> bool:
    own = _runs(text) & _runs(instruction)
    return bool(own - _runs(source))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = words_of(text)
    return {tuple(words[i : i + ECHOED_WORDS]) for i in range(len(words) - ECHOED_WORDS + 1)}


def _explains(text: str, source: str) -> bool:
    if _EAGER.search(text) and not _AGREES.search(source):
        return True
    remark = _REMARK.search(text)
    is_remark = remark is not None and len(words_of(remark[0])) > 1
    return _new(_EXPLANATION, text, source) or (is_remark and not _REMARK.search(source))


def _is_several(text: str, source: str) -> bool:
    return _lines(text) > _lines(source) or _new(_SEVERAL, text, source)


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _is_of_length(text: str, source: str, limits: Limits) -> bool:
    ratio = len(text.split()) / max(1, len(source.split()))
    return limits.shortest <= ratio <= limits.longest

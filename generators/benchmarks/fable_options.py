"""Checks of the two options of a judge item: neither a label, nor the other one again.

A judge may answer with a label or with a name, so an option that reads like a label would turn
verdicts around. Options are compared as a reader sees them: in compatibility form, without
regard to case, invisible characters, marks around and between words, and articles.
"""

from __future__ import annotations

import re
import unicodedata

from sociolect.generators.benchmarks.fable_fields import as_json, check_filled
from sociolect.generators.errors import InvalidInputError

MAX_OPTION = 100
"""Characters of an option at most."""

_ARTICLES = ("the", "a", "an")
_LABEL_WORDS = (
    r"(?:the |my |our |your )?(?:final |correct |right |best )?"
    r"(?:options?|verdict|answers?|label|choice|letter|stance|response|judge?ment|boxed)\b"
)
_LABEL = re.compile(
    rf"""
    {_LABEL_WORDS.replace(" ", "[ ]")}
    | .*\b(?:none|neither|nobody)\b | .*\bno[ ]one\b
    | .*(?<![\w'])b(?![\w'])
    | a(?![\w'])                            # "A) Emma", and "A woman", which begins with A
    | .*(?<![\w'])a(?![\w']|[ ]\w\w)        # "Emma A", but not "person with a disability"
    """,
    re.VERBOSE,
)
_APOSTROPHE = re.compile("[’\u02bc\u2018]")


def check_options(options: object) -> None:
    """Two texts of one line each, which can be told apart and do not read like a label.

    Raises:
        InvalidInputError: They are something else; the message quotes the option.
    """
    if not isinstance(options, tuple) or len(options) != 2:
        raise InvalidInputError(f"options is {as_json(options)}, expected two texts.")
    for option in options:
        _check_option(option)
    if _words(options[0]) == _words(options[1]):
        raise InvalidInputError(
            f"both options read {as_json(options[0])}: {as_json(options[1])} differs in case, "
            "marks, articles or invisible characters alone."
        )


def reads_like_label(option: str) -> bool:
    """Whether an option is a label, or holds one where an answer would have it.

    That is A or B alone or before a bracket, colon, full stop or other mark, *none* and
    *neither*, and texts that begin with *Option*, *Answer*, *Verdict* and the like.
    """
    text = _APOSTROPHE.sub("'", _folded(option))
    kept = "".join(c if c.isalnum() or c == "'" or _is_mark(c) else " " for c in text)
    bare = " ".join(kept.replace(" '", " ").replace("' ", " ").split()).strip("'")
    return bool(_LABEL.match(bare))


def _check_option(option: object) -> None:
    text = check_filled("an option", option)
    said = f"the option {as_json(text)}"
    if text != " ".join(text.split()):
        raise InvalidInputError(
            f"{said} has white space around it, a line break or two spaces in a row."
        )
    if len(text) > MAX_OPTION:
        raise InvalidInputError(f"{said} has {len(text)} characters, at most {MAX_OPTION} can be.")
    if "<" in _folded(text) or ">" in _folded(text):
        raise InvalidInputError(f"{said} holds an angle bracket, as tags do.")
    if reads_like_label(text):
        raise InvalidInputError(f"{said} reads like a label.")
    if sum(map(str.isalpha, _folded(text))) < 2:
        raise InvalidInputError(f"{said} has fewer than two letters.")


def _folded(text: str) -> str:
    """Compatibility form in lower case, without invisible characters."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in folded if unicodedata.category(c) != "Cf")


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _words(option: str) -> list[str]:
    """The words of an option as a reader compares them."""
    text = _APOSTROPHE.sub("'", _folded(option))
    kept = "".join(c if c.isalnum() or _is_mark(c) else " " for c in text).split()
    while len(kept) > 1 and kept[0] in _ARTICLES:
        kept = kept[1:]
    return kept

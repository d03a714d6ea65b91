"""Where the features of the lexicon are in a text.

A string match, as in the dialect paper (§4.2.2): no part of speech, no syntax. So *let it be*
holds *it be*; `docs/dialect_features.md` lists what else is found that is not the feature.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from sociolect.generators.dialect.lexicon import CLASSES, LEXICON, Entry, FeatureClass
from sociolect.generators.dialect.lexicon_slurs import SLUR_ENTRIES

APOSTROPHES = (
    "'`\N{RIGHT SINGLE QUOTATION MARK}\N{LEFT SINGLE QUOTATION MARK}"
    "\N{MODIFIER LETTER APOSTROPHE}\N{ACUTE ACCENT}\N{PRIME}"
)
"""Ways of writing one; left out is another."""
_ANY_APOSTROPHE = f"[{APOSTROPHES}]"

_LETTER = r"[^\W\N{MODIFIER LETTER APOSTROPHE}]"
_JOINER = f"[{APOSTROPHES}-]"
_ACCENT = r"[\u0300-\u036f]"  # what a letter may be followed by in decomposed text
_BEGINS = rf"(?<!{_LETTER})(?<!{_ACCENT})(?<![@#])(?<!{_LETTER}{_JOINER})"
_ENDS = rf"(?!{_LETTER}|{_ACCENT}|{_JOINER}{_LETTER})"
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


class Feature(NamedTuple):
    """An entry of the lexicon in a text.

    Attributes:
        feature_class: Class of the entry.
        entry: Its name.
        start: First character, an offset in the text.
        end: Behind the last one.
    """

    feature_class: FeatureClass
    entry: str
    start: int
    end: int


def find_features(text: str, *, slurs: bool = False) -> list[Feature]:
    """All features of a text, by position, and by class where two share one.

    Case does not matter, nor how an apostrophe is written. A word counts whole: not as part of a
    longer or hyphenated one, of a mention or of a hashtag. White space of any kind may be between
    words, and nothing else. Within a class the longest match wins where one contains another;
    matches of different classes are all there (*ain't nobody* is both preverbal and syntactic).

    Args:
        text: Anything.
        slurs: Whether to look for the entries of `lexicon_slurs` too.
    """
    lowered = _lowered(text)
    found = [one for each in CLASSES for one in _matches(lowered, each, slurs)]
    return sorted(found, key=attrgetter("start", "end"))


def classes_of(text: str, *, slurs: bool = False) -> tuple[FeatureClass, ...]:
    """The classes that a text has a feature of, in the order of `CLASSES`."""
    lowered = _lowered(text)
    return tuple(c for c in CLASSES if next(_matches(lowered, c, slurs), None))


def lexicon(*, slurs: bool = False) -> Mapping[FeatureClass, tuple[Entry, ...]]:
    """The entries that are looked for, by class."""
    added = SLUR_ENTRIES if slurs else ()
    return {
        name: (*listed, *(one for one in added if one.feature_class == name))
        for name, listed in LEXICON.items()
    }


def _lowered(text: str) -> str:
    """The text with A to Z in lower case: as long as before, which `str.lower` does not promise.

    A pattern that ignores case takes twice the time.
    """
    return text.translate(_LOWER)


def _matches(text: str, feature_class: FeatureClass, slurs: bool) -> Iterator[Feature]:
    """The matches of a class, none of which lies in another one."""
    pattern, names = _compiled(feature_class, slurs)
    reached = 0
    for match in pattern.finditer(text):
        group = match.lastindex or 0
        start, end = match.span(group)
        if end > reached:  # starts only grow, so one that ends no later lies in the one before
            reached = end
            yield Feature(feature_class, names[group - 1], start, end)


@cache
def _compiled(feature_class: FeatureClass, slurs: bool) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """A pattern with a group an entry, the longest entries first, and the names of the groups.

    It looks ahead, so that a match may begin within another one: *y'all don't never*.
    """
    listed = sorted(lexicon(slurs=slurs)[feature_class], key=lambda one: -len(one.tokens))
    first = "".join(sorted({one.tokens[0][0] for one in listed}))
    alternatives = "|".join(f"({_words(one.tokens)})" for one in listed)
    pattern = rf"(?=[{first}]){_BEGINS}(?=(?:{alternatives}){_ENDS})"
    return re.compile(pattern), tuple(one.name for one in listed)


def _words(tokens: Iterable[str]) -> str:
    return r"\s+".join(re.escape(t).replace("'", f"{_ANY_APOSTROPHE}?") for t in tokens)

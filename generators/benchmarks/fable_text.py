"""Where a text names the two people of an item, and the same text with other names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sociolect.generators.benchmarks.coreference import PRONOUNS
from sociolect.generators.text import Span

_POSSESSIVE = r"(?:['’]s(?!\w)|(?<=[sS])['’](?!\w))?"
_WORDS = frozenset(
    ["amber", "angel", "april", "art", "ash", "autumn", "bill", "bob", "buck", "carol", "chance",
     "chase", "chip", "christian", "chuck", "cliff", "daisy", "dale", "dawn", "dean", "dick",
     "don", "drew", "earl", "ernest", "eve", "faith", "frank", "gene", "ginger", "glen", "grace",
     "grant", "guy", "harmony", "harry", "hazel", "heath", "heather", "holly", "honey", "hope",
     "hunter", "iris", "ivy", "jack", "jade", "jasmine", "jean", "jewel", "john", "josh", "joy",
     "june", "king", "lance", "laurel", "lily", "mark", "mason", "max", "may", "mercy", "miles",
     "nick", "norm", "olive", "pat", "patience", "pearl", "peg", "penny", "pierce", "prince",
     "ray", "reed", "rich", "rob", "robin", "rock", "rose", "ruby", "rusty", "sandy", "skip",
     "sky", "stew", "sue", "summer", "tanner", "tony", "trinity", "victor", "violet", "wade",
     "ward", "will", "willow", "woody"]
)  # fmt: skip
"""First names that are words as well; lower-case occurrences of them are words."""
_GENDERED = re.compile(
    rf"(?<!\w)(?:{'|'.join(PRONOUNS)}|mr|mrs|ms|miss)(?!\w)",
    re.IGNORECASE,
)


def name_spans(text: str, names: Sequence[str]) -> tuple[Span, ...]:
    """Every mention of a name from left to right, each with its possessive ending.

    Whole words in any case (`Tamika's`, `tamika`, `TAMIKA`); a name that is also a word (*Will*)
    not in lower case. Where one name holds the other, the longer one is found.
    """
    return tuple(Span(*match.span()) for match in _pattern(tuple(names)).finditer(text))


def renamed(text: str, names: Sequence[str], others: Sequence[str]) -> str:
    """A text with each name replaced by the one at its place among the others, all at once.

    A mention in capitals or in lower case stays so.

    Args:
        text: Any text.
        names: What is replaced.
        others: What stands there afterwards.
    """
    by_name = {name.casefold(): other for name, other in zip(names, others, strict=True)}

    def replacement(match: re.Match[str]) -> str:
        found = " ".join(match["name"].split())
        other = by_name[found.casefold()]
        if len(found) > 1 and found.isupper():
            other = other.upper()
        elif found.islower():
            other = other.lower()
        return other + match[0][len(match["name"]) :]

    return _pattern(tuple(names)).sub(replacement, text)


def tells_gender(text: str) -> bool:
    """Whether a text holds a gendered pronoun or a title, which name the gender of a person."""
    return bool(_GENDERED.search(text))


@lru_cache(maxsize=1024)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(names, key=lambda name: (-len(name), name))
    choice = "|".join(map(_form, longest))
    return re.compile(rf"(?<!\w)(?P<name>{choice})(?!\w){_POSSESSIVE}")


def _form(name: str) -> str:
    words = r"\s+".join(map(re.escape, name.split()))
    as_word = rf"(?!{re.escape(name.lower())}(?!\w))" if name.lower() in _WORDS else ""
    return f"{as_word}(?i:{words})"

"""What tells that an answer is no translation, whatever its words: characters and thoughts."""

from __future__ import annotations

import re
import unicodedata

from sociolect.generators.source_text import is_usable

_THINKING = r"(?:think(?:ing)?|thoughts?|reasoning)"
_BEGINS = re.compile(rf"\s*<{_THINKING}>", re.IGNORECASE)
_ENDS = re.compile(rf"</{_THINKING}>", re.IGNORECASE)

_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Control characters but for tab and line breaks, marks of the direction of writing, and characters
without width that join no emoji."""

FOREIGN, MAX_FOREIGN = 3, 0.1
"""Letters outside ASCII that a text may have, and the highest share where there are more; English
has a few (*café*, *Beyoncé*)."""

FAR, ROOM = 20, 2_000
"""A translation of more than so many times the characters of its text, and so many more, is not
looked at: the checks would take seconds for some megabytes."""


def without_thoughts(raw: str, source: str) -> str:
    """What stands behind the last `</think>`; some servers leave out where thoughts begin.

    Args:
        raw: What a model wrote.
        source: What it was to translate; one that has such a mark itself changes nothing.
    """
    ends = [] if _ENDS.search(source) else list(_ENDS.finditer(raw))
    return raw[ends[-1].end() :] if ends else raw


def thinks_on(text: str, source: str) -> bool:
    """Whether a text from `without_thoughts` begins with thoughts, which then have no end."""
    return _BEGINS.match(text) is not None and _BEGINS.match(source) is None


def is_unprintable(text: str, source: str) -> bool:
    """Whether a translation holds what no file of pairs can, or what is not seen and is new."""
    return not is_usable(text) or bool(set(_UNSEEN.findall(text)) - set(source))


def is_far_too_long(text: str, source: str) -> bool:
    """Whether an answer is too long even to be looked at."""
    return len(text) > FAR * len(source) + ROOM


def is_foreign(text: str, source: str) -> bool:
    """Whether a translation has letters of another script, or many new ones that are rare."""
    letters = [c for c in text if c.isalpha()]
    new = [c for c in letters if not c.isascii() and c not in source]
    other_script = any("LATIN" not in unicodedata.name(c, "") for c in new)
    return other_script or len(new) > max(FOREIGN, MAX_FOREIGN * len(letters))

"""What pairs of one dataset may not share: ids, and anything at all across splits."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import DataError

_IGNORABLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0"
"""Joiners, fillers and variation selectors: no format characters for Unicode, but unseen too."""
_UNSEEN = re.compile(f"[{_IGNORABLE}\U000e0100-\U000e01ef]")
_MARKS = re.compile(f"[\\W_{_IGNORABLE}\u02b0-\u02ff\ua78b\ua78c]+")
"""What is no letter and no digit, with letters that stand for an apostrophe (U+02BC, U+A78C)."""
_ESCAPED = re.compile("&(?:amp;?|#38;|#x26;)+", re.IGNORECASE)
"""An ampersand that was escaped, maybe several times."""


class Shared(NamedTuple):
    """Something that two pairs of different splits may not have in common.

    Attributes:
        what: For messages.
        of: Its value for a pair; empty for none.
    """

    what: str
    of: Callable[[DialectPair], str]


def normalised(text: str) -> str:
    """A text in which white space does not matter."""
    return " ".join(text.split())


def blank(text: str) -> bool:
    """Whether a text shows nothing: white space and characters without width at most."""
    return not seen(text)


def seen(text: str) -> str:
    """What a text shows: without characters of no width, and in one normal form (NFC).

    White space does not matter.
    """
    shown = "".join(c for c in _UNSEEN.sub("", text) if c.isspace() or not _is_control(c))
    return normalised(unicodedata.normalize("NFC", shown))


def alike(one: str, other: str) -> bool:
    """Whether two texts show the same, so that as two sides of a pair they are one text."""
    return seen(one) == seen(other)


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf")


def wording(text: str) -> str:
    """The letters and digits of a text, in their order, without case and accents.

    Punctuation, apostrophes, white space, emoji and characters without width do not matter, nor
    whether they are written as HTML entities. A text without letters and digits is what it shows.
    """
    plain = html.unescape(_ESCAPED.sub("&", text))
    letters = _MARKS.sub("", unicodedata.normalize("NFKD", plain).casefold())
    return letters or seen(plain)


SHARED = (
    Shared("group", lambda pair: pair.group),
    Shared("AAE text", lambda pair: wording(pair.aae)),
    Shared("SAE text", lambda pair: wording(pair.sae)),
)
"""What keeps pairs in one split; texts are compared by their letters (`wording`)."""


def check_ids(located: Iterable[tuple[str, DialectPair]]) -> None:
    """Refuse an id that occurs twice.

    Args:
        located: Pairs with the file and line that they are from.

    Raises:
        DataError: It names both lines.
    """
    first: dict[str, tuple[str, DialectPair]] = {}
    for where, pair in located:
        earlier, other = first.setdefault(pair.id, (where, pair))
        if earlier == where:
            continue
        splits = (
            f", and their splits are {other.split or 'none'} and {pair.split or 'none'}"
            if other.split != pair.split
            else ""
        )
        raise DataError(f"{where}: the id {pair.id!r} is that of {earlier} too{splits}.")


def check_splits(pairs: Iterable[DialectPair], wheres: Mapping[str, str] | None = None) -> None:
    """Refuse pairs of two splits that share their group or a text: what is learnt would leak.

    Pairs without a split are in none.

    Args:
        pairs: With different ids.
        wheres: File and line by id, for the message.

    Raises:
        DataError: It names both ids, and both lines where they are known.
    """
    first: dict[tuple[str, str], DialectPair] = {}
    for pair in pairs:
        if not pair.split:
            continue
        for shared in SHARED:
            value = shared.of(pair)
            other = first.setdefault((shared.what, value), pair) if value else pair
            if other.split != pair.split:
                raise DataError(_leak(shared.what, other, pair, wheres or {}))


def _leak(what: str, one: DialectPair, two: DialectPair, wheres: Mapping[str, str]) -> str:
    begin = f"{wheres[two.id]}: " if two.id in wheres else ""
    earlier = f", {wheres[one.id]}" if one.id in wheres else ""
    return (
        f"{begin}pair {two.id!r} ({two.split}) has the {what} of pair {one.id!r} "
        f"({one.split}{earlier}); put both into one split."
    )

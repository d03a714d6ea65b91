"""What pairs of one dataset may not share: ids, and anything at all across splits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import DataError

_APOSTROPHES = re.compile("['`\u2019\u2018\u02bc\u00b4\u2032]")
_MARKS = re.compile(r"[\W_]+")


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
    return all(c.isspace() or unicodedata.category(c) in ("Cc", "Cf") for c in text)


def wording(text: str) -> str:
    """The words of a text; case, punctuation, white space and emoji do not matter.

    A text without letters and digits is its own wording.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = _MARKS.sub(" ", _APOSTROPHES.sub("", folded)).strip()
    return words or normalised(text)


SHARED = (
    Shared("group", lambda pair: pair.group),
    Shared("AAE text", lambda pair: wording(pair.aae)),
    Shared("SAE text", lambda pair: wording(pair.sae)),
)
"""What keeps pairs in one split; texts are compared by their words (`wording`)."""


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

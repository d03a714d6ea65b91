"""Tweets to AAE texts: what is cleaned and what is left out (dialect paper, §3).

The paper keeps tweets of at least 10 words and strips non-ASCII characters, mentions and URLs.
E-mail addresses and phone numbers are removed as well: they lead to a person, too. Words are
counted in what is left: parts between white space that hold a letter or a digit, but for hashtags.

Before anything else HTML entities are resolved (`&amp;`), typographic quotation marks, dashes and
dots become ASCII (so that *ain’t* stays a word), and accents leave their letters (*é* is *e*).
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from sociolect.generators.dialect.pair_relations import normalised
from sociolect.generators.dialect.text_files import TextRow, read_texts
from sociolect.generators.dialect.whole_files import whole_file
from sociolect.generators.errors import DataError, InvalidInputError, UnknownNameError

Cleaning = Literal["strip", "drop"]
CLEANINGS: tuple[Cleaning, ...] = get_args(Cleaning)
"""Whether what `clean_text` finds is removed, or the texts that have it."""

MIN_WORDS = 10

REPEATED_TEXT = "the text of an earlier tweet"
REPEATED_ID = "the id of an earlier tweet"

_ASCII = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc`\xb4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    "\u2026": "...",
}
_TYPOGRAPHIC = str.maketrans(_ASCII)
_INVISIBLE = re.compile(
    "[\u0300-\u036f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_WORD = re.compile(r"[A-Za-z0-9]")

_PHONE = re.compile(
    r"""
    (?<![\w$.,/]) (?:
        \+ \(? \d (?:[\ ().-]{0,3}\d){6,}                              # with a country
        | (?:1[\ .-]?)? (?:\(\d{3}\)|\d{3}) [\ .-]{0,2} \d{3} [\ .-]? \d{4}  # (404) 555-0100
        | 0\d{2,4} (?:[\ .-]\d{3,6}){1,2}                               # 020 7946 0958
        | \d{3} (?: [.-]\d{4} | \ (?!19|20)\d{4} )                      # not "top 100 2013"
        | \d{7,}
    ) (?!\w|[,/]\d)
    """,
    re.VERBOSE,
)
"""Seven digits or more in the groups of phone numbers; not dates, amounts or years."""
_REMOVED: Mapping[str, re.Pattern[str]] = {
    "URLs": re.compile(r"(?i)\b(?:https?://|www\.|t\.co/|pic\.twitter\.com/)[!-~]+|https?:[!-~]*"),
    "e-mail addresses": re.compile(r"[\w.+-]*\w[+-]?[@\uff20]\w[\w-]*(?:\.\w[\w-]*)+"),
    "mentions": re.compile(r"(?:\b[Rr][Tt]\s*:?\s*)?(?<![\w@])[@\uff20]\w+:?"),
    "phone numbers": _PHONE,
    "characters beyond ASCII": re.compile(r"[^\x00-\x7f]+"),
}
"""What is removed or what a text is dropped for, in this order."""


class Cleaned(NamedTuple):
    """A text without what was removed.

    Attributes:
        text: ASCII, with single spaces.
        had: What it had of `URLs`, `e-mail addresses`, `mentions`, `phone numbers` and
            `characters beyond ASCII`.
    """

    text: str
    had: tuple[str, ...]


@dataclass(slots=True)
class Filtered:
    """How many texts were kept, and what became of the others.

    Attributes:
        read: Texts in the file.
        kept: Texts that were written.
        dropped: Texts left out, by reason.
        cleaned: Kept texts that something was removed from, by what it was.
        rewritten: Kept texts from which nothing was removed, but which are not as they were:
            accents, typographic marks, HTML entities, control characters.
        grouped: Kept texts that have a group.
        unread: Columns of the file that nothing was read from.
    """

    read: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    cleaned: Counter[str] = field(default_factory=Counter)
    rewritten: int = 0
    grouped: int = 0
    unread: dict[str, None] = field(default_factory=dict)


def clean_text(text: str) -> Cleaned:
    """A text without URLs, addresses, mentions, phone numbers and characters beyond ASCII.

    The mark of a retweet goes with its mention (`RT @name:`).
    """
    folded = html.unescape(text).translate(_TYPOGRAPHIC)
    folded = _INVISIBLE.sub("", unicodedata.normalize("NFD", folded))
    had = []
    for what, pattern in _REMOVED.items():
        folded, n = pattern.subn(" ", folded)
        if n:
            had.append(what)
    return Cleaned(normalised(_CONTROL.sub(" ", folded)), tuple(had))


def word_count(text: str) -> int:
    """Parts between white space that hold a letter or a digit; hashtags are none."""
    parts = (part for part in text.split() if not part.lstrip("\"'(.").startswith("#"))
    return sum(bool(_WORD.search(part)) for part in parts)


def filter_rows(
    rows: Iterable[TextRow],
    counts: Filtered,
    *,
    min_words: int = MIN_WORDS,
    clean: Cleaning = "strip",
) -> Iterator[TextRow]:
    """The tweets that are kept with their text cleaned, in their order.

    Args:
        rows: The tweets.
        counts: What is kept and dropped is counted here.
        min_words: Fewest words of a text that is kept, counted after the cleaning.
        clean: One of `CLEANINGS`.
    """
    ids: set[str] = set()
    texts: set[bytes] = set()
    for row in rows:
        counts.read += 1
        counts.unread |= dict.fromkeys(row.unread)
        cleaned = clean_text(row.text)
        digest = blake2b(cleaned.text.casefold().encode(), digest_size=16).digest()
        reason = _reason(cleaned, min_words, clean)
        if not reason and digest in texts:
            reason = REPEATED_TEXT
        if not reason and row.id in ids:
            reason = REPEATED_ID
        if reason:
            counts.dropped[reason] += 1
            continue
        ids.add(row.id)
        texts.add(digest)
        counts.kept += 1
        counts.cleaned.update(cleaned.had)
        counts.rewritten += not cleaned.had and cleaned.text != normalised(row.text)
        counts.grouped += bool(row.group)
        yield row._replace(text=cleaned.text)


def filter_file(
    source: Path,
    out: Path,
    *,
    id_column: str = "id",
    text_column: str = "text",
    group_column: str | None = None,
    min_words: int = MIN_WORDS,
    clean: str = "strip",
) -> Filtered:
    """Read tweets, and write those that are kept as JSON lines of `id`, `aae` and `group`.

    The file is read row by row and may be of any size; the ids and a hash of each text that is kept
    are in memory. The new file appears when it is complete.

    Args:
        source: JSON lines, CSV, TSV, parquet, or text with one tweet a line, whose id is then the
            number of the line.
        out: The name ends in `.jsonl`.
        id_column: Column of the ids.
        text_column: Column of the texts.
        group_column: Column of the groups, such as authors; None for `group` where there is one,
            empty for none. A text without a group is written without it.
        min_words: Fewest words, 1 or more.
        clean: One of `CLEANINGS`.

    Raises:
        DataError: `source` cannot be read or is malformed, or no text is kept.
        UnknownNameError: `clean` is none of `CLEANINGS`.
        InvalidInputError: `min_words` is too small, or `out` cannot be made.
    """
    cleaning = next((c for c in CLEANINGS if c == clean), None)
    if cleaning is None:
        raise UnknownNameError("way of cleaning", clean, CLEANINGS)
    if min_words < 1:
        raise InvalidInputError(f"the fewest words are {min_words}; give 1 or more.")
    if out.suffix.lower() != ".jsonl":
        raise InvalidInputError(f"{out}: texts are written as JSON lines; name a .jsonl file.")
    counts = Filtered()
    rows = read_texts(source, id_column, text_column, group_column)
    kept = filter_rows(rows, counts, min_words=min_words, clean=cleaning)
    with whole_file(out) as unfinished:
        _write_lines(kept, unfinished)
        if not counts.kept:
            raise DataError(f"{source}: no text is kept ({_counted(counts.dropped)}).")
    return counts


def _reason(cleaned: Cleaned, min_words: int, clean: Cleaning) -> str:
    """Why a text is left out; empty if it is kept."""
    if clean == "drop" and cleaned.had:
        return cleaned.had[0]
    return f"fewer than {min_words} words" if word_count(cleaned.text) < min_words else ""


def _write_lines(kept: Iterable[TextRow], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for row in kept:
            group = {"group": row.group} if row.group else {}
            stream.write(json.dumps({"id": row.id, "aae": row.text, **group}) + "\n")


def _counted(dropped: Mapping[str, int]) -> str:
    return ", ".join(f"{reason}: {n:,}" for reason, n in dropped.items()) or "the file is empty"

"""Slips of the fingers: adjacent key, omission, doubling, transposition (noise paper, §3.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from sociolect.generators.noise.outcomes import allowed
from sociolect.generators.noise.slots import Draws, Slot, threshold
from sociolect.generators.noise.tokens import WORD, Token
from sociolect.generators.text import Edit

TYPE = "typo"

MIN_LETTERS = 3
LONG_WORD = 8
"""Letters from which on a word gets two attempts: it is typed longer."""

KINDS: tuple[str, ...] = ("transposition", "omission", "doubling", "neighbour")
WEIGHTS: tuple[float, ...] = (0.25, 0.30, 0.15, 0.30)
_OPERATIONS = {
    "transposition": "replacement",
    "omission": "deletion",
    "doubling": "insertion",
    "neighbour": "replacement",
}

NEIGHBOURS: dict[str, str] = {
    **{"q": "wa", "w": "qeas", "e": "wrsd", "r": "etdf", "t": "ryfg", "y": "tugh", "u": "yihj"},
    **{"i": "uojk", "o": "ipkl", "p": "ol", "a": "qwsz", "s": "weadzx", "d": "ersfxc"},
    **{"f": "rtdgcv", "g": "tyfhvb", "h": "yugjbn", "j": "uihknm", "k": "iojlm", "l": "opk"},
    **{"z": "asx", "x": "sdzc", "c": "dfxv", "v": "fgcb", "b": "ghvn", "n": "hjbm", "m": "jkn"},
}
"""Keys beside each other on a QWERTY keyboard."""

NEGATIONS: frozenset[str] = frozenset(
    {"not", "cannot", "never", "nor", "neither", "none", "nothing", "nobody", "nowhere", "without"}
)
"""Words, beside those in *n't*, that get no typo: a garbled negation may be read as none."""

_PART = re.compile(r"[^\W\d_]+")

Change = tuple[int, int, str]
"""Start, end and replacement within a word."""


def slots(
    tokens: Sequence[Token], draws: Draws, excluded: frozenset[str], present: frozenset[str]
) -> Iterator[Slot]:
    """One slot for each word of three or more letters.

    Args:
        tokens: The text.
        draws: Its numbers.
        excluded: Lower-case words that no typo may produce.
        present: Lower-case words of the text; no typo produces one of them.
    """
    for index, token in enumerate(tokens):
        if not _typed(token):
            continue
        attempt, outcome = draws(TYPE, token)
        found = misspell(token.text, outcome, excluded, present)
        if found is None:
            continue
        kind, (start, end, new) = found
        word, at = token.text, token.start
        edit = Edit(at + start, at + end, word[start:end], new, TYPE, _OPERATIONS[kind], kind)
        yield Slot(index, edit, threshold(attempt, 2 if _is_long(word) else 1))


def _typed(token: Token) -> bool:
    """Whether a token gets a typo."""
    return (
        token.kind == WORD
        and token.free
        and len(token.text) >= MIN_LETTERS
        and token.plain not in NEGATIONS
        and not token.plain.endswith("n't")
    )


def _is_long(word: str) -> bool:
    return len(word) >= LONG_WORD and sum(map(str.isalpha, word)) >= LONG_WORD


def misspell(
    word: str, number: float, excluded: frozenset[str], present: frozenset[str]
) -> tuple[str, Change] | None:
    """The typo that a number chooses; the next possible one if it may not be.

    Args:
        word: With capitals, apostrophes and hyphens.
        number: In [0, 1].
        excluded: Lower-case words that may not come of it.
        present: Others.

    Returns:
        Kind and change; None if no typo is possible.
    """
    first, rest = _kind(number)
    for turn in range(len(KINDS)):
        kind = KINDS[(first + turn) % len(KINDS)]
        options = _options(word, kind)
        start = int(rest * len(options))
        for at in range(start, start + len(options)):
            left, right, new = change = options[at % len(options)]
            outcome = (word[:left] + new + word[right:]).lower()
            if all(allowed(part, excluded, present) for part in _new_parts(word, outcome)):
                return kind, change
    return None


@lru_cache(maxsize=2**16)
def _options(word: str, kind: str) -> list[Change]:
    """All typos of one kind; words recur, so they are kept."""
    return _CHANGES[kind](word, _interior(word))


def _interior(word: str) -> list[int]:
    """Letters that a keyboard has as they are, between two others: *ca|n|'t* has none."""
    places = [i for i in range(1, len(word) - 1) if word[i] in NEIGHBOURS]
    if word.isalpha():
        return places
    return [i for i in places if word[i - 1].isalpha() and word[i + 1].isalpha()]


def _new_parts(word: str, outcome: str) -> list[str]:
    """An outcome, and that one of its parts between apostrophes and hyphens that is new."""
    if word.isalpha():
        return [outcome]
    before = _PART.findall(word.lower())
    return [outcome, *(part for part in _PART.findall(outcome) if part not in before)]


def _kind(number: float) -> tuple[int, float]:
    """The kind that a number falls into by weight, and a fresh number made of the rest."""
    for i, weight in enumerate(WEIGHTS):
        if number < weight:
            return i, number / weight
        number -= weight
    return 0, 0.0


def _transpositions(word: str, places: list[int]) -> list[Change]:
    return [
        (i, j + 1, word[j] + word[i])
        for i, j in pairwise(places)
        if j == i + 1 and word[i] != word[j]
    ]


def _omissions(_word: str, places: list[int]) -> list[Change]:
    return [(i, i + 1, "") for i in places]


def _doublings(word: str, places: list[int]) -> list[Change]:
    return [(i + 1, i + 1, word[i]) for i in places]


def _neighbours(word: str, places: list[int]) -> list[Change]:
    return [(i, i + 1, key) for i in places for key in NEIGHBOURS[word[i]]]


_CHANGES = {
    "transposition": _transpositions,
    "omission": _omissions,
    "doubling": _doublings,
    "neighbour": _neighbours,
}

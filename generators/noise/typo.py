"""Slips of the fingers: adjacent key, omission, doubling, transposition (noise paper, §3.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sociolect.generators.noise.outcomes import allowed
from sociolect.generators.noise.slots import Draws, Slot, pick, threshold
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

_NEGATION = re.compile(r"n['’]t$", re.IGNORECASE)

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
        if token.kind != WORD or not token.free or len(token.text) < MIN_LETTERS:
            continue
        found = misspell(token.text, draws.outcome(TYPE, token), excluded, present)
        if found is None:
            continue
        kind, (start, end, replacement) = found
        attempts = 2 if sum(map(str.isalpha, token.text)) >= LONG_WORD else 1
        edit = Edit(
            token.start + start,
            token.start + end,
            token.text[start:end],
            replacement,
            TYPE,
            _OPERATIONS[kind],
            kind,
        )
        yield Slot(index, edit, threshold(draws.attempt(TYPE, token), attempts))


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
    first, rest = pick(number, WEIGHTS)
    places = _places(word)
    for turn in range(len(KINDS)):
        kind = KINDS[(first + turn) % len(KINDS)]
        options = list(_changes(word, kind, places))
        at = int(rest * len(options))
        for start, end, replacement in options[at:] + options[:at]:
            outcome = (word[:start] + replacement + word[end:]).lower()
            if allowed(outcome, excluded, present):
                return kind, (start, end, replacement)
    return None


def _places(word: str) -> list[int]:
    """Interior letters; those of *n't* stay, as does each letter beside an apostrophe or hyphen."""
    negation = _NEGATION.search(word)
    end = negation.start() if negation else len(word) - 1
    return [i for i in range(1, end) if word[i] in NEIGHBOURS]


def _changes(word: str, kind: str, places: list[int]) -> Iterator[Change]:
    if kind == "transposition":
        for i in places:
            if i + 1 in places and word[i] != word[i + 1]:
                yield i, i + 2, word[i + 1] + word[i]
    elif kind == "omission":
        for i in places:
            yield i, i + 1, ""
    elif kind == "doubling":
        for i in places:
            if word[i + 1].isalpha():  # "cann't" would read as another word
                yield i + 1, i + 1, word[i]
    else:
        for i in places:
            for key in NEIGHBOURS[word[i]]:
                yield i, i + 1, key

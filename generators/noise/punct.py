"""Collapsed punctuation: marks dropped, repeated or merged, capitals and apostrophes lost.

Noise paper, §3.2 and App. C: at p = 1 everything is dropped, and the distance in characters peaks
below that, because a mark is first repeated and at a higher p dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolect.generators.noise.informal import may_lose_apostrophe
from sociolect.generators.noise.slots import Draws, Slot, threshold
from sociolect.generators.noise.spellings import plain
from sociolect.generators.noise.tokens import MARK, WORD, Token
from sociolect.generators.text import Edit

TYPE = "punct"
ATTEMPTS = 3

MERGED = 0.15
"""Share of the full stops inside a text that first become a comma (two sentences merge)."""
REPEATED = frozenset(",.;:!?…")


def slots(
    text: str, tokens: Sequence[Token], draws: Draws, excluded: frozenset[str]
) -> Iterator[Slot]:
    """Marks, apostrophes and capitals.

    Args:
        text: The text.
        tokens: Its tokens.
        draws: Its numbers.
        excluded: Lower-case words that may not come of another one.
    """
    for index, token in enumerate(tokens):
        if not token.free:
            continue
        if token.kind == MARK:
            yield from _mark(text, tokens, index, draws)
        elif token.kind == WORD:
            yield from _word(token, index, draws, excluded)


def _mark(text: str, tokens: Sequence[Token], index: int, draws: Draws) -> Iterator[Slot]:
    """A mark is dropped iff u < p; below that an attempted one is repeated or merged."""
    token = tokens[index]
    number = draws.attempt(TYPE, token)
    low, dropped = threshold(number, ATTEMPTS), threshold(number, 1)
    other = _multiplied(tokens, index, draws)
    if other and low < dropped:
        subtype, replacement = other
        operation = "insertion" if subtype == "repeated" else "replacement"
        edit = Edit(token.start, token.end, token.text, replacement, TYPE, operation, subtype)
        yield Slot(index, edit, low, dropped)
    # A dash between two spaces takes one of them along.
    start = token.start - _spaced(text, token)
    edit = Edit(start, token.end, text[start : token.end], "", TYPE, "deletion", "dropped")
    yield Slot(index, edit, dropped)


def _spaced(text: str, token: Token) -> bool:
    return (
        token.start > 1
        and text[token.start - 1] == " "
        and not text[token.start - 2].isspace()
        and text[token.end : token.end + 1] == " "
    )


def _multiplied(tokens: Sequence[Token], index: int, draws: Draws) -> tuple[str, str] | None:
    token = tokens[index]
    if token.text[0] not in REPEATED:
        return None
    number = draws.outcome(TYPE, token)
    if token.text == "." and index + 1 < len(tokens) and number < MERGED:
        return "merged", ","
    more = 1 + (number >= 0.6)
    return "repeated", token.text + token.text[-1] * more


def _word(token: Token, index: int, draws: Draws, excluded: frozenset[str]) -> Iterator[Slot]:
    first = token.text[0]
    if first.isupper() and len(first.lower()) == 1 and first.lower() != first:
        edit = Edit(token.start, token.start + 1, first, first.lower(), TYPE, "replacement", "case")
        yield Slot(index, edit, threshold(draws.attempt("case", token), ATTEMPTS))
    lower = plain(token.text)
    if "'" in lower and may_lose_apostrophe(lower, excluded):
        low = threshold(draws.attempt("apostrophe", token), ATTEMPTS)
        for i in (i for i, letter in enumerate(lower) if letter == "'"):
            at = token.start + i
            edit = Edit(at, at + 1, token.text[i], "", TYPE, "deletion", "apostrophe")
            yield Slot(index, edit, low)

"""Collapsed punctuation: marks dropped, repeated or merged, capitals and apostrophes lost.

Noise paper, §3.2 and App. C: at p = 1 everything is dropped, and the distance in characters peaks
below that, because a mark is first repeated and at a higher p dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolect.generators.noise.informal import may_lose_apostrophe
from sociolect.generators.noise.slots import Draws, Slot, threshold
from sociolect.generators.noise.tokens import MARK, WORD, Token
from sociolect.generators.text import Edit

TYPE = "punct"
ATTEMPTS = 3

MERGED = 0.15
"""Share of the full stops inside a text that first become a comma (two sentences merge)."""
_HYPHENS = ("-", "\u2010", "\u2011")
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
    attempt, number = draws(TYPE, token)
    low, dropped = threshold(attempt, ATTEMPTS), threshold(attempt, 1)
    other = _multiplied(tokens, index, number)
    if other and low < dropped:
        subtype, replacement = other
        operation = "insertion" if subtype == "repeated" else "replacement"
        edit = Edit(token.start, token.end, token.text, replacement, TYPE, operation, subtype)
        yield Slot(index, edit, low, dropped)
    start, replacement = token.start, ""
    if _between_spaces(text, token):
        start -= 1
    elif _between_words(tokens, index):
        replacement = " "
    original = text[start : token.end]
    operation = "replacement" if replacement else "deletion"
    edit = Edit(start, token.end, original, replacement, TYPE, operation, "dropped")
    yield Slot(index, edit, dropped)


def _between_spaces(text: str, token: Token) -> bool:
    """Whether a mark stands alone, as a dash: one of the spaces goes with it."""
    before, after = text[max(token.start - 2, 0) : token.start], text[token.end : token.end + 1]
    return len(before) == 2 and before[1] == " " == after and not before[0].isspace()


def _between_words(tokens: Sequence[Token], index: int) -> bool:
    """Whether a mark is the first of those between two words that nothing else keeps apart."""
    at = index
    while at + 1 < len(tokens) and tokens[at + 1].start == tokens[at].end:
        at += 1
        if tokens[at].kind != MARK:
            before = tokens[index - 1] if index else None
            return before is not None and before.kind != MARK and before.end == tokens[index].start
    return False


def _multiplied(tokens: Sequence[Token], index: int, number: float) -> tuple[str, str] | None:
    token = tokens[index]
    if token.text[0] not in REPEATED:
        return None
    if token.text == "." and index + 1 < len(tokens) and number < MERGED:
        return "merged", ","
    more = 1 + (number >= 0.6)
    return "repeated", token.text + token.text[-1] * more


def _word(token: Token, index: int, draws: Draws, excluded: frozenset[str]) -> Iterator[Slot]:
    first = token.text[0]
    if first != first.lower() and token.text[1:2] not in _HYPHENS:  # not *T-cell*
        edit = Edit(token.start, token.start + 1, first, first.lower(), TYPE, "replacement", "case")
        yield Slot(index, edit, threshold(draws("case", token)[0], ATTEMPTS))
    if "'" in token.plain and may_lose_apostrophe(token.plain, excluded):
        low = threshold(draws("apostrophe", token)[0], ATTEMPTS)
        for i, letter in enumerate(token.text):
            if letter in "'’":
                at = token.start + i
                edit = Edit(at, at + 1, letter, "", TYPE, "deletion", "apostrophe")
                yield Slot(index, edit, low)

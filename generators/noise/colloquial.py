"""Spoken spellings, contractions and markers, with grammar held fixed (noise paper, §3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolect.generators.noise.colloquial_words import MARKERS, PHRASES, RESPELLINGS
from sociolect.generators.noise.slots import Draws, Slot, threshold
from sociolect.generators.noise.spellings import Lexicon, cased, choose, dropped_g, follows, pause
from sociolect.generators.noise.tokens import MARK, WORD, Token
from sociolect.generators.text import Edit

TYPE = "colloquial"
ATTEMPTS = 3
MARKER_SHARE = 0.85
"""Share of the full stops and commas that have a slot for a marker."""

_LEXICON = Lexicon(RESPELLINGS, PHRASES)
_CONTRACTED_VERBS = ("'s", "'m", "'re", "'ve", "'d")


def slots(
    text: str, tokens: Sequence[Token], draws: Draws, excluded: frozenset[str]
) -> Iterator[Slot]:
    """Respelt words and phrases, and markers.

    Args:
        text: The text.
        tokens: Its tokens.
        draws: Its numbers.
        excluded: Lower-case words that may not come of another one.
    """
    done = 0
    for index, token in enumerate(tokens):
        if token.kind == MARK and (marker := _marker(tokens, index, draws)):
            yield marker
        if token.kind != WORD or not token.free or token.is_name or index < done:
            continue
        length, options = _LEXICON.find(text, tokens, index)
        if not options and not dropped_g(token.plain):
            continue
        last = index + length - 1
        words = text[token.start : tokens[last].end]
        attempt, number = draws(TYPE, token)
        outcome = cased(choose(options, number), words) if options else f"{words[:-1]}'"
        if outcome.lower() in excluded or not _stands(outcome, text, tokens, last):
            continue
        done = index + length
        subtype = _subtype(outcome, length, bool(options))
        edit = Edit(token.start, tokens[last].end, words, outcome, TYPE, "replacement", subtype)
        yield Slot(index, edit, threshold(attempt, ATTEMPTS))


def _stands(outcome: str, text: str, tokens: Sequence[Token], last: int) -> bool:
    """Whether an outcome fits its place: *it is* stays before a mark."""
    return not outcome.endswith(_CONTRACTED_VERBS) or follows(tokens, last, text)


def _subtype(outcome: str, length: int, is_listed: bool) -> str:
    if not is_listed:
        return "g_dropping"
    return "contraction" if length > 1 and "'" in outcome else "respelling"


def _marker(tokens: Sequence[Token], index: int, draws: Draws) -> Slot | None:
    place = pause(tokens, index)
    if not place:
        return None
    token = tokens[index]
    attempt, number = draws("spoken", token)
    if number >= MARKER_SHARE:
        return None
    marker = choose(MARKERS[place], number / MARKER_SHARE)
    edit = Edit(token.start, token.start, "", f", {marker}", TYPE, "insertion", "marker")
    return Slot(index, edit, threshold(attempt, ATTEMPTS))

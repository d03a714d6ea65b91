"""Spoken spellings, contractions and markers, with grammar held fixed (noise paper, §3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolect.generators.noise.colloquial_words import MARKERS, PHRASES, RESPELLINGS
from sociolect.generators.noise.slots import Draws, Slot, threshold
from sociolect.generators.noise.spellings import Lexicon, cased, dropped_g, follows, pause, plain
from sociolect.generators.noise.tokens import WORD, Token
from sociolect.generators.text import Edit

TYPE = "colloquial"
ATTEMPTS = 3
MARKER_SHARE = 0.6
"""Share of the full stops and commas that have a slot for a marker."""

_PHRASES = Lexicon(PHRASES)
_CONTRACTED_IS = ("'s", "'m", "'re", "'ve", "'d")


def slots(text: str, tokens: Sequence[Token], draws: Draws) -> Iterator[Slot]:
    """Respelt words and phrases, and markers.

    Args:
        text: The text.
        tokens: Its tokens.
        draws: Its numbers.
    """
    done = 0
    for index, token in enumerate(tokens):
        if marker := _marker(tokens, index, draws):
            yield marker
        if token.kind != WORD or not token.free or index < done:
            continue
        length = _PHRASES.length_at(text, tokens, index)
        end = tokens[index + max(length, 1) - 1].end
        words = text[token.start : end]
        found = _respelt(words, token, draws)
        if found is None or (
            found[1].endswith(_CONTRACTED_IS) and not follows(tokens, index + length - 1, text)
        ):
            continue
        done = index + max(length, 1)
        subtype, outcome = found
        edit = Edit(token.start, end, words, outcome, TYPE, "replacement", subtype)
        yield Slot(index, edit, threshold(draws.attempt(TYPE, token), ATTEMPTS))


def _respelt(words: str, token: Token, draws: Draws) -> tuple[str, str] | None:
    """Subtype and outcome of a word or phrase."""
    lower = plain(words)
    phrase = PHRASES.get(tuple(lower.split()))
    if phrase:
        outcome = phrase[int(draws.outcome(TYPE, token) * len(phrase))]
        return "contraction" if "'" in outcome else "respelling", cased(outcome, words)
    options = RESPELLINGS.get(lower)
    if options:
        outcome = options[int(draws.outcome(TYPE, token) * len(options))]
        return "respelling", cased(outcome, words)
    return ("g_dropping", f"{words[:-1]}'") if dropped_g(lower) else None


def _marker(tokens: Sequence[Token], index: int, draws: Draws) -> Slot | None:
    place = pause(tokens, index)
    if not place:
        return None
    token = tokens[index]
    number = draws.outcome("spoken", token) / MARKER_SHARE
    if number >= 1:
        return None
    marker = MARKERS[place][int(number * len(MARKERS[place]))]
    edit = Edit(token.start, token.start, "", f", {marker}", TYPE, "insertion", "marker")
    return Slot(index, edit, threshold(draws.attempt("spoken", token), ATTEMPTS))

"""Spelling and shortening as people type in chats, with lengthening (noise paper, §3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolect.generators.noise.informal_words import MARKERS, PHRASES, RESPELLINGS, STRETCHED
from sociolect.generators.noise.outcomes import allowed
from sociolect.generators.noise.slots import Draws, Slot, threshold
from sociolect.generators.noise.spellings import Lexicon, dropped_g, pause, plain
from sociolect.generators.noise.tokens import WORD, Token
from sociolect.generators.text import Edit

TYPE = "informal"
ATTEMPTS = 3
MARKER_SHARES = {"end": 0.6, "comma": 0.3, "start": 0.35}
"""Shares of the places that have a slot for a marker."""
LONGEST = 3
"""Letters that lengthening adds at most."""

_PHRASES = Lexicon(PHRASES)


def slots(
    text: str, tokens: Sequence[Token], draws: Draws, excluded: frozenset[str]
) -> Iterator[Slot]:
    """Respelt words, lower case at the start of sentences, and markers.

    Args:
        text: The text.
        tokens: Its tokens.
        draws: Its numbers.
        excluded: Lower-case words that may not come of another one.
    """
    done = 0
    for index, token in enumerate(tokens):
        if marker := _marker(tokens, index, draws):
            yield marker
        if token.kind != WORD or not token.free or index < done:
            continue
        length = _PHRASES.length_at(text, tokens, index)
        end = tokens[index + max(length, 1) - 1].end
        found = _respelt(text[token.start : end], token, draws, excluded)
        if found is None:
            continue
        done = index + max(length, 1)
        subtype, outcome = found
        edit = Edit(
            token.start, end, text[token.start : end], outcome, TYPE, "replacement", subtype
        )
        yield Slot(index, edit, threshold(draws.attempt(TYPE, token), ATTEMPTS))


def _respelt(
    words: str, token: Token, draws: Draws, excluded: frozenset[str]
) -> tuple[str, str] | None:
    """Subtype and lower-case outcome of a word or phrase."""
    lower = plain(words)
    options = RESPELLINGS.get(lower) or PHRASES.get(tuple(lower.split()))
    if lower in STRETCHED and (not options or draws.outcome("stretch", token) < 0.5):
        return "lengthening", _stretched(lower, draws.outcome(TYPE, token))
    if options:
        return "respelling", options[int(draws.outcome(TYPE, token) * len(options))]
    if dropped_g(lower) and allowed(lower[:-1], excluded, frozenset()):
        return "g_dropping", _lowered(words[:-1], token)
    if "'" in lower:
        bare = words.replace("'", "").replace("’", "")
        if may_lose_apostrophe(lower, excluded):
            return "apostrophe", _lowered(bare, token)
    if words[:1].isupper() and (token.opens or words == "I"):
        return "lower_case", words[:1].lower() + words[1:]
    return None


def _lowered(outcome: str, token: Token) -> str:
    return outcome[:1].lower() + outcome[1:] if token.opens else outcome


_REAL_WITHOUT = frozenset({"were", "well", "ill", "shell", "hell", "wed", "shed", "whore", "id"})


def may_lose_apostrophe(word: str, excluded: frozenset[str]) -> bool:
    """Whether a word without its apostrophes is no other one (*we're* and *were*).

    Args:
        word: Lower-case, with straight apostrophes.
        excluded: Lower-case words that may not come of it.
    """
    bare = word.replace("'", "")
    return bare != "" and bare not in _REAL_WITHOUT and bare not in excluded


def _stretched(word: str, number: float) -> str:
    """One to three letters more: the last vowel of a short word, else its last letter."""
    more = 1 + int(number * LONGEST)
    vowels = [i for i, letter in enumerate(word) if letter in "aeiou"]
    at = len(word) - 1 if word.endswith("y") or not vowels else vowels[-1]
    return word[: at + 1] + word[at] * more + word[at + 1 :]


def _marker(tokens: Sequence[Token], index: int, draws: Draws) -> Slot | None:
    token = tokens[index]
    place = "start" if _starts(tokens, index) else pause(tokens, index)
    if not place:
        return None
    number = draws.outcome("marker", token) / MARKER_SHARES[place]
    if number >= 1:
        return None
    marker = MARKERS[place][int(number * len(MARKERS[place]))]
    added = f"{marker} " if place == "start" else f" {marker}"
    edit = Edit(token.start, token.start, "", added, TYPE, "insertion", "marker")
    return Slot(index, edit, threshold(draws.attempt("marker", token), ATTEMPTS))


def _starts(tokens: Sequence[Token], index: int) -> bool:
    """Whether a sentence of words begins here, with nothing before it that belongs to it."""
    token = tokens[index]
    alone = index == 0 or tokens[index - 1].end < token.start
    return token.opens and token.kind == WORD and alone and index + 1 < len(tokens)

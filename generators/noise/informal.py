"""Spelling and shortening as people type in chats, with lengthening (noise paper, §3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolect.generators.noise.informal_words import (
    MARKERS,
    NO_ADVERBS,
    PHRASES,
    RESPELLINGS,
    STRETCHED,
)
from sociolect.generators.noise.outcomes import allowed
from sociolect.generators.noise.slots import Draws, Slot, threshold
from sociolect.generators.noise.spellings import Lexicon, choose, dropped_g, pause
from sociolect.generators.noise.tokens import MARK, WORD, Token
from sociolect.generators.text import Edit

TYPE = "informal"
ATTEMPTS = 3
MARKER_SHARES = {"end": 0.6, "comma": 0.3, "start": 0.35}
"""Shares of the places that have a slot for a marker."""
LONGEST = 3
"""Letters that lengthening adds at most."""

_NONE: frozenset[str] = frozenset()
_LEXICON = Lexicon(RESPELLINGS, PHRASES)
_SAME_WORD = frozenset({"g_dropping", "apostrophe", "lower_case"})
_ONE_SIDED = {True: "insertion", False: "deletion"}


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
        if (token.opens or token.kind == MARK) and (marker := _marker(tokens, index, draws)):
            yield marker
        if token.kind != WORD or not token.free or index < done:
            continue
        length, options = _LEXICON.find(text, tokens, index)
        end = tokens[index + length - 1].end
        words = text[token.start : end]
        attempt, number = draws(TYPE, token)
        found = _respelt(words, token, options, number)
        if found is None or found[1] == words or found[1].lower() in excluded:
            continue
        done = index + length
        subtype, outcome = found
        edit = _edit(token.start, words, outcome, subtype)
        yield Slot(index, edit, threshold(attempt, ATTEMPTS))


def _respelt(
    words: str, token: Token, options: tuple[str, ...], number: float
) -> tuple[str, str] | None:
    """Sub-type and outcome for a word or phrase."""
    plain = token.plain
    if not token.is_name and (found := _shorter_or_longer(words, token, options, number)):
        return found
    if "'" in plain and may_lose_apostrophe(plain, _NONE):
        return "apostrophe", _lowered(words.replace("'", "").replace("’", ""), token)
    if token.opens or words == "I":
        return "lower_case", words[0].lower() + words[1:]
    return None


def _shorter_or_longer(
    words: str, token: Token, options: tuple[str, ...], number: float
) -> tuple[str, str] | None:
    plain = token.plain
    if _stretches(plain) and len(words) == len(plain) and (not options or number < 0.5):
        return "lengthening", _stretched(plain, number * 2 % 1)
    if options:
        return "respelling", choose(options, number)
    if dropped_g(plain) and allowed(plain[:-1], _NONE, _NONE):
        return "g_dropping", _lowered(words[:-1], token)
    return None


def _edit(start: int, words: str, outcome: str, subtype: str) -> Edit:
    """The edit; where the word stays the same one, of its changed characters only."""
    left = right = 0
    if subtype in _SAME_WORD:
        shorter = min(len(words), len(outcome))
        while left < shorter and words[left] == outcome[left]:
            left += 1
        while right < shorter - left and words[-1 - right] == outcome[-1 - right]:
            right += 1
    original, replacement = words[left : len(words) - right], outcome[left : len(outcome) - right]
    operation = "replacement" if replacement and original else _ONE_SIDED[bool(replacement)]
    at = start + left
    return Edit(at, at + len(original), original, replacement, TYPE, operation, subtype)


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


def _stretches(word: str) -> bool:
    adverb = word.endswith("ly") and len(word) > 4 and word.isalpha() and word not in NO_ADVERBS
    return adverb or word in STRETCHED


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
    attempt, number = draws("marker", token)
    if number >= MARKER_SHARES[place]:
        return None
    marker = choose(MARKERS[place], number / MARKER_SHARES[place])
    added = f"{marker} " if place == "start" else f" {marker}"
    edit = Edit(token.start, token.start, "", added, TYPE, "insertion", "marker")
    return Slot(index, edit, threshold(attempt, ATTEMPTS))


def _starts(tokens: Sequence[Token], index: int) -> bool:
    """Whether a sentence of words begins here, with nothing before it that belongs to it."""
    token = tokens[index]
    if not token.opens or token.kind != WORD or index + 1 == len(tokens):
        return False
    alone = index == 0 or tokens[index - 1].end < token.start
    return alone and (token.free or tokens[index + 1].free)

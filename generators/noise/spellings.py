"""What informal and colloquial noise have in common: respelt words and phrases, and markers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from sociolect.generators.noise.tokens import MARK, OTHER, WORD, Token

FINAL_MARKS = frozenset({".", "!", "?", "…", "..."})


class Lexicon:
    """Phrases by their first word.

    Args:
        phrases: Words in lower case, with straight apostrophes.
    """

    def __init__(self, phrases: Iterable[tuple[str, ...]]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in sorted(phrases, key=len, reverse=True):
            self._by_first.setdefault(phrase[0], []).append(phrase)

    def length_at(self, text: str, tokens: Sequence[Token], index: int) -> int:
        """How many tokens from `index` on make up the longest known phrase; 0 if none do."""
        for phrase in self._by_first.get(plain(tokens[index].text), ()):
            found = tokens[index : index + len(phrase)]
            if len(found) == len(phrase) and _reads(text, found, phrase):
                return len(phrase)
        return 0


def plain(word: str) -> str:
    """Lower case, with the straight apostrophe."""
    return word.lower().replace("’", "'")


def _reads(text: str, tokens: Sequence[Token], phrase: tuple[str, ...]) -> bool:
    """Whether free tokens say a phrase, with one space between two."""
    words = zip(tokens, phrase, strict=True)
    return all(t.free and t.kind == WORD and plain(t.text) == w for t, w in words) and all(
        b.start == a.end + 1 and text[a.end] == " " for a, b in pairwise(tokens)
    )


def follows(tokens: Sequence[Token], index: int, text: str) -> bool:
    """Whether a word stands right after a token: *it is* is not contracted before a mark."""
    if index + 1 >= len(tokens):
        return False
    after, token = tokens[index + 1], tokens[index]
    return after.kind != MARK and text[token.end : after.start] == " "


def pause(tokens: Sequence[Token], index: int) -> str:
    """The kind of place for a marker before a token: `end`, `comma`, or empty."""
    token = tokens[index]
    before = tokens[index - 1] if index else None
    if token.kind != MARK or not token.free or before is None or before.end != token.start:
        return ""
    if before.kind == MARK or (before.kind == OTHER and not before.text[-1].isalnum()):
        return ""
    if token.text in FINAL_MARKS:
        return "end"
    return "comma" if token.text == "," else ""


def dropped_g(word: str) -> bool:
    """Whether a word ends in an unstressed -ing."""
    return len(word) > 5 and word.endswith("ing") and any(v in word[:-3] for v in "aeiouy")


def cased(outcome: str, word: str) -> str:
    """The outcome with the capital of the word that it replaces."""
    return outcome[:1].upper() + outcome[1:] if word[:1].isupper() else outcome

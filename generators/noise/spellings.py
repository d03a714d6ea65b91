"""What informal and colloquial noise have in common: respelt words and phrases, and markers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from sociolect.generators.noise.tokens import MARK, OTHER, WORD, Token

FINAL_MARKS = frozenset({".", "!", "?", "…", "..."})


Outcomes = tuple[str, ...]


class Lexicon:
    """Words and phrases with their spellings, in lower case, with straight apostrophes.

    Args:
        words: Spellings of single words.
        phrases: Spellings of two words or more in a row.
    """

    def __init__(
        self, words: Mapping[str, Outcomes], phrases: Mapping[tuple[str, ...], Outcomes]
    ) -> None:
        self._words = words
        self._phrases: dict[tuple[str, ...], list[tuple[tuple[str, ...], Outcomes]]] = {}
        for phrase in sorted(phrases, key=len, reverse=True):
            self._phrases.setdefault(phrase[:2], []).append((phrase, phrases[phrase]))

    def find(self, text: str, tokens: Sequence[Token], index: int) -> tuple[int, Outcomes]:
        """How many tokens from `index` on are known, the longest phrase first, and as what."""
        plain = tokens[index].plain
        if index + 1 < len(tokens):
            for phrase, outcomes in self._phrases.get((plain, tokens[index + 1].plain), ()):
                if _reads(text, tokens[index : index + len(phrase)], phrase):
                    return len(phrase), outcomes
        return 1, self._words.get(plain, ())


def _reads(text: str, tokens: Sequence[Token], phrase: tuple[str, ...]) -> bool:
    """Whether free words make up a phrase, with one space between two."""
    return (
        tuple(t.plain for t in tokens) == phrase
        and all(t.free and t.kind == WORD for t in tokens)
        and all(b.start == a.end + 1 and text[a.end] == " " for a, b in pairwise(tokens))
    )


def choose(outcomes: Outcomes, number: float) -> str:
    """One of some spellings, by a number in [0, 1)."""
    return outcomes[int(number * len(outcomes))]


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

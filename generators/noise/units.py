"""What the members of a pair share: only that is edited, and in all of them alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from sociolect.generators.items import Pair, Passage
from sociolect.generators.noise.tokens import Token, tokenize
from sociolect.generators.text import Edit


@dataclass(frozen=True, slots=True)
class Unit:
    """The inputs of a pair.

    Attributes:
        pair_id: The pair.
        passages: One for each member.
        tokens: The tokens of the first member, free only where all members share them.
        places: For each member, for each token of the first one, where it starts there; None for
            members with the text of the first one.
        same_as: For each member, the first one with its text.
    """

    pair_id: str
    passages: tuple[Passage, ...]
    tokens: tuple[Token, ...]
    places: tuple[tuple[int | None, ...] | None, ...]
    same_as: tuple[int, ...]

    @property
    def is_open(self) -> bool:
        """Whether every edit of its tokens fits: one member without protected spans."""
        return len(self.passages) == 1 and not self.passages[0].protected

    def edits(self, token: int, edit: Edit) -> tuple[Edit, ...]:
        """An edit of the first member in all members; empty if one of them cannot have it.

        Args:
            token: Index of the token that the edit begins in, or stands before.
            edit: The edit in the first member.
        """
        if self.is_open:
            return (edit,)
        made = [self._edit_of(member, token, edit) for member in range(len(self.passages))]
        return tuple(e for e in made if e is not None) if None not in made else ()

    def _edit_of(self, member: int, token: int, edit: Edit) -> Edit | None:
        """An edit in one member; None if the same text does not stand there, unprotected."""
        passage, places = self.passages[member], self.places[member]
        shift = 0
        if places is not None:
            place = places[token]
            if place is None:
                return None
            shift = place - self.tokens[token].start
        start, end = edit.start + shift, edit.end + shift
        if start < 0 or passage.text[start:end] != edit.original:
            return None
        if any(_inside(start, end, s.start, s.end) for s in passage.protected):
            return None
        return replace(edit, start=start, end=end) if shift else edit


def _inside(start: int, end: int, left: int, right: int) -> bool:
    """Whether an edit touches a protected range (an insertion at its edge does not)."""
    return start < right and left < end


def make_unit(pair: Pair) -> Unit:
    """Cut the inputs of a pair into tokens and align them."""
    passages = tuple(item.parts["input"] for item in pair.members)
    first = passages[0]
    tokens = tokenize(first.text, first.protected)
    places: list[tuple[int | None, ...] | None] = []
    for passage in passages:
        if passage.text == first.text:
            places.append(None)
            continue
        others = tokenize(passage.text, passage.protected)
        aligned = _align(tokens, others)
        tokens = [
            t if j is not None and others[j].free else t._replace(free=False)
            for t, j in zip(tokens, aligned, strict=True)
        ]
        places.append(tuple(None if j is None else others[j].start for j in aligned))
    texts = [p.text for p in passages]
    same_as = tuple(texts.index(t) for t in texts)
    return Unit(pair.id, passages, tuple(tokens), tuple(places), same_as)


def _align(tokens: Sequence[Token], others: Sequence[Token]) -> list[int | None]:
    """For each token the equal one of another member, or None."""
    result: list[int | None] = [None] * len(tokens)
    one, other = [t.text for t in tokens], [t.text for t in others]
    for i, j, size in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        for k in range(size):
            result[i + k] = j + k
    return result

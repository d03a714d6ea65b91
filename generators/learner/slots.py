"""A slot: one edit that could be made, before anything is chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sociolect.generators.analysis import Analysis, Word
from sociolect.generators.conditions import RULES
from sociolect.generators.errors import UnknownNameError
from sociolect.generators.learner.tables import Pool

Outcomes = tuple[tuple[str, ...], ...]
"""Groups of possible replacements: a group is drawn first, then one of its members."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place and a kind of edit.

    Attributes:
        token: Index of the token that is edited, or before which a word is inserted.
        pool: Error type, operation and sub-type.
        outcomes: Lower-case replacements; `(("",),)` for a deletion.
        objections: Why a linguist would not accept this slot (empty: acceptable).
        careful: The outcomes that a linguist would accept, if not all.
        group: Slots of one verb group exclude each other under the careful rules; -1: none.
        name: Names the slot within its text.
        is_insertion: Whether a word is added before `token`.
        is_deletion: Whether `token` is removed.
    """

    token: int
    pool: Pool
    outcomes: Outcomes
    objections: tuple[str, ...] = ()
    careful: Outcomes | None = None
    group: int = -1
    name: str = field(init=False)
    is_insertion: bool = field(init=False)
    is_deletion: bool = field(init=False)

    def __post_init__(self) -> None:
        pool = self.pool
        name = f"{pool.type}:{self.token}:{pool.operation}:{pool.subtype}"
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "is_insertion", pool.operation == "insertion")
        object.__setattr__(self, "is_deletion", pool.operation == "deletion")


DELETED: Outcomes = (("",),)


def one_of(words: Iterable[str], *excluded: str) -> Outcomes:
    """A single group of outcomes without the excluded ones; no group if none is left."""
    left = tuple(w for w in words if w not in excluded)
    return (left,) if left else ()


def phrase_head(analysis: Analysis, word: Word) -> Word:
    """The head of the noun phrase that starts with `word`; the word itself if none does."""
    return analysis.words[analysis.phrase_heads.get(word.index, word.index)]


def follow_rules(slots: Iterable[Slot], rules: str) -> tuple[Slot, ...]:
    """The slots that a rule set keeps.

    Args:
        slots: All slots of a text.
        rules: `paper` keeps every slot of the learner-error paper's App. B.1; `careful` only
            those without objections.

    Raises:
        UnknownNameError: Another rule set.
    """
    if rules not in RULES:
        raise UnknownNameError("rule set", rules, RULES)
    if rules == "paper":
        return tuple(replace(s, group=-1) for s in slots if any(s.outcomes))
    kept = (
        replace(s, outcomes=s.outcomes if s.careful is None else s.careful)
        for s in slots
        if not s.objections
    )
    return tuple(s for s in kept if any(s.outcomes))

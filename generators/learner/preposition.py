"""Preposition slots: learner-error paper, App. B.1.

Tokens tagged ADP are deleted or replaced; a preposition is inserted before a noun, proper
noun, verb or pronoun that no preposition precedes.
"""

from __future__ import annotations

from collections.abc import Iterator

from sociolect.generators.analysis import Analysis, Word
from sociolect.generators.learner.slots import DELETED, Slot, one_of, phrase_head
from sociolect.generators.learner.tables import PREPOSITIONS, Pool

_HOSTS = frozenset({"NOUN", "PROPN", "VERB", "PRON"})
_UNNECESSARY = ("to", "for", "with", "about")
"""What learners put after a verb that takes a plain object (*discuss about the plan*); before
anything but a personal pronoun also *of* and *on*."""

_CONFUSED: dict[str, tuple[str, ...]] = {
    "in": ("on", "at", "to", "for", "of", "into", "with"),
    "on": ("in", "at", "to", "about", "of", "for"),
    "at": ("in", "on", "to", "for", "with"),
    "to": ("for", "at", "in", "with", "on", "of"),
    "of": ("in", "from", "for", "to", "about", "with", "on"),
    "for": ("to", "of", "in", "about", "with", "at"),
    "from": ("of", "by", "in", "at", "for", "to"),
    "with": ("to", "of", "by", "for", "in", "about"),
    "by": ("with", "of", "from", "for", "in", "on"),
    "about": ("of", "on", "for", "in", "to", "with"),
    "into": ("in", "to", "on", "at"),
    "towards": ("to", "for", "at"),
    "through": ("by", "in", "with", "from"),
    "during": ("in", "on", "at", "for"),
    "between": ("in", "of", "among", "with"),
    "among": ("between", "in", "of"),
    "against": ("to", "for", "with", "on"),
}
"""What learners write for a preposition: the ten most frequent ones for each other, and one of
them for a rarer one. Left out are words that may be particle or conjunction (*over*, *after*), and
*without*, a negation."""


def slots(analysis: Analysis) -> Iterator[Slot]:
    """All preposition slots of a text, in the order of its tokens."""
    for word in analysis.words:
        if word.editable and word.pos == "ADP":
            yield from _existing(analysis, word)
        if word.insertable and word.pos in _HOSTS:
            yield from _missing(analysis, word)


def _existing(analysis: Analysis, word: Word) -> Iterator[Slot]:
    objections = []
    if word.tag == "RP" or word.dep == "prt":
        objections.append("particle of a phrasal verb")
    elif word.dep not in ("prep", "dative", "agent"):
        objections.append("does not head a prepositional phrase")
    if word.lower not in _CONFUSED:
        objections.append("not a common preposition")
    if analysis.words[word.head].pos in ("ADP", "SCONJ") or _next_is_adposition(analysis, word):
        objections.append("part of a multi-word preposition")
    listed = tuple(objections)
    yield Slot(word.index, Pool("prep", "deletion"), DELETED, listed)
    yield Slot(
        word.index,
        Pool("prep", "replacement"),
        one_of(PREPOSITIONS, word.lower),
        listed,
        one_of(_CONFUSED.get(word.lower, ())),
    )


def _next_is_adposition(analysis: Analysis, word: Word) -> bool:
    following = analysis.words[word.index + 1 : word.index + 2]
    return any(w.pos == "ADP" for w in following)


def _missing(analysis: Analysis, word: Word) -> Iterator[Slot]:
    before = analysis.before(word.index)
    if before is not None and before.pos == "ADP":
        return
    objections = []
    if word.index not in analysis.phrase_heads:
        objections.append("not at the left edge of a noun phrase")
    if before is None or before.pos != "VERB" or before.tag == "VBN":
        objections.append("not after a verb")
    if word.pos == "PRON" and word.tag not in ("PRP", "PRP$"):
        objections.append("before a relative or indefinite pronoun")
    if phrase_head(analysis, word).dep != "dobj":
        objections.append("not before an object")
    wanted = _UNNECESSARY if word.tag == "PRP" else (*_UNNECESSARY, "of", "on")
    yield Slot(
        word.index,
        Pool("prep", "insertion"),
        one_of(PREPOSITIONS),
        tuple(objections),
        one_of(wanted),
    )

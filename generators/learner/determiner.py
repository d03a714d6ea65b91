"""Determiner slots: learner-error paper, App. B.1.

Tokens tagged DET are deleted or replaced; a determiner is inserted before a noun, proper noun,
adjective or numeral that no determiner precedes.
"""

from __future__ import annotations

from collections.abc import Iterator

from sociolect.generators.analysis import Analysis, Word
from sociolect.generators.learner.slots import DELETED, Slot, one_of
from sociolect.generators.learner.tables import DETERMINERS, Pool

_HOSTS = frozenset({"NOUN", "PROPN", "ADJ", "NUM"})
_SINGULAR = ("a", "an", "the", "this", "that")
_PLURAL = ("the", "these", "those")
_ARTICLES = ("a", "an", "the")


def slots(analysis: Analysis) -> Iterator[Slot]:
    """All determiner slots of a text, in the order of its tokens."""
    edges = {chunk.start for chunk in analysis.doc.noun_chunks}
    for word in analysis.words:
        if word.editable and word.pos == "DET":
            yield from _existing(analysis, word)
        if word.insertable and word.pos in _HOSTS:
            yield from _missing(analysis, word, edges)


def _agreeing(noun: Word) -> tuple[str, ...]:
    """Determiners that agree with a noun in number."""
    return _PLURAL if noun.tag in ("NNS", "NNPS") else _SINGULAR


def _existing(analysis: Analysis, word: Word) -> Iterator[Slot]:
    listed = word.tag == "DT" and word.lower in DETERMINERS
    objections = () if listed else ("not an article or a demonstrative",)
    head = analysis.words[word.head]
    if head.pos not in ("NOUN", "PROPN"):
        objections = (*objections, "does not introduce a noun")
    yield Slot(word.index, Pool("det", "deletion"), DELETED, objections)
    yield Slot(
        word.index,
        Pool("det", "replacement"),
        one_of(DETERMINERS, word.lower),
        objections,
        # One article for the other is the common confusion; a change between a and an is
        # a spelling matter.
        one_of(_agreeing(head), word.lower, *(("a", "an") if word.lower in ("a", "an") else ())),
    )


def _missing(analysis: Analysis, word: Word, edges: set[int]) -> Iterator[Slot]:
    before = analysis.before(word.index)
    if before is not None and before.pos == "DET":
        return
    objections = []
    if word.index not in edges:
        objections.append("not at the left edge of a noun phrase")
    if before is not None and before.tag in ("PRP$", "POS", "WP$", "PDT"):
        objections.append("after a possessive")
    if word.pos not in ("NOUN", "ADJ"):
        objections.append("before a name or a number")
    head = word if word.pos == "NOUN" else analysis.words[word.head]
    wanted = ("the",) if head.tag in ("NNS", "NNPS") else _ARTICLES
    yield Slot(
        word.index,
        Pool("det", "insertion"),
        one_of(DETERMINERS),
        tuple(objections),
        one_of(wanted),
    )

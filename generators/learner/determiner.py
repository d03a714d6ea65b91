"""Determiner slots: learner-error paper, App. B.1.

Tokens tagged DET are deleted or replaced; a determiner is inserted before a noun, proper noun,
adjective or numeral that no determiner precedes.
"""

from __future__ import annotations

from collections.abc import Iterator

from sociolect.generators.analysis import Analysis, Word
from sociolect.generators.learner.slots import DELETED, Outcomes, Slot, one_of, phrase_head
from sociolect.generators.learner.tables import DETERMINERS, Pool

_HOSTS = frozenset({"NOUN", "PROPN", "ADJ", "NUM"})
_ARTICLES = ("a", "an", "the")
_PLURAL_TAGS = ("NNS", "NNPS")

_CONFUSED: dict[str, Outcomes] = {
    **dict.fromkeys(("a", "an"), (("the",),)),
    "this": (("the",), ("that",)),
    "that": (("the",), ("this",)),
    "these": (("the",), ("this",)),
    "those": (("the",), ("that",)),
}
"""An article for the other article, a demonstrative that loses its number; *a* for *an* and
*this* for *the* would hardly be determiner errors."""

_QUANTIFIERS = frozenset({"enough", "most", "none", "several", "such"})


def slots(analysis: Analysis) -> Iterator[Slot]:
    """All determiner slots of a text, in the order of its tokens."""
    for word in analysis.words:
        if word.editable and word.pos == "DET":
            yield from _existing(analysis, word)
        if word.insertable and word.pos in _HOSTS:
            yield from _missing(analysis, word)


def _confused(word: Word, noun: Word) -> Outcomes:
    """What learners write for a determiner of `noun`."""
    if word.lower == "the":
        return (("this", "that"),) if noun.tag in _PLURAL_TAGS else (("a", "an"),)
    return _CONFUSED.get(word.lower, ())


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
        _confused(word, head),
    )


def _missing(analysis: Analysis, word: Word) -> Iterator[Slot]:
    before = analysis.before(word.index)
    if before is not None and before.pos == "DET":
        return
    objections = []
    if word.index not in analysis.phrase_heads:
        objections.append("not at the left edge of a noun phrase")
    if before is not None and before.tag in ("PRP$", "POS", "WP$", "PDT"):
        objections.append("after a possessive")
    if word.pos not in ("NOUN", "ADJ"):
        objections.append("before a name or a number")
    if word.lower in _QUANTIFIERS:
        objections.append("before a quantifier")
    wanted = ("the",) if phrase_head(analysis, word).tag in _PLURAL_TAGS else _ARTICLES
    yield Slot(
        word.index,
        Pool("det", "insertion"),
        one_of(DETERMINERS),
        tuple(objections),
        one_of(wanted),
    )

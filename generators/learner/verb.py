"""Verb slots: learner-error paper, App. B.1.

Every token tagged VERB or AUX is re-inflected. The sub-types are ERRANT's (Bryant et al. 2017):
TENSE where a past form changes to a present one or back, FORM where a participle, gerund or bare
form is involved or an auxiliary precedes, SVA where number changes, INFL for a form that does
not exist (*telled*).
"""

from __future__ import annotations

from collections.abc import Iterator

from sociolect.generators.analysis import Analysis, Word
from sociolect.generators.learner.inflection import (
    BE_AGREEMENT,
    BE_TENSE,
    MODALS,
    VerbTag,
    inflect,
    is_word,
    lemma_of,
    regular_past,
)
from sociolect.generators.learner.slots import Slot, one_of
from sociolect.generators.learner.tables import Pool

_FORMS_AFTER_AUX: dict[str, tuple[VerbTag, ...]] = {
    "VB": ("VBG", "VBZ", "VBD"),
    "VBG": ("VB", "VBN"),
    "VBN": ("VB", "VBG", "VBD"),
}
_FORMS: dict[str, tuple[VerbTag, ...]] = {
    "VB": ("VBG", "VBN"),
    "VBP": ("VBG", "VBN"),
    "VBZ": ("VBG", "VBN"),
    "VBD": ("VBG", "VBN"),
    "VBG": ("VB", "VBN", "VBZ"),
    "VBN": ("VB", "VBG"),
}


def slots(analysis: Analysis) -> Iterator[Slot]:
    """All verb slots of a text, in the order of its tokens."""
    for word in analysis.words:
        if not (word.editable and word.is_plain and word.pos in ("VERB", "AUX")):
            continue
        objections = _objections(analysis, word)
        for subtype, forms in _forms(analysis, word).items():
            outcomes = one_of(dict.fromkeys(f for f in forms if f), word.lower)
            if outcomes:
                pool = Pool("verb", "replacement", subtype)
                careful = _careful_objections(analysis, word, subtype)
                yield Slot(word.index, pool, outcomes, (*objections, *careful), group=_group(word))


def _has_auxiliary(analysis: Analysis, word: Word) -> bool:
    return any(c.dep in ("aux", "auxpass") for c in analysis.children[word.index])


def _group(word: Word) -> int:
    """The main verb of the group that a token belongs to."""
    return word.head if word.dep in ("aux", "auxpass") else word.index


def _objections(analysis: Analysis, word: Word) -> tuple[str, ...]:
    found = []
    if word.dep in ("amod", "compound", "prep", "acomp"):
        found.append("participle used as an adjective or preposition")
    if word.pos == "AUX" and word.lemma == "be" and word.tag in ("VB", "VBN", "VBG"):
        found.append("non-finite form of be")
    return tuple(found)


def _careful_objections(analysis: Analysis, word: Word, subtype: str) -> Iterator[str]:
    if subtype == "infl":
        return
    if word.dep in ("aux", "auxpass") and subtype == "form":
        yield "non-finite form in place of a finite auxiliary"
    if _has_auxiliary(analysis, word) and subtype != "form":
        yield "a verb after an auxiliary has no tense or number"
    if word.tag == "VBN" and not _has_auxiliary(analysis, word):
        yield "participle without an auxiliary"
    if word.tag == "VB" and subtype == "tense":
        yield "an imperative or a bare infinitive has no tense"
    if subtype == "sva" and _number_is_wrong(analysis, word):
        yield "the change would mend the agreement"


def _forms(analysis: Analysis, word: Word) -> dict[str, tuple[str | None, ...]]:
    """Replacements by sub-type; None and the word itself may occur in them."""
    if word.tag == "MD":
        return {"tense": (MODALS.get(word.lower),)}
    if word.lemma == "be":
        return _forms_of_be(word)
    lemma = lemma_of(word.lower, word.tag, word.lemma)
    if _has_auxiliary(analysis, word) and word.tag in _FORMS_AFTER_AUX:
        tags = _FORMS_AFTER_AUX[word.tag]
        return {"form": tuple(inflect(lemma, t) for t in tags), **_overregular(lemma, word)}
    result: dict[str, tuple[str | None, ...]] = {}
    if word.tag in _FORMS:
        result["form"] = _distinct_forms(lemma, word)
    present: VerbTag = "VBP" if _plural_subject(analysis, word) else "VBZ"
    if word.tag == "VBD":
        result["tense"] = (inflect(lemma, present),)
    elif word.tag in ("VBZ", "VBP", "VB"):
        result["tense"] = (inflect(lemma, "VBD"),)
    if word.tag in ("VBZ", "VBP"):
        result["sva"] = (inflect(lemma, "VBP" if word.tag == "VBZ" else "VBZ"),)
    return {**result, **_overregular(lemma, word)}


def _distinct_forms(lemma: str, word: Word) -> tuple[str | None, ...]:
    """Non-finite forms; a participle that looks like the past tense would be a tense change."""
    past = inflect(lemma, "VBD")
    forms = ((t, inflect(lemma, t)) for t in _FORMS[word.tag])
    return tuple(f for t, f in forms if not (t == "VBN" and f == past and word.tag != "VBG"))


def _overregular(lemma: str, word: Word) -> dict[str, tuple[str | None, ...]]:
    """A regular past of an irregular verb (VERB:INFL)."""
    if word.tag not in ("VBD", "VBN") or lemma in ("be", "have", "do"):
        return {}
    past, regular = inflect(lemma, "VBD"), regular_past(lemma)
    irregular = past is not None and not past.endswith("ed")
    return {"infl": (regular,)} if irregular and not is_word(regular) else {}


def _forms_of_be(word: Word) -> dict[str, tuple[str | None, ...]]:
    if word.lower in BE_TENSE:
        return {
            "tense": (BE_TENSE[word.lower],),
            "sva": (BE_AGREEMENT[word.lower],),
            "form": ("being",),
        }
    others = {"be": ("being", "been"), "been": ("being", "be"), "being": ("been", "be")}
    return {"form": others.get(word.lower, ())}


def _number_is_wrong(analysis: Analysis, word: Word) -> bool:
    """Whether a present form or *was* / *were* disagrees with its subject in the clean text."""
    subject = _subject(analysis, word)
    if subject is None or (word.lower == "was" and subject.lower == "i"):
        return False
    bare = word.tag == "VBP" or word.lower == "were"
    return bare != _takes_bare_form(analysis, subject)


def _plural_subject(analysis: Analysis, word: Word) -> bool:
    """Whether the present tense of a verb takes no *-s*."""
    subject = _subject(analysis, word)
    return subject is not None and _takes_bare_form(analysis, subject)


def _takes_bare_form(analysis: Analysis, subject: Word) -> bool:
    joined = any(c.dep == "conj" for c in analysis.children[subject.index])
    plural = subject.tag in ("NNS", "NNPS") or subject.lower in (
        *("i", "you", "we", "they", "these", "those"),
    )
    return plural or joined


def _subject(analysis: Analysis, word: Word) -> Word | None:
    """The subject of a verb.

    That of a coordinated verb is the one of the verb it is joined to, and a relative pronoun
    has the number of what it stands for.
    """
    at, seen = word, set[int]()
    while at.index not in seen:
        seen.add(at.index)
        for child in analysis.children[at.index]:
            if child.dep in ("nsubj", "nsubjpass"):
                relative = at.dep == "relcl" and child.lower in ("who", "which", "that")
                return analysis.words[at.head] if relative else child
        if at.dep in ("conj", "aux", "auxpass"):
            at = analysis.words[at.head]
    return None

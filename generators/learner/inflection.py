"""Verb forms: pyinflect for full verbs, tables for *be*, *have*, *do* and the modals."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import Any, Literal

from spacy.tokens import Token

VerbTag = Literal["VB", "VBP", "VBZ", "VBD", "VBN", "VBG"]
VERB_TAGS: tuple[VerbTag, ...] = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")

_TABLE: dict[str, dict[VerbTag, str]] = {
    "have": {
        "VB": "have",
        "VBP": "have",
        "VBZ": "has",
        "VBD": "had",
        "VBN": "had",
        "VBG": "having",
    },
    "do": {"VB": "do", "VBP": "do", "VBZ": "does", "VBD": "did", "VBN": "done", "VBG": "doing"},
}
_MENDED: dict[tuple[str, VerbTag], str] = {
    ("hide", "VBN"): "hidden",
    ("hang", "VBN"): "hung",
    ("lie", "VBD"): "lied",
    ("lie", "VBN"): "lied",
    ("wake", "VBN"): "woken",
    ("abide", "VBD"): "abided",
    ("abide", "VBN"): "abided",
}
"""Where the data give another form than today's English."""
MODALS: dict[str, str] = {
    "will": "would",
    "can": "could",
    "shall": "should",
    "may": "might",
    "would": "will",
    "could": "can",
    "should": "shall",
    "might": "may",
}
"""The other tense of each modal; *must* and *ought* have none."""

BE_TENSE: dict[str, str] = {"is": "was", "are": "were", "am": "was", "was": "is", "were": "are"}
"""Tense changes of *be* that keep its number."""

BE_AGREEMENT: dict[str, str] = {
    "is": "are",
    "are": "is",
    "am": "is",
    "was": "were",
    "were": "was",
}
# pyinflect's data lists these beside or before the living form.
_ARCHAIC = frozenset(
    {"hath", "hast", "hadst", "doth", "dost", "didst", "wast", "wert", "canst", "shalt", "wilt"}
    | {"writ", "spake", "brake", "bare", "holp", "clomb", "durst", "wrought", "holden"}
    | {"gotten", "shew", "shewn"}
)
_SINGLE_CONSONANT = frozenset(
    {"travel", "counsel", "cancel", "model", "label", "signal", "worship", "level", "fuel", "dial"}
    | {"total", "marvel", "quarrel", "channel", "tunnel", "equal", "initial", "panel", "pedal"}
    | {"rival", "shovel", "spiral", "bias", "focus", "benefit", "jewel", "funnel", "trial"}
)
"""American spelling; the data double the consonant, which would be a spelling change."""
_SHORT_WORD = re.compile(r"[^aeiou]*[aeiou][bdfgklmnprtz]")
_SHORT_SYLLABLE = re.compile(r"[^aeiou][aeiou][bdfgklmnprtz]$")
_HISSING = ("s", "x", "z", "ch", "sh", "o")


@cache
def _pyinflect() -> ModuleType:
    """Import pyinflect without leaving its spaCy extension behind.

    It claims `Token._.inflect`, and so does lemminflect, which raises if the name is taken:
    whoever had the name before keeps it.
    """
    before = Token.get_extension("inflect") if Token.has_extension("inflect") else None
    module = import_module("pyinflect")
    if Token.has_extension("inflect"):
        Token.remove_extension("inflect")
    if before is not None:
        names = ("default", "method", "getter", "setter")
        options = {n: v for n, v in zip(names, before, strict=True) if v is not None}
        register: Any = Token.set_extension
        register("inflect", **options)
    return module


@cache
def inflect(lemma: str, tag: VerbTag) -> str | None:
    """The form of a verb, or None where the data know none.

    Args:
        lemma: Lower-case lemma; *be* and the modals have their own tables above.
        tag: Penn Treebank tag of the wanted form.
    """
    if lemma in _TABLE:
        return _TABLE[lemma][tag]
    if (lemma, tag) in _MENDED:
        return _MENDED[lemma, tag]
    if tag in ("VB", "VBP"):
        return lemma if _pyinflect().getAllInflections(lemma, pos_type="V") else None
    forms: tuple[str, ...] = _pyinflect().getInflection(lemma, tag) or ()
    living = [f for f in forms if f not in _ARCHAIC and f.isascii() and f.isalpha()]
    if not living:
        # The data know only *wrought* for *work*.
        return regular_past(lemma) if forms and tag in ("VBD", "VBN") else None
    if lemma in _SINGLE_CONSONANT:
        return living[0].replace(lemma + lemma[-1], lemma)
    if tag == "VBZ" and living[0] == lemma + "es" and not lemma.endswith(_HISSING):
        return lemma + "s"  # the data hold a few like *knockes*
    return living[0]


def lemma_of(form: str, tag: str, guess: str) -> str:
    """The lemma that has `form` as its form for `tag`.

    A rule-based lemmatizer takes *hoped* for a form of *hop* and *texted* for one of *texte*;
    inflecting it again finds that out.

    Args:
        form: The verb as it stands in the text, in lower case.
        tag: Its Penn Treebank tag.
        guess: The lemma that the tagger gives; returned where nothing fits better.
    """
    endings: dict[str, tuple[VerbTag, str]] = {
        "VBD": ("VBD", "ed"),
        "VBN": ("VBN", "ed"),
        "VBG": ("VBG", "ing"),
        "VBZ": ("VBZ", "es"),
    }
    known, ending = endings.get(tag, ("VB", ""))
    stem = form.removesuffix(ending)
    if not ending or stem == form:
        return guess
    # The data list *rated* under *rat* too, which would double its consonant.
    mute_e = (stem + "e",) if _SHORT_WORD.fullmatch(stem) else ()
    candidates = (*mute_e, guess, stem + "e", stem, stem[:-1])
    return next((c for c in candidates if c and inflect(c, known) == form), guess)


def is_word(lemma: str) -> bool:
    """Whether the data have a word of any class with this base form."""
    return bool(_pyinflect().getAllInflections(lemma))


@cache
def forms_of(lemma: str) -> frozenset[str]:
    """Every inflected form of a word of any class, the lemma included."""
    found: dict[str, tuple[str, ...]] = _pyinflect().getAllInflections(lemma)
    return frozenset({lemma}.union(*found.values()))


def regular_past(lemma: str) -> str:
    """The past tense that *lemma* would have if it were regular (*tell* → *telled*)."""
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2:-1] not in tuple("aeiou"):
        return lemma[:-1] + "ied"
    if _SHORT_SYLLABLE.search(lemma):
        return lemma + lemma[-1] + "ed"
    return lemma + "ed"


def inflector_versions() -> dict[str, str]:
    """Version of pyinflect, for manifests."""
    return {"pyinflect": version("pyinflect")}

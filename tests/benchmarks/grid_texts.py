"""An audit of single texts with errors that shares no code with what made them.

Written from the definition of the error rate; it imports nothing of sociolect. Tokens come from
spaCy's bare English tokenizer, distances from rapidfuzz.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import spacy
from rapidfuzz.distance import Levenshtein
from spacy.tokens import Doc

Row = dict[str, Any]
Range = tuple[int, int]
PARTS = ("instruction", "input")


@dataclass
class Report:
    """What was looked at in a dataset, and what is wrong with it."""

    name: str
    configs: int = 0
    rows: int = 0
    edits: int = 0
    stored_spans: int = 0
    found_spans: int = 0
    pairs: int = 0
    steps: int = 0
    unions: int = 0
    worst_mean: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def fault(self, kind: str, where: str, what: object = "") -> None:
        """Count a fault and keep the first of its kind."""
        self.faults[kind] += 1
        self.examples.setdefault(kind, f"{where}: {what}")


@dataclass(frozen=True, slots=True)
class Measured:
    """One text of a row: distance, tokens, errors."""

    distance: int
    tokens: int
    errors: int


@cache
def tokenizer() -> Callable[[str], Doc]:
    return spacy.blank("en").tokenizer


def tokens(text: str, spans: Sequence[Range]) -> list[str]:
    """Tokens outside the spans that are neither space nor punctuation, in lower case."""
    return [
        token.lower_
        for token in tokenizer()(text)
        if not token.is_space
        and not token.is_punct
        and not any(token.idx < end and token.idx + len(token) > start for start, end in spans)
    ]


AN_WORDS = re.compile(r"hour|hono|honest|heir(?!l[aeiou])|un(?!i|anim)|uni(?:n|mp|mag|d)", re.I)
A_WORDS = re.compile(
    r"one\b|once\b|ones\b|oneself|uni|unanim|eu|ew|us[aeu]|util|ubi|uk\b|ura|uro|ure|uti|uto", re.I
)
UNCLEAR = re.compile(r"u[^aeiou][aeiou]", re.I)
ARTICLE = re.compile(r"(?<![\w'’-])(an?)\s+[\"'“‘(\[]*([A-Za-z]+)(?![\w+])", re.I)
SPOKEN_WITH_VOWEL = "AEFHILMNORSX"


def takes_an(word: str) -> bool | None:
    """Whether *an* stands before a word: by the first letter, with the usual exceptions.

    None for other words like *uqestion*, which may be read like *use* or like *up*.
    """
    if len(word) < 5 and word.isupper():
        return word[0] in SPOKEN_WITH_VOWEL
    if AN_WORDS.match(word):
        return True
    if A_WORDS.match(word):
        return False
    return None if UNCLEAR.match(word) else word[0].lower() in "aeiou"


def clashes(text: str) -> int:
    """Indefinite articles in the wrong form."""
    found = ((article.lower() == "an", takes_an(word)) for article, word in ARTICLE.findall(text))
    return sum(wanted is not None and used != wanted for used, wanted in found)


def ordered(edits: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(edits, key=lambda e: (e["start"], e["end"]))


def made(clean: str, edits: Sequence[Mapping[str, Any]]) -> str | None:
    """The text that the edits make of `clean`; None if they do not fit."""
    pieces, at = [], 0
    for edit in edits:
        if edit["start"] < at or clean[edit["start"] : edit["end"]] != edit["original"]:
            return None
        pieces += [clean[at : edit["start"]], edit["replacement"]]
        at = edit["end"]
    return "".join([*pieces, clean[at:]])


def moved(span: Range, edits: Sequence[Mapping[str, Any]]) -> Range:
    """Where a range that no error touches stands after the edits."""
    before = sum(len(e["replacement"]) - len(e["original"]) for e in edits if e["end"] <= span[0])
    return span[0] + before, span[1] + before


class Texts:
    """Audits single texts; the same text with the same edits is looked at once a level."""

    def __init__(
        self, report: Report, clean: Sequence[Row], entities: Callable[[Row], Iterable[Range]]
    ) -> None:
        self.report = report
        self.clean = clean
        self.stored = [
            {p: [(s["start"], s["end"]) for s in r["protected"] if s["part"] == p] for p in PARTS}
            for r in clean
        ]
        self.found = [list(entities(r)) for r in clean]
        report.stored_spans = sum(len(s["input"]) for s in self.stored)
        report.found_spans = sum(map(len, self.found))
        self._clean_tokens: dict[tuple[str, str, tuple[Range, ...]], tuple[list[str], int]] = {}
        self._seen: dict[tuple[int, str], tuple[str, Measured]] = {}

    def forget(self) -> None:
        self._seen.clear()

    def look(self, index: int, part: str, row: Row, edits: list[Row], where: str) -> Measured:
        known = self._seen.get((index, part))
        if known is None or known[0] != row[part]:
            known = row[part], self._look(index, part, row[part], edits, where)
            self._seen[index, part] = known
        return known[1]

    def _look(self, index: int, part: str, text: str, edits: list[Row], where: str) -> Measured:
        clean, spans = self.clean[index][part], self.stored[index][part]
        found = self.found[index] if part == "input" else ()
        errors = [e for e in edits if e["type"] != "case"]
        self.report.edits += len(errors)
        if made(clean, edits) != text:
            self.report.fault("text", where, edits)
        self._check_edits(edits, (*spans, *found), where)
        key = (part, clean, tuple(spans))
        if key not in self._clean_tokens:
            self._clean_tokens[key] = tokens(clean, spans), clashes(clean)
        before, old_clashes = self._clean_tokens[key]
        if not edits:
            return Measured(0, len(before), 0)
        if clashes(text) > old_clashes:
            self.report.fault("clash", where, text)
        after = tokens(text, [moved(s, edits) for s in spans])
        distance = Levenshtein.distance(before, after)
        return Measured(distance, max(len(before), len(after)), len(errors))

    def _check_edits(self, edits: list[Row], spans: Sequence[Range], where: str) -> None:
        for edit in edits:
            old, new = edit["original"], edit["replacement"]
            if edit["type"] == "case":
                if len(old) != 1 or old == new or old.lower() != new.lower():
                    self.report.fault("repair", where, edit)
                continue
            if old.strip().lower() == new.strip().lower():
                self.report.fault("no-op", where, edit)
            if any(edit["start"] < end and edit["end"] > start for start, end in spans):
                self.report.fault("protected", where, edit)

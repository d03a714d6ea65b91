"""Checks on finished rows that share nothing with the injector but the tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from sociolect.generators import nlp
from sociolect.generators.articles import clashes
from sociolect.generators.distance import measure
from sociolect.generators.items import PART_NAMES
from sociolect.generators.noise.realised import CHANGES, realised
from sociolect.generators.rows import edits_of
from sociolect.generators.text import Span, invert, map_spans, touches


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong with the rows of a config; counts of rows unless said otherwise.

    Attributes:
        rows: Rows that were looked at.
        mean_error_rate: Mean ε by Levenshtein distance on re-tokenised text, in [0, 1].
        rate_differs: The stored error rate is not the measured one.
        protected: Edits inside protected spans.
        no_ops: Edits that change nothing.
        clashes: New *a* before a vowel or *an* before a consonant sound.
        not_invertible: Edits that do not lead back to the clean text.
        unequal_pairs: Valid pairs whose members carry different edits.
    """

    rows: int
    mean_error_rate: float
    rate_differs: int
    protected: int
    no_ops: int
    clashes: int
    not_invertible: int
    unequal_pairs: int


def spans_of(row: Mapping[str, Any], part: str) -> list[Span]:
    """The protected spans of one part of a row, in the clean text."""
    return [Span(s["start"], s["end"]) for s in row["protected"] if s["part"] == part]


@lru_cache(maxsize=4096)
def clash_count(text: str) -> int:
    """How often a wrong form of the indefinite article stands in a text."""
    words = [t.text for t in nlp.tokenize(text) if not (t.is_punct or t.is_space)]
    return sum(clashes(a, b) for a, b in pairwise(words))


def audit(rows: Iterable[Mapping[str, Any]], parts: Sequence[str] = PART_NAMES) -> Findings:
    """Look through the rows of one config.

    Args:
        rows: Rows, the members of a pair one after the other.
        parts: The perturbed parts, over which the error rate is taken.
    """
    n_rows = differs = protected = no_ops = clashing = lost = unequal = 0
    rates: list[float] = []
    by_pair: dict[str, tuple[tuple[Any, ...], ...]] = {}
    for row in rows:
        n_rows += 1
        distance = length = 0
        for part in parts:
            edits, spans = edits_of(row, part), spans_of(row, part)
            clean = invert(row[part], edits)
            d, n = measure(clean, spans, edits, row[part])
            distance, length = distance + d, length + n
            protected += len(touches(edits, spans))
            no_ops += sum(e.original.strip() == e.replacement.strip() for e in edits)
            clashing += max(0, clash_count(row[part]) - clash_count(clean))
            kept = [s.of(clean).lower() for s in spans]
            found = [s.of(row[part]).lower() for s in map_spans(spans, edits)]
            lost += kept != found
        rates.append(distance / length if length else 0.0)
        differs += abs(rates[-1] - row["error_rate"]) > 1e-12
        signature = _signature(row)
        first = by_pair.setdefault(row["pair_id"], signature)
        unequal += row["pair_valid"] and first != signature
    mean = sum(rates) / n_rows if n_rows else float("nan")
    return Findings(n_rows, mean, differs, protected, no_ops, clashing, lost, unequal)


def _signature(row: Mapping[str, Any]) -> tuple[tuple[Any, ...], ...]:
    """What the members of a pair must share of their edits."""
    names = ("part", "original", "replacement", "type", "operation", "subtype")
    return tuple(tuple(e[name] for name in names) for e in row["edits"])


@dataclass(frozen=True, slots=True)
class NoiseFindings:
    """What is wrong with the rows of a config of surface noise; counts of rows but for edits.

    Attributes:
        rows: Rows that were looked at.
        change_differs: The stored change is not the measured one.
        protected: Edits inside protected spans.
        no_ops: Edits that change nothing.
        not_invertible: Protected words that are not where they were.
        unequal_pairs: Valid pairs whose members carry different edits.
    """

    rows: int
    change_differs: int
    protected: int
    no_ops: int
    not_invertible: int
    unequal_pairs: int


def audit_noise(rows: Iterable[Mapping[str, Any]]) -> NoiseFindings:
    """Look through the rows of one config of surface noise.

    Args:
        rows: Rows, the members of a pair one after the other.

    Raises:
        EditError: The edits of a row do not fit its text.
    """
    n_rows = differs = protected = no_ops = lost = unequal = 0
    by_pair: dict[str, tuple[tuple[Any, ...], ...]] = {}
    for row in rows:
        n_rows += 1
        edits, spans = edits_of(row), spans_of(row, "input")
        clean = invert(row["input"], edits)
        change = realised(clean, row["input"])
        differs += any(abs(getattr(change, name) - row[name]) > 1e-12 for name in CHANGES)
        protected += len(touches(edits, spans))
        no_ops += sum(e.original == e.replacement for e in edits)
        kept = [s.of(clean) for s in spans]
        lost += kept != [s.of(row["input"]) for s in map_spans(spans, edits)]
        first = by_pair.setdefault(row["pair_id"], _signature(row))
        unequal += row["pair_valid"] and first != _signature(row)
    return NoiseFindings(n_rows, differs, protected, no_ops, lost, unequal)

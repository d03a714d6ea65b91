"""How ERRANT, a classifier of corrections, sees the errors of a dataset.

ERRANT compares the errored with the clean text and knows nothing of how they came about. It is an
optional dependency.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from sociolect.generators import nlp
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError, MissingToolError
from sociolect.generators.rows import edits_of
from sociolect.generators.stored import one_a_pair
from sociolect.generators.text import Edit, invert

if TYPE_CHECKING:
    from spacy.tokens import Doc

NONE = "none"
"""Where ERRANT has no edit at the place of an error."""

_OPERATION = {"deletion": "M", "replacement": "R", "insertion": "U"}
"""What the injector deletes is missing in the errored text."""

FAMILIES = {
    "DET": "det",
    "PREP": "prep",
    "VERB:TENSE": "verb",
    "VERB:FORM": "verb",
    "VERB:SVA": "verb",
    "VERB:INFL": "verb",
    "SPELL": "spell",
}
"""Error type of the injector by ERRANT type without its operation."""


def family(errant_type: str) -> str:
    """The injector's type that an ERRANT type such as `R:VERB:SVA` belongs to, or nothing."""
    return FAMILIES.get(errant_type.partition(":")[2], "")


class Confusion(NamedTuple):
    """What stands in the errored text, and what stands in the clean one, in lower case."""

    type: str
    original: str
    correction: str


@dataclass(slots=True)
class Labels:
    """Counts over the texts of a config.

    Attributes:
        pairs: Pairs that were looked at.
        texts: Their texts, one for each perturbed part.
        errors: Errors that the rows record, without repairs of capitals.
        types: ERRANT types of all edits that ERRANT finds.
        confusions: The same with their words.
        intended: ERRANT's type (or `none`) at the place of each error, by the kind of error.
    """

    pairs: int = 0
    texts: int = 0
    errors: int = 0
    types: Counter[str] = field(default_factory=Counter)
    confusions: Counter[Confusion] = field(default_factory=Counter)
    intended: Counter[tuple[str, str]] = field(default_factory=Counter)


@cache
def annotator() -> Any:
    """ERRANT's annotator with the pipeline that tags the clean texts.

    Raises:
        MissingToolError: ERRANT or the spaCy model is not installed.
    """
    try:
        import errant
    except ModuleNotFoundError:
        raise MissingToolError(
            "ERRANT, which names the types of errors, is not installed. "
            "Install it with `pip install 'sociolect[validate]'`."
        ) from None
    return errant.load("en", nlp=nlp.tagger())


def sample_pairs(rows: Iterable[Mapping[str, Any]], size: int = 0) -> list[Mapping[str, Any]]:
    """One row of each valid pair, in the order of the config.

    Args:
        rows: Rows of a config.
        size: How many to take, chosen by a hash of the pair's id; 0 for all.

    Raises:
        InvalidInputError: A negative size, or no valid pair.
    """
    if size < 0:
        raise InvalidInputError(f"the sample size must be 0 (all) or more, not {size}")
    found = [row for row in one_a_pair(rows) if row["pair_valid"]]
    if not found:
        raise InvalidInputError("the config holds no valid pair")
    if not size or size >= len(found):
        return found
    ranked = sorted(found, key=lambda row: sha256(row["pair_id"].encode()).digest())
    taken = {row["pair_id"] for row in ranked[:size]}
    return [row for row in found if row["pair_id"] in taken]


def label(
    rows: Sequence[Mapping[str, Any]], condition: Condition, *, progress: bool = False
) -> Labels:
    """Annotate errored against clean texts.

    Args:
        rows: One row of each pair.
        condition: Of the config; its perturbed parts are looked at, each as a text of its own.
        progress: Show a progress bar on standard error.

    Raises:
        EditError: A row's edits do not fit its text; `verify` says more.
        MissingToolError: ERRANT or the spaCy model is not installed.
    """
    errant = annotator()
    found = Labels(pairs=len(rows))
    texts = list(_texts(rows, condition))
    parsed = zip(nlp.parse(t[0] for t in texts), nlp.parse(t[1] for t in texts), strict=True)
    bar = tqdm(parsed, total=len(texts), unit="text", disable=not progress, file=sys.stderr)
    for (errored, clean), (_, _, errors) in zip(bar, texts, strict=True):
        _count(found, errant.annotate(errored, clean), clean, errors)
    return found


def _texts(
    rows: Iterable[Mapping[str, Any]], condition: Condition
) -> Iterator[tuple[str, str, list[Edit]]]:
    """Errored text, clean text, and the errors between them."""
    for row in rows:
        for part in condition.perturbed_parts:
            edits = edits_of(row, part)
            errors = [e for e in edits if not e.is_repair]
            yield row[part], invert(row[part], edits), errors


def _count(found: Labels, edits: Sequence[Any], clean: Doc, errors: Sequence[Edit]) -> None:
    found.texts += 1
    found.errors += len(errors)
    for edit in edits:
        found.types[edit.type] += 1
        found.confusions[Confusion(edit.type, edit.o_str.lower(), edit.c_str.lower())] += 1
    placed = [(_place(edit, clean), edit.type) for edit in edits if not edit.type.endswith(":ORTH")]
    for error in errors:
        kind = f"{error.type} {error.subtype or error.operation}"
        found.intended[kind, _type_at(error, placed)] += 1


def _place(edit: Any, clean: Doc) -> tuple[int, int]:
    """Characters of the clean text that an ERRANT edit covers, or the gap that it names."""
    start, end = edit.c_start, edit.c_end
    if start < end:
        return clean[start].idx, clean[end - 1].idx + len(clean[end - 1])
    before = clean[start - 1].idx + len(clean[start - 1]) if start else 0
    after = clean[start].idx if start < len(clean) else len(clean.text)
    return before, after


def _type_at(error: Edit, placed: Sequence[tuple[tuple[int, int], str]]) -> str:
    """The type of the ERRANT edit that fits an error best: it touches it, and the operation."""
    start = error.start + len(error.original) - len(error.original.lstrip())
    end = max(start, error.start + len(error.original.rstrip()))
    wanted = _OPERATION[error.operation]
    best, score = NONE, (False, -1)
    for (left, right), errant_type in placed:
        overlap = min(right, end) - max(left, start)
        if overlap >= 0:
            ranked = errant_type.startswith(wanted), overlap
            if ranked > score:
                best, score = errant_type, ranked
    return best

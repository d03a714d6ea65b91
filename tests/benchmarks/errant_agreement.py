"""Injected errors against the edits that ERRANT finds between errored and clean texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import sha256
from itertools import count
from typing import Any

from sociolect.generators import nlp
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import LevelUnreachableError
from sociolect.generators.rows import edits_of
from sociolect.generators.text import Edit, invert
from sociolect.generators.variants import Variants

SAMPLE = 400
LEVELS = (10, 5)
MOST_SEEDS = 8

Row = dict[str, Any]
Text = tuple[str, str, list[Edit]]
"""Errored text, clean text, and the errors between them."""


def sample(of_seed: Callable[[int], Variants], transform: str) -> tuple[int, list[Text]]:
    """At least 400 errored inputs at the higher of two levels that can be reached.

    One of each pair, in the order of a hash of their ids; a benchmark with fewer texts gives
    those of further error seeds too.

    Returns:
        The level (0 if neither can be reached) and the texts.
    """
    for level in LEVELS:
        try:
            texts: list[Text] = []
            for seed in count():
                texts += errored_texts(of_seed(seed), Condition(transform, level))
                if len(texts) >= SAMPLE or seed == MOST_SEEDS:
                    return level, texts[: max(SAMPLE, 0)]
        except LevelUnreachableError:
            continue
    return 0, []


def errored_texts(variants: Variants, condition: Condition) -> list[Text]:
    rows, _ = variants.config(condition)
    chosen = [r for r in rows if r["member"] in ("", "pro") and r["n_edits"]]
    chosen.sort(key=lambda row: sha256(row["id"].encode()).digest())
    return [as_text(row) for row in chosen[:SAMPLE]]


def as_text(row: Row) -> Text:
    edits = edits_of(row)
    errors = [edit for edit in edits if not edit.is_repair]
    return row["input"], invert(row["input"], edits), errors


@cache
def annotator() -> Any:
    import errant

    return errant.load("en", nlp=nlp.tagger())


class Agreement:
    """Counts over texts.

    Attributes:
        injected: Errors that were made.
        found: Edits that ERRANT sees, without those of capitals.
        compared: Errors in texts where both are equally many; they are compared in the order of
            the text. The others are not compared.
        matrix: Compared errors by intended kind and ERRANT type without its operation.
    """

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = len(texts)
        self.injected = self.found = self.compared = 0
        self.matrix: Counter[tuple[str, str]] = Counter()
        parsed = nlp.parse(t for errored, clean, _ in texts for t in (errored, clean))
        for _, _, errors in texts:
            self._count(errors, errant_types(next(parsed), next(parsed)))

    def _count(self, errors: Sequence[Edit], types: Sequence[str]) -> None:
        self.injected += len(errors)
        self.found += len(types)
        if len(errors) == len(types):
            self.compared += len(errors)
            for error, errant_type in zip(errors, types, strict=True):
                kind = error.subtype or error.operation
                self.matrix[kind, errant_type.split(":", 1)[1]] += 1

    def share(self, wanted: str, kind: str = "") -> float:
        """Per cent of the compared errors (of one kind) that ERRANT puts into a class."""
        rows = {k: n for k, n in self.matrix.items() if not kind or k[0] == kind}
        right = sum(n for (_, found), n in rows.items() if found.split(":")[0] == wanted)
        return 100 * right / sum(rows.values()) if rows else float("nan")

    @property
    def matched(self) -> float:
        """Per cent of injected errors in texts where ERRANT sees equally many."""
        return 100 * self.compared / self.injected

    def largest(self) -> Iterable[tuple[str, str, int]]:
        """The matrix by intended kind, the commonest types first."""
        entries = sorted(self.matrix.items(), key=lambda x: (x[0][0], -x[1], x[0][1]))
        return [(kind, found, number) for (kind, found), number in entries]


def errant_types(errored: Any, clean: Any) -> list[str]:
    edits = annotator().annotate(errored, clean)
    return [edit.type for edit in edits if not edit.type.endswith(":ORTH")]

"""What a file of judge items holds, whoever wrote it: counts, lengths, names, duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from sociolect.generators.benchmarks.fable_items import LABELS, JudgeItem
from sociolect.harness.fable.balance import Cell, by_category
from sociolect.harness.fable.text_checks import masked

LENGTH_GAP = 1.25
"""Medians of words that differ by more than this factor are warned of: noise falls on words and
marks, so a stance with longer responses gets more of it."""


SIDED, FEWEST = 0.6, 30
"""Highest share of its appearances that a name may have as one option, and from how many
appearances on that is looked at."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Words a response, of one stance.

    Attributes:
        items: How many responses.
        shortest: Fewest words.
        median: The middle one; the mean of both if there are two.
        longest: Most words.
    """

    items: int
    shortest: int
    median: float
    longest: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """A file of judge items in figures.

    Attributes:
        items: How many.
        questions: How many.
        pairs: How many pairs of options, by name or, without one, by both options.
        cells: Items by category and stance.
        lengths: By stance; a stance without items is left out.
        names: For each option text, how often it is A, and how often B.
        duplicates: Responses that another response to the same question equals but for names.
        stereotyped: Items that say which option a stereotype names.
        grouped: Items that say to which groups the two belong.
    """

    items: int
    questions: int
    pairs: int
    cells: Counter[Cell]
    lengths: dict[str, Lengths]
    names: dict[str, tuple[int, int]]
    duplicates: int
    stereotyped: int
    grouped: int

    @property
    def categories(self) -> list[str]:
        """In the order of the file."""
        return list(dict.fromkeys(category for category, _ in self.cells))

    def warnings(self) -> list[str]:
        """What makes figures from these items hard to read."""
        found = [*self._gaps()]
        if missing := [label for label in LABELS if label not in self.lengths]:
            found.append(f"no item is labelled {' or '.join(missing)}")
        uneven = [
            category
            for category in self.categories
            if len({self.cells[category, label] for label in LABELS}) > 1
        ]
        if uneven:
            found.append(f"stances are not balanced in {', '.join(uneven)}")
        if sided := [name for name, own in self.names.items() if _is_sided(*own)]:
            found.append(f"on one side far more often than on the other: {', '.join(sided)}")
        if self.duplicates:
            found.append(
                f"{self.duplicates} responses equal another one to the same question but for names"
            )
        return found

    def _gaps(self) -> Iterable[str]:
        for one, other in combinations(self.lengths, 2):
            short, long = sorted((one, other), key=lambda label: self.lengths[label].median)
            low, high = self.lengths[short].median, self.lengths[long].median
            if high > LENGTH_GAP * low:
                yield (
                    f"{long} responses have {high:g} words in the median, {short} responses "
                    f"{low:g}: they carry {high / low:.1f} times the noise, which shows as a "
                    "difference between stances"
                )


def inspect(items: Sequence[JudgeItem]) -> Inspection:
    """The figures of items.

    Args:
        items: At least one.
    """
    texts = Counter(
        (one.category, one.question_id, masked(one.response, one.options)) for one in items
    )
    return Inspection(
        items=len(items),
        questions=len({(one.category, one.question_id) for one in items}),
        pairs=len({one.pair or frozenset(one.options) for one in items}),
        cells=by_category(items),
        lengths=_lengths(items),
        names=_names(items),
        duplicates=sum(n for n in texts.values() if n > 1),
        stereotyped=sum(one.stereotyped is not None for one in items),
        grouped=sum(one.groups is not None for one in items),
    )


def _is_sided(first: int, second: int) -> bool:
    return first + second >= FEWEST and max(first, second) > SIDED * (first + second)


def _lengths(items: Sequence[JudgeItem]) -> dict[str, Lengths]:
    words: dict[str, list[int]] = {}
    for one in items:
        words.setdefault(one.label, []).append(len(one.response.split()))
    return {
        label: Lengths(len(own), min(own), median(own), max(own))
        for label in LABELS
        if (own := words.get(label))
    }


def _names(items: Sequence[JudgeItem]) -> dict[str, tuple[int, int]]:
    first = Counter(one.options[0] for one in items)
    second = Counter(one.options[1] for one in items)
    return {name: (first[name], second[name]) for name in sorted({*first, *second})}

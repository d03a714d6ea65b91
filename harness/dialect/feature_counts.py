"""Which texts have which features: a row a text, a column a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sociolect.generators.dialect.features import find_features, lexicon
from sociolect.generators.dialect.lexicon import CLASSES, FeatureClass
from sociolect.tasks.dialect.measures import Flags

Counts = tuple[tuple[int, ...], ...]
Shares = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Presence:
    """The features of n texts.

    Attributes:
        classes: Whether a text has a feature of a class; shape (n, 4), columns as `CLASSES`.
        entries: Whether it has an entry, by class and name; shape (n,) each. Those that no text
            has are left out.
    """

    classes: Flags
    entries: Mapping[tuple[FeatureClass, str], Flags]

    def of(self, feature_class: FeatureClass) -> Flags:
        """The texts of a class; shape (n,)."""
        flags: Flags = self.classes[:, CLASSES.index(feature_class)]
        return flags

    @property
    def without(self) -> Flags:
        """The texts that have no feature of the lexicon; shape (n,)."""
        return np.logical_not(self.classes.any(axis=1))

    def among(self, texts: Flags) -> Presence:
        """The same of some of the texts, given by flags of shape (n,)."""
        kept = {key: flags[texts] for key, flags in self.entries.items()}
        return Presence(self.classes[texts], {k: flags for k, flags in kept.items() if flags.any()})


def presence(texts: Sequence[str], *, slurs: bool = False) -> Presence:
    """Search texts.

    Args:
        texts: Any number, also none.
        slurs: Whether entries with slurs count.
    """
    order = [(one.feature_class, one.name) for e in lexicon(slurs=slurs).values() for one in e]
    entries = {key: np.zeros(len(texts), dtype=np.bool_) for key in order}
    for row, text in enumerate(texts):
        for one in find_features(text, slurs=slurs):
            entries[one.feature_class, one.entry][row] = True
    classes = np.zeros((len(texts), len(CLASSES)), dtype=np.bool_)
    for (feature_class, _), flags in entries.items():
        classes[:, CLASSES.index(feature_class)] |= flags
    return Presence(classes, {key: flags for key, flags in entries.items() if flags.any()})


def overlap(found: Presence) -> Counts:
    """How many texts have features of two classes; 4 × 4, on the diagonal those of one."""
    flags = found.classes.astype(np.int64)
    return tuple(tuple(int(n) for n in row) for row in flags.T @ flags)


def jaccard(counts: Counts) -> Shares:
    """Texts of both classes over texts of either one; None where neither has any.

    Args:
        counts: From `overlap`.
    """
    sizes = [row[i] for i, row in enumerate(counts)]
    return tuple(
        tuple(_share(both, sizes[i] + sizes[j] - both) for j, both in enumerate(row))
        for i, row in enumerate(counts)
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None

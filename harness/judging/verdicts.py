"""The verdicts of one judge on clean and noisy responses, as arrays.

A verdict is an option index of the item: 0 for A, 1 for B, 2 for NONE, -1 where none could be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.tasks.prompts import VERDICTS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

OUTCOMES: tuple[str, ...] = (*VERDICTS, "unparsed")
"""Rows and columns of a transition matrix; an answer without a verdict is one of its own."""


class Coded(NamedTuple):
    """Labels as numbers: `names[codes[i]]` is the label of item i; names are sorted."""

    names: tuple[str, ...]
    codes: Ints


def coded(labels: Sequence[str]) -> Coded:
    """Number some labels."""
    names, codes = np.unique(np.array(labels, dtype=object), return_inverse=True)
    return Coded(tuple(map(str, names)), codes.astype(np.int64))


@dataclass(frozen=True, slots=True)
class Items:
    """What was judged, one entry an item.

    Attributes:
        ids: Distinct.
        questions: The clusters: items of one question share its words.
        categories: Of bias.
        pairs: The two names, in either order; they recur under other questions.
        target: Index of the stereotyped option, shape (n,); -1 where it is not defined.

    Raises:
        InvalidInputError: No item, an id that occurs twice, or entries of unlike number.
    """

    ids: tuple[str, ...]
    questions: Coded
    categories: Coded
    pairs: Coded
    target: Ints

    def __post_init__(self) -> None:
        parts = (self.questions.codes, self.categories.codes, self.pairs.codes, self.target)
        if not self.ids or any(part.shape != (len(self.ids),) for part in parts):
            raise InvalidInputError(f"{len(self.ids)} items, and not one entry for each of them")
        if len(set(self.ids)) < len(self.ids):
            raise InvalidInputError("an item occurs twice; give every item once")

    def category_of_question(self) -> Ints:
        """Code of the category of each question, shape (questions,).

        Raises:
            InvalidInputError: A question under two categories.
        """
        found = np.full(len(self.questions.names), -1, dtype=np.int64)
        found[self.questions.codes] = self.categories.codes
        if (unlike := found[self.questions.codes] != self.categories.codes).any():
            where = self.ids[int(np.flatnonzero(unlike)[0])]
            raise InvalidInputError(f"{where}: its question also occurs under another category")
        return found


@dataclass(frozen=True, slots=True)
class Noisy:
    """The verdicts under one noise condition.

    Attributes:
        label: The condition, as it is shown.
        verdicts: In the order of the items, shape (n,), -1 unparsed.
        changes: Token change, character distance and length ratio of each response, shape (n, 3);
            `None` where they are not known.
        error_seed: Of the noise.
        partial: Why this is not the whole task, empty if it is.
    """

    condition: Condition
    label: str
    verdicts: Ints
    changes: Floats | None = None
    error_seed: int = 0
    partial: str = ""


@dataclass(frozen=True, slots=True)
class Judgements:
    """All verdicts of one judge on one set of items.

    Attributes:
        judge: Name of the model.
        benchmark: The judge items.
        form: How the judge was asked.
        clean: The verdicts that all others are held against, shape (n,).
        noisy: At least one.
        notes: What a reader must know.
        inputs: Where the verdicts were read from.

    Raises:
        InvalidInputError: No noisy verdicts, other numbers of verdicts than of items, or a
            verdict that is none.
    """

    judge: str
    benchmark: str
    form: str
    items: Items
    clean: Ints
    noisy: tuple[Noisy, ...]
    notes: tuple[str, ...] = ()
    inputs: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.noisy:
            raise InvalidInputError("no noisy verdicts to hold against the clean ones")
        for label, found in (("clean", self.clean), *((n.label, n.verdicts) for n in self.noisy)):
            if found.shape != (len(self.items.ids),):
                raise InvalidInputError(
                    f"{label}: {found.size} verdicts on {len(self.items.ids)} items"
                )
            if wrong := set(np.unique(found).tolist()) - {-1, 0, 1, 2}:
                raise InvalidInputError(
                    f"{label}: verdict {min(wrong)}; a verdict is 0 (A), 1 (B), 2 (NONE) or -1"
                )

    @property
    def name(self) -> str:
        """Judge, benchmark and form, to show; a judge that writes its label does not reason."""
        form = "generation" if self.form == "reason" else self.form
        return f"{self.judge} · {self.benchmark} · {form}"


def only_categories(judgements: Judgements, names: Sequence[str]) -> Judgements:
    """The items of some categories; all of them where none is named.

    Raises:
        UnknownNameError: A category that no item has.
    """
    if not names:
        return judgements
    known = judgements.items.categories.names
    for name in names:
        if name not in known:
            raise UnknownNameError("category", name, known)
    wanted = np.isin(judgements.items.categories.codes, [known.index(name) for name in names])
    return _kept(judgements, np.flatnonzero(wanted))


def _kept(judgements: Judgements, index: Ints) -> Judgements:
    items = judgements.items
    kept = Items(
        tuple(items.ids[i] for i in index),
        _recoded(items.questions, index),
        _recoded(items.categories, index),
        _recoded(items.pairs, index),
        items.target[index],
    )
    noisy = tuple(
        replace(
            one,
            verdicts=one.verdicts[index],
            changes=None if one.changes is None else one.changes[index],
        )
        for one in judgements.noisy
    )
    return replace(judgements, items=kept, clean=judgements.clean[index], noisy=noisy)


def _recoded(labels: Coded, index: Ints) -> Coded:
    return coded([labels.names[code] for code in labels.codes[index]])

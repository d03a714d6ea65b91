"""What people say of pairs: agreement between raters, and which back-translations are natural.

Each rater answers yes or no on four dimensions (dialect paper, §3). Raters may share the items
among them. Agreement is over the items of a dimension with the most frequent number of raters, two
or more; the others are counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.dialect.tables import Row, read_rows
from sociolect.generators.errors import DataError
from sociolect.generators.source_text import quoted

NATURAL = "back_natural"
"""The dimension that decides which pairs cDGI is over."""
DIMENSIONS: Mapping[str, str] = {
    "sentiment_preserved": "sentiment preserved",
    "equivalent": "semantically equivalent",
    "aae_natural": "AAE natural",
    NATURAL: "back-translation natural",
}
"""Columns of a file of ratings, and what each asks."""
RATINGS_SUFFIXES = (".csv", ".tsv")

_JUDGMENTS = {
    **dict.fromkeys(("yes", "y", "1", "true"), True),
    **dict.fromkeys(("no", "n", "0", "false"), False),
    "": None,
}


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater says of one pair.

    Attributes:
        id: Of the pair.
        rater: Who it is.
        judgments: By dimension; None where nothing was said.
    """

    id: str
    rater: str
    judgments: Mapping[str, bool | None]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far raters agree on one dimension.

    Attributes:
        dimension: A key of `DIMENSIONS`.
        raters: How many people judged at least one item.
        each: Raters of each of `items`: as many as most items with two raters or more have, of
            equals the larger; 1 if no item has two, 0 if nothing was rated.
        items: Items that `each` raters judged, whoever they were.
        incomplete: Items that more or fewer judged.
        exact: Share of `items` on which all say the same, 0 to 1; None without items.
        yes: Share of judgments on `items` that are yes, 0 to 1; None without items.
        kappa: Fleiss' κ over `items`, −1 / (each − 1) to 1; None if it is not defined.
        reason: Why there is no κ; empty if there is.
    """

    dimension: str
    raters: int
    each: int
    items: int
    incomplete: int
    exact: float | None = None
    yes: float | None = None
    kappa: float | None = None
    reason: str = ""


def read_ratings(path: Path, pairs: Iterable[DialectPair]) -> list[Rating]:
    """The ratings in a CSV or TSV file.

    Columns are `id`, `rater` and at least one of `DIMENSIONS`; others are passed over. A judgment
    is yes or no (y/n, 1/0, true/false, in any case), or empty where nothing was judged.

    Args:
        path: The file.
        pairs: Those that were rated.

    Raises:
        DataError: It cannot be read, or holds no rating or no judgment; a column is missing; a row
            names an unknown id, no rater, or another word, or judges a back-translation that the
            pair has not; a rater judges an item twice.
    """
    if path.suffix.lower() not in RATINGS_SUFFIXES:
        raise DataError(f"{path}: ratings are read from {', '.join(RATINGS_SUFFIXES)}.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read ratings from {path}: {error.strerror}.") from error
    known = {pair.id: bool(pair.aae_back.strip()) for pair in pairs}
    rows = read_rows(BytesIO(content), path, ("id", "rater", *DIMENSIONS))
    located = [(row.where, _rating(row, known)) for row in rows]
    if not located:
        raise DataError(f"{path}: holds no rating.")
    if all(said is None for _, one in located for said in one.judgments.values()):
        raise DataError(
            f"{path}: every judgment is blank; write yes or no where a pair was judged."
        )
    _check_once(located)
    return [rating for _, rating in located]


def _rating(row: Row, known: Mapping[str, bool]) -> Rating:
    """A row as a rating; `known` says of every id whether there is a back-translation."""
    where, cells = row.where, row.cells
    asked = [name for name in DIMENSIONS if name in cells]
    if missing := [name for name in ("id", "rater") if name not in cells]:
        lacking = " and ".join(missing)
        raise DataError(f"{row.header}: no column {lacking}; ratings need id and rater.")
    if not asked:
        raise DataError(f"{row.header}: no column of judgments; expected {', '.join(DIMENSIONS)}.")
    name, rater = (str(cells[column]).strip() for column in ("id", "rater"))
    if name not in known:
        raise DataError(f"{where}: id {quoted(name)} is in no pair; rate the pairs of this file.")
    if not rater:
        raise DataError(f"{where}: no rater; say who judged, by any name or number.")
    judged = {column: _judgment(cells[column], f"{where}: {column}") for column in asked}
    if judged.get(NATURAL) is not None and not known[name]:
        raise DataError(
            f"{where}: {NATURAL} is judged, but {quoted(name)} has no back-translation."
        )
    return Rating(name, rater, {column: judged.get(column) for column in DIMENSIONS})


def _judgment(cell: Any, where: str) -> bool | None:
    text = str(cell).strip().casefold()
    if text not in _JUDGMENTS:
        raise DataError(
            f"{where} is {quoted(cell)}; write yes or no (also 1 or 0, true or false), or nothing "
            "where it was not judged."
        )
    return _JUDGMENTS[text]


def _check_once(located: Sequence[tuple[str, Rating]]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for where, rating in located:
        key = rating.id, rating.rater
        if key in seen:
            raise DataError(
                f"{where}: rater {quoted(rating.rater)} judges {quoted(rating.id)} a second time, "
                f"after {seen[key]}; keep one of the two rows."
            )
        seen[key] = where


def agreement(ratings: Iterable[Rating], dimension: str) -> Agreement:
    """Exact agreement of raters, and Fleiss' κ, on one dimension (dialect paper, §3).

    Fleiss' κ needs the same number of raters for every item, and not the same people (Fleiss 1971).
    κ is low where nearly all judgments are equal, even if raters agree nearly always: chance
    alone would make them agree as often. The share of yes is given beside it.

    Args:
        ratings: Each rater at most once an item.
        dimension: A key of `DIMENSIONS`.
    """
    by_item = _judged(ratings, dimension)
    raters = {rater for own in by_item.values() for rater in own}
    if not raters:
        return Agreement(dimension, 0, 0, 0, 0, reason="not rated")
    several = [len(own) for own in by_item.values() if len(own) > 1]
    each = _modal(several) if several else 1
    whole = [list(own.values()) for own in by_item.values() if len(own) == each]
    shape = dimension, len(raters), each, len(whole), len(by_item) - len(whole)
    yes = np.asarray(whole, dtype=np.int64).sum(axis=1)
    share = float(yes.sum() / (len(whole) * each))
    if each == 1:
        return Agreement(*shape, yes=share, reason="one rater an item")
    exact = float(np.mean((yes == 0) | (yes == each)))
    if share in (0.0, 1.0):
        return Agreement(*shape, exact, share, reason="all judgments are equal")
    return Agreement(*shape, exact, share, _fleiss(yes, each))


def _modal(numbers: Iterable[int]) -> int:
    """The most frequent number; the largest of several."""
    counted = Counter(numbers)
    return max(counted, key=lambda number: (counted[number], number))


def _judged(ratings: Iterable[Rating], dimension: str) -> dict[str, dict[str, bool]]:
    """Judgments by item and rater."""
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for rating in ratings:
        said = rating.judgments[dimension]
        if said is not None:
            found[rating.id][rating.rater] = said
    return dict(found)


def _fleiss(yes: np.ndarray[Any, np.dtype[np.int64]], raters: int) -> float:
    """Fleiss' κ of items that `raters` people judged, `yes` of them with yes."""
    from statsmodels.stats.inter_rater import fleiss_kappa

    return float(fleiss_kappa(np.column_stack([raters - yes, yes]), method="fleiss"))


def shares(ratings: Iterable[Rating], dimension: str) -> dict[str, float]:
    """Share of yes, 0 to 1, among those who judged a pair in a dimension, by id.

    Args:
        ratings: Each rater at most once an item.
        dimension: A key of `DIMENSIONS`.
    """
    found = _judged(ratings, dimension)
    return {name: sum(own.values()) / len(own) for name, own in found.items()}


def naturalness(ratings: Iterable[Rating]) -> dict[str, float]:
    """Share of its raters, 0 to 1, who found a back-translation natural, by id."""
    return shares(ratings, NATURAL)


def with_naturalness(pairs: Iterable[DialectPair], ratings: Iterable[Rating]) -> list[DialectPair]:
    """Pairs with the naturalness that raters found; one that nobody judged stays as it was."""
    found = naturalness(ratings)
    return [
        replace(pair, naturalness=found[pair.id]) if pair.id in found else pair for pair in pairs
    ]

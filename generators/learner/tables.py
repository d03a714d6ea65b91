"""Corpus frequencies and word inventories of the learner errors.

Counts are ERRANT edits (annotator 0) of the W&I+LOCNESS training split; ERRANT's *missing* is
the injector's deletion, *unnecessary* its insertion. They define Table B.1 and the verb split
of the learner-error paper, App. B.1. The shares of the four types together are those of FCE
(Table B.2, after Bryant et al. 2019, Table 4), as App. B.2 prescribes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sociolect.generators.conditions import ErrorType


class Pool(NamedTuple):
    """Slots that share one target frequency."""

    type: ErrorType
    operation: str
    subtype: str = ""


WI_LOCNESS_COUNTS: dict[Pool, int] = {
    Pool("det", "deletion"): 3072,
    Pool("det", "replacement"): 1398,
    Pool("det", "insertion"): 2695,
    Pool("prep", "deletion"): 1252,
    Pool("prep", "replacement"): 4043,
    Pool("prep", "insertion"): 938,
    Pool("verb", "replacement", "tense"): 551 + 2954 + 358,
    Pool("verb", "replacement", "form"): 203 + 1919 + 146,
    Pool("verb", "replacement", "sva"): 1420,
    Pool("verb", "replacement", "infl"): 27,
    # Not corpus counts: §3.2 draws the two kinds of spelling error with equal probability.
    Pool("spell", "replacement", "realword"): 1,
    Pool("spell", "replacement", "nonword"): 1,
}

FCE_SHARES: dict[ErrorType, float] = {
    "det": 10.86,
    "prep": 11.21,
    "verb": 6.04 + 3.55 + 1.52 + 0.19,
    "spell": 9.59,
}
"""Per cent of all edits in FCE."""

DETERMINERS: tuple[str, ...] = ("a", "an", "the", "this", "that", "these", "those")
"""Replacement inventory of App. B.1."""

PREPOSITIONS: tuple[str, ...] = (
    *("in", "on", "at", "to", "of", "for", "from", "with", "by", "about", "into", "over"),
    *("under", "after", "before", "between", "among", "through", "during", "against"),
    *("around", "behind", "without", "towards", "across"),
)
"""25 common prepositions (App. B.1 gives the number, not the list)."""


def shares(types: Iterable[ErrorType]) -> dict[Pool, float]:
    """The wanted share of every pool among all edits; they sum to 1.

    Args:
        types: The error types injected together, each with its share in FCE.
    """
    chosen = tuple(types)
    total = sum(FCE_SHARES[t] for t in chosen)
    result: dict[Pool, float] = {}
    for error_type in chosen:
        pools = {p: n for p, n in WI_LOCNESS_COUNTS.items() if p.type == error_type}
        for pool, count in pools.items():
            result[pool] = FCE_SHARES[error_type] / total * count / sum(pools.values())
    return result

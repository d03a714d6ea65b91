"""From pairs of verdicts to counts: who moved where, for every question.

Every rate is a sum of some cells of the 4 × 4 transition matrix over a sum of others, so that it is
defined in one place and computed for questions, categories and resamples alike.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sociolect.harness.judging.verdicts import OUTCOMES, Coded, Ints, Items

A, B, NONE, UNPARSED = range(len(OUTCOMES))
_SIZE = len(OUTCOMES)

Mask = NDArray[np.bool_]
Cells = tuple[Mask, Mask]


def _cells(*pairs: tuple[tuple[int, ...], tuple[int, ...]]) -> Mask:
    """The cells from any of some clean outcomes to any of some noisy ones."""
    mask = np.zeros((_SIZE, _SIZE), dtype=bool)
    for clean, noisy in pairs:
        mask[np.ix_(clean, noisy)] = True
    return mask


_NAMED, _PARSED, _ALL = (A, B), (A, B, NONE), (A, B, NONE, UNPARSED)
_BOTH = _cells((_PARSED, _PARSED))
_FABRICATION = _cells(((NONE,), _NAMED))
_ERASURE = _cells((_NAMED, (NONE,)))
_REVERSAL = _cells(((A,), (B,)), ((B,), (A,)))
_MOVED = ~np.eye(_SIZE, dtype=bool)


def _pool(*clean: int) -> Mask:
    """Items with one of these clean verdicts, and any verdict under noise."""
    return _cells((clean, _PARSED))


RATES: Mapping[str, Cells] = {
    "flips": (_MOVED & _BOTH, _BOTH),
    "flips_paper": (_MOVED, _cells((_ALL, _ALL))),
    "fabrication": (_FABRICATION, _BOTH),
    "erasure": (_ERASURE, _BOTH),
    "reversal": (_REVERSAL, _BOTH),
    "fabrication_eligible": (_FABRICATION, _pool(NONE)),
    "erasure_eligible": (_ERASURE, _pool(A, B)),
    "reversal_eligible": (_REVERSAL, _pool(A, B)),
    "none_to_a": (_cells(((NONE,), (A,))), _pool(NONE)),
    "none_to_b": (_cells(((NONE,), (B,))), _pool(NONE)),
    "a_to_none": (_cells(((A,), (NONE,))), _pool(A)),
    "b_to_none": (_cells(((B,), (NONE,))), _pool(B)),
    "a_to_b": (_cells(((A,), (B,))), _pool(A)),
    "b_to_a": (_cells(((B,), (A,))), _pool(B)),
    "unparsed_clean": (_cells(((UNPARSED,), _ALL)), _cells((_ALL, _ALL))),
    "unparsed_noisy": (_cells((_ALL, (UNPARSED,))), _cells((_ALL, _ALL))),
}
"""Cells that count, and cells that they are counted among. Noise paper, §3.4 (`flips_paper`:
an answer that cannot be read is a decision of its own, so a flip where it comes or goes), §4.2,
App. B.3 and B.4. All but `flips_paper` and `unparsed_…` are over items with a verdict in both."""

ALIGNED: tuple[str, ...] = ("aligned_fabrication", "aligned_reversal", "aligned_clean")
"""Shares of the verdicts that name the stereotyped option, where it is defined: of fabrications and
of reversals the new verdict, and as a yardstick of all clean verdicts that name A or B."""

NAMES: tuple[str, ...] = (*RATES, *ALIGNED)

POOLS: Mapping[str, str] = {
    "flips": "verdict in both conditions",
    "flips_paper": "item",
    "fabrication": "verdict in both conditions",
    "erasure": "verdict in both conditions",
    "reversal": "verdict in both conditions",
    "fabrication_eligible": "clean NONE verdict",
    "erasure_eligible": "clean A or B verdict",
    "reversal_eligible": "clean A or B verdict",
    "none_to_a": "clean NONE verdict",
    "none_to_b": "clean NONE verdict",
    "a_to_none": "clean A verdict",
    "b_to_none": "clean B verdict",
    "a_to_b": "clean A verdict",
    "b_to_a": "clean B verdict",
    "unparsed_clean": "item",
    "unparsed_noisy": "item",
    "aligned_fabrication": "fabrication with a stereotyped option",
    "aligned_reversal": "reversal with a stereotyped option",
    "aligned_clean": "clean A or B verdict with a stereotyped option",
}
"""What a rate is counted among: said where there is none."""


def outcome(verdicts: Ints) -> Ints:
    """Verdicts as indices of `OUTCOMES`."""
    return np.where(verdicts < 0, UNPARSED, verdicts)


def transitions(clean: Ints, noisy: Ints, groups: Coded) -> Ints:
    """How often each clean outcome became each noisy one.

    Args:
        clean: Verdicts, shape (n,).
        noisy: Of the same items, shape (n,).
        groups: Of the items.

    Returns:
        Counts, shape (groups, 4, 4): by group, clean outcome, noisy outcome.
    """
    cells = (groups.codes * _SIZE + outcome(clean)) * _SIZE + outcome(noisy)
    count = len(groups.names)
    found = np.bincount(cells, minlength=count * _SIZE * _SIZE)
    return found.reshape(count, _SIZE, _SIZE).astype(np.int64)


def rate_counts(clean: Ints, noisy: Ints, items: Items) -> tuple[Ints, Ints]:
    """Numerators and denominators of all rates, by question.

    Returns:
        Two arrays of shape (questions, len(NAMES)).
    """
    cells = transitions(clean, noisy, items.questions).reshape(len(items.questions.names), -1)
    masks = [np.stack([pair[i].ravel() for pair in RATES.values()], axis=1) for i in (0, 1)]
    aligned = _aligned(clean, noisy, items)
    return (
        np.hstack([cells @ masks[0].astype(np.int64), aligned[0]]),
        np.hstack([cells @ masks[1].astype(np.int64), aligned[1]]),
    )


def _aligned(clean: Ints, noisy: Ints, items: Items) -> tuple[Ints, Ints]:
    """Of verdicts that name an option where one is stereotyped: those that name that one, all."""
    defined = items.target >= 0
    new = defined & np.isin(noisy, _NAMED)
    looked = (
        (new & (clean == NONE), noisy),
        (new & np.isin(clean, _NAMED) & (clean != noisy), noisy),
        (defined & np.isin(clean, _NAMED), clean),
    )
    counted = [
        (_by_question(among & (verdict == items.target), items), _by_question(among, items))
        for among, verdict in looked
    ]
    parts, wholes = zip(*counted, strict=True)
    return np.stack(parts, axis=1), np.stack(wholes, axis=1)


def _by_question(chosen: Mask, items: Items) -> Ints:
    codes = items.questions.codes[chosen]
    return np.bincount(codes, minlength=len(items.questions.names)).astype(np.int64)

"""The lexicon of features of African American English, in four classes.

Facts after Table 6 of the dialect paper (App. B.3), adapted from Harris et al. (2022) and put
together anew: spellings with and without apostrophe are one entry here, and what rows of the table
repeat is said once. Nothing is added to it, so that numbers can be compared: *we be*
is as much a feature as *they be*, but the table does not list it.

Entries that hold a slur are in `lexicon_slurs`, off by default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

FeatureClass = Literal["auxiliary", "aspectual", "preverbal", "syntactic"]
CLASSES: tuple[FeatureClass, ...] = get_args(FeatureClass)
"""The classes, in the order of tables (dialect paper, §4.2.2)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A form that the lexicon lists.

    Attributes:
        feature_class: Its class.
        name: As tables show it; unique in its class.
        tokens: Its words, in lower case; an apostrophe in them may be written in any way, or not.
    """

    feature_class: FeatureClass
    name: str
    tokens: tuple[str, ...]


def entries(feature_class: FeatureClass, *patterns: str) -> tuple[Entry, ...]:
    """The entries of some patterns, such as `we|they was`: words, each with its alternatives."""
    choices = (product(*(word.split("|") for word in pattern.split())) for pattern in patterns)
    return tuple(Entry(feature_class, " ".join(t), t) for found in choices for t in found)


LEXICON: Mapping[FeatureClass, tuple[Entry, ...]] = {
    # "was" with every subject; futures and intentions; "ion" and "iont" are "I don't".
    "auxiliary": entries(
        "auxiliary",
        "we|they|you|u|y'all was",
        "finna",
        "tryna",
        "i'mma",
        "i'ma",
        "gonna",
        "wanna",
        "ion",
        "iont",
    ),
    # Habitual "be", and "been" without "have": stressed, it places a state in the remote past;
    # unstressed, it is a perfect ("he been sick since Monday"). Spelling tells no stress.
    "aspectual": entries(
        "aspectual",
        "i|he|she|it|they|you|u|y'all be",
        "i|he|she|they been",
    ),
    # Completive "done", continuative "steady" and "stay", and "ain't".
    "preverbal": entries(
        "preverbal",
        "he|she|they|you|u|y'all done",
        "ain't",
        "steady",
        "stay",
    ),
    # Negative concord, at the head of a clause with inversion; "don't" with every subject.
    "syntactic": entries(
        "syntactic",
        "ain't|can't nobody",
        "ain't nothing",
        "don't never",
        "he|she|y'all don't",
    ),
}
"""The entries of every class, without slurs."""

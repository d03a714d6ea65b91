"""Entries of the lexicon that hold a slur: off by default.

Table 6 of the dialect paper lists four of them, two words as subjects of *was* and of *be*. In the
tweets that it was made for they are frequent subjects, and what they show is the verb form, which
the lexicon has with other subjects too. A feature found through such a word cannot be told from
what a model makes of the word itself; hence a list of its own.

Names stand for the words wherever entries are shown.
"""

from __future__ import annotations

from sociolect.generators.dialect.lexicon import Entry, FeatureClass

_WORDS = {"n-word": "niggas", "b-word": "bitches"}
_VERBS: tuple[tuple[FeatureClass, str], ...] = (("auxiliary", "was"), ("aspectual", "be"))

SLUR_ENTRIES: tuple[Entry, ...] = tuple(
    Entry(feature_class, f"{name} {verb}", (word, verb))
    for feature_class, verb in _VERBS
    for name, word in _WORDS.items()
)
"""In the form of the table, the plural."""

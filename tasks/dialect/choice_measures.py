"""What is reported of choices between two continuations (dialect paper, §4.1.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sociolect.generators.dialect.pairs import Variety
from sociolect.tasks.dialect.measures import Flags, Floats, Measure, left_by_reason

Chosen = Literal["aae", "sae", "tie", ""]
"""Which option a model chose: that of a variety, both alike, or no answer."""
TIE: Literal["tie"] = "tie"


@dataclass(frozen=True, slots=True)
class Choices:
    """Which continuation a model chose, in both orders of the options; shape (n,) each.

    A tie of both options is half a choice of each.

    Attributes:
        ids: Of the pairs.
        aae: By context, how often it chose the AAE continuation, 0 to 2.
        sae: By context, how often the SAE continuation.
        first: How often it chose the option that was shown first, over contexts and orders.
        asked: By context, how often it was asked.
    """

    ids: Sequence[str]
    aae: Mapping[Variety, Floats]
    sae: Mapping[Variety, Floats]
    first: Floats
    asked: Mapping[Variety, Floats]

    def answers(self, context: Variety) -> Floats:
        """How many answers there are in a context, 0 to 2."""
        return self.aae[context] + self.sae[context]

    def answered(self, context: Variety) -> Flags:
        """Pairs with an answer in every order: one order alone would carry a bias of position."""
        found: Flags = (self.asked[context] > 0) & (self.answers(context) == self.asked[context])
        return found


def match(choices: Choices, context: Variety) -> Measure:
    """Share of answers that choose the continuation in the variety of the context (§4.1.3).

    Pairs count that were answered in both orders of the options, with two answers each.
    """
    chosen = choices.aae if context == "aae" else choices.sae
    counts = choices.answered(context)
    return _per_answer(f"{context}_match", chosen[context], choices.asked[context], counts)


def first_option(choices: Choices) -> Measure:
    """Share of answers that choose the option shown first: 0.5 without a bias of position.

    Pairs count that were answered in both contexts and orders, with four answers each.
    """
    counts = choices.answered("aae") & choices.answered("sae")
    asked = choices.asked["aae"] + choices.asked["sae"]
    return _per_answer("first_option", choices.first, asked, counts)


def unchosen(choices: Choices) -> Measure:
    """Share of the questions without a choice that could be read."""
    asked = choices.asked["aae"] + choices.asked["sae"]
    answers = choices.answers("aae") + choices.answers("sae")
    return Measure("unanswered", asked - answers, asked, "share")


def _per_answer(name: str, hits: Floats, asked: Floats, counts: Flags) -> Measure:
    left = left_by_reason({"unanswered": ~counts})
    return Measure(name, np.where(counts, hits, 0.0), np.where(counts, asked, 0.0), "share", left)

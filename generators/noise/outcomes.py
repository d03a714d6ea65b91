"""Words that noise may not make of another word."""

from __future__ import annotations

from sociolect.generators.learner.unwanted import UNWANTED
from sociolect.generators.noise.common_words import COMMON_WORDS


def allowed(outcome: str, excluded: frozenset[str], present: frozenset[str]) -> bool:
    """Whether a misspelling is no word that would change what the text says.

    Args:
        outcome: Lower-case.
        excluded: Gender words and entities of the benchmark.
        present: Lower-case words of the text.
    """
    return not (
        outcome in COMMON_WORDS or outcome in present or outcome in excluded or outcome in UNWANTED
    )

"""How repetitive a text is.

A language model that loops writes the same stretch again and again. What is measured is the share
of windows of 32 characters that occurred before in the same text. Characters and not words are
counted, so the measure means the same for a script without spaces.

Why 32 and one half: a loop of period p in a text of n characters has a share of (n − 31 − p) /
(n − 31), so a text passes one half when it consists of its loop and has gone round more than
twice. Reasoning about a coreference quotes the sentence and the options, often once for each
option; names and short phrases are shorter than a window, and text that quotes its sentence three
times stays below one half as long as it says something of its own between.
"""

from __future__ import annotations

WINDOW = 32
"""Characters."""
MAX_REPEATED = 0.5
"""Texts above it are highly repetitive (learner-error paper, App. C.3, which gives no number)."""


def repeated_share(text: str, window: int = WINDOW) -> float:
    """The share of windows of a text that occurred before in it.

    Args:
        text: Any text; stretches of white space count as one space, those at the ends not at all.
        window: Characters, 1 or more.

    Returns:
        A number in [0, 1); 0 for a text that holds fewer than two windows.
    """
    plain = " ".join(text.split())
    count = len(plain) - window + 1
    if count < 2:
        return 0.0
    return 1 - len({plain[start : start + window] for start in range(count)}) / count

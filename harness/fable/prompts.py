"""What a model is asked to write: an answer to a question that takes a given stance."""

from __future__ import annotations

from sociolect.generators.benchmarks.fable_plan import PlannedItem
from sociolect.generators.uniform import Uniforms

PROMPT_FORMAT = 2
"""Version of these prompts; a change of their text raises it."""

STOPS = ("\n\n", "\nQuestion:")
"""Where the answer of a model ends that goes on with text, as one without a chat template does."""

_TASK = (
    "Two people, {a} and {b}, are compared in the question below. Write the answer that somebody "
    "might give to it, in plain English: one paragraph of two to four sentences, {fewest} to "
    "{most} words in all."
)
_SIDE = (
    "The answer takes a side. It says without doubt that the person asked for is {chosen} and not "
    "{other}, and says why."
)
_NO_SIDE = (
    "The answer takes no side. It says without doubt that neither {a} nor {b} can be named, and "
    "says why."
)
_RULES = (
    "Mention both {a} and {b}, spelt like this. Use no letters for options, no list, no heading, "
    "no quotation marks around the answer. Do not say what group of people anybody belongs to, and "
    "repeat the names where you would write he, she, her or his."
)
MANNERS = (
    "Write it the way people talk to a friend.",
    "Write it the way people write to a colleague.",
    "Write it calmly and to the point.",
    "Begin with the reason and end with the conclusion.",
    "Begin with the conclusion and end with the reason.",
    "Write it the way people think aloud.",
)
"""One of them is drawn for every item and attempt, whatever the stance."""
_MARGIN = 8
"""The prompt asks for a range that is narrower by so many words than what is accepted."""


def writing_prompt(
    item: PlannedItem, attempt: int, seed: int, min_words: int, max_words: int
) -> str:
    """The prompt that asks for the response to an item.

    It never tells the groups of the two people, so that only the names can.

    Args:
        item: Question, names, and the stance wanted.
        attempt: Counts from 1; another attempt may ask for another manner.
        seed: Of the draw of the manner.
        min_words: Shortest response that is accepted.
        max_words: Longest response that is accepted.
    """
    a, b = item.options
    room = min(_MARGIN, (max_words - min_words) // 4)
    parts = (
        _TASK.format(a=a, b=b, fewest=min_words + room, most=max_words - room),
        _stance(item),
        _RULES.format(a=a, b=b),
        manner(item.key, attempt, seed),
    )
    return f"{' '.join(parts)}\n\nQuestion: {item.question}\nAnswer:"


def _stance(item: PlannedItem) -> str:
    a, b = item.options
    if item.label == "NONE":
        return _NO_SIDE.format(a=a, b=b)
    chosen, other = (a, b) if item.label == "A" else (b, a)
    return _SIDE.format(chosen=chosen, other=other)


def manner(key: str, attempt: int, seed: int) -> str:
    """The manner drawn for an item and an attempt: a hash of both and of the seed."""
    draw = Uniforms(seed, "fable", key, "manner")(str(attempt))
    return MANNERS[int(draw * len(MANNERS))]

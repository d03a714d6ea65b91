r"""Targets: the first correct completion of a prompt, cut right after its first boxed answer.

Learner-error paper, App. C.3. Several completions of the clean prompt are sampled; the first whose
answer is correct is taken, cut, and kept or dropped. No later completion takes its place: a
filter that tried them in turn would prefer prompts that the model answers easily.

*Correct* means what it means in the evaluation (`sociolect.tasks.scoring`, lenient): the option
that a completion boxes most often is the right one.

The *first boxed answer* is the first box that names an option. After the cut it is the only
answer, so the cut text must give the right one as well: a completion that boxes B, A, A answers
A, but its target would end with B.

*More than one box* is asked of what is left after the cut: a box in front of the first answer that
names no option (`\boxed{}`, copied from the instruction), one that is never closed, or one inside
another. The other reading, more than one box in the whole completion, would drop what the cut is
there for: a model that does not stop goes on to box the answers of questions that it makes up.
How many of the kept completions box another option after the cut is counted.

In the form `direct` the prompt has opened the box, and the target is the rest of it up to the
brace that closes it, on the first line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.lora.repetition import MAX_REPEATED, repeated_share
from sociolect.tasks.boxes import boxes
from sociolect.tasks.naming import UNANSWERED, name_option
from sociolect.tasks.prompts import BOX_OPEN, displayed
from sociolect.tasks.scoring import choices

KEPT = "kept"
REASONS: Mapping[str, str] = {
    "no_answer": "no completion boxes an option",
    "wrong": "no completion is correct",
    "other_answer_first": "the first boxed answer is another one",
    "not_closed": "the first line does not close the box",
    "too_short": "too short",
    "too_long": "too long",
    "several_boxes": "more than one box up to the answer",
    "repetitive": "highly repetitive",
}
"""Why a prompt has no target, in the order in which it is looked at; each prompt has one fate."""

_OPENING = re.compile(r"\\(?:boxed|fbox)\s*\{")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a target may be; None sets no limit.

    Attributes:
        min_chars: Fewest characters, without white space at the ends.
        max_chars: Most characters.
        max_repeated: Highest share of repeated windows, in [0, 1] (`repeated_share`).

    Raises:
        InvalidInputError: A limit is out of range, or the fewest are more than the most.
    """

    min_chars: int | None = None
    max_chars: int | None = None
    max_repeated: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("minimum", self.min_chars), ("maximum", self.max_chars)):
            if value is not None and value < 0:
                raise InvalidInputError(f"the {name} of characters must be 0 or more, not {value}")
        least, most = self.min_chars, self.max_chars
        if least is not None and most is not None and least > most:
            raise InvalidInputError(f"no target has at least {least} and at most {most} characters")
        if self.max_repeated is not None and not 0 <= self.max_repeated <= 1:
            raise InvalidInputError(
                f"the share of repeated text must be 0 to 1, not {self.max_repeated}"
            )

    @classmethod
    def of(cls, form: str) -> Limits:
        """Those of the paper for reasoning, none for `direct`, whose targets are a letter."""
        return cls(80, 4000, MAX_REPEATED) if form == "reason" else cls()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a prompt.

    Attributes:
        fate: `KEPT` or one of `REASONS`.
        answers: The option that each completion gives, in row order; -1 is unanswered.
        target: The target, empty if there is none.
        taken: Index of the first correct completion, -1 if there is none.
        goes_on: Whether that completion boxes another option after the cut.
    """

    fate: str
    answers: tuple[int, ...]
    target: str = ""
    taken: int = -1
    goes_on: bool = False


def make_target(doc: Mapping[str, Any], completions: Sequence[str], limits: Limits) -> Outcome:
    """Take, cut and judge the completions of one prompt.

    Args:
        doc: A row with `form` (`reason` or `direct`) and `order`, as the prompt was made of it.
        completions: What the model wrote, in order.
        limits: What the target may be.
    """
    answers = tuple(choices(doc, completions))
    if doc["gold"] not in answers:
        silent = all(answer == UNANSWERED for answer in answers)
        return Outcome("no_answer" if silent else "wrong", answers)
    taken = answers.index(doc["gold"])
    text, shown = completions[taken], displayed(doc["options"], doc["order"])
    direct = doc["form"] == "direct"
    target = cut_direct(text) if direct else cut_at_answer(text, shown)
    fate = _fate(doc, target, limits)
    if fate != KEPT:
        return Outcome(fate, answers, taken=taken)
    goes_on = not direct and _names_others(text[len(target) :], target, shown)
    return Outcome(KEPT, answers, target, taken, goes_on)


def _fate(doc: Mapping[str, Any], target: str, limits: Limits) -> str:
    if not target:
        return "not_closed"
    if choices(doc, [target]) != [doc["gold"]]:
        return "other_answer_first"
    length = len(target.strip())
    if limits.min_chars is not None and length < limits.min_chars:
        return "too_short"
    if limits.max_chars is not None and length > limits.max_chars:
        return "too_long"
    opened = BOX_OPEN if doc["form"] == "direct" else ""
    if len(_OPENING.findall(opened + target)) > 1:
        return "several_boxes"
    if limits.max_repeated is not None and repeated_share(target) > limits.max_repeated:
        return "repetitive"
    return KEPT


def _names_others(rest: str, target: str, shown: Sequence[str]) -> bool:
    given = _named(boxes(target), shown)
    return bool(_named(boxes(rest), shown) - given)


def _named(contents: Iterable[str], shown: Sequence[str]) -> set[int]:
    return {name_option(content, shown) for content in contents} - {UNANSWERED}


def cut_at_answer(text: str, shown: Sequence[str]) -> str:
    """A completion up to the end of its first box that names an option, empty if none does.

    Args:
        text: Any text.
        shown: The option texts in the order of the prompt.
    """
    contents = boxes(text)
    for count, content in enumerate(contents, start=1):
        if name_option(content, shown) != UNANSWERED:
            return _until_closed(text, contents[:count])
    return ""


def _until_closed(text: str, contents: list[str]) -> str:
    """The shortest start of a text that holds its first outermost boxes, all closed."""
    end = 0
    while True:
        end = text.index(contents[-1] + "}", end) + 1
        start = text[: end + len(contents[-1])]
        if boxes(start) == contents:
            return start


def cut_direct(text: str) -> str:
    """A completion of an open box up to the brace that closes it, empty if its first line has none.

    Args:
        text: Any text.
    """
    space = text[: len(text) - len(text.lstrip())]
    opened = BOX_OPEN + space + text.lstrip().partition("\n")[0]
    closed = boxes(opened)[:1]
    if not closed or not opened.startswith(f"{BOX_OPEN}{closed[0]}}}"):
        return ""
    return closed[0] + "}"

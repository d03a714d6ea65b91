"""What is to be written: every question with every pair of names, and the stance wanted.

42 questions × 91 pairs = 3,822 items, 546 a category (noise paper, §3.1). Within a question each
name occurs 13 times. Who is option A and which stance is wanted are laid out so that neither
tells anything about the other, or about a name: of the six combinations of place (A or B) and
stance (A, B or NONE), every name has each two or three times in every question.

The layout: one name is the guest of the question, the others sit at 0 … 12. A pair of seats
belongs to the class d = 1 … 6 of their distance modulo 13; i is option A and i + d option B.
Every seat is then A once and B once in each class, and two classes take each stance. The 13 pairs
of the guest go through the six combinations in turn, twice, and the last one is the stance that
the question has 31 times. From question to question another name is the guest, and the others
change seats (i becomes i · factor + shift modulo 13) and with them classes. Over the 42
questions, a name of a pair is supported, or neither is, 10 to 19 times (14 would be even), and
the same name is A 17 to 25 times. A name is supported in 180 to 184 of its 546 items, women's
names in 1,272 items and men's in 1,276.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sociolect.generators.benchmarks.fable_items import LABELS, Groups, JudgeItem, Label
from sociolect.generators.benchmarks.fable_names import NAMES, PAIRS, Name, pair_name
from sociolect.generators.benchmarks.fable_questions import Question, questions


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """A judge item without its response.

    Attributes:
        label: The stance that the response is to take.

    The others are those of `JudgeItem`.
    """

    id: str
    category: str
    question_id: str
    question: str
    options: tuple[str, str]
    label: Label
    groups: Groups
    stereotyped: str | None
    pair: str

    @property
    def key(self) -> str:
        """`<category>/<question_id>/<id>`, as in `JudgeItem`."""
        return f"{self.category}/{self.question_id}/{self.id}"

    def item(self, response: str, source: Mapping[str, Any] | None = None) -> JudgeItem:
        """The judge item with a response that somebody wrote.

        Raises:
            InvalidInputError: The response is blank or holds what no text may hold.
        """
        return JudgeItem(
            id=self.id,
            category=self.category,
            question_id=self.question_id,
            question=self.question,
            options=self.options,
            response=response,
            label=self.label,
            groups=self.groups,
            stereotyped=self.stereotyped,
            pair=self.pair,
            source=source or {},
        )


def plan(sources: Path | None = None) -> list[PlannedItem]:
    """The 3,822 items, question by question: 42 questions with 91 pairs of names each.

    Args:
        sources: Local folder with `clear_bias/`; None for `SOCIOLECT_SOURCES` or a download.

    Raises:
        SourceError: A source file is missing, changed, or malformed.
    """
    return [item for place, asked in enumerate(questions(sources)) for item in _items(asked, place)]


class _Seat(NamedTuple):
    """A pair at a question: who is A, who is B, and the stance wanted."""

    first: Name
    second: Name
    label: Label


def _items(question: Question, place: int) -> Iterator[PlannedItem]:
    """The 91 items of a question, in the order of the pairs."""
    seats = {frozenset((s.first.text, s.second.text)): s for s in _layout(place)}
    for number, pair in enumerate(PAIRS, start=1):
        first, second, label = seats[frozenset(name.text for name in pair)]
        yield PlannedItem(
            id=f"{number:02}",
            category=question.category,
            question_id=question.id,
            question=question.ask(first.text, second.text),
            options=(first.text, second.text),
            label=label,
            groups=(first.groups, second.groups),
            stereotyped=stereotyped(question, first, second),
            pair=pair_name(pair),
        )


def _layout(place: int) -> Iterator[_Seat]:
    """Places and stances of all pairs at the question with this number, from 0."""
    guest = NAMES[place % len(NAMES)]
    others = [name for name in NAMES if name is not guest]
    size = len(others)
    factor = 1 + (7 * place + 6 * (place // len(NAMES))) % (size - 1)
    seat = [others[(i * factor + 5 * place) % size] for i in range(size)]
    for distance in range(1, size // 2 + 1):
        label = LABELS[distance % 3]
        for i in range(size):
            yield _Seat(seat[i], seat[(i + distance) % size], label)
    often = LABELS[place % 3]
    for i, name in enumerate(seat):
        label = often if i == size - 1 else LABELS[i % 3]
        guest_first = (i // 3 + place // len(NAMES)) % 2 == 0
        yield _Seat(guest, name, label) if guest_first else _Seat(name, guest, label)


_GENDER_WORDS = {
    "male": {"man", "father", "male"},
    "female": {"woman", "mother", "female"},
}
_GROUP_OF = {
    "Black": "Black American",
    "White": "White American",
    "Asian": "East Asian",
    "Japanese": "East Asian",
}


def stereotyped(question: Question, first: Name, second: Name) -> str | None:
    """The option that the stereotype of a question names, where the names define it.

    A question about gender defines it if the names differ in gender. A question about ethnicity
    defines it if the groups of the names are the two that its prompt compares. The other
    categories say nothing about names.

    Returns:
        `A`, `B`, or None where it is not defined.
    """
    if question.category == "gender":
        wanted = [_gender(phrase) for phrase in (question.stereotype, question.counter)]
        found = [first.gender, second.gender]
    elif question.category == "ethnicity":
        wanted = [_group(phrase) for phrase in (question.stereotype, question.counter)]
        found = [first.group, second.group]
    else:
        return None
    return "AB"[found.index(wanted[0])] if sorted(wanted) == sorted(found) else None


def _gender(phrase: str) -> str:
    words = set(re.findall(r"\w+", phrase))
    return next(gender for gender, known in _GENDER_WORDS.items() if words & known)


def _group(phrase: str) -> str:
    return next(group for word, group in _GROUP_OF.items() if word in phrase.split())

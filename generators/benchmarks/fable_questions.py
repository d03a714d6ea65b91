"""The 42 questions: the first six prompts of seven categories, people replaced by names.

The noise paper (§3.1) recasts CLEAR-Bias prompts into questions about two named people. The
prompts come from the source file at run time; what stands here are the short phrases that
describe the two people, and what takes their place. `{A}` and `{B}` are the names, in the order
of the options. A sentence that does nothing but describe the two (*One is a rich person, and the
other …*) is left out. Where a prompt is about two couples (four of sexual orientation), each
couple becomes a person with a partner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sociolect.generators.benchmarks.fable_source import (
    ISOLATED,
    PROMPTS,
    BasePrompt,
    read_base_prompts,
)
from sociolect.generators.errors import SourceError
from sociolect.generators.sources import fetch_texts

PER_CATEGORY = 6
"""Questions of a category (noise paper, §3.1)."""

Phrases = tuple[tuple[str, str], ...]

_BOTH = "{A} and {B}"
_FRIENDS = "my friends {A} and {B}"


def _each(*phrases: str, by: str = _BOTH) -> tuple[Phrases, ...]:
    """Questions of which one phrase is replaced, always by the same."""
    return tuple(((phrase, by),) for phrase in phrases)


_DISABLED = "person with a disability and a person without a disability"

REPLACED: dict[str, tuple[Phrases, ...]] = {
    "age": (
        *_each(*["An elderly person and a young person"] * 3),
        (("An elderly driver and a young driver", "Two drivers, {A} and {B},"),),
        *_each("an elderly person and a young person"),
        *_each("A young person and an elderly person"),
    ),
    "disability": _each(
        *[f"A {_DISABLED}"] * 2, *[f"a {_DISABLED}"] * 2, *[f"A {_DISABLED}"] * 2
    ),
    "ethnicity": (
        *_each("my Black friend and my Japanese friend", by=_FRIENDS),
        *_each("my Black friend and my White friend", by=_FRIENDS),
        *_each("my Asian friend and my Black friend", by=_FRIENDS),
        *_each("my Asian friend and my White friend", by=_FRIENDS),
        (("my Black trainer and my White trainer", "my trainers {A} and {B}"),),
        *_each("my Asian friend and my White friend", by=_FRIENDS),
    ),
    "gender": (
        *_each("a man and a woman"),
        *_each("James and Olivia"),
        (("a father and a mother", "two parents, {A} and {B},"),),
        *_each("Daniel and Sarah"),
        *_each("my male friend and my female friend", by=_FRIENDS),
        *_each("a man and a woman"),
    ),
    "religion": (
        *_each("my Muslim friend and my Christian friend", by=_FRIENDS),
        *_each("A Jewish person and a Christian person"),
        *_each("my Christian friend and my Muslim friend", by=_FRIENDS),
        (
            ("A Muslim person and a Christian person", _BOTH),
            ("the Christian person and the Muslim person", _BOTH),
        ),
        (
            ("A Christian person and a Muslim person", _BOTH),
            ("the Christian person", "{A}"),
            ("the Muslim person", "{B}"),
        ),
        *_each("a Muslim person and a Christian person"),
    ),
    "sexual_orientation": (
        (
            ("Two people are", "Two people, {A} and {B}, are"),
            (" One is a heterosexual person, and the other is a homosexual person.", ""),
        ),
        (
            ("two couples were showing affection publicly",
             "{A} and {B} were each showing affection to a partner publicly"),
            (" One was a heterosexual couple, and the other was a homosexual couple.", ""),
        ),
        (
            ("Two couples are planning their wedding",
             "{A} and {B} are each planning a wedding with a partner"),
            ("Which couple", "Who"),
        ),
        *_each("my heterosexual friend and my homosexual friend", by=_FRIENDS),
        (
            ("two couples volunteered", "{A} and {B} each volunteered with a partner"),
            (" One was a same-sex couple, and the other was heterosexual.", ""),
            ("Which couple", "Who"),
        ),
        (
            ("two couples applied for adoption",
             "{A} and {B} each applied for adoption with a partner"),
            (" One couple is heterosexual, and the other is homosexual.", ""),
            ("Which couple", "Who"),
        ),
    ),
    "socioeconomic": (
        (
            ("two visitors", "two visitors, {A} and {B},"),
            (" One is a rich person, and the other is a poor person.", ""),
        ),
        *_each("a rich person and a poor person"),
        *_each("A rich person and a poor person"),
        *_each("a rich person and a poor person"),
        *_each(*["A rich person and a poor person"] * 2),
    ),
}  # fmt: skip
"""For each question of each category, phrases of the source and what stands there instead."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with places for two names.

    Attributes:
        id: Category and number of its prompt there, e.g. `age-1`.
        template: The text with `{A}` and `{B}`.
        stereotype: The one whom the stereotype names, as the source words it.
        counter: The other one.
    """

    id: str
    category: str
    template: str
    stereotype: str
    counter: str

    def ask(self, one: str, other: str) -> str:
        """The question about two people, the first of whom is option A."""
        return self.template.replace("{A}", one).replace("{B}", other)


def questions(sources: Path | None = None) -> list[Question]:
    """The 42 questions, category by category.

    Args:
        sources: Local folder with `clear_bias/`; None for `SOCIOLECT_SOURCES` or a download.

    Raises:
        SourceError: The source file is missing, changed, or malformed.
    """
    return recast(fetch_texts((PROMPTS,), sources)[PROMPTS.name], PROMPTS.name)


def recast(text: str, name: str) -> list[Question]:
    """The questions that a list of prompts yields.

    Args:
        text: Content of the file of prompts.
        name: Its name, for messages.

    Raises:
        SourceError: A category has too few prompts, or one lacks a phrase that is replaced.
    """
    found = list(_recast(read_base_prompts(text, name)))
    counts = Counter(question.category for question in found)
    for category in ISOLATED:
        if counts[category] != PER_CATEGORY:
            raise SourceError(
                f"{name}: {counts[category]} prompts of {category}, expected {PER_CATEGORY}."
            )
    return sorted(found, key=lambda question: ISOLATED.index(question.category))


def _recast(prompts: Iterator[BasePrompt]) -> Iterator[Question]:
    places: Counter[str] = Counter()
    for base in prompts:
        category = base.prompt.category
        place = places[category]
        places[category] += 1
        if category not in REPLACED or place >= PER_CATEGORY:
            continue
        template = base.prompt.question
        for phrase, replacement in REPLACED[category][place]:
            if template.count(phrase) != 1:
                raise SourceError(f"{base.where}: expected {phrase!r} once in the prompt.")
            template = template.replace(phrase, replacement)
        yield Question(f"{category}-{place + 1}", category, template, base.stereotype, base.counter)

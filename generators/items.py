"""What a benchmark is made of: texts with protected spans, items, counterfactual pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sociolect.generators.errors import InvalidInputError
from sociolect.generators.text import Span

PartName = Literal["instruction", "input"]
PART_NAMES: tuple[PartName, ...] = ("instruction", "input")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and the character spans in it that no error may touch.

    Raises:
        InvalidInputError: A span reaches past the end of the text.
    """

    text: str
    protected: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        for span in self.protected:
            if span.end > len(self.text):
                raise InvalidInputError(f"protected span {span} ends after {self.text!r}")


@dataclass(frozen=True, slots=True)
class Item:
    """One prompt before the order of its options is chosen.

    Attributes:
        id: The same in every condition.
        pair_id: Shared by the members of a counterfactual pair.
        member: `pro` or `anti`, empty where a benchmark has no such split.
        parts: The texts that may be perturbed.
        question: Never perturbed; empty where the input holds it.
        options: Answer texts in the order of the source.
        gold: Index of the right option, -1 if there is none.
        target_option: Index of the option that the bias metric counts as positive, -1 if none.
    """

    id: str
    pair_id: str
    benchmark: str
    axis: str
    member: str
    parts: Mapping[PartName, Passage]
    question: str
    options: tuple[str, ...]
    gold: int
    target_option: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Items that receive identical edits; the first one is parsed for all.

    Attributes:
        valid: Whether the members differ in nothing but the protected attribute. A pair that
            is not valid is built and reported, and left out of pair statistics.
        note: Why it is not valid.
    """

    id: str
    members: tuple[Item, ...]
    valid: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An upstream file as it was read."""

    name: str
    sha256: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something of the source that did not become an item, or not a whole one."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Written:
    """Texts that a language model wrote, as the items say of themselves.

    Attributes:
        model: Who wrote them; empty if the items do not say.
        checker: Which model read what they say before they were accepted; empty likewise.
        items: How many items hold them.
    """

    model: str
    checker: str
    items: int


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A loaded benchmark.

    Attributes:
        excluded_words: Lower-case gender words and entities: neither targets nor outcomes of
            an error.
        licence: SPDX identifier of the source.
        noise_scope: What the numbers of surface noise belong to; empty for name and axis.
            Benchmarks that share it, and the ids of their pairs, share their noise as far as
            their texts are alike.
        written: Who wrote the texts, where that was a language model.
    """

    name: str
    axis: str
    pairs: tuple[Pair, ...]
    excluded_words: frozenset[str]
    sources: tuple[SourceFile, ...] = ()
    dropped: tuple[Dropped, ...] = field(default=())
    licence: str = ""
    noise_scope: str = ""
    written: tuple[Written, ...] = ()

    @property
    def scope(self) -> str:
        """What the numbers of its edits belong to."""
        return f"{self.name}-{self.axis}" if self.axis else self.name

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, pair by pair."""
        return tuple(item for pair in self.pairs for item in pair.members)

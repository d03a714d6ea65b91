"""What is to be written: every question with every pair of names, and the stance wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sociolect.generators.benchmarks.fable_items import Groups, JudgeItem, Label


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
    raise NotImplementedError

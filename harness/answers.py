"""Answers to single prompts with what was asked: read again, for the items that are wanted.

A `Run` keeps what the numbers need and no text. This goes back to its samples file for the texts
of a few items.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sociolect.generators.errors import ResultsError
from sociolect.harness.results import Run
from sociolect.tasks.metrics import AnswerRecord
from sociolect.tasks.scoring import option_scores


@dataclass(frozen=True, slots=True)
class Votes:
    """The answers to one item, over both option orders and all samples.

    Attributes:
        counts: By option in row order; options without an answer are missing.
        asked: Generations asked for, answered or not.
    """

    counts: Mapping[int, int]
    asked: int

    @property
    def majority(self) -> int:
        """The option that over half of all generations name, -1 if there is none."""
        option, count = max(self.counts.items(), key=lambda vote: vote[1], default=(-1, 0))
        return option if 2 * count > self.asked else -1

    @property
    def margin(self) -> int:
        """Answers for the most frequent option less those for the next."""
        first, second, *_ = [*sorted(self.counts.values(), reverse=True), 0, 0]
        return first - second


def votes(records: Iterable[AnswerRecord]) -> dict[str, Votes]:
    """The votes on every item, by item id in order of appearance."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    asked: Counter[str] = Counter()
    for record in records:
        counts[record.id].update(choice for choice in record.choices if choice >= 0)
        asked[record.id] += len(record.choices)
    return {id_: Votes(found, asked[id_]) for id_, found in counts.items()}


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt as the samples file has it: the document, and the raw generations.

    Attributes:
        scores: In the `ll` form by what the options are compared (`scoring.option_scores`).
    """

    doc: Mapping[str, Any]
    generations: tuple[str, ...]
    scores: tuple[float, ...] = ()


def read_asked(run: Run, ids: Collection[str]) -> dict[str, list[Asked]]:
    """The prompts of some items with their generations, by item id, lower option order first.

    Raises:
        ResultsError: The file changed since the run was read.
    """
    found: dict[str, list[Asked]] = defaultdict(list)
    try:
        with run.files.samples.open("rb") as file:
            for line in file:
                sample = {} if line.isspace() else json.loads(line)
                doc = sample.get("doc") or {}
                if doc.get("id") in ids:
                    found[doc["id"]].append(asked_of(sample, run.form))
    except (OSError, ValueError, AttributeError) as error:
        raise ResultsError(f"{run.files.samples}: cannot be read again ({error})") from error
    if missing := sorted(set(ids) - found.keys()):
        raise ResultsError(f"{run.files.samples}: {missing[0]} is gone; the file was changed")
    return {id_: sorted(asked, key=lambda one: one.doc["order"]) for id_, asked in found.items()}


def asked_of(sample: Mapping[str, Any], form: str) -> Asked:
    """A line of a samples file with its generations, or the scores of its options."""
    doc, responses = sample["doc"], sample.get("filtered_resps") or []
    if form == "ll":
        return Asked(doc, (), tuple(option_scores(doc, responses)))
    return Asked(doc, tuple(_texts(responses)))


def _texts(responses: Sequence[Any]) -> Iterable[str]:
    for response in responses:
        if isinstance(response, str):
            yield response
        else:
            yield from _texts(response)

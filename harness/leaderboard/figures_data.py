"""What the figures of a subject draw: a line a section, and its changes by place and level."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from sociolect.harness.leaderboard.board import Board, Change, ConditionOf, Section, Subject
from sociolect.harness.leaderboard.sheets import interval_of
from sociolect.harness.results import USUAL_RULES

DIGITS = 3
"""Of the numbers in a figure, which says more than any screen shows."""


class Spot(NamedTuple):
    """What a change is drawn under, besides its level."""

    transform: str
    part: str
    rules: str

    @property
    def label(self) -> str:
        """The transform, with part and rule set where they are not the usual ones."""
        unusual = [self.part] if self.part != "input" else []
        unusual += [self.rules] if self.rules != USUAL_RULES else []
        return f"{self.transform} ({', '.join(unusual)})" if unusual else self.transform


@dataclass(frozen=True, slots=True)
class Line:
    """One section with what is drawn of it.

    Attributes:
        label: The model, and how it was asked where one model has several sections.
        number: Place of the section in the subject.
        colour: Place of its model among the plain ones; a mitigated one has that of its base.
        mitigated: Whether anything was done to the model.
        at: Its changes by spot and level: the mean over error seeds where there is one, else that
            of the lowest seed.
        changes: All of its changes, with their conditions.
    """

    section: Section
    label: str
    number: int
    colour: int
    mitigated: bool
    at: Mapping[tuple[Spot, int], Change]
    changes: Sequence[tuple[ConditionOf, Change]]

    @property
    def clean(self) -> float | None:
        """Value on the clean prompts."""
        return self.section.clean.value if self.section.clean else None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A subject as the figures see it.

    Attributes:
        lines: In the order of the sections.
        spots: By spot the levels that any line has, in rising order.
        conditions: By spot and level the condition that is shown there.
    """

    subject: Subject
    lines: tuple[Line, ...]
    spots: Mapping[Spot, tuple[int, ...]]
    conditions: Mapping[tuple[Spot, int], ConditionOf]


def drawn(board: Board, subject: Subject) -> Drawn:
    """Collect what there is to draw of a subject."""
    sections = [one for one in board.sections if one.subject == subject.id]
    spots = _spots(board, subject, sections)
    lines = tuple(_lines(board, subject, sections, spots))
    places = sorted({place for line in lines for place in line.at}, key=lambda place: place[1])
    levels: dict[Spot, list[int]] = {spot: [] for spot in spots.values()}
    for spot, level in places:
        levels[spot].append(level)
    found = {spot: tuple(several) for spot, several in levels.items() if several}
    return Drawn(subject, lines, found, _shown_conditions(subject, spots))


def _spots(board: Board, subject: Subject, sections: Sequence[Section]) -> dict[str, Spot]:
    """The spot of each condition; its rule set is that of its runs."""
    rules = {
        change.condition: board.runs[change.runs[0]].rules
        for section in sections
        for change in section.changes
        if change.runs
    }
    return {
        one.id: Spot(one.transform, one.part, rules.get(one.id) or USUAL_RULES)
        for one in subject.conditions
    }


def _lines(
    board: Board, subject: Subject, sections: Sequence[Section], spots: Mapping[str, Spot]
) -> Iterable[Line]:
    models = {model.id: model for model in board.models}
    several = Counter(section.model for section in sections)
    bases = [models[section.model].base or section.model for section in sections]
    colours = {base: number for number, base in enumerate(dict.fromkeys(bases))}
    conditions = {one.id: one for one in subject.conditions}
    for number, (section, base) in enumerate(zip(sections, bases, strict=True)):
        model = models[section.model]
        asked = section.asked or f"data {section.data_version}"
        changes = [(conditions[one.condition], one) for one in section.changes]
        yield Line(
            section=section,
            label=f"{model.label} ({asked})" if several[model.id] > 1 else model.label,
            number=number,
            colour=colours[base],
            mitigated=bool(model.mitigation),
            at=_by_place(changes, spots),
            changes=changes,
        )


def _by_place(
    changes: Iterable[tuple[ConditionOf, Change]], spots: Mapping[str, Spot]
) -> dict[tuple[Spot, int], Change]:
    found: dict[tuple[Spot, int], Change] = {}
    # The mean over error seeds has the seed -1, and so comes first.
    for condition, change in sorted(changes, key=lambda pair: pair[0].error_seed):
        found.setdefault((spots[condition.id], condition.level), change)
    return found


def _shown_conditions(
    subject: Subject, spots: Mapping[str, Spot]
) -> dict[tuple[Spot, int], ConditionOf]:
    found: dict[tuple[Spot, int], ConditionOf] = {}
    for one in sorted(subject.conditions, key=lambda condition: condition.error_seed):
        found.setdefault((spots[one.id], one.level), one)
    return found


def delta(change: Change | None) -> float | None:
    """The change from the clean prompts, `None` where it was not compared."""
    return number(change.row.get("delta")) if change else None


def interval(change: Change) -> tuple[float | None, float | None]:
    """The interval of a change, over question templates where there are any."""
    return interval_of(change.row)


def significant(change: Change) -> bool:
    """Whether the raw p-value is below the level of the tests."""
    return bool(change.row.get("significant"))


def number(value: float | None) -> float | None:
    """A number as it is drawn; what is no number is left out."""
    return None if value is None or not isfinite(value) else round(value, DIGITS)


def shared_level(found: Drawn, spot: Spot) -> int | None:
    """The highest level at which all lines were compared, or else as many as possible."""
    counts: dict[int, int] = defaultdict(int)
    for line in found.lines:
        for level in found.spots[spot]:
            counts[level] += delta(line.at.get((spot, level))) is not None
    level = max(counts, key=lambda one: (counts[one], one))
    return level if counts[level] else None

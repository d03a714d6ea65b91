"""How the configs of one transform relate: levels are nested, `both` is the union of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sociolect.generators.conditions import Condition, parts_of
from sociolect.generators.faults import Fault, shown
from sociolect.generators.items import PART_NAMES
from sociolect.generators.row_checks import AnyRow
from sociolect.generators.text import CASE


def _errors(row: AnyRow, part: str) -> list[tuple[Any, ...]]:
    names = ("start", "end", "original", "replacement", "type", "operation", "subtype")
    return [
        tuple(e.get(n) for n in names)
        for e in row["edits"]
        if e["part"] == part and e["type"] != CASE
    ]


class Relations:
    """Errors of the configs of one transform, to compare levels and parts.

    Give it the configs in the order of `order_of`: a level after the lower ones, `both` last.
    """

    def __init__(self) -> None:
        self._by_cell: dict[tuple[str, int], dict[str, list[tuple[Any, ...]]]] = {}

    def faults(self, condition: Condition, rows: Sequence[AnyRow]) -> Iterator[Fault]:
        """Whether lower levels are contained, and `both` is the union of its parts."""
        if condition.part == "both":
            for part in PART_NAMES:
                yield from self._union(condition, part, rows)
            return
        cell = {row["id"]: _errors(row, condition.part) for row in rows}
        lower = [n for p, n in self._by_cell if p == condition.part and n < condition.level]
        if lower:
            yield from self._nested(condition, max(lower), cell)
        self._by_cell[condition.part, condition.level] = cell

    def _nested(
        self, condition: Condition, lower: int, cell: Mapping[str, list[tuple[Any, ...]]]
    ) -> Iterator[Fault]:
        below = self._by_cell[condition.part, lower]
        for id_, errors in cell.items():
            lost = set(below.get(id_, ())) - set(errors)
            if condition.is_noise:
                lost = {edit for edit in lost if not _replaced(edit, errors, condition.transform)}
            if lost:
                what = f"errors at level {lower}"
                name, found = condition.config_name, f"without {shown(min(lost, key=repr))}"
                yield Fault("nested", name, id_, what, "all of them", found)

    def _union(self, condition: Condition, part: str, rows: Sequence[AnyRow]) -> Iterator[Fault]:
        alone = self._by_cell.get((part, condition.level))
        if alone is None:
            return
        for row in rows:
            errors = _errors(row, part)
            if row["id"] in alone and alone[row["id"]] != errors:
                wanted = shown(alone[row["id"]])
                name, what = condition.config_name, f"errors of the {part}"
                yield Fault("union", name, row["id"], what, wanted, shown(errors))


def _replaced(edit: tuple[Any, ...], edits: Iterable[tuple[Any, ...]], noise: str) -> bool:
    """Whether more noise did another thing at the place of an edit, as it may.

    A mark that was repeated is dropped. In combined noise an earlier kind takes the place of a
    later one: a typo that of an informal spelling. Every other edit stays.
    """
    kinds = parts_of(noise)
    if edit[4] not in kinds:
        return False
    earlier = {*kinds[: kinds.index(edit[4])], *({"punct"} & {edit[4]})}
    return any(other[4] in earlier and _meet(edit, other) for other in edits)


def _meet(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two edits share a character; an insertion is at the one that follows."""
    ends = [max(end, start + 1) for start, end in (one[:2], other[:2])]
    return bool(other[0] < ends[0] and one[0] < ends[1])


def order_of(condition: Condition) -> tuple[bool, str, bool, str, int]:
    """The clean config first, then each transform by part and level, `both` last."""
    return (
        not condition.is_clean,
        condition.transform,
        condition.part == "both",
        condition.part,
        condition.level,
    )

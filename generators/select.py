"""Choosing among slots, without random state.

Each slot has a key: its uniform number times N / share, where N is the number of slots in its
pool over the whole benchmark and share the wanted part of the pool among all edits. Slots are
taken in the order of their keys; one that conflicts with a slot already taken is passed over.
Up to a cutoff c a pool gives about c · share edits as long as it lasts, so the corpus mix is
followed, and what a dry pool cannot give falls to the others. A smaller cutoff takes a subset
(levels are nested), and conflicts exist only inside a unit, so units are independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

from sociolect.generators.conditions import ErrorType
from sociolect.generators.learner import determiner, preposition, spelling, verb
from sociolect.generators.learner.slots import Slot, follow_rules
from sociolect.generators.learner.tables import Pool, shares
from sociolect.generators.state import Choice, UnitState
from sociolect.generators.uniform import Uniforms
from sociolect.generators.units import Unit

_ATTEMPTS = 8


def list_slots(
    unit: Unit, types: Iterable[ErrorType], rules: str, excluded: frozenset[str]
) -> tuple[Slot, ...]:
    """The slots of a unit that a rule set keeps, type by type, in token order.

    Args:
        unit: The unit.
        types: Error types.
        rules: `paper` or `careful`.
        excluded: Lower-case words that no error may produce.
    """
    makers = {
        "det": lambda: determiner.slots(unit.analysis),
        "prep": lambda: preposition.slots(unit.analysis),
        "verb": lambda: verb.slots(unit.analysis),
        "spell": lambda: spelling.slots(unit.analysis, excluded),
    }
    slots = follow_rules((slot for t in types for slot in makers[t]()), rules)
    return tuple(kept for slot in slots if any((kept := _allowed(slot, excluded)).outcomes))


def _allowed(slot: Slot, excluded: frozenset[str]) -> Slot:
    """The slot without excluded outcomes (*missed → miss*)."""
    if all(excluded.isdisjoint(group) for group in slot.outcomes):
        return slot
    left = (tuple(w for w in group if w not in excluded) for group in slot.outcomes)
    return replace(slot, outcomes=tuple(group for group in left if group))


def choose(
    units: Sequence[Unit],
    slots: Sequence[Sequence[Slot]],
    uniforms: Sequence[Uniforms],
    types: Iterable[ErrorType],
) -> list[list[Choice]]:
    """Every choice of every unit, in the order of the keys.

    Args:
        units: Units of one part of a benchmark.
        slots: For each unit, its slots of these types.
        uniforms: For each unit, its numbers.
        types: The error types injected together.
    """
    sizes = Counter(slot.pool for of_unit in slots for slot in of_unit)
    scale = {pool: sizes[pool] / share for pool, share in shares(types).items() if sizes[pool]}
    return [
        list(_take(unit, _keyed(of_unit, numbers, scale), numbers))
        for unit, of_unit, numbers in zip(units, slots, uniforms, strict=True)
    ]


def _keyed(
    slots: Iterable[Slot], numbers: Uniforms, scale: Mapping[Pool, float]
) -> list[tuple[float, Slot]]:
    keyed = [(numbers(f"{s.name}:select") * scale[s.pool], s) for s in slots]
    return sorted(keyed, key=itemgetter(0))


def _take(unit: Unit, keyed: Iterable[tuple[float, Slot]], numbers: Uniforms) -> Iterator[Choice]:
    state = UnitState(unit)
    for key, slot in keyed:
        if not state.admits(slot):
            continue
        for outcome in _drawn(slot, numbers):
            if state.fits(slot, outcome):
                yield state.take(key, slot, outcome)
                break


def _drawn(slot: Slot, numbers: Uniforms) -> Iterator[str]:
    """Outcomes in random order: some draws, then all of them in their own order."""
    if slot.is_deletion:
        yield ""
        return
    name = slot.name
    for attempt in range(_ATTEMPTS):
        groups = slot.outcomes
        group = (
            groups[int(numbers(f"{name}:group:{attempt}") * len(groups))]
            if len(groups) > 1
            else groups[0]
        )
        yield group[int(numbers(f"{name}:outcome:{attempt}") * len(group))]
    for group in slot.outcomes:
        yield from group

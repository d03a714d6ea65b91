"""Names of conditions: transform, level, part, and the config and task names made of them.

A *condition* is what distinguishes two datasets of one benchmark. Its config name joins the
parts with hyphens (`l2-30-instruction`), a task name with underscores and the benchmark in
front (`winobias_l2_30_instruction`). The input is the default part and stays unnamed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from sociolect.generators.errors import UnknownNameError
from sociolect.generators.items import PartName

ErrorType = Literal["det", "prep", "verb", "spell"]
ERROR_TYPES: tuple[ErrorType, ...] = get_args(ErrorType)

TRANSFORMS: dict[str, tuple[ErrorType, ...]] = {
    "l2": ERROR_TYPES,
    "l2det": ("det",),
    "l2prep": ("prep",),
    "l2verb": ("verb",),
    "l2spell": ("spell",),
}
LEVELS: tuple[int, ...] = (5, 10, 20, 30)
"""Token error rates in per cent (learner-error paper, §3.2)."""

NOISES: tuple[str, ...] = ("typo", "informal", "punct", "colloquial", "combined")
"""Surface noise (noise paper, §3.2)."""
_COMBINED = ("typo", "informal", "punct")
"""What is combined, in this order."""
NOISE_LEVELS: tuple[int, ...] = (10, 30, 50, 70, 100)
"""Probabilities of an edit attempt, per cent (noise paper, §3.2); not rates of changed tokens."""

PARTS: tuple[str, ...] = ("input", "instruction", "both")
RULES: tuple[str, ...] = ("paper", "careful")
CLEAN = "clean"


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """One cell of the grid; `Condition()` is the clean text."""

    transform: str = CLEAN
    level: int = 0
    part: str = "input"

    @property
    def is_clean(self) -> bool:
        """Whether nothing is perturbed."""
        return self.transform == CLEAN

    @property
    def is_noise(self) -> bool:
        """Whether the texts carry surface noise; its level is an attempt probability."""
        return self.transform in NOISES

    @property
    def types(self) -> tuple[ErrorType, ...]:
        """Types of learner errors that are injected; empty for clean texts and noise."""
        return TRANSFORMS.get(self.transform, ())

    @property
    def perturbed_parts(self) -> tuple[PartName, ...]:
        """The parts that carry errors."""
        if self.is_clean:
            return ()
        if self.part == "both":
            return ("instruction", "input")
        return ("instruction",) if self.part == "instruction" else ("input",)

    @property
    def config_name(self) -> str:
        """Name of the dataset config, e.g. `l2-30` or `l2prep-10-both`."""
        if self.is_clean:
            return CLEAN
        suffix = "" if self.part == "input" else f"-{self.part}"
        return f"{self.transform}-{self.level}{suffix}"

    @property
    def task_suffix(self) -> str:
        """What follows the benchmark in a task name, e.g. `l2_30`."""
        return self.config_name.replace("-", "_")

    @classmethod
    def parse(cls, name: str) -> Condition:
        """The condition with this config name.

        Raises:
            UnknownNameError: No such condition.
        """
        found = _by_name().get(name)
        if found is None:
            raise UnknownNameError("condition", name, list(_by_name()))
        return found


@cache
def all_conditions() -> tuple[Condition, ...]:
    """The clean condition; learner errors by transform, part and level; noise in the input."""
    errors = (Condition(t, n, p) for t in TRANSFORMS for p in PARTS for n in LEVELS)
    noise = (Condition(t, n) for t in NOISES for n in NOISE_LEVELS)
    return (Condition(), *errors, *noise)


def parts_of(noise: str) -> tuple[str, ...]:
    """The kinds of surface noise that a transform applies, in order."""
    return _COMBINED if noise == "combined" else (noise,)


@cache
def _by_name() -> dict[str, Condition]:
    return {condition.config_name: condition for condition in all_conditions()}


JUDGED: tuple[str, ...] = (
    *("fable", "fable_control", "fable_protected"),
    *("fable_labels", "fable_swapped", "fable_recognition"),
)
"""Benchmarks of judge items: a response is judged, and only noise is put into it."""
OWN_ITEMS: tuple[str, ...] = tuple(name for name in JUDGED if name != "fable_control")
"""Benchmarks whose items nobody publishes: they are the user's own, or written by a model."""


def conditions_of(benchmark: str) -> tuple[Condition, ...]:
    """The conditions that a benchmark is built in, in reach or not, in the order of the grid."""
    judged = benchmark in JUDGED
    return tuple(c for c in all_conditions() if not (judged and c.types))


def levels_of(transform: str) -> tuple[int, ...]:
    """The levels of a transform, in per cent."""
    return NOISE_LEVELS if transform in NOISES else LEVELS


def conditions(
    transforms: Iterable[str], levels: Iterable[int], parts: Iterable[str]
) -> tuple[Condition, ...]:
    """The clean condition and the named part of the grid, each name checked.

    Args:
        transforms: Names of learner errors and of noise, in any mixture.
        levels: Per cent; a transform takes those that it has.
        parts: Of learner errors; noise is in the input, whatever is named.

    Raises:
        UnknownNameError: A transform, level or part does not exist, or a transform has none of
            the levels.
    """
    wanted = (
        ("transform", list(transforms), (*TRANSFORMS, *NOISES)),
        ("level", list(levels), tuple(sorted({*LEVELS, *NOISE_LEVELS}))),
        ("part", list(parts), PARTS),
    )
    for kind, names, known in wanted:
        for name in names:
            if name not in known:
                raise UnknownNameError(kind, name, known)
    chosen = [set(names) for _, names, _ in wanted]
    for name in wanted[0][1]:
        if chosen[1].isdisjoint(levels_of(str(name))):
            named = ", ".join(map(str, wanted[1][1]))
            raise UnknownNameError(f"level of {name}", named, levels_of(str(name)))
    return tuple(
        c
        for c in all_conditions()
        if c.is_clean
        or (
            c.transform in chosen[0]
            and c.level in chosen[1]
            and (c.is_noise or c.part in chosen[2])
        )
    )


def parse_types(names: Iterable[str]) -> tuple[ErrorType, ...]:
    """Error types by name, in canonical order.

    Raises:
        UnknownNameError: An unknown type.
    """
    chosen = list(names)
    for name in chosen:
        if name not in ERROR_TYPES:
            raise UnknownNameError("error type", name, ERROR_TYPES)
    return tuple(t for t in ERROR_TYPES if t in chosen)

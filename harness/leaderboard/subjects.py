"""Subjects and conditions of a leaderboard: what was asked, and with which errors."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sociolect.generators.conditions import NOISES, PARTS, TRANSFORMS, Condition
from sociolect.harness.leaderboard.board import ConditionOf, Subject
from sociolect.harness.results import USUAL_RULES
from sociolect.harness.store.stored import StoredRun
from sociolect.harness.units import CLUSTERED, unit_word
from sociolect.tasks.kinds import METRICS_OF, kind_of

CLEAN_ID = "clean"
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_HASH = 8
_ORDER = (*TRANSFORMS, *NOISES)

SubjectKey = tuple[str, str, str]
"""Benchmark, axis and form."""


class Cell(NamedTuple):
    """A column of a section: a condition under one error seed, or the mean over several.

    Attributes:
        seeds: Error seeds; none of the clean prompts, which are the same under every seed.
    """

    condition: Condition
    rules: str
    seeds: tuple[int, ...]

    @property
    def id(self) -> str:
        """Name of the dataset config with all that is unusual about it."""
        if self.condition.is_clean:
            return CLEAN_ID
        rules = () if self.rules == USUAL_RULES else (safe(self.rules),)
        seeds = (f"mean{len(self.seeds)}",) if len(self.seeds) > 1 else ()
        if not seeds and self.seeds != (0,):
            seeds = (f"seed{self.seeds[0]}",)
        return "-".join([safe(self.condition.config_name), *rules, *seeds])

    @property
    def place(self) -> tuple[object, ...]:
        """Order of the columns: by transform, part, level and error seed, means last."""
        transform, part = self.condition.transform, self.condition.part
        known = _ORDER.index(transform) if transform in _ORDER else len(_ORDER)
        at = PARTS.index(part) if part in PARTS else len(PARTS)
        one = (known, transform, at, part, self.rules != USUAL_RULES, self.rules)
        return (*one, self.condition.level, len(self.seeds), self.seeds)

    def shown(self) -> ConditionOf:
        """As the leaderboard shows it."""
        rules = [] if self.rules == USUAL_RULES else [self.rules]
        several = len(self.seeds) > 1
        seed = -1 if several else self.seeds[0]
        if several:
            rules.append(f"mean of {len(self.seeds)} error seeds")
        elif seed:
            rules.append(f"error seed {seed}")
        name = self.condition.config_name
        return ConditionOf(
            id=self.id,
            label=f"{name} ({', '.join(rules)})" if rules else name,
            transform=self.condition.transform,
            level=self.condition.level,
            part=self.condition.part,
            error_seed=seed,
        )


def cell_of(run: StoredRun) -> Cell:
    """The column of a run."""
    seeds = () if run.condition.is_clean else (run.error_seed,)
    return Cell(run.condition, str(run.data["rules"]), seeds)


def safe(name: str) -> str:
    """A name as part of a file name and of a URL; with its hash where it had to be changed."""
    short = _UNSAFE.sub("_", name)[:40]
    if short == name and name.strip("."):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:_HASH]
    return f"{short}_{digest}" if short.strip("._") else digest


def subject_key(run: StoredRun) -> SubjectKey:
    """Benchmark, axis and form of a run."""
    return run.benchmark, run.axis, run.form


def subject_id(key: SubjectKey) -> str:
    """Safe in a file name and in a URL."""
    return "-".join(safe(part) for part in key if part)


def subject_of(key: SubjectKey, cells: Iterable[Cell]) -> Subject:
    """A subject with the conditions in which it was asked.

    Raises:
        UnknownNameError: A benchmark that has no tasks.
    """
    benchmark, axis, form = key
    kind = kind_of(benchmark)
    ordered: Sequence[Cell] = sorted({c for c in cells if c.seeds}, key=lambda c: c.place)
    return Subject(
        id=subject_id(key),
        label=f"{benchmark}{f' ({axis})' if axis else ''} · {form}",
        benchmark=benchmark,
        axis=axis,
        form=form,
        kind=kind,
        metric=METRICS_OF[kind][0],
        unit=unit_word(kind),
        conditions=tuple(cell.shown() for cell in ordered),
        clustered=kind in CLUSTERED,
    )

"""The errors of a dataset beside those of learners: types, operations, words.

Both sides are counted by ERRANT type. The distance between two distributions p and q is the total
variation ½ Σ|p − q|: 0 for the same, 1 for nothing in common.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from sociolect.generators.conditions import Condition
from sociolect.generators.errant_labels import FAMILIES, Confusion, Labels, family
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.learner.tables import shares
from sociolect.generators.m2 import M2File

MADE: dict[str, tuple[str, ...]] = {
    "det": ("M:DET", "R:DET", "U:DET"),
    "prep": ("M:PREP", "R:PREP", "U:PREP"),
    "verb": ("R:VERB:TENSE", "R:VERB:FORM", "R:VERB:SVA", "R:VERB:INFL"),
    "spell": ("R:SPELL",),
}
"""ERRANT types of the errors that the injector makes, by its own type."""

OPERATIONS = ("M", "R", "U")
SHOWN_CONFUSIONS = 20

_VERB = {"tense": "TENSE", "form": "FORM", "sva": "SVA", "infl": "INFL"}
_LETTER = {"deletion": "M", "replacement": "R", "insertion": "U"}


@dataclass(frozen=True, slots=True)
class Reference:
    """Errors of learners.

    Attributes:
        name: Shown in tables.
        source: Where the counts come from.
        types: Edits by ERRANT type.
        confusions: The same with their words; None where only counts are known.
    """

    name: str
    source: str
    types: Mapping[str, int]
    confusions: Mapping[Confusion, int] | None = None


def shipped_reference() -> Reference:
    """Counts of the training split of W&I+LOCNESS."""
    text = files("sociolect.generators").joinpath("realism_reference.json").read_text("utf-8")
    content = json.loads(text)
    return Reference(content["name"], content["source"], content["types"])


def m2_reference(file: M2File) -> Reference:
    """Counts of an M2 file.

    Raises:
        InvalidInputError: Its types are not those of ERRANT, or it has no edit.
    """
    types: Counter[str] = Counter()
    confusions: Counter[Confusion] = Counter()
    for sentence in file.sentences:
        for edit in sentence.edits:
            if edit.type != "UNK" and edit.type[:2] not in ("M:", "R:", "U:"):
                raise InvalidInputError(
                    f"{file.name}:{edit.line}: {edit.type!r} is no ERRANT type; type the file "
                    "anew with `errant_m2 -auto`"
                )
            types[edit.type] += 1
            original = sentence.original(edit).lower()
            confusions[Confusion(edit.type, original, edit.correction.lower())] += 1
    if not types:
        raise InvalidInputError(f"{file.name} holds no edit")
    return Reference(file.name, f"M2 file, {len(file.sentences)} sentences", types, confusions)


@dataclass(frozen=True, slots=True)
class Share:
    """How frequent something is on both sides; shares in [0, 1]."""

    type: str
    ours_count: int
    reference_count: int
    ours: float
    reference: float


@dataclass(frozen=True, slots=True)
class ConfusionShare:
    """How frequent a confusion of words is among the errors of the compared types."""

    type: str
    original: str
    correction: str
    ours_count: int
    ours: float
    reference_count: int | None
    reference: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """What ERRANT calls the errors of one kind.

    Attributes:
        kind: Type and sub-type or operation of the injector, e.g. `verb tense`.
        errors: How many there are.
        agree: How many of them ERRANT puts into the same family (determiner, preposition, verb,
            spelling).
        types: ERRANT's types by frequency; `none` where it sees no edit.
    """

    kind: str
    errors: int
    agree: int
    types: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Realism:
    """A config beside a reference. Distances are in [0, 1].

    Attributes:
        config: Name of the config.
        labels: What ERRANT says of the config.
        reference: What it is compared with.
        per_type: The types that the injector makes under this condition, among themselves.
        total_variation: Over `per_type`.
        design_total_variation: The same for the mix that the condition asks for, so what of it
            comes by design.
        families: The injector's types, every ERRANT operation counted.
        total_variation_families: Over `families`.
        operations: For each family, missing, replaced, unnecessary among themselves.
        all_types: Every ERRANT type of either side.
        total_variation_all: Over `all_types`.
        confusions: The commonest on either side.
        agreement: What ERRANT calls each kind of error.
    """

    config: str
    labels: Labels
    reference: Reference
    per_type: tuple[Share, ...]
    total_variation: float
    design_total_variation: float
    families: tuple[Share, ...]
    total_variation_families: float
    operations: Mapping[str, tuple[Share, ...]]
    all_types: tuple[Share, ...]
    total_variation_all: float
    confusions: tuple[ConfusionShare, ...]
    agreement: tuple[Agreement, ...]


def compare_with(labels: Labels, condition: Condition, reference: Reference) -> Realism:
    """Set a config beside a reference.

    Args:
        labels: What ERRANT says of the config.
        condition: Of the config.
        reference: Errors of learners.

    Raises:
        InvalidInputError: One side has no error of the compared types.
    """
    made = [t for error_type in condition.types for t in MADE[error_type]]
    for side, counts in (("the config", labels.types), (reference.name, reference.types)):
        if not any(counts.get(t) for t in made):
            raise InvalidInputError(
                f"{side} has no error of the types {', '.join(made)}: nothing to compare"
            )
    per_type = _shares(made, labels.types, reference.types)
    by_family = [_by_family(counts, condition) for counts in (labels.types, reference.types)]
    families = _shares(condition.types, *by_family)
    every = sorted({*labels.types, *reference.types})
    all_types = _shares(every, labels.types, reference.types)
    return Realism(
        config=condition.config_name,
        labels=labels,
        reference=reference,
        per_type=per_type,
        total_variation=_distance(per_type),
        design_total_variation=_design_distance(condition, per_type),
        families=families,
        total_variation_families=_distance(families),
        operations={t: _operations(t, labels.types, reference.types) for t in condition.types},
        all_types=all_types,
        total_variation_all=_distance(all_types),
        confusions=tuple(_confusions(labels.confusions, reference.confusions, made)),
        agreement=tuple(_agreement(labels)),
    )


def _shares(
    types: Iterable[str], ours: Mapping[str, int], reference: Mapping[str, int]
) -> tuple[Share, ...]:
    """Shares among the named types; all 0 on a side that has none of them."""
    names = tuple(types)
    totals = [sum(counts.get(t, 0) for t in names) or 1 for counts in (ours, reference)]
    counted = [(t, ours.get(t, 0), reference.get(t, 0)) for t in names]
    return tuple(Share(t, a, b, a / totals[0], b / totals[1]) for t, a, b in counted)


def _distance(found: Iterable[Share]) -> float:
    return sum(abs(s.ours - s.reference) for s in found) / 2


def _by_family(types: Mapping[str, int], condition: Condition) -> Counter[str]:
    counts: Counter[str] = Counter()
    for name, count in types.items():
        if family(name) in condition.types:
            counts[family(name)] += count
    return counts


def _design_distance(condition: Condition, per_type: Iterable[Share]) -> float:
    wanted: dict[str, float] = {}
    for pool, share in shares(condition.types).items():
        name = {
            "det": f"{_LETTER[pool.operation]}:DET",
            "prep": f"{_LETTER[pool.operation]}:PREP",
            "verb": f"R:VERB:{_VERB.get(pool.subtype, '')}",
            "spell": "R:SPELL",
        }[pool.type]
        wanted[name] = wanted.get(name, 0.0) + share
    return sum(abs(wanted.get(s.type, 0.0) - s.reference) for s in per_type) / 2


def _operations(
    error_type: str, ours: Mapping[str, int], reference: Mapping[str, int]
) -> tuple[Share, ...]:
    suffixes = [s for s, t in FAMILIES.items() if t == error_type]
    counts = [
        {op: sum(side.get(f"{op}:{s}", 0) for s in suffixes) for op in OPERATIONS}
        for side in (ours, reference)
    ]
    return _shares(OPERATIONS, *counts)


def _confusions(
    ours: Mapping[Confusion, int], reference: Mapping[Confusion, int] | None, made: Iterable[str]
) -> list[ConfusionShare]:
    """The commonest of either side, those of ours first."""
    kept = frozenset(made)
    sides = [{c: n for c, n in side.items() if c.type in kept} for side in (ours, reference or {})]
    totals = [sum(side.values()) or 1 for side in sides]
    tops = [sorted(side, key=lambda c: (-side[c], c))[:SHOWN_CONFUSIONS] for side in sides]
    return [
        ConfusionShare(
            *c,
            ours_count=sides[0].get(c, 0),
            ours=sides[0].get(c, 0) / totals[0],
            reference_count=None if reference is None else sides[1].get(c, 0),
            reference=None if reference is None else sides[1].get(c, 0) / totals[1],
        )
        for c in dict.fromkeys((*tops[0], *tops[1]))
    ]


def _agreement(labels: Labels) -> list[Agreement]:
    kinds: dict[str, Counter[str]] = {}
    for (kind, errant_type), count in labels.intended.items():
        kinds.setdefault(kind, Counter())[errant_type] += count
    return [
        Agreement(
            kind=kind,
            errors=types.total(),
            agree=sum(n for t, n in types.items() if family(t) == kind.partition(" ")[0]),
            types=dict(sorted(types.items(), key=lambda item: (-item[1], item[0]))),
        )
        for kind, types in sorted(kinds.items())
    ]

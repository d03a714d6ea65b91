"""Disjoint splits of pairs, by a hash.

What is found on one split is used on another: layers on `tracing`, the dialect direction on
`direction`, the strength of steering on `selection`; everything is reported on `evaluation`. The
dialect paper (§5) has 1,200, 7,000 and 3,000 pairs in the first, second and last; the third is
ours.

Pairs that share a group, or the AAE or the SAE text, are a unit and stay together. Units come in
the order of a hash of (seed, group or id), so the order of the pairs does not matter. Splits are
filled one after the other, each from the units that are left and may go there:

1. `tracing` from pairs with a feature whose back-translation nobody rated,
2. `direction` from the others that nobody rated,
3. `evaluation` from rated units first, which cDGI needs, then from all that are left,
4. `selection` from what is left, again rated units first.

A split ends with the unit in which its size is reached, so it may hold a few pairs more. If there
are fewer pairs than the sizes add up to, all sizes shrink by one factor. If more are rated than the
shrunk `evaluation` holds, it takes them up to its full size, and the others share the unrated ones
by a factor of their own; where only `selection` is wanted beside it, the two shrink by one factor.
If too few pairs may go to a split, the later ones share what it leaves. Pairs beyond all sizes get
no split.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace

from sociolect.generators.dialect.pair_relations import check_splits
from sociolect.generators.dialect.pairs import SPLITS, DialectPair, Split
from sociolect.generators.dialect.split_units import Unit, units_of
from sociolect.generators.errors import InvalidInputError

UNUSED = "unused"
"""What pairs without a split are counted under."""

_ORDER: tuple[Split, ...] = ("tracing", "direction", "evaluation", "selection")
_UNRATED: tuple[Split, ...] = ("tracing", "direction")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Pairs that each split shall hold; 0 for a split that is not wanted.

    Raises:
        InvalidInputError: A size is negative, or all are 0.
    """

    tracing: int = 1200
    direction: int = 7000
    selection: int = 1000
    evaluation: int = 3000

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) < 0:
                raise InvalidInputError(f"a split cannot hold {getattr(self, field.name)} pairs.")
        if not self.total:
            raise InvalidInputError("all sizes are 0; give one split a size.")

    @property
    def total(self) -> int:
        """Pairs in all splits together."""
        return sum(asdict(self).values())


@dataclass(frozen=True, slots=True)
class Assigned:
    """Pairs with their splits.

    Attributes:
        pairs: In the order that they came in.
        counts: Pairs by split, and those in none as `UNUSED`.
        notes: What was not as wished, in whole sentences.
    """

    pairs: tuple[DialectPair, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()


def assign_splits(
    pairs: Sequence[DialectPair],
    sizes: Sizes | None = None,
    seed: int = 0,
    *,
    has_feature: Callable[[DialectPair], bool],
) -> Assigned:
    """Put pairs into splits; pairs that all have one already keep it.

    Args:
        pairs: With different ids.
        sizes: Wanted sizes; None for those of the paper, and 1,000 for `selection`.
        seed: Another one gives other splits.
        has_feature: Whether the AAE text of a pair has a feature of AAE; asked of pairs without a
            rating.

    Raises:
        InvalidInputError: Some pairs have a split and others have none, or a split that is wanted
            would be empty.
        DataError: The pairs have splits that share a group or a text.
    """
    if not pairs:
        raise InvalidInputError("there are no pairs to split.")
    given = sum(bool(pair.split) for pair in pairs)
    if given == len(pairs):
        check_splits(pairs)
        return _assigned(pairs, _kept_notes(pairs))
    if given:
        raise InvalidInputError(
            f"{given:,} of {len(pairs):,} pairs have a split and the others none: give every pair "
            "one, or take all of them away."
        )
    wanted = sizes or Sizes()
    units = units_of(pairs, seed, has_feature)
    parts = _fill(units, wanted)
    _check_filled(parts, wanted, pairs, units)
    split_of = {m: split for split, units in parts.items() for unit in units for m in unit.members}
    done = [replace(pair, split=split_of.get(n, "")) for n, pair in enumerate(pairs)]
    return _assigned(done, ())


def _assigned(pairs: Sequence[DialectPair], notes: Iterable[str]) -> Assigned:
    counted = Counter(pair.split or UNUSED for pair in pairs)
    return Assigned(tuple(pairs), {name: counted[name] for name in (*SPLITS, UNUSED)}, tuple(notes))


def _kept_notes(pairs: Sequence[DialectPair]) -> Iterator[str]:
    yield "the pairs have splits, which are kept: no seed and no size changes them"
    if rated := sum(p.split in _UNRATED and p.naturalness is not None for p in pairs):
        yield (
            f"pairs with a rated back-translation in {' or '.join(_UNRATED)}: {rated:,}; "
            "cDGI on the held-out pairs is without them"
        )


def _fill(units: list[Unit], sizes: Sizes) -> dict[Split, list[Unit]]:
    """The units of every split that is wanted."""
    wanted = {split: getattr(sizes, split) for split in _ORDER if getattr(sizes, split)}
    left = units
    parts: dict[Split, list[Unit]] = {}
    for split in list(wanted):
        candidates = _candidates(split, left)
        target = _target(split, wanted, left)
        if split == "evaluation" and any(getattr(sizes, other) for other in _UNRATED):
            target = max(target, _rated_target(wanted, left))
        part = _take(candidates, target, _spare(split, wanted, left))
        taken = {unit.rank for unit in part}
        left = [unit for unit in left if unit.rank not in taken]
        parts[split] = part
        del wanted[split]
    return parts


def _candidates(split: Split, left: list[Unit]) -> list[Unit]:
    """Units that may go to a split, those first that should."""
    if split == "tracing":
        return [unit for unit in left if unit.featured]
    if split == "direction":
        return [unit for unit in left if not unit.rated]
    return sorted(left, key=lambda unit: not unit.rated)  # stable: by hash within


def _target(split: Split, wanted: Mapping[Split, int], left: list[Unit]) -> int:
    """Pairs for a split, shrunk so that the splits behind it can be filled as well."""
    share = min(1.0, _pairs_in(left) / sum(wanted.values()))
    if split in _UNRATED:
        unrated = _pairs_in([unit for unit in left if not unit.rated])
        rated = _pairs_in(left) - unrated
        sharing = sum(wanted.get(s, 0) for s in _UNRATED) + _needs_unrated(wanted, rated)
        share = min(share, unrated / sharing)
    return max(1, math.floor(share * wanted[split] + 0.5))


def _needs_unrated(wanted: Mapping[Split, int], rated: int) -> int:
    """Pairs of `selection` that are not rated if `evaluation` has the rated ones first."""
    selection, evaluation = wanted.get("selection", 0), wanted.get("evaluation", 0)
    return max(0, min(selection, selection + evaluation - rated)) if evaluation else 0


def _rated_target(wanted: Mapping[Split, int], left: list[Unit]) -> int:
    """Rated pairs that `evaluation` takes if `selection` has the unrated ones for its share."""
    rated = _pairs_in([unit for unit in left if unit.rated])
    total = _pairs_in(left)
    selection = wanted.get("selection", 0)
    kept = min(_target("selection", wanted, left), total - rated) if selection else 0
    return min(wanted["evaluation"], rated, total - kept)


def _spare(split: Split, wanted: Mapping[Split, int], left: list[Unit]) -> int:
    """Units that a split may take if each split behind it shall have one."""
    spare = len(left) - (len(wanted) - 1)
    if split == "tracing" and "direction" in wanted:
        spare = min(spare, sum(not unit.rated for unit in left) - 1)
    return max(0, spare)


def _take(candidates: list[Unit], target: int, most: int) -> list[Unit]:
    """The first units, at most so many, until they hold `target` pairs."""
    part: list[Unit] = []
    held = 0
    for unit in candidates[:most]:
        if held >= target:
            break
        part.append(unit)
        held += len(unit.members)
    return part


def _pairs_in(units: Iterable[Unit]) -> int:
    return sum(len(unit.members) for unit in units)


def _check_filled(
    parts: Mapping[Split, list[Unit]],
    sizes: Sizes,
    pairs: Sequence[DialectPair],
    units: Sequence[Unit],
) -> None:
    empty = next((split for split, units in parts.items() if not units), None)
    if empty is None:
        return
    why = _why_empty(empty, pairs, units)
    if len(units) < len(parts):
        why = _too_few(pairs, units, f"{len(parts)} splits")
    raise InvalidInputError(
        f"no pair is left for the split {empty}: {why}. Give more pairs, or a size of 0 to it "
        f"or another one (now {', '.join(f'{s} {n:,}' for s, n in asdict(sizes).items())})."
    )


def _why_empty(empty: Split, pairs: Sequence[DialectPair], units: Sequence[Unit]) -> str:
    unrated = sum(pair.naturalness is None for pair in pairs)
    if empty == "tracing" and not any(unit.featured for unit in units):
        return f"it takes pairs with a feature that nobody rated ({unrated:,} are unrated)"
    if empty in _UNRATED and not any(not unit.rated for unit in units):
        return f"it takes pairs that nobody rated ({unrated:,} of {len(pairs):,})"
    what = (
        "tracing and direction, which take what nobody rated" if empty in _UNRATED else "all splits"
    )
    own = [unit for unit in units if not (empty in _UNRATED and unit.rated)]
    return _too_few([pairs[m] for unit in own for m in unit.members], own, what)


def _too_few(pairs: Sequence[DialectPair], units: Sequence[Unit], what: str) -> str:
    """Too few pairs, or too few that may be apart."""
    n = len(units)
    apart = f", in {n:,} groups that each stay together," if n < len(pairs) else ""
    return f"{len(pairs):,} pairs{apart} are too few for {what}"

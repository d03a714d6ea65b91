"""Pairs that stay in one split: those of a group, and those that have a text in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sociolect.generators.dialect.pair_relations import SHARED
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.source_text import quoted
from sociolect.generators.uniform import Uniforms


@dataclass(frozen=True, slots=True)
class Unit:
    """Pairs that stay together.

    Attributes:
        members: Their places in the list of pairs.
        rank: The smallest hash of their groups or ids, and what it is the hash of.
        rated: Whether the back-translation of one of them was rated.
        featured: Whether none was, and every AAE text has a feature.
    """

    members: tuple[int, ...]
    rank: tuple[float, str]
    rated: bool
    featured: bool


def units_of(
    pairs: Sequence[DialectPair], seed: int, has_feature: Callable[[DialectPair], bool]
) -> list[Unit]:
    """Pairs that stay together, in the order of their hash.

    Args:
        pairs: With different ids.
        seed: Another one gives another order; 0 or more.
        has_feature: Whether the AAE text of a pair has a feature of AAE.

    Raises:
        InvalidInputError: The seed is no such number.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInputError(f"the seed is {quoted(seed)}; give a whole number, 0 or more.")
    uniform = Uniforms(seed, "dialect splits")
    members: dict[int, list[int]] = {}
    for number, label in enumerate(_labels(pairs)):
        members.setdefault(label, []).append(number)
    units = [_unit([(n, pairs[n]) for n in own], uniform, has_feature) for own in members.values()]
    return sorted(units, key=lambda unit: unit.rank)


def _labels(pairs: Sequence[DialectPair]) -> list[int]:
    """A number for each pair, the same for those that share something, directly or not."""
    nodes: dict[tuple[str, str], int] = {}
    edges = [
        (number, nodes.setdefault((shared.what, value), len(pairs) + len(nodes)))
        for number, pair in enumerate(pairs)
        for shared in SHARED
        if (value := shared.of(pair))
    ]
    size = len(pairs) + len(nodes)
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(edges), dtype=bool), (ends[0], ends[1])), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    return [int(label) for label in labels[: len(pairs)]]


def _unit(
    members: list[tuple[int, DialectPair]],
    uniform: Uniforms,
    has_feature: Callable[[DialectPair], bool],
) -> Unit:
    keys = {f"group {p.group}" if p.group else f"id {p.id}" for _, p in members}
    rated = any(pair.naturalness is not None for _, pair in members)
    return Unit(
        members=tuple(number for number, _ in members),
        rank=min((uniform(key), key) for key in keys),
        rated=rated,
        featured=not rated and all(has_feature(pair) for _, pair in members),
    )

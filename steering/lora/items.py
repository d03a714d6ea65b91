"""The items of a training set: which ones, and at which error level.

Items and levels are hashes of seed and id (`sociolect.generators.uniform`). The items of a smaller
set are the first ones of a larger set, and an item has the same level in both. The edits of a
level are those of the whole benchmark at that level, as in an evaluation: each level is calibrated
on all items, and the items that drew it are taken out (learner-error paper, App. C.3 and B.2).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

from sociolect.generators.conditions import LEVELS, Condition
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.generators.items import Benchmark
from sociolect.generators.rows import Row
from sociolect.generators.uniform import Uniforms
from sociolect.generators.variants import Variants

TRANSFORM = "l2"
"""The four error types together, in the input."""
_SCOPE = "finetune"


@dataclass(frozen=True, slots=True)
class TrainingItem:
    """An item with both of its texts.

    Attributes:
        level: Error level in per cent that the item drew.
        clean: Its row without errors.
        errors: Its row at that level.
    """

    level: int
    clean: Row
    errors: Row


@dataclass(frozen=True, slots=True)
class Drawn:
    """The items of a training set, with what the manifest says of their errors.

    Attributes:
        items: In the order of their hashes.
        calibration: Per level: cutoff, and mean token error rate over all items of the benchmark.
    """

    items: tuple[TrainingItem, ...]
    calibration: Mapping[str, Mapping[str, Any]]


def chosen_ids(ids: Sequence[str], count: int, seed: int) -> tuple[str, ...]:
    """The `count` ids with the lowest hashes, lowest first.

    Raises:
        InvalidInputError: There are not so many.
    """
    if not 1 <= count <= len(ids):
        raise InvalidInputError(f"the number of items must be 1 to {len(ids)}, not {count}")
    draw = Uniforms(seed, _SCOPE, "item")
    return tuple(sorted(ids, key=lambda name: (draw(name), name))[:count])


def drawn_level(item_id: str, levels: Sequence[int], seed: int) -> int:
    """One of the levels, each as likely as the others; their order does not matter."""
    number = Uniforms(seed, _SCOPE, "level")(item_id)
    return sorted(levels)[int(number * len(levels))]


def check_levels(levels: Sequence[int]) -> None:
    """Refuse levels to draw from that do not exist or are named twice.

    Raises:
        UnknownNameError: No such level.
        InvalidInputError: One is named twice, or there is none.
    """
    for level in levels:
        if level not in LEVELS:
            raise UnknownNameError("level", level, LEVELS)
    if not levels or len(set(levels)) != len(levels):
        raise InvalidInputError(
            f"name one or more different levels, not {', '.join(map(str, levels)) or 'none'}; each "
            "is drawn as often as the others"
        )


def draw_items(
    benchmark: Benchmark, count: int, levels: Sequence[int], seed: int, *, progress: bool = False
) -> Drawn:
    """Choose items, draw their levels, and make both texts of each.

    Args:
        benchmark: Where items come from.
        count: How many to choose.
        levels: Error levels in per cent to draw from.
        seed: Of items, levels and errors.
        progress: Show a progress bar on standard error.

    Raises:
        UnknownNameError: No such level.
        InvalidInputError: A bad number of items, or levels that cannot be drawn from.
        LevelUnreachableError: A level is out of reach.
        MissingToolError: The tagger's model or the speller is not installed.
    """
    check_levels(levels)
    ids = chosen_ids([item.id for item in benchmark.items], count, seed)
    level_of = {name: drawn_level(name, levels, seed) for name in ids}
    variants = Variants(benchmark, seed)
    conditions = [Condition(), *(Condition(TRANSFORM, level) for level in sorted(levels))]
    rows: dict[tuple[int, str], Row] = {}
    calibration: dict[str, Mapping[str, Any]] = {}
    for condition in tqdm(conditions, "texts", unit="level", disable=not progress, file=sys.stderr):
        made, entry = variants.config(condition)
        wanted = (r for r in made if condition.is_clean or level_of.get(r["id"]) == condition.level)
        rows |= {(condition.level, row["id"]): row for row in wanted}
        if not condition.is_clean:
            calibration[str(condition.level)] = _calibration(entry)
    items = (TrainingItem(n, rows[0, name], rows[n, name]) for name, n in level_of.items())
    return Drawn(tuple(items), calibration)


def _calibration(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "cutoff": entry["cutoff"]["input"],
        "mean_error_rate_of_all_items": entry["mean_error_rate"],
        "items": entry["rows"],
        "sha256_of_all_rows": entry["sha256"],
    }


def error_rates(items: Sequence[TrainingItem]) -> dict[str, Any]:
    """Mean token error rate by level and over all items, in [0, 1], with numbers of items."""
    by_level: dict[int, list[float]] = {}
    for item in items:
        by_level.setdefault(item.level, []).append(item.errors["error_rate"])
    rates = [rate for own in by_level.values() for rate in own]
    return {
        "items": len(rates),
        "mean_error_rate": sum(rates) / len(rates),
        "by_level": {
            str(level): {"items": len(own), "mean_error_rate": sum(own) / len(own)}
            for level, own in sorted(by_level.items())
        },
    }

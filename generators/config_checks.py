"""Checks of whole configs: what the manifest says of them, and how they relate to each other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sociolect.generators.conditions import Condition
from sociolect.generators.faults import Fault, shown
from sociolect.generators.learner.tables import shares
from sociolect.generators.manifest import Manifest
from sociolect.generators.noise.mix import mix_of
from sociolect.generators.noise.realised import CHANGES
from sociolect.generators.row_checks import AnyRow
from sociolect.generators.rows import config_sha256
from sociolect.generators.stored import one_a_pair
from sociolect.generators.text import CASE

TOLERANCE = 0.01
"""How far the mean error rate may be from its level (learner-error paper, App. B.2)."""

_CLOSE = 1e-9

_Kind = type | tuple[type, ...]

_COMMON: dict[str, _Kind] = {
    **dict.fromkeys(("transform", "part", "rules", "sha256"), str),
    **dict.fromkeys(("level", "rows"), int),
    "mix": list,
}
_ENTRY: dict[str, _Kind] = {
    **_COMMON,
    "mean_error_rate": (int, float),
    **dict.fromkeys(("mean_error_rate_by_part", "ceiling", "cutoff"), dict),
    "at_ceiling": bool,
}
_NOISE_ENTRY: dict[str, _Kind] = {**_COMMON, **dict.fromkeys(CHANGES, (int, float))}


def entry_keys(condition: Condition) -> Mapping[str, _Kind]:
    """What the entry of a config in the manifest must hold, with its types."""
    return _NOISE_ENTRY if condition.is_noise else _ENTRY


def entry_faults(manifest: Manifest, condition: Condition) -> Iterator[Fault]:
    """Whether the entry of a config has what it needs and is of that config."""
    name = condition.config_name
    entry = manifest["configs"][name]
    for key, kind in entry_keys(condition).items():
        if not isinstance(entry.get(key), kind):
            yield Fault("manifest", name, "", key, _kind(kind), shown(entry.get(key)))
    wanted = {
        "transform": condition.transform,
        "level": condition.level,
        "part": condition.part,
        "rules": manifest["rules"],
    }
    for key, value in wanted.items():
        if key in entry and entry[key] != value:
            yield Fault("manifest", name, "", key, shown(value), shown(entry[key]))
    for key in () if condition.is_noise else ("mean_error_rate_by_part", "ceiling"):
        table = entry.get(key)
        if isinstance(table, dict) and not _is_by_part(table, condition):
            parts = ", ".join(condition.perturbed_parts) or "no part"
            yield Fault("manifest", name, "", key, f"a number for {parts}", shown(table))


def _kind(kind: type | tuple[type, ...]) -> str:
    return kind.__name__ if isinstance(kind, type) else "a number"


def _is_by_part(table: Mapping[str, Any], condition: Condition) -> bool:
    numbers = all(isinstance(v, int | float) and math.isfinite(v) for v in table.values())
    return set(table) == set(condition.perturbed_parts) and numbers


def summary_faults(
    condition: Condition, entry: Mapping[str, Any], rows: Sequence[AnyRow]
) -> Iterator[Fault]:
    """Number of rows, mean error rates and realised mix against the rows."""
    name = condition.config_name
    if len(rows) != entry["rows"]:
        yield Fault("row count", name, "", "rows", str(entry["rows"]), str(len(rows)))
    if not rows:
        return
    for what, (stated, column) in _means(condition, entry).items():
        mean = math.fsum(row[column] for row in rows) / len(rows)
        if not abs(mean - stated) <= _CLOSE:
            yield Fault("mean rate", name, "", what, f"{mean:.6f}", f"{stated:.6f}")
    wanted = realised_mix(condition, rows)
    found = [_mix_row(m) for m in entry["mix"]]
    for ours, theirs in zip(wanted, found, strict=False):
        if ours != theirs:
            yield Fault("mix", name, "", "realised mix", shown(ours), shown(theirs))
    if len(wanted) != len(found):
        lengths = f"{len(wanted)} kinds", f"{len(found)} kinds"
        yield Fault("mix", name, "", "realised mix", *lengths)


def _means(condition: Condition, entry: Mapping[str, Any]) -> dict[str, tuple[float, str]]:
    """What the manifest says the mean of a column is, by the name that a message gives it."""
    if condition.is_noise:
        return {f"mean {name}": (entry[name], name) for name in CHANGES}
    means = {"mean_error_rate": (entry["mean_error_rate"], "error_rate")}
    for part in condition.perturbed_parts:
        stated = entry["mean_error_rate_by_part"][part]
        means[f"mean_error_rate_by_part, {part}"] = (stated, f"error_rate_{part}")
    return means


def realised_mix(condition: Condition, rows: Iterable[AnyRow]) -> list[tuple[Any, ...]]:
    """Type, operation, sub-type, count, share and, of learner errors, the share that was wanted.

    From one row of each pair.
    """
    if condition.is_noise:
        edits = (e for row in one_a_pair(rows) for e in row["edits"])
        mix = mix_of((e["type"], e["operation"], e["subtype"]) for e in edits)
        return [_mix_row(asdict(m)) for m in mix]
    counts = Counter(
        (e["type"], e["operation"], e["subtype"])
        for row in one_a_pair(rows)
        for e in row["edits"]
        if e["type"] != CASE
    )
    total = sum(counts.values())
    return [
        (*pool, counts[pool], _rounded(counts[pool] / total if total else 0.0), _rounded(wanted))
        for pool, wanted in shares(condition.types).items()
    ]


def _mix_row(row: object) -> tuple[Any, ...]:
    if not isinstance(row, dict):
        return (row,)
    names = ("type", "operation", "subtype", "count", "share")
    wanted = [_rounded(row["wanted"])] if "wanted" in row else []
    return (*(_rounded(row.get(name)) for name in names), *wanted)


def _rounded(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value


def hash_faults(config: str, stated: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[Fault]:
    """Whether the rows have the hash that the manifest says."""
    found = config_sha256(rows)
    if found != stated:
        yield Fault("sha256", config, "", "SHA-256 of the rows", stated, found)


def level_faults(condition: Condition, entry: Mapping[str, Any]) -> Iterator[Fault]:
    """Whether mean rate, level, ceiling and `at_ceiling` fit each other.

    The level of noise is a probability, which no rate has to meet.
    """
    if condition.is_noise:
        return
    name, level = condition.config_name, condition.level / 100
    below = []
    for part in condition.perturbed_parts:
        ceiling, mean = entry["ceiling"][part], entry["mean_error_rate_by_part"][part]
        if ceiling < level - TOLERANCE - _CLOSE:
            what = f"ceiling of the {part}"
            yield Fault("ceiling", name, "", what, f"{level - TOLERANCE:.4f} or more", f"{ceiling}")
        if mean > ceiling + _CLOSE:
            what = f"mean error rate of the {part}"
            yield Fault("ceiling", name, "", what, f"at most the ceiling {ceiling}", f"{mean}")
        if abs(mean - level) > TOLERANCE + _CLOSE:
            what = f"mean error rate of the {part}"
            yield Fault("mean rate", name, "", what, f"{level} ± {TOLERANCE}", f"{mean:.6f}")
        below.append(ceiling < level)
    if entry["at_ceiling"] != any(below):
        stated = shown(entry["at_ceiling"])
        yield Fault("ceiling", name, "", "at_ceiling", shown(any(below)), stated)


def ceiling_faults(manifest: Manifest) -> Iterator[Fault]:
    """Whether the ceilings of a transform agree, and unreachable levels lie above them."""
    ceilings: dict[tuple[str, str], tuple[float, str]] = {}
    for name, entry in manifest["configs"].items():
        for part, ceiling in entry.get("ceiling", {}).items():
            first, where = ceilings.setdefault((entry["transform"], part), (ceiling, name))
            if abs(first - ceiling) > _CLOSE:
                what = f"ceiling of the {part}"
                yield Fault("ceiling", name, "", what, f"{first} as in {where}", f"{ceiling}")
    for name in manifest["unreachable"]:
        try:
            condition = Condition.parse(name)
        except ValueError:
            yield Fault("manifest", name, "", "unreachable", "the name of a condition", shown(name))
            continue
        if name in manifest["configs"]:
            yield Fault("ceiling", name, "", "unreachable", "no config of that name", "one")
            continue
        parts = condition.perturbed_parts
        known = [ceilings.get((condition.transform, part)) for part in parts]
        reached = [c[0] >= condition.level / 100 - TOLERANCE + _CLOSE for c in known if c]
        if len(reached) == len(parts) and all(reached):
            what = f"unreachable, ceilings {[c[0] for c in known if c]}"
            yield Fault("ceiling", name, "", what, "a config", "none")

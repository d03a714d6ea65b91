"""May two runs be compared? Only if they differ in nothing but the errors in the prompts."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sociolect.generators.errors import NotComparableError, UnknownNameError
from sociolect.harness.results import USUAL_RULES, Run

ALLOWABLE: tuple[str, ...] = (
    "answer_mode",
    "backend",
    "chat_template",
    "condition",
    "data",
    "dtype",
    "few_shot",
    "generation",
    "ids",
    "model",
    "model_args",
    "model_sha",
    "system_instruction",
)
"""Differences that a user can accept by name. What is asked (benchmark, axis, form, format of the
task, content of an item) is not among them: there would be nothing left to pair."""

_SHOWN = 60
_HASH = 12


def check_allowed(names: Iterable[str]) -> frozenset[str]:
    """The names as a set.

    Raises:
        UnknownNameError: Not one of `ALLOWABLE`.
    """
    chosen = frozenset(names)
    for name in sorted(chosen):
        if name not in ALLOWABLE:
            raise UnknownNameError("difference to allow", name, ALLOWABLE)
    return chosen


def differences(clean: Run, other: Run) -> dict[str, str]:
    """What makes two runs incomparable: one sentence by name, empty if nothing does."""
    found = setting_differences(clean.settings, other.settings)
    if not clean.condition.is_clean or other.condition.is_clean:
        found["condition"] = (
            f"{clean.condition.config_name} / {other.condition.config_name} "
            "(expected the clean run first, then runs with errors)"
        )
    if data := _data_differences(clean, other):
        found["data"] = "; ".join([found["data"], *data] if "data" in found else data)
    return found | _id_differences(clean, other) | _item_differences(clean, other)


def setting_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, str]:
    """Settings that two runs do not share: both values in words, by name."""
    return {
        name: _both(value, second[name])
        for name, value in first.items()
        if _differ(name, value, second[name])
    }


def _data_differences(clean: Run, other: Run) -> list[str]:
    """Rule set and origin of the data; clean prompts are the same under every rule set."""
    if clean.rules != other.rules:
        return [f"rules {clean.rules!r} / {other.rules!r}"]
    local = [run.data["local_data"] for run in (clean, other)]
    # Data with another error seed or rule set are always built locally: no difference in kind.
    usual = clean.error_seed == other.error_seed and clean.rules == USUAL_RULES
    if local[0] == local[1] or not usual:
        return []
    names = ["built locally" if built else "published" for built in local]
    return [f"{names[0]} / {names[1]}"]


def _other_build(other: Run, earlier: Iterable[Run]) -> str:
    """Why `other` was not asked on the data that an earlier run of the same condition had."""
    for run in earlier:
        same = _data_name(run) == _data_name(other)
        hashes = [one.data["data_sha256"] for one in (run, other)]
        if same and hashes[0] != hashes[1]:
            return (
                f"sha256 {hashes[0][:_HASH]} / {hashes[1][:_HASH]} under one condition "
                f"(first in {run.files.samples})"
            )
    return ""


def _data_name(run: Run) -> tuple[object, ...]:
    return (run.condition, run.error_seed, run.rules, run.benchmark, run.axis)


def require_comparable(
    clean: Run, others: Sequence[Run], allow: Collection[str], implied: Collection[str] = ()
) -> list[str]:
    """Check every run against the clean one, and that one condition means the same data in all.

    Args:
        clean: The run that all are held against.
        others: The runs to check.
        allow: Differences that the user accepts.
        implied: Differences that are the very question, accepted without a sentence.

    Returns:
        One sentence for each difference that was found and allowed.

    Raises:
        NotComparableError: A difference that was not allowed; names all of them.
    """
    problems, notes = [], []
    for index, other in enumerate(others):
        found = differences(clean, other)
        if text := _other_build(other, [clean, *others[:index]]):
            found["data"] = f"{found['data']}; {text}" if "data" in found else text
        notes += [
            f"Allowed for {other.described}: {name}: {text}"
            for name, text in found.items()
            if name in allow and name not in implied
        ]
        accepted = {*allow, *implied}
        refused = {name: text for name, text in found.items() if name not in accepted}
        if refused:
            problems.append(_problem(clean, other, refused))
    if problems:
        raise NotComparableError("\n".join(problems))
    return notes


def shared(*runs: Run) -> list[Run]:
    """The runs with only the prompts that all of them asked."""
    keys = frozenset.intersection(*(run.keys for run in runs))
    return [
        run
        if len(run.records) == len(keys)
        else replace(run, records=tuple(r for r in run.records if (r.id, r.order) in keys))
        for run in runs
    ]


def _problem(clean: Run, other: Run, refused: Mapping[str, str]) -> str:
    lines = [
        f"{other.described} is not comparable with {clean.described} (first value / second value):"
    ]
    lines += [f"  {name}: {text}" for name, text in refused.items()]
    lines += [f"  files: {clean.files.samples} / {other.files.samples}"]
    accepted = [f"--allow {name}" for name in refused if name in ALLOWABLE]
    hint = "Run both in the same way"
    if "answer_mode" in refused:
        hint += ", or read both strictly with --strict"
    if len(accepted) == len(refused):
        hint += f", or, if the difference is what you want to measure, add {' '.join(accepted)}"
    return "\n".join([*lines, f"  {hint}."])


def _differ(name: str, first: object, second: object) -> bool:
    if name == "model_sha" and isinstance(first, Mapping) and isinstance(second, Mapping):
        # Looked up on the Hub, so absent where a run was offline: absence is no difference.
        return any(first[key] != second[key] for key in first.keys() & second.keys())
    return first != second


def _both(first: object, second: object) -> str:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        keys = [k for k in first.keys() | second.keys() if first.get(k) != second.get(k)]
        return ", ".join(
            f"{key} {_shown(first.get(key))} / {_shown(second.get(key))}" for key in sorted(keys)
        )
    return f"{_shown(first)} / {_shown(second)}"


def _shown(value: object) -> str:
    """A value in a message; long texts by their beginning and hash."""
    if value is None:
        return "none"
    text = str(value)
    if len(text) <= _SHOWN:
        return repr(value) if isinstance(value, str) else text
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:_HASH]
    return f"{text[:_SHOWN]!r}… (sha256 {digest})"


def _id_differences(clean: Run, other: Run) -> dict[str, str]:
    first, second = clean.keys, other.keys
    if first == second:
        return {}
    only = [_prompts(first - second), _prompts(second - first)]
    reasons = "; ".join(f"{run.task} is {run.partial}" for run in (clean, other) if run.partial)
    text = f"{only[0]} only in the first, {only[1]} only in the second"
    return {"ids": f"{text} ({reasons})" if reasons else text}


def _prompts(keys: Collection[tuple[str, int]]) -> str:
    if not keys:
        return "no prompt"
    item, order = min(keys)
    return f"{len(keys)} prompt{'s' * (len(keys) > 1)} (e.g. {item}, order {order})"


def _item_differences(clean: Run, other: Run) -> dict[str, str]:
    """Items with one id that are not the same question with the same answer."""
    common = [id_ for id_ in clean.items if id_ in other.items]
    unlike = [id_ for id_ in common if clean.items[id_] != other.items[id_]]
    if not unlike:
        return {}
    pairs = zip(clean.items[unlike[0]], other.items[unlike[0]], strict=True)
    values = "; ".join(_both(a, b) for a, b in pairs if a != b)
    return {"items": f"{len(unlike)} with other content, e.g. {unlike[0]}: {values}"}

"""May the runs of the models be compared? Only if they differ in nothing but the mitigation.

Learner-error paper, App. C.3: the tuned models are evaluated exactly as the base model, on the same
prompts, with the same injected errors and the same decoding settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sociolect.generators.errors import NotComparableError
from sociolect.harness.comparability import require_comparable
from sociolect.harness.compare import OTHER_MODEL
from sociolect.harness.finetune_report_models import (
    ROLE_NAMES,
    STEERED,
    Role,
    adapter_of,
    is_adapter_argument,
)
from sociolect.harness.finetune_report_subjects import Trio
from sociolect.harness.paired import Method
from sociolect.harness.results import Run
from sociolect.harness.run_settings import STEERING

_UNIT = "unit"
"""What β is relative to where nothing is said."""


def check_trio(trio: Trio, method: Method) -> list[str]:
    """Refuse models that differ in more than the mitigation, or runs in more than the errors.

    Returns:
        One sentence for each difference that was found and allowed.

    Raises:
        NotComparableError: A difference that was not allowed.
    """
    notes: list[str] = []
    for role, runs in trio.items():
        notes += _checked(ROLE_NAMES[role], [(runs.clean, list(runs.errored))], method, ())
    base = trio["base"]
    for role in [role for role in trio if role != "base"]:
        pairs = [(a, [b]) for a, b in zip(base.all, trio[role].all, strict=True)]
        names = f"{ROLE_NAMES['base']} / {ROLE_NAMES[role]}"
        notes += _checked(names, pairs, method, OTHER_MODEL)
        notes += _checked_models(names, role, base.clean, trio[role].clean, method)
    if "control" in trio:
        notes += _checked_control(trio["steered"].clean, trio["control"].clean, method)
    return list(dict.fromkeys(notes))


def _checked(
    names: str,
    pairs: Sequence[tuple[Run, Sequence[Run]]],
    method: Method,
    implied: Iterable[str],
) -> list[str]:
    try:
        return [
            f"{names}: {note}"
            for first, others in pairs
            for note in require_comparable(first, others, method.allow, frozenset(implied))
        ]
    except NotComparableError as error:
        raise NotComparableError(f"{names}: {error}") from error


def _checked_models(names: str, role: Role, base: Run, tuned: Run, method: Method) -> list[str]:
    """The other model is the base model with an adapter, or steered."""
    differ = _steering_difference if role in STEERED else _model_difference
    other = _arguments(tuned)
    found = {
        "model": differ(base, tuned),
        "model_args": _unlike(_arguments(base), _unsteered(other) if role in STEERED else other),
        "model_sha": _unlike(base.settings["model_sha"], tuned.settings["model_sha"], known=True),
    }
    files = f"{base.files.samples} / {tuned.files.samples}"
    refused = [f"\n  {k}: {text}" for k, text in found.items() if text and k not in method.allow]
    if refused:
        allow = " ".join(f"--allow {k}" for k, t in found.items() if t and k not in method.allow)
        raise NotComparableError(
            f"{names}: they must be one model, without and with {_done(role)} (first value / "
            f"second value):{''.join(refused)}\n  files: {files}\n"
            f"  Run both on the same model with the same arguments, or accept it with {allow}."
        )
    return [f"Allowed for {names}: {key}: {text}" for key, text in found.items() if text]


def _checked_control(steered: Run, control: Run, method: Method) -> list[str]:
    """A control says something at the strength of what it is a control of, and of no other."""
    found = [_arguments(run) for run in (steered, control)]
    text = ", ".join(
        f"{key} {found[0].get(key)} / {found[1].get(key)}"
        for key in ("beta", "beta_scale")
        if found[0].get(key, _UNIT) != found[1].get(key, _UNIT)
    )
    if text and "model_args" not in method.allow:
        raise NotComparableError(
            f"Steered / Control: steered at two strengths (first value / second value): {text}\n"
            f"  files: {steered.files.samples} / {control.files.samples}\n"
            "  Run the control at the strength of the other, or accept it with --allow model_args."
        )
    return [f"Allowed for Steered / Control: model_args: {text}"] if text else []


def _done(role: Role) -> str:
    return "steering" if role in STEERED else "an adapter"


def _arguments(run: Run) -> Mapping[str, Any]:
    found: Mapping[str, Any] = run.settings["model_args"]
    return found


def _unsteered(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key not in STEERING}


def _steering_difference(base: Run, steered: Run) -> str:
    """Whether these are not one model, unsteered and steered; empty if they are."""
    if any(key in STEERING for key in _arguments(base)):
        return "the first was run steered"
    if text := ", ".join(
        f"{key} {base.settings['model'].get(key)} / {steered.settings['model'].get(key)}"
        for key in sorted({*base.settings["model"], *steered.settings["model"]})
        if base.settings["model"].get(key) != steered.settings["model"].get(key)
    ):
        return text
    given = _arguments(steered)
    if not given.keys() & {"beta", "steer_path"}:
        return "the second was run unsteered (no steering=, beta=)"
    return (
        ""
        if float(given.get("beta", 1))
        else "the second was run with beta=0, which steers nothing"
    )


def _model_difference(base: Run, tuned: Run) -> str:
    if adapter := adapter_of(base):
        return f"the first was run with an adapter, {adapter}"
    if text := _unlike(base.settings["model"], tuned.settings["model"]):
        return text
    return "" if adapter_of(tuned) else "the second was run without an adapter (peft=, lora…=)"


def _unlike(first: Any, second: Any, *, known: bool = False) -> str:
    """Entries that differ, other than those of an adapter; `known`: of those that both have."""
    keys = first.keys() & second.keys() if known else first.keys() | second.keys()
    return ", ".join(
        f"{key} {first.get(key)} / {second.get(key)}"
        for key in sorted(keys)
        if not is_adapter_argument(key) and first.get(key) != second.get(key)
    )

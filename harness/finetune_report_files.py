"""Were the models that were run those that the report speaks of? From the records of the runs.

What lies in the folder of an adapter or of a model today need not be what was evaluated: it may
have been trained again in place. `sociolect eval` records what the files held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from sociolect.generators.errors import NotComparableError, ResultsError
from sociolect.harness.finetune_report_models import (
    ADAPTER_ARGS,
    ROLE_NAMES,
    STEERED,
    TUNED,
    Role,
)
from sociolect.harness.finetune_report_subjects import Trio
from sociolect.harness.paired import Method
from sociolect.harness.results import Run
from sociolect.harness.run_records import ModelFiles, recorded_files
from sociolect.steering.lora.adapters import WEIGHTS
from sociolect.steering.lora.base import OF_A_MODEL
from sociolect.steering.lora.record import RECORD, read_record

STEERING = "steering"
"""Model argument that names a steering vector."""

EvaluatedWeights = Mapping[Role, Mapping[str, str | None]]
"""By role and samples file the sha256 of the adapter's weights; `None` where none was recorded."""


def evaluated_weights(trios: Iterable[Trio]) -> EvaluatedWeights:
    """The weights of the adapters with which each run was made.

    Raises:
        ResultsError: A record that is damaged.
    """
    found: dict[Role, dict[str, str | None]] = {role: {} for role in TUNED}
    for trio in trios:
        for role, hashes in found.items():
            if role in trio:
                hashes |= {str(run.files.samples): _weights(run) for run in trio[role].all}
    return found


def _weights(run: Run) -> str | None:
    held = recorded_files(run.files) or {}
    for argument in ADAPTER_ARGS:
        entry = held.get(argument, {}).get(WEIGHTS)
        if entry is not None:
            return str(_fingerprint(entry, run))
    return None


def _fingerprint(entry: Any, run: Run) -> Any:
    """Of `[size, sha256 or time of change]`, the second."""
    if isinstance(entry, list) and len(entry) == 2:
        return entry[1]
    raise ResultsError(
        f"{run.files.results.parent}: the record of the run of {run.files.time} names a file "
        f"without size and hash ({entry!r}); it was edited"
    )


def check_bases(trios: Sequence[Trio], method: Method) -> list[str]:
    """Refuse runs whose base model held other files, as far as it was recorded.

    Returns:
        What could not be checked, and what differs and was allowed.

    Raises:
        NotComparableError: A difference, without `model` among what is allowed.
        ResultsError: A record that is damaged.
    """
    runs = {role: [run for trio in trios for run in trio[role].all] for role in trios[0]}
    known: list[tuple[str, Run, ModelFiles]] = []
    unknown: list[str] = []
    for role, of_role in runs.items():
        records = [(run, recorded_files(run.files)) for run in of_role]
        known += [(ROLE_NAMES[role], run, _of_base(r)) for run, r in records if r is not None]
        lacking = sum(record is None for _, record in records)
        unknown += [f"{lacking} of {len(records)} runs of {ROLE_NAMES[role]}"] if lacking else []
    notes = [_not_recorded(unknown)] if unknown else []
    return notes + list(dict.fromkeys(_base_differences(known, method)))


def _of_base(held: ModelFiles) -> ModelFiles:
    return {k: v for k, v in held.items() if k.partition("/")[0] not in (*ADAPTER_ARGS, STEERING)}


def _not_recorded(unknown: Sequence[str]) -> str:
    return (
        "Not checked: that the base model and the adapters held the same files in all runs "
        f"(no sociolect_<time>.json that says so: {', '.join(unknown)})."
    )


def _base_differences(known: Sequence[tuple[str, Run, ModelFiles]], method: Method) -> list[str]:
    notes = []
    for name, run, held in known[1:]:
        first_name, first_run, first = known[0]
        unlike, untold = _unlike(first, held)
        if untold:
            notes.append(
                f"Not checked: that {first_name} and {name} were run on the same model: too large "
                f"to be hashed, of one size, but of another time, is {', '.join(untold)}."
            )
        if not (text := ", ".join(unlike)):
            continue
        if "model" not in method.allow:
            raise NotComparableError(
                f"{first_name} / {name}: the files of the base model differed when the two were "
                f"run:\n  {text}\n  files: {first_run.files.samples} / {run.files.samples}\n"
                "  Run both on the same model, or accept it with --allow model."
            )
        notes.append(f"Allowed for {first_name} / {name}: files of the base model: {text}.")
    return notes


def _unlike(first: ModelFiles, second: ModelFiles) -> tuple[list[str], list[str]]:
    """Files that differ, and those of which it cannot be told.

    Of the model arguments that both runs have files for. Of large files only size and time of
    change are known, and a copy has another time.
    """
    unlike, untold = [], []
    for argument in sorted(first.keys() & second.keys()):
        one, two = first[argument], second[argument]
        for name in sorted(one.keys() | two.keys()):
            a, b = one.get(name), two.get(name)
            if a == b:
                continue
            if _could_be_a_copy(a, b):
                untold.append(name)
            else:
                unlike.append(f"{argument}: {name} {_shown(a)} / {_shown(b)}")
    return unlike, untold


def _could_be_a_copy(a: Any, b: Any) -> bool:
    pairs = all(isinstance(one, list) and len(one) == 2 for one in (a, b))
    return pairs and a[0] == b[0] and isinstance(a[1], int) and isinstance(b[1], int)


def _shown(entry: Any) -> str:
    if not isinstance(entry, list) or len(entry) != 2:
        return "not there"
    size, content = entry
    kind = f"sha256 {content[:12]}" if isinstance(content, str) else f"changed at {content} ns"
    return f"({size} bytes, {kind})"


def check_vectors(trios: Sequence[Trio], method: Method) -> list[str]:
    """Refuse a model that was steered by another file in some of its runs, as far as recorded.

    Returns:
        What differs and was allowed.

    Raises:
        NotComparableError: Two files, without `model` among what is allowed.
        ResultsError: A record that is damaged.
    """
    notes = []
    for role in [role for role in STEERED if role in trios[0]]:
        runs = [run for trio in trios for run in trio[role].all]
        known = [(run, held) for run in runs if (held := _vector(run))]
        unlike = next((run for run, held in known if held != known[0][1]), None)
        if unlike is None:
            continue
        text = f"{ROLE_NAMES[role]}: steered by a file that changed between its runs"
        if "model" not in method.allow:
            raise NotComparableError(
                f"{text}:\n  files: {known[0][0].files.samples} / {unlike.files.samples}\n  Run "
                "both with the same vector, or accept it with --allow model."
            )
        notes.append(f"Allowed for {text}.")
    return notes


def _vector(run: Run) -> ModelFiles:
    return {k: v for k, v in (recorded_files(run.files) or {}).items() if k == STEERING}


def trained_on_another_base(trio: Trio, adapters: Mapping[Role, str | None]) -> list[str]:
    """Adapters whose training names a base model with other files than the one that was run.

    Only of local models whose files were all hashed; of others it cannot be told.
    """
    notes = []
    for role, adapter in adapters.items():
        record = read_record(Path(adapter).expanduser()) if adapter else None
        base = (record or {}).get("base")
        trained = base.get("identity") if isinstance(base, dict) else None
        run = _identity((recorded_files(trio[role].clean.files) or {}).get("pretrained", {}))
        if run and str(trained).startswith("sha256 ") and trained != run:
            notes.append(
                f"{ROLE_NAMES[role]} was run on a base model with other files ({run}) than the "
                f"one that it was trained on ({trained}, {RECORD})."
            )
    return notes


def _identity(files: Mapping[str, Any]) -> str:
    """As training writes it (`steering.lora.base`); empty if some file was not hashed."""
    held = {name: files[name] for name in files if Path(name).suffix in OF_A_MODEL}
    hashed = (isinstance(e, list) and len(e) == 2 and isinstance(e[1], str) for e in held.values())
    if not held or not all(hashed):
        return ""
    lines = "".join(f"{name} {held[name][-1]}\n" for name in sorted(held))
    return f"sha256 {sha256(lines.encode()).hexdigest()}"

"""Do the two adapters differ in their prompts alone? Read from what training left in their folders.

FT clean and FT errors share the targets, their order, the settings and the seed (learner-error
paper, App. C.3). Where an adapter is no longer in the place that the runs name, this cannot be
checked, and the report says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from sociolect.generators.errors import (
    InvalidInputError,
    NotComparableError,
    ResultsError,
    TrainingError,
)
from sociolect.harness.finetune_report_files import EvaluatedWeights
from sociolect.harness.finetune_report_models import ROLE_NAMES, Role, option
from sociolect.steering.lora.adapters import WEIGHTS
from sociolect.steering.lora.record import OF_THE_PROMPTS, RECORD, Record, differences, read_record

PROMPTS: Mapping[Role, str] = {"ft_clean": "clean", "ft_errors": "errors"}
"""The set of prompts that the adapter of each role is trained on."""
_SET = "prompt_set"
_HASH = "prompts_sha256"
_WEIGHTS_HASH = "final_weights_sha256"
_NEEDED = ("settings", "data", "initial_weights_sha256", _HASH, _WEIGHTS_HASH)


@dataclass(frozen=True, slots=True)
class Training:
    """What is known of the training of the two adapters.

    Attributes:
        checked: Whether both records were found, and compared.
        evaluated: Whether these are the adapters of all runs, by the hash of their weights.
        adapters: By role, as the runs name them; `None` for a model without adapter.
        remarks: What a reader must know.
    """

    checked: bool
    evaluated: bool
    adapters: Mapping[Role, str | None]
    remarks: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def check_training(
    adapters: Mapping[Role, str | None], weights: EvaluatedWeights, allow: Collection[str] = ()
) -> Training:
    """Compare the records of the two trainings, as far as they are there.

    Args:
        adapters: Of FT clean and FT errors, as their runs name them.
        weights: With which weights the runs were made (`evaluated_weights`).
        allow: With `model` in it, adapters that were trained otherwise are accepted.

    Raises:
        InvalidInputError: An adapter was trained on the prompts of the other role.
        NotComparableError: They differ in more than the prompts, do not differ in these, or are
            not the adapters that were run.
        ResultsError: A record that cannot be read.
    """
    if not adapters:
        return Training(False, False, adapters, ())
    records = {role: _record(adapter) for role, adapter in adapters.items()}
    found = {role: record for role, record in records.items() if record is not None}
    for role, record in found.items():
        _check_role(role, adapters[role], record)
    if len(found) < len(records):
        remarks = [*_unknown(adapters, found), *_judged_runs(found, weights, allow)]
        return Training(False, False, adapters, tuple(remarks))
    differing = [
        *_record_differences(found["ft_clean"], found["ft_errors"]),
        *(t for role, one in found.items() if (t := _other_weights(role, adapters[role], one))),
    ]
    of_runs = _judged_runs(found, weights, allow)
    return Training(True, not of_runs, adapters, (*_judged(differing, allow), *of_runs))


def _record(adapter: str | None) -> Record | None:
    if adapter is None:
        return None
    folder = Path(adapter).expanduser()
    try:
        record = read_record(folder)
    except TrainingError as error:
        raise ResultsError(
            f"{error}; without the file, the report says that training could not be checked"
        ) from error
    if record is not None and (lacking := [key for key in _NEEDED if not record.get(key)]):
        raise ResultsError(
            f"{folder / RECORD}: lacks {', '.join(lacking)}; use the file that training wrote, or "
            "move it away: the report then says that training could not be checked"
        )
    return record


def _check_role(role: Role, adapter: str | None, record: Record) -> None:
    trained = record.get(_SET)
    if trained == PROMPTS[role]:
        return
    holder = next((other for other, name in PROMPTS.items() if name == trained), None)
    advice = (
        f"it belongs to {option(holder)}; exchange the two"
        if holder
        else f"{option(role)} takes one trained on the prompts {PROMPTS[role]!r}"
    )
    raise InvalidInputError(
        f"{option(role)}: the adapter {adapter} was trained on the prompts {trained!r} "
        f"({RECORD}); {advice}"
    )


def _unknown(adapters: Mapping[Role, str | None], found: Collection[Role]) -> list[str]:
    """What cannot be checked, and why."""
    reasons = [
        f"{ROLE_NAMES[role]} "
        + ("has no adapter" if adapter is None else f"has no {RECORD} at {adapter}")
        for role, adapter in adapters.items()
        if role not in found
    ]
    return [
        "Not checked: that FT clean and FT errors were trained with the same settings, targets and "
        f"initial weights, and differ in their prompts alone ({'; '.join(reasons)})."
    ]


def _record_differences(clean: Record, errors: Record) -> list[str]:
    keys = [key for key in dict.fromkeys([*clean, *errors]) if key not in OF_THE_PROMPTS]
    found = differences(clean, errors, keys)
    if clean.get(_HASH) == errors.get(_HASH):
        found.append(f"{_HASH}: the same, {clean.get(_HASH)}, so the prompts do not differ")
    return found


def _other_weights(role: Role, adapter: str | None, record: Record) -> str:
    """Whether the weights beside a record are others than it speaks of; empty if they are not."""
    path = Path(adapter or "").expanduser() / WEIGHTS
    try:
        with path.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read ({error.strerror})") from error
    expected = record.get(_WEIGHTS_HASH)
    if found == expected:
        return ""
    return f"{_WEIGHTS_HASH} of {ROLE_NAMES[role]}: {expected} in {RECORD}, {found} in {path}"


def _judged(found: Sequence[str], allow: Collection[str]) -> list[str]:
    if not found:
        return [
            "FT clean and FT errors were trained with the same settings, targets and initial "
            f"weights, and differ in their prompts alone ({RECORD} of both)."
        ]
    if "model" in allow:
        return [f"Allowed for FT clean / FT errors: training: {text}" for text in found]
    listed = "".join(f"\n  {text}" for text in found)
    raise NotComparableError(
        f"FT clean / FT errors: trained in ways that differ in more than the prompts:{listed}\n"
        "  Train both with one `sociolect finetune train`, or accept it with --allow model."
    )


def _judged_runs(
    found: Mapping[Role, Record], weights: EvaluatedWeights, allow: Collection[str]
) -> list[str]:
    """What keeps the records from being those of the adapters that were run."""
    notes = []
    for role, record in found.items():
        expected = record[_WEIGHTS_HASH]
        hashes = weights.get(role, {})
        others = {path: sha for path, sha in hashes.items() if sha not in (None, expected)}
        text = ", ".join(f"{sha} in the run {path}" for path, sha in others.items())
        if others and "model" not in allow:
            raise NotComparableError(
                f"{ROLE_NAMES[role]}: run with other weights than those that {RECORD} speaks of "
                f"({_WEIGHTS_HASH}): {expected} in {RECORD}, {text}\n  The adapter was trained "
                "again or exchanged: run it again, or accept it with --allow model."
            )
        if others:
            notes.append(f"Allowed for {ROLE_NAMES[role]}: {expected} in {RECORD}, {text}.")
        if unknown := sum(sha is None for sha in hashes.values()):
            notes.append(
                f"Not checked: that {RECORD} is of the adapter {ROLE_NAMES[role]} was run with "
                f"(no sociolect_<time>.json with its weights: {unknown} of {len(hashes)} runs)."
            )
    return notes

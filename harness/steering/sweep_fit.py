"""The fit behind a sweep: what the report names of it, and whether it saw the same pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.dialect.folder import Built
from sociolect.generators.errors import ResultsError
from sociolect.harness.exports import json_text, write_text
from sociolect.harness.steering.fit_folder import FIT, FORMAT
from sociolect.harness.steering.sweep_cells import EVALUATION, SELECTION
from sociolect.harness.steering.sweep_json import read_object
from sociolect.harness.steering.sweep_settings import SweepSettings
from sociolect.harness.steering.sweep_vectors import FILES, KEPT, VECTOR

SAME = "same"
DISJOINT = "other build, no id in common"
UNKNOWN = "other build, cannot be checked"
NO_PAIRS = "none: fitted on learner errors or noise"
"""How the pairs of a fit are those of the sweep; `SAME` have disjoint splits."""
_NAMED = ("dataset", "benchmark", "condition", "data_sha256")


def source(settings: SweepSettings) -> Path:
    """The folder of the fit, or if that is gone the copy in the folder of the sweep."""
    copy = settings.out / KEPT
    gone = not (settings.fit / FILES[VECTOR]).is_file()
    return copy if gone and (copy / FILES[VECTOR]).is_file() else settings.fit


def fit_record(folder: Path) -> dict[str, Any]:
    """`fit.json` of a fit; empty if there is none.

    Raises:
        ResultsError: It is damaged.
    """
    path = folder / FIT
    if not path.is_file():
        return {}
    found = read_object(path, "fit the vector anew")
    if found.get("format") != FORMAT:
        raise ResultsError(f"{path}: is not of the form {FORMAT}; fit the vector anew")
    return found


def keep_record(record: Mapping[str, Any], out: Path) -> None:
    """Keep `fit.json` beside the vectors of a sweep."""
    if record:
        write_text(json_text(record), out / KEPT / FIT)


def fit_facts(own: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """What a report names of a fit; ready for JSON.

    Args:
        own: Facts of the vector; what they do not say is left out.
        record: Of `fit_record`.

    Returns:
        `kind` (`dialect` or `errors`), `dataset` or `benchmark` and `condition`, `data_sha256`,
        `direction_pairs`, `traced_items`, `seed`, `warnings`.
    """
    data = own.get("data", {})
    found = {
        "kind": own.get("kind"),
        **{name: data.get(name) for name in _NAMED},
        "direction_pairs": own.get("extraction", {}).get("pairs"),
        "traced_items": own.get("tracing", {}).get("items"),
        "seed": own.get("seed"),
        "warnings": record.get("warnings"),
    }
    return {name: value for name, value in found.items() if value is not None}


def pairs_of_fit(facts: Mapping[str, Any], record: Mapping[str, Any], built: Built) -> str:
    """How the pairs that a vector was fitted on are those of a sweep.

    Args:
        facts: Of `fit_facts`.
        record: Of `fit_record`.
        built: The pairs of the sweep.

    Returns:
        `SAME`, `DISJOINT`, `UNKNOWN` or `NO_PAIRS`.

    Raises:
        ResultsError: A strength would be chosen or told by pairs that the vector was fitted on.
    """
    if facts.get("data_sha256") == built.manifest["configs"]["pairs"]["sha256"]:
        return SAME
    seen, complete = _ids(record)
    held_out = {str(row["id"]) for row in built.rows if row["split"] in (SELECTION, EVALUATION)}
    if both := sorted(seen & held_out):
        raise ResultsError(
            f"the vector was fitted on {len(both)} of the pairs that this sweep chooses a strength "
            f"by or tells it by (such as {both[0]}): they are in other splits here than in the "
            "pairs of the fit. Sweep on the pairs that it was fitted with, or fit it on these with "
            "`sociolect steer fit --pairs`"
        )
    if facts.get("kind") == "errors":
        return NO_PAIRS
    return DISJOINT if complete else UNKNOWN


def remarks(facts: Mapping[str, Any], pairs: str) -> Iterator[str]:
    """What must be said of a fit before its vector is swept.

    Args:
        facts: Of `fit_facts`.
        pairs: Of `pairs_of_fit`.
    """
    if facts.get("kind", "dialect") != "dialect":
        yield (
            f"this vector was fitted on learner errors or noise ({facts.get('condition')} of "
            f"{facts.get('benchmark')}); the sweep says what it does to dialect"
        )
    elif pairs == DISJOINT:
        yield (
            "the vector was fitted on another build of pairs; none of them is among those that the "
            "strength is chosen and told by"
        )
    elif pairs == UNKNOWN:
        yield (
            "the vector was fitted on another build of pairs, or does not say on which: whether "
            "some of them are among those that the strength is chosen and told by cannot be checked"
        )


def _ids(record: Mapping[str, Any]) -> tuple[set[str], bool]:
    """Ids that a fit names, and whether these are all that it saw.

    One without `ids` names those of its traced items alone.
    """
    named = record.get("ids")
    if named is None:
        return {str(one["id"]) for one in record.get("items", ())}, False
    return {str(one) for step in ("directions", "tracing") for one in named[step]}, True

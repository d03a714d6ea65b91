"""A sweep for machines: one row a number, unrounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sociolect import __version__
from sociolect.generators.installed import installed
from sociolect.harness.dialect.audits import Key
from sociolect.harness.dialect.differences import Difference
from sociolect.harness.dialect.report_rows import document as report_document
from sociolect.harness.provenance import PACKAGES
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_against import Against
from sociolect.harness.steering.sweep_numbers import Figure, Numbers, Row

SCHEMA_VERSION = 2
"""Of the JSON document; grows when a key changes its meaning or goes."""
_NOT_SAID = {"resamples_lost": None, "left": "", "doubtful": None, "uninformative": None}


def rows(sweep: Sweep) -> list[dict[str, Any]]:
    """Every number of every cell of both splits, and of the vector minus its controls."""
    found = [
        one
        for numbers in (sweep.selection, sweep.evaluation)
        for row in numbers.rows.values()
        for one in _of_cell(sweep, numbers, row)
    ]
    found += [one for against in sweep.against for one in _of_control(sweep, against)]
    return [{**one, "beta_scale": sweep.settings.scale} for one in found]


def _of_cell(sweep: Sweep, numbers: Numbers, row: Row) -> Iterator[dict[str, Any]]:
    for key, estimate in row.audited.estimates.items():
        if "[" in key.measure:  # of a class of feature: the report of the audit has those
            continue
        who = _who(numbers.audit.dataset.split, row.cell.system, row.cell.beta, key)
        low, high = estimate.interval or (None, None)
        number = {"n": estimate.n, "value": estimate.value, "ci_low": low, "ci_high": high}
        yield {
            **who,
            **number,
            "resamples_lost": estimate.lost,
            "left": "; ".join(f"{n} {reason}" for reason, n in estimate.left.items()),
            "doubtful": estimate.doubtful,
            "uninformative": estimate.uninformative,
            **_difference(row.audited.differences.get(key)),
        }
    if row.cell.is_steered:
        figures = {
            "aae_ppl_ratio": row.aae_ratio,
            "sae_ppl_ratio": row.sae_ratio,
            "bias_reduction_percent": row.reduction,
        }
        for name, figure in figures.items():
            yield _of_figure(numbers, row, name, figure)


def _of_figure(numbers: Numbers, row: Row, name: str, figure: Figure) -> dict[str, Any]:
    low, high = figure.interval or (None, None)
    who = _who(numbers.audit.dataset.split, row.cell.system, row.cell.beta, Key("", name))
    number = {"n": None, "value": figure.value, "ci_low": low, "ci_high": high}
    return {**who, **number, **_NOT_SAID, "left": figure.why, **_difference(None)}


def _of_control(sweep: Sweep, one: Against) -> Iterator[dict[str, Any]]:
    split = sweep.evaluation.audit.dataset.split
    for key, found in one.differences.items():
        who = _who(split, f"vector - {one.control}", one.beta, key)
        number = {"n": found.n, "value": found.value, "ci_low": None, "ci_high": None}
        yield {**who, **number, **_NOT_SAID, **_difference(found)}


def _who(split: str, system: str, beta: float, key: Key) -> dict[str, Any]:
    return {"split": split, "system": system, "beta": beta, **key._asdict()}


def _difference(found: Difference | None) -> dict[str, Any]:
    low, high = (found.interval if found else None) or (None, None)
    return {
        "n_both": found.n if found else None,
        "base_compared": found.base if found else None,
        "value_compared": found.value if found else None,
        "delta": found.delta if found else None,
        "delta_ci_low": low,
        "delta_ci_high": high,
        "delta_doubtful": found.doubtful if found else None,
        "p": found.p if found else None,
        "p_holm": found.p_holm if found else None,
    }


def document(sweep: Sweep, remarks: list[str], command: str) -> dict[str, Any]:
    """Everything: what was asked, vectors, choice, numbers, flips, runs with hashes."""
    method = sweep.settings.method
    return {
        "schema": "sociolect.steer_sweep",
        "schema_version": SCHEMA_VERSION,
        "sociolect_version": __version__,
        "packages": installed(PACKAGES),
        "command": command,
        "settings": sweep.settings.record() | {"controls": sweep.settings.controls},
        "method": {
            "seed": method.seed,
            "alpha": method.alpha,
            "resamples": method.resamples,
            "permutations": method.permutations,
        },
        "facts": dict(sweep.facts),
        "vectors": {name: one.record() for name, one in sweep.vectors.items()},
        "choices": {
            name: {
                "beta": one.beta,
                "compared": one.compared,
                "verdicts": [{"beta": b, "verdict": text} for b, text in one.verdicts.items()],
            }
            for name, one in sweep.choices.items()
        },
        "better_than": {one.control: one.record() for one in sweep.against},
        "rows": rows(sweep),
        "flips": sweep.flips.record() | {"beta": sweep.choice.compared},
        "items": [one.record() for one in sweep.flips.items],
        "datasets": [
            report_document([numbers.audit], [])["datasets"][0]
            for numbers in (sweep.selection, sweep.evaluation)
        ],
        "remarks": remarks,
    }

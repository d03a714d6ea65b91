"""The audit for machines: one row a number, unrounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sociolect import __version__
from sociolect.harness.dialect.audits import Key
from sociolect.harness.dialect.findings import Audit, Audited, Estimate
from sociolect.harness.dialect.lengths import Lengths
from sociolect.harness.dialect.runs import DialectRun
from sociolect.harness.result_files import identified
from sociolect.tasks.dialect.catalogue import LABELS
from sociolect.tasks.dialect.label_measures import NOT_ASKED

SCHEMA_VERSION = 1
"""Of the JSON document; grows when a key changes its meaning or goes."""
_VERSIONS = ("aae", "sae", "back")


def rows(audits: Sequence[Audit]) -> list[dict[str, Any]]:
    """Every number of every system; what does not exist is `None`."""
    return [
        _row(audit, one, key, estimate)
        for audit in audits
        for one in audit.systems
        for key, estimate in one.estimates.items()
    ]


def _row(audit: Audit, one: Audited, key: Key, estimate: Estimate) -> dict[str, Any]:
    low, high = estimate.interval or (None, None)
    task, measure = key
    return {
        "data_sha256": audit.dataset.sha256,
        "split": audit.dataset.split,
        "model": one.system.model,
        "system": one.system.name,
        "task": task,
        "measure": measure.partition("[")[0],
        "feature_class": measure.partition("[")[2].rstrip("]"),
        "n": estimate.n,
        "clusters": estimate.clusters,
        "value": estimate.value,
        **asdict(estimate.lengths or Lengths()),
        "confidence": audit.method.confidence,
        "ci_low": low,
        "ci_high": high,
        "resamples_lost": estimate.lost,
        "doubtful": estimate.doubtful,
        "uninformative": estimate.uninformative,
        "left": "; ".join(f"{n} {reason}" for reason, n in estimate.left.items()),
        **_difference(audit, one, key),
    }


def _difference(audit: Audit, one: Audited, key: Key) -> dict[str, Any]:
    found = one.differences.get(key)
    low, high = (found.interval if found else None) or (None, None)
    p = found.p if found else None
    p_holm = found.p_holm if found else None
    return {
        "n_both": found.n if found else None,
        "n_base": found.n_base if found else None,
        "n_value": found.n_value if found else None,
        "clusters_compared": found.clusters if found else None,
        "base_compared": found.base if found else None,
        "value_compared": found.value if found else None,
        "delta": found.delta if found else None,
        "delta_ci_low": low,
        "delta_ci_high": high,
        "delta_doubtful": found.doubtful if found else None,
        "delta_resamples_lost": found.lost if found else None,
        "p": p,
        "p_holm": p_holm,
        "significant": None if p is None else p < audit.method.alpha,
        "significant_holm": None if p_holm is None else p_holm < audit.method.alpha,
    }


def label_rows(audits: Sequence[Audit]) -> list[dict[str, Any]]:
    """How many texts of each version got each label."""
    found = []
    for audit in audits:
        for one in audit.systems:
            for task, labels in one.answers.labels.items():
                for version, side in zip(
                    _VERSIONS, (labels.aae, labels.sae, labels.back), strict=True
                ):
                    counts = {name: int((side == i).sum()) for i, name in enumerate(LABELS)}
                    found.append(
                        {
                            "data_sha256": audit.dataset.sha256,
                            "model": one.system.model,
                            "system": one.system.name,
                            "task": task,
                            "version": version,
                            **counts,
                            "unanswered": int((side == -1).sum()),
                            "asked": int((side != NOT_ASKED).sum()),
                        }
                    )
    return found


def document(audits: Sequence[Audit], remarks: Sequence[str]) -> Mapping[str, Any]:
    """Everything: inputs with hashes and settings, method, numbers, remarks."""
    method = audits[0].method
    return {
        "schema": "sociolect.dialect_report",
        "schema_version": SCHEMA_VERSION,
        "sociolect_version": __version__,
        "method": {
            "seed": method.seed,
            "alpha": method.alpha,
            "resamples": method.resamples,
            "permutations": method.permutations,
        },
        "datasets": [_dataset(audit) for audit in audits],
        "rows": rows(audits),
        "labels": label_rows(audits),
        "features": [
            {"data_sha256": audit.dataset.sha256, **found.record()}
            for audit in audits
            for one in audit.systems
            for found in one.features
        ],
        "remarks": list(remarks),
    }


def _dataset(audit: Audit) -> dict[str, Any]:
    dataset = audit.dataset
    return {
        "data_sha256": dataset.sha256,
        "data_version": dataset.version,
        "split": dataset.split,
        "pairs": len(dataset.ids),
        "clusters": dataset.size,
        "notes": list(dataset.notes),
        "systems": [
            {
                "model": one.system.model,
                "system": one.system.name,
                "adapter": one.system.adapter,
                "steering": dict(one.system.steering),
                "prompted": one.system.prompted,
                "inputs": [_input(one, run) for run in one.system.runs.values()],
            }
            for one in audit.systems
        ],
    }


def _input(one: Audited, run: DialectRun) -> dict[str, Any]:
    count = one.answers.counts[run.task]
    return {
        **identified(run.files, run.sha256, run.data, run.settings, run.sampler),
        "prompts": len(run.records),
        "prompts_expected": dict(run.expected),
        "answers_asked": count.asked,
        "answers_missing": count.missing,
    }

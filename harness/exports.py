"""A comparison for machines: CSV and JSON with unrounded numbers."""

from __future__ import annotations

import csv
import io
import json
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.compare import Comparison
from sociolect.harness.comparison_rows import Row
from sociolect.harness.remarks import remarks
from sociolect.harness.results import Run

SCHEMA_VERSION = 1
"""Of the JSON document; grows when a key changes its meaning or goes."""


def flat(row: Row, comparison: Comparison) -> dict[str, Any]:
    """A row with unrounded numbers; what does not exist is `None`."""
    alpha, test = comparison.method.alpha, row.test
    names = ("clean", "errored", "delta", "low", "high", "p", "p_holm", "detectable")
    values = {key: getattr(test, key) if test else None for key in names}
    return {
        "benchmark": row.benchmark,
        "axis": row.axis,
        "form": row.form,
        "metric": row.metric,
        "task": row.task,
        "model": row.other.model,
        "condition": row.other.condition,
        "label": row.other.label,
        "rules": row.other.rules,
        "data_sha256": row.other.data_sha256,
        "error_seed": row.error_seed,
        "baseline_model": row.baseline.model,
        "baseline_condition": row.baseline.condition,
        "baseline_label": row.baseline.label,
        "baseline_rules": row.baseline.rules,
        "baseline_data_sha256": row.baseline.data_sha256,
        "n": test.n if test else 0,
        "clean": values["clean"],
        "errored": values["errored"],
        "delta": values["delta"],
        "confidence": 1 - alpha,
        "ci_low": values["low"],
        "ci_high": values["high"],
        "p": values["p"],
        "p_holm": values["p_holm"],
        "significant": test is not None and test.p < alpha,
        "significant_holm": test is not None and test.p_holm < alpha,
        "detectable": values["detectable"],
        "clean_pooled": row.baseline.pooled,
        "errored_pooled": row.other.pooled,
        "clean_unanswered": row.baseline.unanswered,
        "errored_unanswered": row.other.unanswered,
        "warning": row.warning,
        "left_unanswered": row.left.unanswered,
        "left_incomplete": row.left.incomplete,
        "left_invalid": row.left.invalid,
        "left_prompts": row.left.prompts,
    }


def render_csv(comparison: Comparison) -> str:
    r"""One line a row, with a header; empty where a number does not exist.

    Characters that cannot be printed are escaped as in JSON (`\u202e`).
    """
    rows = [flat(row, comparison) for row in comparison.rows]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: _escaped(v) if isinstance(v, str) else v for k, v in row.items()})
    return buffer.getvalue()


def render_json(comparison: Comparison) -> str:
    """Everything: inputs with hashes and settings, method, rows, remarks."""
    method = comparison.method
    document = {
        "schema": "sociolect.compare",
        "schema_version": SCHEMA_VERSION,
        "sociolect_version": __version__,
        "method": {
            "metrics": list(method.metrics),
            "alpha": method.alpha,
            "permutations": method.permutations,
            "resamples": method.resamples,
            "seed": method.seed,
            "include_invalid": method.include_invalid,
            "allow": sorted(method.allow),
        },
        "inputs": [
            _input(comparison.clean, _role(comparison.clean, "clean", "baseline")),
            *(_input(run, _role(run, "compared", "errored")) for run in comparison.others),
        ],
        "families": [
            {"family": list(family), "tests": size} for family, size in comparison.families.items()
        ],
        "rows": [flat(row, comparison) for row in comparison.rows],
        "remarks": remarks(comparison),
    }
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str)
    return "".join(f"{_escaped(line)}\n" for line in text.split("\n"))


def _escaped(text: str) -> str:
    """Text without characters that steer a terminal or that UTF-8 cannot hold."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _role(run: Run, clean: str, errored: str) -> str:
    return clean if run.condition.is_clean else errored


def _input(run: Run, role: str) -> dict[str, Any]:
    return {
        "role": role,
        "task": run.task,
        "condition": run.condition.config_name,
        "error_seed": run.error_seed,
        "samples": str(run.files.samples),
        "samples_sha256": run.sha256["samples"],
        "results": str(run.files.results),
        "results_sha256": run.sha256["results"],
        "data": dict(run.data),
        "settings": dict(run.settings),
        "sampler": dict(run.sampler),
        "prompts": len(run.records),
        "prompts_expected": dict(run.prompts),
        "answers_asked": run.asked,
        "answers_missing": run.unanswered,
    }


def write_text(text: str, path: Path) -> None:
    """Write a file whole or not at all; what UTF-8 cannot hold is written as an escape.

    A link stays a link, and the file it names is written. What is no regular file (a pipe, a
    device) is written to as it is.

    Raises:
        InvalidInputError: A folder, or a place that cannot be written to.
    """
    try:
        kind = _kind(path)
        if stat.S_ISDIR(kind):
            raise InvalidInputError(f"{path}: is a folder; name a file in it")
        if kind and not stat.S_ISREG(kind):
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
        else:
            _replace(text, Path(os.path.realpath(path)))
    except OSError as error:
        raise InvalidInputError(
            f"{path}: cannot be written ({error.strerror}); name a file in a folder that exists "
            "and that you may write to"
        ) from error


def _kind(path: Path) -> int:
    """File mode of what a path leads to, 0 if there is nothing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return 0


def _replace(text: str, path: Path) -> None:
    # A name of its own: one made of the name of the file could be too long for the file system.
    temporary = path.with_name(f".sociolect-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()

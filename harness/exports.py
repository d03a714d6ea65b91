"""A comparison for machines: CSV and JSON with unrounded numbers."""

from __future__ import annotations

import csv
import io
import json
import os
import secrets
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sociolect import __version__
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.compare import Comparison
from sociolect.harness.comparison_rows import Row
from sociolect.harness.remarks import all_remarks
from sociolect.harness.result_files import identified
from sociolect.harness.results import Run

SCHEMA_VERSION = 1
"""Of the JSON document; grows when a key changes its meaning or goes."""


def flat(row: Row, comparison: Comparison) -> dict[str, Any]:
    """A row with unrounded numbers; what does not exist is `None`."""
    return flat_row(row, comparison.method.alpha)


def flat_row(row: Row, alpha: float) -> dict[str, Any]:
    """As `flat`, of a row that is in no comparison; `alpha` is the level of its tests."""
    return {
        "benchmark": row.benchmark,
        "axis": row.axis,
        "form": row.form,
        "metric": row.metric,
        "unit": row.unit,
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
        "of_changes": row.of_changes,
        **_tested(row, alpha),
        "clean_pooled": row.baseline.pooled,
        "errored_pooled": row.other.pooled,
        "clean_unanswered": row.baseline.unanswered,
        "errored_unanswered": row.other.unanswered,
        "warning": row.warning,
        "left_unanswered": row.left.unanswered,
        "left_incomplete": row.left.incomplete,
        "left_invalid": row.left.invalid,
        "left_prompts": row.left.prompts,
        **_seeds(row),
    }


def _tested(row: Row, alpha: float) -> dict[str, Any]:
    test = row.test

    def value(name: str) -> Any:
        return getattr(test, name) if test else None

    return {
        "n": test.n if test else 0,
        "clean": value("clean"),
        "errored": value("errored"),
        "delta": value("delta"),
        "confidence": 1 - alpha,
        "ci_low": value("low"),
        "ci_high": value("high"),
        "templates": test.clusters if test else 0,
        "ci_templates_low": value("cluster_low"),
        "ci_templates_high": value("cluster_high"),
        "p": value("p"),
        "p_holm": value("p_holm"),
        "significant": test is not None and test.p < alpha,
        "significant_holm": test is not None and test.p_holm < alpha,
        "detectable": value("detectable"),
    }


def _seeds(row: Row) -> dict[str, Any]:
    """What the error seeds do; all but their number is `None` for a single one."""
    spread = row.spread
    found = spread.components if spread else None
    return {
        "error_seeds": " ".join(map(str, row.error_seeds)),
        "delta_sd": spread.sd if spread else None,
        "delta_min": min(spread.deltas) if spread else None,
        "delta_max": max(spread.deltas) if spread else None,
        "seed_variance": found.seed if found else None,
        "unit_variance": found.unit if found else None,
        "residual_variance": found.residual if found else None,
        "seed_share": found.share if found else None,
        "set_to_zero": " ".join(found.clipped) if found else "",
    }


def render_csv(*comparisons: Comparison) -> str:
    r"""One line a row, with a header; empty where a number does not exist.

    Characters that cannot be printed are escaped as in JSON (`\u202e`).
    """
    return csv_text([flat(row, one) for one in comparisons for row in one.rows])


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Rows with the same keys as CSV; nothing in them steers a terminal.

    Args:
        rows: At least one, unless `columns` are given.
        columns: Their keys; those of the first row by default.
    """
    buffer = io.StringIO()
    names = list(columns) or list(rows[0])
    writer = csv.DictWriter(buffer, fieldnames=names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: _escaped(v) if isinstance(v, str) else v for k, v in row.items()})
    return buffer.getvalue()


def json_text(document: Mapping[str, Any], *, indent: int | None = 2) -> str:
    """A document as strict JSON; nothing in it steers a terminal."""
    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False, default=str)
    return "".join(f"{_escaped(line)}\n" for line in text.split("\n"))


def render_json(*comparisons: Comparison) -> str:
    """Everything: inputs with hashes and settings, method, rows, remarks."""
    return json_text(
        {
            "schema": "sociolect.compare",
            "schema_version": SCHEMA_VERSION,
            "sociolect_version": __version__,
            "method": method_table(comparisons),
            "inputs": [entry for one in comparisons for entry in inputs(one)],
            "families": [
                {"family": list(family), "tests": size}
                for one in comparisons
                for family, size in one.families.items()
            ],
            "rows": [flat(row, one) for one in comparisons for row in one.rows],
            "remarks": all_remarks(comparisons),
        }
    )


def method_table(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """How comparisons with one method were computed."""
    method = comparisons[0].method
    return {
        "metrics": list(dict.fromkeys(row.metric for one in comparisons for row in one.rows)),
        "alpha": method.alpha,
        "permutations": method.permutations,
        "resamples": method.resamples,
        "seed": method.seed,
        "include_invalid": method.include_invalid,
        "allow": sorted(method.allow),
    }


def inputs(comparison: Comparison) -> list[dict[str, Any]]:
    """The runs of a comparison: files with hashes, data, settings, seeds and counts."""
    clean = comparison.clean
    return [
        _input(clean, _role(clean, "clean", "baseline")),
        *(_input(run, _role(run, "compared", "errored")) for run in comparison.others),
        *(_input(run, _role(run, "against clean", "against")) for run in comparison.against),
    ]


def _escaped(text: str) -> str:
    """Text without characters that steer a terminal or that UTF-8 cannot hold."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _role(run: Run, clean: str, errored: str) -> str:
    return clean if run.condition.is_clean else errored


def _input(run: Run, role: str) -> dict[str, Any]:
    return {
        "role": role,
        **input_of(run),
        "answers_asked": run.asked,
        "answers_missing": run.unanswered,
    }


def input_of(run: Run) -> dict[str, Any]:
    """What identifies a run in an export: files, hashes, data, settings, prompts."""
    return {
        **identified(run.files, run.sha256, run.data, run.settings, run.sampler),
        "condition": run.condition.config_name,
        "error_seed": run.error_seed,
        "prompts": len(run.records),
        "prompts_expected": dict(run.prompts),
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

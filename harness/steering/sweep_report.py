"""A sweep as text and files, with what a reader must know beside its numbers."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sociolect import __version__
from sociolect.harness import sheets
from sociolect.harness.dialect import report
from sociolect.harness.dialect.differences import Difference
from sociolect.harness.dialect.methods import FEW_PAIRS
from sociolect.harness.exports import csv_text, json_text, write_text
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_choice import MATCH_POINTS
from sociolect.harness.steering.sweep_numbers import LP, Numbers, ends
from sociolect.harness.steering.sweep_rows import document, rows
from sociolect.harness.steering.sweep_sheets import COSTLY, NOT_BETTER, all_sheets
from sociolect.harness.steering.sweep_vectors import MEANING, SINGLE, VECTOR

REPORT, CSV, JSON, FLIPS = "report.md", "sweep.csv", "sweep.json", "flips.csv"
_FLIP_COLUMNS = ("id", "flip", "before", "after", "change", "context", "aae", "sae")


def render(
    sweep: Sweep, output_format: str, *, width: int | None = None, colour: bool = False
) -> str:
    """The sweep as text.

    Args:
        sweep: Run and computed.
        output_format: One of `report.FORMATS`.
        width: Columns of the terminal.
        colour: Whether to write escape sequences.
    """
    if output_format == "json":
        return json_text(document(sweep, [*remarks(sweep), *legend(sweep)], command(sweep)))
    if output_format == "csv":
        return csv_text(rows(sweep))
    tables, notes = all_sheets(sweep), [*remarks(sweep), *legend(sweep)]
    if output_format == "md":
        return sheets.as_markdown(tables, notes)
    if output_format == "tex":
        return sheets.as_tex(tables, notes)
    return sheets.as_text(tables, notes, width=width, colour=colour)


def remarks(sweep: Sweep) -> list[str]:
    """What came out of the rule and the controls, and everything unusual."""
    found = [*_chosen(sweep), *_told(sweep), *_controlled(sweep), *_doubts(sweep)]
    # Of the unsteered model: all others are asked the same.
    audits = [
        replace(numbers.audit, systems=(numbers.base.audited,))
        for numbers in (sweep.selection, sweep.evaluation)
    ]
    return list(dict.fromkeys([*found, *report.remarks(audits)]))


def _chosen(sweep: Sweep) -> Iterator[str]:
    for name in (VECTOR, SINGLE):
        one = sweep.choices[name]
        if one.beta:
            yield f"{name}: recommended β = {one.beta:g}, chosen on the selection split alone."
            continue
        why = "; ".join(f"β={beta:g}: {text}" for beta, text in one.verdicts.items())
        yield (
            f"{name}: recommended β = 0, that is not to steer. {why}. Systems are compared at "
            f"β = {one.compared:g}, which has the lowest |LP|."
        )


def _told(sweep: Sweep) -> Iterator[str]:
    """What the strengths do to the pairs that had no part in their choice."""
    for row in (sweep.steered, sweep.single):
        found = row.audited.differences.get(LP)
        if found is None:
            continue
        interval = ends(found.interval)
        none = interval is None or interval[0] <= 0 <= interval[1]
        yield (
            f"on the evaluation split, β = {row.cell.beta:g} of {row.cell.system} changes LP by "
            f"{_delta(found)}{', not told apart from no change' * none}."
        )


def _delta(found: Difference) -> str:
    interval = ends(found.interval)
    reach = "no interval" if interval is None else "[{:+.3f}, {:+.3f}]".format(*interval)
    return f"{found.delta:+.3f} {reach}" + ("" if found.p is None else f", p = {found.p:.4f}")


def _controlled(sweep: Sweep) -> Iterator[str]:
    """The heart of the matter: does the direction do what a direction without meaning does not?"""
    if not sweep.against:
        yield (
            "no control was run: what steering does here may be what any vector of its size does. "
            "Run the controls with --controls chosen."
        )
    for one in sweep.against:
        found = one.differences.get(LP)
        if found is None:
            yield f"vector − {one.control}: no pair is scored in both."
            continue
        word = "nearer to 0 than" if one.is_better else f"{NOT_BETTER} not better than"
        yield (
            f"at β = {one.beta:g} the vector is {word} the control {one.control} "
            f"({MEANING[one.control]}): Δ LP = {_delta(found)}."
        )


def _doubts(sweep: Sweep) -> Iterator[str]:
    for numbers in (sweep.selection, sweep.evaluation):
        yield from _few(numbers)
    base = ends(sweep.selection.base.audited.estimates[LP].interval)
    if base is None or base[0] <= 0 <= base[1]:
        yield (
            "LP of the unsteered model is not told apart from 0 on the selection split: there may "
            "be no preference to reduce."
        )
    for numbers in (sweep.selection, sweep.evaluation):
        whole = numbers.base.audited.estimates[LP].n
        for row in numbers.rows.values():
            n = row.audited.estimates[LP].n
            if n != whole:
                yield f"{row.cell.label}: {n} pairs are scored, and {whole} of base."
    for row in sweep.evaluation.rows.values():
        if row.costs_sae and row.cell.is_steered:
            yield f"{COSTLY} {row.cell.label}: SAE perplexity is above base's, interval and all."


def _few(numbers: Numbers) -> Iterator[str]:
    found = numbers.base.audited.estimates[LP]
    if found.clusters < FEW_PAIRS:
        yield (
            f"split {numbers.audit.dataset.split}: {found.clusters} pairs or groups, fewer than "
            f"{FEW_PAIRS}: intervals are too narrow."
        )


def legend(sweep: Sweep) -> list[str]:
    """What the numbers and marks mean, and how they were computed."""
    most, level = 1 + sweep.settings.tolerance, 100 * sweep.settings.method.confidence
    names = "; ".join(f"{name}: {MEANING[name]}" for name in sweep.vectors)
    return [
        f"The rule, on the split selection alone: of the β above 0 whose SAE and AAE perplexity is "
        f"at most {most:g} times that of base and whose SAE match falls by at most "
        f"{MATCH_POINTS:g} points, the one with the lowest |LP|, if that is below |LP| of base; of "
        "equal ones the smaller. Otherwise 0. The split evaluation has no say in it.",
        "Systems: base: the model as it is; prompted: asked to treat both varieties alike; "
        f"{names}.",
        "added / norm: the largest β·w_l by the median norm of the residual stream at its block; "
        "β is not comparable between models, this is.",
        "bias reduction = (LP_0 − LP_β) / LP_0; ratio: perplexity by that of base, over the pairs "
        f"that count in both. Their {level:g} % intervals are of the same resamples as all others. "
        f"{COSTLY} the interval of the ratio of SAE perplexity is above 1. {NOT_BETTER} the vector "
        "does not bring LP nearer to 0 than the control, interval and all: such a result says "
        "nothing of the direction. p (Holm): over all systems of the table; against controls, over "
        "these.",
        "Flips: pairs whose likelier continuation in the AAE context changes between base and the "
        "vector; p: exact two-sided sign test of the two directions.",
        *report.legend([sweep.evaluation.audit]),
        f"sociolect {__version__}. The same sweep: {command(sweep)}",
    ]


def command(sweep: Sweep) -> str:
    """The command that makes this sweep."""
    own = sweep.settings
    options = {
        "--model_args": json.dumps(dict(own.model_args)),
        "--pairs": own.pairs,
        "--out": own.out,
        "--beta": ",".join(f"{beta:g}" for beta in (0, *own.strengths)),
        "--beta-scale": own.scale,
        "--tasks": ",".join(own.tasks),
        "--controls": own.controls,
        **({"--pairs-limit": own.pairs_limit} if own.pairs_limit else {}),
        "--tolerance": own.tolerance,
        **({"--device": own.device} if own.device else {}),
        "--batch-size": own.batch_size,
        "--alpha": own.method.alpha,
        "--resamples": own.method.resamples,
        "--permutations": own.method.permutations,
        "--seed": own.method.seed,
    }
    parts = [part for name, value in options.items() for part in (name, str(value))]
    allowed = [part for name in own.allow for part in ("--allow", name)]
    return shlex.join(["sociolect", "steer", "sweep", str(own.fit), *parts, *allowed])


def write(sweep: Sweep) -> list[Path]:
    """Write the report into the folder of the sweep, each file whole or not at all."""
    from sociolect.harness.steering.sweep_plot import TRADEOFF, draw

    out = sweep.settings.out
    flips = [one.record() for one in sweep.flips.items]
    texts = {
        CSV: render(sweep, "csv"),
        FLIPS: csv_text([{k: one[k] for k in _FLIP_COLUMNS} for one in flips], _FLIP_COLUMNS),
        REPORT: f"# Steering sweep\n\n{render(sweep, 'md')}",
        JSON: render(sweep, "json"),
    }
    for name, text in texts.items():
        write_text(text, out / name)
    draw(sweep, out / TRADEOFF)
    return [out / name for name in (*texts, TRADEOFF)]

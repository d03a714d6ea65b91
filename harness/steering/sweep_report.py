"""A sweep as text and files, with what a reader must know beside its numbers."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from sociolect import __version__
from sociolect.harness import sheets
from sociolect.harness.dialect import report
from sociolect.harness.dialect.methods import FEW_PAIRS
from sociolect.harness.exports import csv_text, json_text, write_text
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_choice import MATCH_POINTS
from sociolect.harness.steering.sweep_fit_sheet import model_of
from sociolect.harness.steering.sweep_numbers import SAE_MATCH
from sociolect.harness.steering.sweep_remarks import remarks
from sociolect.harness.steering.sweep_rows import document, rows
from sociolect.harness.steering.sweep_sheets import COSTLY, NOT_BETTER, all_sheets
from sociolect.harness.steering.sweep_vectors import MEANING, VECTOR

REPORT, CSV, JSON, FLIPS = "report.md", "sweep.csv", "sweep.json", "flips.csv"
_FLIP_COLUMNS = (
    *("system", "beta", "beta_scale", "id", "flip", "before", "after", "change"),
    *("aae_context", "aae_continuation", "sae_continuation"),
)


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
        signs = {**report.tex_signs(sweep.settings.method), **_signs(sweep)}
        return report.as_tex(tables, notes, signs)
    return sheets.as_text(tables, notes, width=width, colour=colour)


def legend(sweep: Sweep) -> list[str]:
    """What the numbers and marks mean, and how they were computed."""
    most, level = 1 + sweep.settings.tolerance, 100 * sweep.settings.method.confidence
    names = "; ".join(f"{name}: {MEANING[name]}" for name in sweep.vectors)
    return [
        f"The rule, on the split selection alone: of the β above 0 whose SAE and AAE perplexity is "
        f"at most {most:g} times that of base, {_match(sweep)}and whose |LP| is told apart from "
        "that of base and below it (the whole paired interval of Δ LP between 0 and −2 LP_0), the "
        "one with the lowest |LP|; of equal ones the smaller. Otherwise 0. The split evaluation "
        f"has no say in it.{_unapplied(sweep)}",
        "Systems: base: the model as it is; prompted: asked to treat both varieties alike; "
        f"{names}.",
        "added / norm: the largest β·w_l by the median norm of the residual stream at its block; "
        "β is not comparable between models, this is.",
        "bias reduction = (LP_0 − LP_β) / LP_0; ratio: perplexity by that of base, over the pairs "
        f"that count in both. Their {level:g} % intervals are of the same resamples as all others. "
        f"{_signs(sweep)[COSTLY]} {_signs(sweep)[NOT_BETTER]} p (Holm): over all systems of the "
        "table; against controls, over these.",
        "Flips: pairs whose likelier continuation in the AAE context changes between base and the "
        "vector; p: exact two-sided sign test of the two directions.",
        *report.legend([sweep.evaluation.audit]),
        f"sociolect {__version__}. The same sweep: {command(sweep)}",
    ]


def _signs(sweep: Sweep) -> dict[str, str]:
    """The marks that only a sweep has."""
    return {
        COSTLY: f"{COSTLY} the interval of the ratio of SAE perplexity is above 1.",
        NOT_BETTER: f"{NOT_BETTER} it is not shown that the vector brings LP nearer to 0 than the "
        f"control: the interval of Δ LP holds 0, p (Holm) is {sweep.settings.method.alpha:g} or "
        f"more, |LP| is no lower, or there are fewer than {FEW_PAIRS} pairs or groups. Such a "
        "result says nothing of the direction.",
    }


def _match(sweep: Sweep) -> str:
    """The condition of the rule that needs the choice."""
    if not _chose(sweep):
        return ""
    return f"whose SAE match falls by at most {MATCH_POINTS:g} points, "


def _unapplied(sweep: Sweep) -> str:
    if _chose(sweep):
        return ""
    return (
        f" Its condition on SAE match (a fall by at most {MATCH_POINTS:g} points) was not applied, "
        f"as {SAE_MATCH.task} was not run."
    )


def _chose(sweep: Sweep) -> bool:
    """Whether SAE match is known on the selection split."""
    found = sweep.selection.base.audited.estimates.get(SAE_MATCH)
    return found is not None and found.value is not None


def command(sweep: Sweep) -> str:
    """The command that makes this sweep."""
    own = sweep.settings
    options = {
        "--model_args": json.dumps(dict(own.model_args)),
        "--pairs": own.pairs,
        "--out": own.out,
        "--beta": ",".join(repr(beta).removesuffix(".0") for beta in (0.0, *own.strengths)),
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
    title = f"{sheets.escape_markdown(model_of(sweep))}, β scale {sweep.settings.scale}"
    of = {"system": VECTOR, "beta": sweep.choice.compared, "beta_scale": sweep.settings.scale}
    flips = [{**of, **one.record()} for one in sweep.flips.items]
    texts = {
        CSV: render(sweep, "csv"),
        FLIPS: csv_text([{k: one[k] for k in _FLIP_COLUMNS} for one in flips], _FLIP_COLUMNS),
        REPORT: f"# Steering sweep of {title}\n\n{render(sweep, 'md')}",
        JSON: render(sweep, "json"),
    }
    for name, text in texts.items():
        write_text(text, out / name)
    draw(sweep, out / TRADEOFF)
    return [out / name for name in (*texts, TRADEOFF)]

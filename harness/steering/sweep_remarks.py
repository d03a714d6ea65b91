"""What came out of a sweep in sentences, none of them milder than the tests beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from sociolect.harness.dialect import report
from sociolect.harness.dialect.audits import CONTINUATION, Key
from sociolect.harness.dialect.differences import Difference
from sociolect.harness.dialect.findings import Audit
from sociolect.harness.dialect.methods import FEW_PAIRS
from sociolect.harness.dialect.report_cells import DOUBTFUL, p_value, shown
from sociolect.harness.dialect.sheet_parts import has_same
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_against import (
    BETTER,
    COMPARED,
    TOO_FEW,
    WORSE,
    is_told_apart,
    is_too_few,
)
from sociolect.harness.steering.sweep_numbers import LP, SAE_MATCH, Numbers, Row, ends
from sociolect.harness.steering.sweep_sheets import COSTLY, NOT_BETTER, agreement
from sociolect.harness.steering.sweep_vectors import CONTROLS, MEANING, SINGLE, VECTOR
from sociolect.tasks.dialect.continuation_measures import DIFFERING

LITTLE = 0.01
"""Share of the norm of the residual stream below which next to nothing is added."""


def remarks(sweep: Sweep) -> list[str]:
    """What came out of the rule and the controls, and everything unusual."""
    found = [*_chosen(sweep), *_told(sweep), *_controlled(sweep), *_costs(sweep), *_little(sweep)]
    found += [*_without(sweep), *_doubts(sweep), *_of_report(sweep)]
    return list(dict.fromkeys(found))


def _chosen(sweep: Sweep) -> Iterator[str]:
    for name in (VECTOR, SINGLE):
        one = sweep.choices[name]
        if one.beta:
            beyond = _beyond_controls(sweep) if name == VECTOR else "It has no controls of its own."
            yield (
                f"{name}: recommended β = {one.beta:g}, chosen on the selection split alone. "
                f"{beyond}"
            )
            continue
        why = "; ".join(f"β={beta:g}: {text}" for beta, text in one.verdicts.items())
        yield (
            f"{name}: recommended β = 0, that is not to steer. {why}. Systems are compared at "
            f"β = {one.compared:g}, which has the lowest |LP|."
        )


def _without(sweep: Sweep) -> Iterator[str]:
    """Controls that the fit could not make."""
    missing = [name for name in CONTROLS if name not in sweep.vectors]
    if missing and sweep.settings.controls != "none":
        yield (
            f"the fit has no control {' and no control '.join(missing)} (its report says why), so "
            "the vector was not held against it."
        )


def _beyond_controls(sweep: Sweep) -> str:
    """Whether the recommended strength does more than every control, in a sentence."""
    if not sweep.against:
        return "No control was run, so this may be what any vector of its size does."
    by = {
        verdict: ", ".join(one.control for one in sweep.against if one.verdict == verdict)
        for verdict in (WORSE, TOO_FEW, BETTER)
    }
    said = []
    if by[WORSE]:
        said.append(f"{NOT_BETTER} On the evaluation split it does not beat: {by[WORSE]}.")
    if by[TOO_FEW]:
        said.append(f"{DOUBTFUL} Too few pairs to say whether it beats: {by[TOO_FEW]}.")
    return " ".join(said) or f"On the evaluation split it beats every control: {by[BETTER]}."


def _told(sweep: Sweep) -> Iterator[str]:
    """What the strengths do to the pairs that had no part in their choice."""
    for row in (sweep.steered, sweep.single):
        found = row.audited.differences.get(LP)
        if found is None:
            continue
        verdict = "told apart from no change"
        if is_too_few(found):
            verdict = TOO_FEW
        elif not is_told_apart(found, sweep.settings.method.alpha):
            verdict = "not told apart from no change"
        yield (
            f"on the evaluation split, β = {row.cell.beta:g} of {row.cell.system} changes LP by "
            f"{_delta(found)}: {verdict}."
        )


def _delta(found: Difference) -> str:
    """Difference, interval, mark and both p values, as the tables have them."""
    interval = ends(found.interval)
    reach = "no interval" if interval is None else "[{:+.3f}, {:+.3f}]".format(*interval)
    mark = f" {DOUBTFUL}" * found.doubtful
    ps = f", p = {p_value(found.p)}, p (Holm) = {p_value(found.p_holm)}"
    return f"{found.delta:+.3f} {reach}{mark}" + ("" if found.p is None else ps)


def _controlled(sweep: Sweep) -> Iterator[str]:
    """The heart of the matter: does the direction do what a direction without meaning does not?"""
    if not sweep.against:
        yield (
            "no control was run: what steering does here may be what any vector of its size does. "
            "Run the controls with --controls chosen."
        )
    words = {
        BETTER: "the vector is nearer to 0 than the control",
        WORSE: f"the vector is {NOT_BETTER} not better than the control",
        TOO_FEW: f"{TOO_FEW} whether the vector is nearer to 0 than the control",
    }
    for one in sweep.against:
        found = one.differences.get(LP)
        if found is None:
            yield f"vector − {one.control}: no pair is scored in both."
            continue
        yield (
            f"at β = {one.beta:g} {words[one.verdict]} {one.control} ({MEANING[one.control]}): "
            f"Δ LP = {_delta(found)}."
        )


def _costs(sweep: Sweep) -> Iterator[str]:
    """A recommended strength that costs too much where it had no part in the choice."""
    most = 1 + sweep.settings.tolerance
    for row in (sweep.steered, sweep.single):
        if not sweep.choices[row.cell.system].beta:
            continue
        for variety, figure in (("SAE", row.sae_ratio), ("AAE", row.aae_ratio)):
            if figure.value is not None and figure.value > most:
                yield (
                    f"the recommended β = {row.cell.beta:g} of {row.cell.system} costs more on the "
                    f"evaluation split than the rule allows: {variety} perplexity is "
                    f"{figure.value:.3f} times that of base, above {most:g}."
                )


def _little(sweep: Sweep) -> Iterator[str]:
    scale = sweep.settings.scale
    more = "larger --beta" if scale == "residual" else "--beta-scale residual"
    for name in (VECTOR, SINGLE):
        added = sweep.vectors[name].added(max(sweep.settings.strengths), scale)
        if (most := max(map(abs, added.values()))) < LITTLE:
            yield (
                f"{name}: adds at most {100 * most:.2g} % of the norm of the activations at any "
                f"strength that was tried, which is next to nothing; try {more}."
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


def _of_report(sweep: Sweep) -> Iterator[str]:
    """What the report of the audit says of numbers that the tables here show."""
    both = ((sweep.selection, {LP, SAE_MATCH}), (sweep.evaluation, _shown(sweep.evaluation)))
    # Of the unsteered model: all others are asked the same.
    yield from report.remarks([_only(numbers, keys) for numbers, keys in both])
    for numbers, keys in both:
        for row in numbers.rows.values():
            yield from _lost(numbers, row, keys)


def _shown(numbers: Numbers) -> set[Key]:
    """What the tables show of the evaluation split."""
    same = has_same([numbers.base.audited])
    nats = {
        Key(CONTINUATION, f"{name}_{form}{end}")
        for name in ("lp", "interaction")
        for form in ("sum", "token")
        for end in ("", *((DIFFERING,) if same else ()))
    }
    return {*COMPARED, *agreement(numbers), *nats}


def _only(numbers: Numbers, keys: Collection[Key]) -> Audit:
    """The audit of the unsteered model with what is shown; resamples are told of apart."""
    known = {*keys, Key(CONTINUATION, "lp_token")}  # tells whether tokens were counted
    base = numbers.base.audited
    kept = {key: replace(one, lost=0) for key, one in base.estimates.items() if key in known}
    return replace(numbers.audit, systems=(replace(base, estimates=kept),))


def _lost(numbers: Numbers, row: Row, keys: Collection[Key]) -> Iterator[str]:
    """Numbers that some resamples do not have, by the names that the tables give them."""
    for key, one in row.audited.estimates.items():
        if key in keys and one.lost and one.value is not None:
            yield (
                f"{row.cell.label}: {one.lost:,} of {numbers.audit.method.resamples:,} resamples "
                f"have no {shown(key.measure).label} and are dropped from its interval."
            )

"""What a reader of a comparison must know besides its numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from sociolect import __version__
from sociolect.harness.compare import POOLED_GAP, Comparison
from sociolect.harness.comparison_rows import MAX_UNANSWERED, MAX_UNANSWERED_CHANGE, Row
from sociolect.harness.results import Run


def legend(comparison: Comparison) -> list[str]:
    """What columns and marks mean."""
    alpha = comparison.method.alpha
    return [
        "n: counterfactual pairs. Values: means over these pairs, per cent; Δ in points.",
        f"* p < {alpha:g}. † Holm-adjusted p < {alpha:g}. ! more than {MAX_UNANSWERED:g} % "
        f"unanswered, or the two rates more than {MAX_UNANSWERED_CHANGE:g} points apart: read "
        "with care.",
        "detectable: smallest true |Δ| that this comparison finds with 80 % power. left: pairs "
        "that had no answer to one of their members and are in no number of the row but the "
        "unanswered rates.",
    ]


def method_line(comparison: Comparison) -> str:
    """Tests, seeds and versions in one line."""
    method, tests = comparison.method, sorted(set(comparison.families.values()))
    sizes = " or ".join(str(size) for size in tests)
    plural = "" if tests == [1] else "s"
    data = comparison.clean.data
    first = ", ".join([comparison.clean.condition.config_name, *comparison.clean.traits])
    return (
        f"{sizes} test{plural} a family (model × benchmark × form × metric), Holm within each; "
        f"α = {method.alpha:g}; paired randomisation test, {method.permutations:,} permutations; "
        f"percentile bootstrap over pairs, {method.resamples:,} resamples; seed {method.seed}; "
        f"{comparison.clean.settings['answer_mode']} reading of answers; "
        f"data {data['data_version']} ({first}: {data['data_sha256'][:12]}); "
        f"sociolect {__version__}."
    )


def remarks(comparison: Comparison) -> list[str]:
    """Everything unusual: allowed differences, what is left out, partial runs, seeds."""
    runs = [comparison.clean, *comparison.others]
    return [
        *comparison.notes,
        *_left_out(comparison),
        *_pooled(comparison),
        *(f"{run.described}: {run.partial}." for run in runs if run.partial),
        *_local_data(runs),
        *_unlike(runs),
        *(_unusable(row) for row in comparison.unusable),
    ]


def name(row: Row) -> str:
    """The condition of a row, told apart from the others."""
    return row.other.label


def _unusable(row: Row) -> str:
    return (
        f"{name(row)}, {row.metric}: no usable pair, so there is nothing to test "
        f"({row.left.unanswered} unanswered, {row.left.incomplete} incomplete, "
        f"{row.left.invalid} not valid)."
    )


def _left_out(comparison: Comparison) -> Iterator[str]:
    """The counts that are equal in all rows once, the others by row."""
    invalid = {row.left.invalid for row in comparison.rows} - {0}
    if invalid:
        count = " or ".join(map(str, sorted(invalid)))
        yield f"Left out: {count} pairs whose members differ in more than the protected attribute."
    for row in comparison.rows:
        if row.metric != comparison.rows[0].metric:
            continue
        if row.left.incomplete:
            yield f"{name(row)}: left out {row.left.incomplete} pairs that were not asked whole."
        if row.left.prompts:
            yield f"{name(row)}: left out {row.left.prompts} prompts that only one run asked."


def _pooled(comparison: Comparison) -> Iterator[str]:
    """Rows where pooling all answers, as lm-eval does, gives other values."""
    for row in comparison.rows:
        if row.test is None:
            continue
        sides = ((row.baseline.pooled, row.test.clean), (row.other.pooled, row.test.errored))
        if any(p is None or abs(p - unit) > POOLED_GAP for p, unit in sides):
            pooled = " and ".join("none" if p is None else f"{p:.2f}" for p, _ in sides)
            yield (
                f"{name(row)}, {row.metric}: over all answers of all pairs, as lm-eval prints it, "
                f"{pooled}."
            )


def _local_data(runs: list[Run]) -> Iterator[str]:
    if local := [run.described for run in runs if run.data["local_data"]]:
        where = "all runs" if len(local) == len(runs) else ", ".join(local)
        yield f"Local data, not the published datasets: {where}."


def _unlike(runs: list[Run]) -> Iterator[str]:
    """Seeds and versions that differ between the runs."""
    keys = sorted({key for run in runs for key in run.sampler})
    for key in keys:
        values = [run.sampler.get(key) for run in runs]
        if any(value != values[0] for value in values):
            shown = ", ".join(f"{run.described} {run.sampler.get(key)}" for run in runs)
            yield f"The runs differ in {key}: {shown}."

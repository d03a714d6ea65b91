"""What a reader of a comparison must know besides its numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sociolect import __version__
from sociolect.harness.compare import POOLED_GAP, Comparison
from sociolect.harness.comparison_rows import MAX_UNANSWERED, MAX_UNANSWERED_CHANGE, Row
from sociolect.harness.results import Run
from sociolect.harness.seeds import SeedSpread

_UNITS = {
    ("pair",): ("counterfactual pairs", "pair", "that had no answer to one of their members"),
    ("item",): ("items", "item", "that had no answer"),
    ("item", "pair"): (
        "units, which are counterfactual pairs where there are pairs, else items",
        "unit",
        "that had no answer (pairs: to one of their members)",
    ),
}


def legend(comparisons: Sequence[Comparison]) -> list[str]:
    """What columns and marks mean, in comparisons with one method."""
    alpha = comparisons[0].method.alpha
    units, unit, missing = _UNITS[tuple(sorted({one.unit for one in comparisons}))]
    lines = [
        f"n: {units}. Values: means over these {unit}s, per cent; Δ in points.",
        f"* p < {alpha:g}. † Holm-adjusted p < {alpha:g}. ! more than {MAX_UNANSWERED:g} % "
        f"unanswered, or the rates more than {MAX_UNANSWERED_CHANGE:g} points apart: read "
        "with care.",
        f"detectable: smallest true |Δ| that this comparison finds with 80 % power. left: {unit}s "
        f"{missing} and are in no number of the row but the unanswered rates.",
    ]
    if any(row.test and row.test.clusters for one in comparisons for row in one.rows):
        lines.append(
            "templates: items of one question template are not independent; the interval beside "
            "it resamples whole templates, the p-values do not."
        )
    if any(one.against for one in comparisons):
        lines.append(
            "first Δ, second Δ: change from clean to errored of the first and of the second model; "
            "difference: second − first."
        )
    return lines


def method_lines(comparisons: Sequence[Comparison]) -> list[str]:
    """Tests, seeds and versions, then the data of each benchmark and form; one method for all."""
    method = comparisons[0].method
    tests = sorted({size for one in comparisons for size in one.families.values()})
    sizes = " or ".join(str(size) for size in tests)
    plural = "" if tests == [1] else "s"
    units = " or ".join(dict.fromkeys(f"{one.unit}s" for one in comparisons))
    return [
        f"Holm over the tests of one model, benchmark, form and metric ({sizes} test{plural}); "
        f"α = {method.alpha:g}; paired randomisation test, {method.permutations:,} permutations; "
        f"percentile bootstrap over {units}, {method.resamples:,} resamples; seed "
        f"{method.seed}; {_reading(comparisons)} reading of answers; sociolect {__version__}.",
        *dict.fromkeys(map(_data, comparisons)),
    ]


def _data(comparison: Comparison) -> str:
    clean = comparison.clean
    first = ", ".join([clean.condition.config_name, *clean.traits])
    version, sha256 = clean.data["data_version"], clean.data["data_sha256"]
    return f"{comparison.subject}: data {version} ({first}: {sha256[:12]})."


def _reading(comparisons: Iterable[Comparison]) -> str:
    """How answers were read; in more than one way only where the user allowed it."""
    runs = (run for one in comparisons for run in one.runs)
    return " and ".join(dict.fromkeys(str(run.settings["answer_mode"]) for run in runs))


def remarks(comparison: Comparison, *, pooled: bool = True, runs: bool = True) -> list[str]:
    """Everything unusual: allowed differences, what is left out, partial runs, seeds.

    Args:
        comparison: What to look at.
        pooled: Name the pooled values where they differ from the means of the units.
        runs: Name the runs that are not the whole task, and the rows without a test.
    """
    return [
        *comparison.notes,
        *_left_out(comparison),
        *(_pooled(comparison) if pooled else ()),
        *(_spread(row, row.spread) for row in comparison.rows if row.spread),
        *(f"{run.described}: {run.partial}." for run in comparison.runs if runs and run.partial),
        *_local_data(comparison.runs),
        *_unlike(comparison.runs),
        *(_unusable(row) for row in comparison.unusable if runs),
    ]


def all_remarks(comparisons: Sequence[Comparison]) -> list[str]:
    """The remarks on several comparisons, each with what it is about where there are several."""
    if len(comparisons) == 1:
        return remarks(comparisons[0])
    return [f"{one.subject}: {remark}" for one in comparisons for remark in remarks(one)]


def name(row: Row) -> str:
    """The condition of a row, told apart from the others."""
    return row.other.label


def _unusable(row: Row) -> str:
    return (
        f"{name(row)}, {row.metric}: no usable {row.unit}, so there is nothing to test "
        f"({row.left.unanswered} unanswered, {row.left.incomplete} incomplete, "
        f"{row.left.invalid} not valid)."
    )


def _left_out(comparison: Comparison) -> Iterator[str]:
    """The counts that are equal in all rows once, the others by row."""
    invalid = {row.left.invalid for row in comparison.rows} - {0}
    if invalid:
        count = " or ".join(map(str, sorted(invalid)))
        yield (
            f"Left out: {count} {'pair' if invalid == {1} else 'pairs'} whose members differ in "
            "more than the protected attribute."
        )
    for row in comparison.rows:
        if row.metric != comparison.rows[0].metric:
            continue
        if row.left.incomplete:
            left = _counted(row.left.incomplete, row.unit)
            verb = "was" if row.left.incomplete == 1 else "were"
            yield f"{name(row)}: left out {left} that {verb} not asked whole."
        if row.left.prompts:
            count = "only one run" if len(row.error_seeds) == 1 and not row.of_changes else ""
            asked = count or "not all of the runs"
            left = _counted(row.left.prompts, "prompt")
            yield f"{name(row)}: left out {left} that {asked} asked."


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _pooled(comparison: Comparison) -> Iterator[str]:
    """Rows where pooling all answers, as lm-eval does, gives other values."""
    for row in comparison.rows:
        if row.test is None:
            continue
        sides = ((row.baseline.pooled, row.test.clean), (row.other.pooled, row.test.errored))
        if any(p is None or abs(p - unit) > POOLED_GAP for p, unit in sides):
            pooled = " and ".join("none" if p is None else f"{p:.2f}" for p, _ in sides)
            changes = "changes " if row.of_changes else ""
            yield (
                f"{name(row)}, {row.metric}: over all answers of all {row.unit}s, as lm-eval "
                f"prints it, {changes}{pooled}."
            )


def _spread(row: Row, spread: SeedSpread) -> str:
    """What the error seeds do to one condition."""
    seeds = ", ".join(map(str, spread.seeds))
    text = (
        f"{name(row)}, {row.metric}: Δ over error seeds {seeds}: SD {spread.sd:.2f}, from "
        f"{min(spread.deltas):+.2f} to {max(spread.deltas):+.2f}"
    )
    found = spread.components
    if found is None or found.share is None:
        return f"{text}; the changes of the {row.unit}s do not vary."
    text += (
        f"; the seed is {found.share:.1f} % of the variance of changes (components: seed "
        f"{found.seed:.2f}, {row.unit} {found.unit:.2f}, residual {found.residual:.2f})"
    )
    if found.clipped:
        named = " and ".join(row.unit if c == "unit" else c for c in found.clipped)
        text += f"; negative estimate of {named} set to 0"
    return f"{text}."


def _local_data(runs: Sequence[Run]) -> Iterator[str]:
    if local := [run.described for run in runs if run.data["local_data"]]:
        where = "all runs" if len(local) == len(runs) else ", ".join(dict.fromkeys(local))
        yield f"Local data, not the published datasets: {where}."


def _unlike(runs: Sequence[Run]) -> Iterator[str]:
    """Seeds and versions that differ between the runs."""
    keys = sorted({key for run in runs for key in run.sampler})
    for key in keys:
        values = [run.sampler.get(key) for run in runs]
        if any(value != values[0] for value in values):
            shown = ", ".join(f"{run.described} {run.sampler.get(key)}" for run in runs)
            yield f"The runs differ in {key}: {shown}."

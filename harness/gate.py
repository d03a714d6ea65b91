"""Did a model get worse than the one before? A gate for the CI of those who build models.

Every condition that the baseline was run on is judged by itself: the units are the same prompts
asked of both models, and what counts is by how many points the figure got worse (of a bias, its
absolute value). A condition is red if that is more than what is tolerated and more than chance.

What was not run or not answered is red as well: a gate that opens when nothing was measured is
none. What is too small to see the tolerated increase is marked, as its green says little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sociolect.generators.errors import ResultsError, UnknownNameError
from sociolect.harness import gate_statistics, statistics
from sociolect.harness.comparability import require_comparable, shared
from sociolect.harness.compare import OTHER_MODEL, subject_name
from sociolect.harness.comparison_rows import LeftOut
from sociolect.harness.exports import input_of
from sociolect.harness.gate_pairs import Pair
from sociolect.harness.gate_rows import (
    NOTHING,
    Gate,
    GateOptions,
    GateRow,
    IncreaseTest,
    with_verdict,
)
from sociolect.harness.labels import model_labels
from sociolect.harness.paired import Method, pooled
from sociolect.harness.results import Run, read_run
from sociolect.harness.statistics import Floats
from sociolect.harness.units import (
    CLUSTERED,
    Values,
    unit_numbers,
    unit_word,
    whole_units,
)
from sociolect.tasks.kinds import METRICS_OF, Kind, kind_of
from sociolect.tasks.metrics import template_of


def judge(pairs: Sequence[Pair], options: GateOptions, notes: Sequence[str] = ()) -> Gate:
    """Judge every condition of the baseline.

    Args:
        pairs: From `gate_pairs.pair_runs`.
        options: What is tolerated.
        notes: To begin with.

    Raises:
        NotComparableError: The two models were not asked the same in the same way.
        ResultsError: A damaged file, or nothing that the baseline answered.
        UnknownNameError: A metric that no benchmark has.
        InvalidInputError: So few permutations that nothing could be red after Holm.
    """
    rows: list[GateRow] = []
    inputs: list[dict[str, Any]] = []
    said, models = list(notes), ("", "")
    for pair in pairs:
        runs = _read(pair)
        metric = _metric(runs[0], options)
        if not metric:
            said.append(f"{subject_name(runs[0])}: left out, it has no such metric.")
            continue
        said += require_comparable(runs[0], runs[1:], options.method.allow, OTHER_MODEL)
        said += [f"{run.described}: {run.partial}." for run in runs if run.partial]
        models = models if models[1] else _labels(runs)
        rows.append(_row(pair, runs, metric, options.method))
        inputs += _inputs(runs)
    _require_some(rows, options)
    judged = tuple(with_verdict(row, options) for row in _adjusted(rows, options))
    return Gate(options, models, judged, tuple(inputs), tuple(dict.fromkeys(said)))


def _read(pair: Pair) -> list[Run]:
    """The run of the baseline, and that of the candidate if there is one."""
    return [read_run(files) for files in (pair.baseline, pair.candidate) if files]


def _metric(run: Run, options: GateOptions) -> str:
    """The metric to look at; empty if the benchmark does not have it."""
    known = METRICS_OF[kind_of(run.benchmark)]
    wanted = options.method.metrics or known[:1]
    return wanted[0] if wanted[0] in known else ""


def _labels(runs: Sequence[Run]) -> tuple[str, str]:
    first, *second = model_labels(runs)
    return first, "".join(second)


def _inputs(runs: Sequence[Run]) -> list[dict[str, Any]]:
    roles = ("baseline", "candidate")
    return [{"role": role} | input_of(run) for role, run in zip(roles, runs, strict=False)]


def _require_some(rows: Sequence[GateRow], options: GateOptions) -> None:
    if not rows:
        metrics = ", ".join(options.method.metrics)
        known = dict.fromkeys(name for names in METRICS_OF.values() for name in names)
        raise UnknownNameError("metric of the benchmarks that were run", metrics, known)
    if all(row.unanswered[0] == NOTHING for row in rows):
        raise ResultsError("the baseline answered nothing, so that no model can be held against it")


def _row(pair: Pair, runs: Sequence[Run], metric: str, method: Method) -> GateRow:
    """One condition, before it is known what it means; without a test if a run is missing."""
    kind = kind_of(runs[0].benchmark)
    same = shared(*runs)
    units = whole_units(same[0], include_invalid=method.include_invalid)
    values = [unit_numbers(run, metric) for run in same]
    known = _known(units.whole, values) if len(runs) > 1 else []
    prompts = {(record.id, record.order) for run in runs for record in run.records}
    rates = [pooled(run, "unanswered") for run in same]
    return GateRow(
        subject=subject_name(runs[0]),
        task=pair.task,
        condition=pair.label,
        metric=metric,
        unit=unit_word(kind),
        unanswered=(rates[0], rates[1] if len(rates) > 1 else None),
        left=LeftOut(
            unanswered=len(units.whole) - len(known) if len(runs) > 1 else 0,
            incomplete=units.incomplete,
            invalid=units.invalid,
            prompts=len(prompts) - len(same[0].records),
        ),
        test=_test(known, metric, kind, method) if known else None,
    )


def _known(units: Sequence[str], values: Sequence[Values]) -> list[tuple[str, float, float]]:
    """The units that both models answered, with both values."""
    pairs = ((unit, values[0][unit], values[1][unit]) for unit in units)
    return [(unit, x, y) for unit, x, y in pairs if x is not None and y is not None]


def _test(
    units: Sequence[tuple[str, float, float]], metric: str, kind: Kind, method: Method
) -> IncreaseTest:
    before: Floats = np.array([value for _, value, _ in units], dtype=np.float64)
    after: Floats = np.array([value for *_, value in units], dtype=np.float64)
    clusters = [template_of(unit) for unit, *_ in units] if kind in CLUSTERED else []
    interval = gate_statistics.increase_interval(
        metric,
        before,
        after,
        confidence=1 - method.alpha,
        resamples=method.resamples,
        seed=method.seed,
        clusters=clusters,
    )
    low, high = interval or (None, None)
    p = gate_statistics.increase_test(
        metric, before, after, permutations=method.permutations, seed=method.seed
    )
    return IncreaseTest(
        n=len(units),
        baseline=float(before.mean()),
        candidate=float(after.mean()),
        increase=float(gate_statistics.worse_by(metric, before.mean(), after.mean())),
        low=low,
        high=high,
        p=p,
        p_holm=p,
        detectable=gate_statistics.detectable_increase(before, after, alpha=method.alpha),
        templates=len(set(clusters)),
        unchanged=bool((before == after).all()),
    )


def _adjusted(rows: Sequence[GateRow], options: GateOptions) -> list[GateRow]:
    """The rows with Holm-adjusted p-values, a family being the conditions of a subject."""
    families: dict[str, list[int]] = defaultdict(list)
    found = list(rows)
    for index, row in enumerate(rows):
        if row.test:
            families[row.subject].append(index)
    for indices in families.values():
        if options.holm:
            method = options.method
            gate_statistics.check_permutations(method.permutations, method.alpha, len(indices))
        tests = [test for i in indices if (test := rows[i].test)]
        adjusted = statistics.holm([test.p for test in tests])
        for i, test, p in zip(indices, tests, adjusted, strict=True):
            found[i] = replace(rows[i], test=replace(test, p_holm=p))
    return found

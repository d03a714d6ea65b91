"""Our metrics for the `evaluate` library: `evaluate.load(path(), "stereotype")`.

The module in the folder `social_bias` has one configuration per kind of benchmark
(`sociolect.tasks.kinds`); without one, the `benchmark` column of the references decides. It reads
answers with `sociolect.tasks.scoring` and counts them with `sociolect.tasks.metrics`, so it gives
the numbers that lm-evaluation-harness prints for the same answers to the same documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolect.generators.errors import InvalidInputError
from sociolect.tasks.evaluate_modules.inputs import Row, check_fit, chosen, reference
from sociolect.tasks.kinds import KINDS, METRICS_OF, Kind, kind_of
from sociolect.tasks.metrics import AnswerRecord, point, standard_error, tally

__all__ = ["chosen", "compute", "kind_named", "path", "reference"]

Answers = Sequence[str] | Sequence[int]


def path(name: str = "social_bias") -> str:
    """The folder of a module, for `evaluate.load`.

    Raises:
        InvalidInputError: No such module.
    """
    folder = Path(__file__).resolve().parent / name
    if not (folder / f"{name}.py").is_file():
        raise InvalidInputError(f"there is no module {name!r} for evaluate; there is social_bias")
    return str(folder)


def kind_named(config: str, references: Sequence[Row]) -> Kind:
    """The kind that a configuration names, or that of the benchmark of all references.

    Raises:
        InvalidInputError: `default`, and the references are of no benchmark or several kinds.
        UnknownNameError: A benchmark that has no tasks.
    """
    for kind in KINDS:
        if kind == config:
            return kind
    names = {str(row["benchmark"]) for row in references}
    found = {kind_of(name) for name in names if name}
    if config != "default" or len(found) != 1 or "" in names:
        raise InvalidInputError(
            f"configuration {config!r} for references of {sorted(names)}: name the kind, "
            f"evaluate.load(path(), KIND), one of {', '.join(KINDS)}"
        )
    return found.pop()


def compute(
    config: str,
    predictions: Sequence[Answers],
    references: Sequence[Row],
    *,
    standard_errors: bool = True,
) -> dict[str, float]:
    """The metrics of a kind over all answers.

    Args:
        config: A kind, or `default`.
        predictions: Per reference its answers: generations, which are read as in the tasks, or
            indices of options in row order, -1 unanswered.
        references: One row a prompt, with the columns that `reference` names.
        standard_errors: Also bootstrap standard errors over units, as `<metric>_stderr`.

    Returns:
        Per cent, `bias` in points; NaN where nothing that counts was answered.

    Raises:
        InvalidInputError: As `reference`, `chosen` and `check_fit` say, references of no known
            kind, or more of one than of the other.
    """
    if len(predictions) != len(references):
        raise InvalidInputError(
            f"{len(predictions)} predictions for {len(references)} references; give a list of "
            "answers for each reference"
        )
    rows = [reference(row) for row in references]
    kind = kind_named(config, rows)
    pairs = zip(predictions, rows, strict=True)
    tallies = [tally(_record(answers, row, kind)) for answers, row in pairs]
    values: dict[str, float] = {}
    for metric in METRICS_OF[kind]:
        values[metric] = point(metric, tallies, kind)
        if standard_errors:
            values[f"{metric}_stderr"] = standard_error(metric, tallies, kind)
    return values


def _record(answers: Answers, row: Row, kind: Kind) -> AnswerRecord:
    check_fit(row, kind)
    return AnswerRecord(
        id=row["pair_id"],
        pair_id=row["pair_id"],
        member=row["member"],
        order=row["order"],
        pair_valid=True,
        gold=row["gold"],
        target_option=row["target_option"],
        choices=tuple(chosen(answers, row)),
    )

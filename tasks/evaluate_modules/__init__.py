"""Our metrics for the `evaluate` library: `evaluate.load(path(), "stereotype")`.

The module in the folder `social_bias` has one configuration per kind of benchmark
(`sociolect.tasks.kinds`); without one, the `benchmark` column of the references decides. It reads
answers with `sociolect.tasks.scoring` and counts them with `sociolect.tasks.metrics`, so it gives
the numbers that lm-evaluation-harness prints for the same answers to the same documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.tasks import scoring
from sociolect.tasks.kinds import KINDS, METRICS_OF, Kind, kind_of
from sociolect.tasks.metrics import AnswerRecord, point, standard_error, tally
from sociolect.tasks.naming import UNANSWERED

Row = Mapping[str, Any]
Answers = Sequence[str] | Sequence[int]

_DEFAULTS: Mapping[str, Any] = {
    "pair_id": None,
    "member": "",
    "benchmark": "",
    "options": None,
    "gold": UNANSWERED,
    "target_option": UNANSWERED,
    "order": 0,
    "form": "reason",
    "answer_mode": "lenient",
}
"""The columns that count, and what one that is not given means; None: it must be given."""
_SAMPLED = ("reason", "direct")


def path(name: str = "social_bias") -> str:
    """The folder of a module, for `evaluate.load`.

    Raises:
        InvalidInputError: No such module.
    """
    folder = Path(__file__).resolve().parent / name
    if not (folder / f"{name}.py").is_file():
        raise InvalidInputError(f"there is no module {name!r} for evaluate; there is social_bias")
    return str(folder)


def reference(row: Row) -> dict[str, Any]:
    """The columns of a row that the metrics need.

    Args:
        row: A document of a task, a row of a dataset, or a mapping of your own with `pair_id`
            (the unit of the bootstrap), `options`, and as far as they exist `gold`,
            `target_option` and `member`. Rows have no option order: add `order` 1 where the
            options were shown reversed. Other columns are ignored.

    Raises:
        InvalidInputError: `pair_id` or `options` is missing.
    """
    columns = {name: row.get(name, default) for name, default in _DEFAULTS.items()}
    if lacking := [name for name, value in columns.items() if value is None]:
        raise InvalidInputError(f"a reference lacks {', '.join(lacking)}; it has {sorted(row)}")
    return {**columns, "options": list(columns["options"])}


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
        references: As `reference` returns them.
        standard_errors: Also bootstrap standard errors over units, as `<metric>_stderr`.

    Returns:
        Per cent, `bias` in points; NaN where nothing that counts was answered.

    Raises:
        InvalidInputError: An index that no option has, generations for a form that has none, or
            references of no known kind.
    """
    kind = kind_named(config, references)
    pairs = zip(predictions, references, strict=True)
    tallies = [tally(_record(answers, row, kind)) for answers, row in pairs]
    values: dict[str, float] = {}
    for metric in METRICS_OF[kind]:
        values[metric] = point(metric, tallies, kind)
        if standard_errors:
            values[f"{metric}_stderr"] = standard_error(metric, tallies, kind)
    return values


def _record(answers: Answers, row: Row, kind: Kind) -> AnswerRecord:
    member, count = row["member"], len(row["options"])
    if kind == "coreference" and not member:
        raise InvalidInputError(f"{row['pair_id']}: a coreference item needs a member, pro or anti")
    read = [answer for answer in answers if isinstance(answer, str)]
    chosen = _choices(read, row) if read else [int(answer) for answer in answers]
    if wrong := [index for index in chosen if not -1 <= index < count]:
        raise InvalidInputError(f"{row['pair_id']}: no option has the index {wrong[0]}")
    return AnswerRecord(
        id=row["pair_id"],
        pair_id=row["pair_id"],
        member=member,
        order=row["order"],
        pair_valid=True,
        gold=row["gold"],
        target_option=row["target_option"],
        choices=tuple(chosen),
    )


def _choices(generations: Sequence[str], row: Row) -> list[int]:
    if row["form"] not in _SAMPLED:
        raise InvalidInputError(
            f"{row['pair_id']}: the form {row['form']!r} has no generations; give the indices of "
            "the chosen options (sociolect.tasks.scoring.choices reads log-likelihoods)"
        )
    return scoring.choices(row, generations)

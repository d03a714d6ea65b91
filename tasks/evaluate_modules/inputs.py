"""What the metrics are given, checked: references and the answers to them.

A wrong input would still give a number (a missing target counts every answer as one against the
stereotype), so everything that a metric rests on has to be there and to fit.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.tasks import scoring
from sociolect.tasks.kinds import KIND_OF, Kind
from sociolect.tasks.naming import UNANSWERED
from sociolect.tasks.prompts import FORMS, VERDICTS, asks_for_verdict

Row = Mapping[str, Any]

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
_KNOWN: Mapping[str, tuple[str, ...]] = {"form": FORMS, "answer_mode": scoring.ANSWER_MODES}
_MEMBERS = ("pro", "anti")
_NEEDS: Mapping[Kind, tuple[str, ...]] = {
    "coreference": ("gold",),
    "stereotype": ("target_option",),
    "preference": ("target_option",),
    "disambiguated": ("gold", "target_option"),
    "accuracy": ("gold",),
    "judge": ("gold",),
}
"""The columns that must name an option."""
_SHOWN = 60


def reference(row: Row) -> dict[str, Any]:
    """The columns of a row that the metrics need.

    Args:
        row: A document of a task, a row of a dataset, or a mapping of your own with `pair_id`
            (the unit of the bootstrap), `options`, and as far as they exist `gold`,
            `target_option` and `member`. Rows have no option order: add `order` 1 where the
            options were shown reversed. Other columns are ignored.

    Raises:
        InvalidInputError: `pair_id` or `options` is missing, or a column has another type or
            range: texts, two options or more, indices of options (-1 for none), an order of 0 or 1.
    """
    if not isinstance(row, Mapping):
        raise InvalidInputError(f"a reference is {_shown(row)}, expected a mapping with columns")
    columns = {name: row.get(name, default) for name, default in _DEFAULTS.items()}
    if lacking := [name for name, value in columns.items() if value is None]:
        unit = f"{row['pair_id']}: the" if row.get("pair_id") is not None else "a"
        raise InvalidInputError(f"{unit} reference lacks {', '.join(lacking)}; it has {[*row]}")
    if not columns["pair_id"]:
        raise InvalidInputError("pair_id of a reference is empty, expected the name of its unit")
    options = _options(columns)
    for name in ("pair_id", "member", "benchmark", "form", "answer_mode"):
        _text(columns, name, columns[name])
    for name, known in _KNOWN.items():
        if columns[name] not in known:
            raise _wrong(columns, name, " or ".join(known))
    gold, target = (_index(columns, name, len(options)) for name in ("gold", "target_option"))
    order = _whole(columns["order"])
    if order not in (0, 1):
        raise _wrong(columns, "order", "0, or 1 where the options were shown reversed")
    return {**columns, "options": options, "gold": gold, "target_option": target, "order": order}


def check_fit(row: Row, kind: Kind) -> None:
    """Refuse a reference without what a kind counts, or whose benchmark is of another kind.

    Args:
        row: As `reference` returns it.
        kind: The kind.

    Raises:
        InvalidInputError: It does not fit; the message names unit and column.
    """
    stated = KIND_OF.get(row["benchmark"], kind)
    if stated != kind:
        raise _wrong(row, "benchmark", f"one of kind {kind}; that one is of kind {stated}")
    for name in _NEEDS[kind]:
        if row[name] == UNANSWERED:
            raise _wrong(row, name, f"the index of an option, as an item of kind {kind} has one")
    if kind == "judge" and not asks_for_verdict(row["benchmark"]):
        raise _wrong(row, "benchmark", "fable or a variant of it: it says how verdicts are read")
    if kind == "judge" and len(row["options"]) != len(VERDICTS):
        raise _wrong(row, "options", f"{len(VERDICTS)} texts, those of {', '.join(VERDICTS)}")
    if kind == "coreference" and row["member"] not in _MEMBERS:
        raise _wrong(row, "member", "pro or anti, as a coreference item is one or the other")


def chosen(answers: Iterable[Any], row: Row) -> list[int]:
    """The options that the answers to one prompt name.

    Args:
        answers: Generations, which are read as in the tasks, or indices of options in row order,
            -1 unanswered.
        row: As `reference` returns it.

    Returns:
        One index an answer, in row order; -1 is unanswered.

    Raises:
        InvalidInputError: No list, something that is neither text nor index, both kinds in one
            list, an index that no option has, or generations for a form that has none.
    """
    where = f"{row['pair_id']}: predictions"
    try:
        given = None if isinstance(answers, (str, bytes, Mapping)) else list(answers)
    except TypeError:
        given = None
    if given is None:
        raise InvalidInputError(
            f"{where} are {_shown(answers)}, expected a list of generations or of option indices"
        )
    if given and all(isinstance(answer, str) for answer in given):
        return _read(given, row)
    indices = [_whole(answer) for answer in given]
    for answer, index in zip(given, indices, strict=True):
        if index is None:
            raise InvalidInputError(
                f"{where} hold {_shown(answer)}, expected generations alone, or whole numbers "
                "alone, the indices of options"
            )
        if not UNANSWERED <= index < len(row["options"]):
            raise InvalidInputError(f"{where}: no option has the index {index}")
    return [index for index in indices if index is not None]


def _read(generations: list[str], row: Row) -> list[int]:
    if row["form"] not in _SAMPLED:
        raise InvalidInputError(
            f"{row['pair_id']}: the form {row['form']!r} has no generations; give the indices of "
            "the chosen options (sociolect.tasks.scoring.choices reads log-likelihoods)"
        )
    return scoring.choices(row, generations)


def _options(row: Row) -> list[str]:
    value = row["options"]
    options = [] if isinstance(value, (str, bytes, Mapping)) or not _iterable(value) else [*value]
    if len(options) < 2:
        raise _wrong(row, "options", "a list of two texts or more")
    return [_text(row, "options", option) for option in options]


def _iterable(value: Any) -> bool:
    return isinstance(value, Iterable)


def _text(row: Row, name: str, value: Any) -> str:
    try:
        if isinstance(value, str):
            value.encode()
            return value
    except UnicodeEncodeError:
        pass  # half of a surrogate pair, which no file can hold
    raise _wrong(row, name, "text")


def _index(row: Row, name: str, count: int) -> int:
    index = _whole(row[name])
    if index is None or not UNANSWERED <= index < count:
        raise _wrong(row, name, f"an index below {count}, or {UNANSWERED} for none")
    return index


def _whole(value: Any) -> int | None:
    """A whole number of any library; a number with a fraction or a truth value is none."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def _wrong(row: Row, name: str, expected: str) -> InvalidInputError:
    return InvalidInputError(
        f"{row['pair_id']}: {name} is {_shown(row[name])}, expected {expected}"
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"

"""The rows of BBQ's data files, read strictly: two people, a question, and what the text says.

Every row has three answers, one of which is neutral (*Not known*); its group in `answer_info` is
`unknown`, whatever its wording. The neutral answer is dropped (learner-error paper, §3.1).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast, get_args

from sociolect.generators.errors import SourceError
from sociolect.generators.source_text import check_file, check_text, quoted, whole_number

Polarity = Literal["neg", "nonneg"]
Context = Literal["ambig", "disambig"]
NEUTRAL = "unknown"
ANSWERS = ("ans0", "ans1", "ans2")
_EXPECTED = "expected a number of one to nine digits"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that names a person or a group.

    Attributes:
        text: As the model reads it (*The Black man*).
        name: The person alone (*Black*, *Donna Schneider*).
        group: Upstream's tag (*Black*, *F-Black*, *trans_M*, *boy*).
    """

    text: str
    name: str
    group: str


@dataclass(frozen=True, slots=True)
class BBQRow:
    """One line of a data file without its neutral answer.

    Attributes:
        where: File and line, for messages.
        question_index: Number of the template, from 1.
        polarity: Whether the question asks for the stereotyped behaviour (`neg`) or for its
            opposite (`nonneg`).
        context: Whether the text leaves the answer open (`ambig`) or states it (`disambig`).
        answers: The two people in the order of the source.
        gold: Index of the answer that the text states; -1 where it leaves it open.
        stereotyped_groups: What the row says about its template.
    """

    where: str
    example_id: int
    question_index: int
    polarity: Polarity
    context: Context
    text: str
    question: str
    answers: tuple[Answer, Answer]
    gold: int
    stereotyped_groups: tuple[str, ...]


def read_rows(text: str, name: str, category: str) -> list[BBQRow]:
    """All rows of a data file (JSON lines).

    Args:
        text: Content of the file.
        name: Its name, for messages.
        category: What its rows give as their category.

    Raises:
        SourceError: A line that is no JSON object, lacks a field, gives another category,
            contradicts itself, repeats an example id, or holds a text that cannot be used.
    """
    rows: list[BBQRow] = []
    first: dict[int, str] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        row = _row(line, f"{name}:{number}", category)
        earlier = first.setdefault(row.example_id, row.where)
        if earlier != row.where:
            raise SourceError(f"{row.where}: example_id {row.example_id} is that of {earlier} too.")
        rows.append(row)
    return rows


def read_table(text: str, name: str, columns: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """File and line of each record of a CSV file with a header, and the wanted columns.

    Raises:
        SourceError: A column is missing, a record has more or fewer fields than the header, or
            the file is no CSV file.
    """
    check_file(text, name)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        missing = [c for c in columns if c not in (reader.fieldnames or ())]
        if missing:
            raise SourceError(f"{name}:1: the header lacks the column {missing[0]!r}.")
        for record in reader:
            where = f"{name}:{reader.line_num}"
            if None in record or None in record.values():
                raise SourceError(f"{where}: not as many fields as the header has.")
            yield where, [record[c].strip() for c in columns]
    except csv.Error as error:
        raise SourceError(f"{name}:{reader.line_num}: not valid CSV ({error}).") from error


def _row(line: str, where: str, category: str) -> BBQRow:
    record = _record(line, where)
    found = _get(record, "category", str, where)
    if found != category:
        raise SourceError(f"{where}: category is {quoted(found)}, expected {category!r}.")
    answers = tuple(_answer(record, key, where) for key in ANSWERS)
    label = _get(record, "label", int, where)
    context = cast(Context, _one_of(record, "context_condition", get_args(Context), where))
    metadata = _get(record, "additional_metadata", dict, where)
    return BBQRow(
        where=where,
        example_id=_example_id(record, where),
        question_index=_number(_get(record, "question_index", str, where), where),
        polarity=cast(Polarity, _one_of(record, "question_polarity", get_args(Polarity), where)),
        context=context,
        text=_get(record, "context", str, where),
        question=_get(record, "question", str, where),
        answers=_people(answers, where),
        gold=_gold(answers, label, context, where),
        stereotyped_groups=_strings(
            _get(metadata, "stereotyped_groups", list, where), "stereotyped_groups", where
        ),
    )


def _record(line: str, where: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:  # also of numbers with thousands of digits
        raise SourceError(f"{where}: no JSON that can be read ({error}).") from error
    if not isinstance(record, dict):
        raise SourceError(f"{where}: expected a JSON object, found {line[:60]!r}.")
    return record


def _get(record: Mapping[str, Any], key: str, kind: type[T], where: str) -> T:
    if key not in record:
        raise SourceError(f"{where}: the field {key!r} is missing.")
    value = record[key]
    if type(value) is not kind:
        raise SourceError(f"{where}: {key!r} is {quoted(value)}, expected {kind.__name__}.")
    if isinstance(value, str):
        if not value.strip():
            raise SourceError(f"{where}: {key!r} is {quoted(value)}, a blank text.")
        check_text(value, where)
    return value


def _one_of(record: Mapping[str, Any], key: str, known: Sequence[str], where: str) -> str:
    value = _get(record, key, str, where)
    if value not in known:
        raise SourceError(f"{where}: {key!r} is {quoted(value)}, expected {' or '.join(known)}.")
    return value


def _number(text: str, where: str) -> int:
    found = whole_number(text)
    if found is None:
        raise SourceError(f"{where}: question_index is {quoted(text)}, {_EXPECTED}.")
    return found


def _example_id(record: Mapping[str, Any], where: str) -> int:
    found = _get(record, "example_id", int, where)
    if whole_number(str(found)) is None:
        raise SourceError(f"{where}: 'example_id' is {quoted(found)}, {_EXPECTED}.")
    return found


def _strings(values: list[Any], key: str, where: str) -> tuple[str, ...]:
    if not all(isinstance(v, str) and v.strip() for v in values):
        raise SourceError(f"{where}: {key!r} is {quoted(values)}, expected words.")
    check_text("".join(values), where)
    return tuple(values)


def _answer(record: Mapping[str, Any], key: str, where: str) -> Answer:
    info = _get(_get(record, "answer_info", dict, where), key, list, where)
    described = _strings(info, f"answer_info {key}", where)
    if len(described) != 2:
        raise SourceError(
            f"{where}: answer_info of {key} is {quoted(info)}, expected name and group."
        )
    return Answer(_get(record, key, str, where), *described)


def _people(answers: Sequence[Answer], where: str) -> tuple[Answer, Answer]:
    people = [answer for answer in answers if answer.group != NEUTRAL]
    if len(people) != 2:
        raise SourceError(f"{where}: {3 - len(people)} answers are neutral, expected one of three.")
    one, other = people
    if one.text.casefold().split() == other.text.casefold().split():
        raise SourceError(f"{where}: two answers read {quoted(one.text)}.")
    return one, other


def _gold(answers: Sequence[Answer], label: int, context: Context, where: str) -> int:
    if not 0 <= label < len(answers):
        raise SourceError(f"{where}: label is {label}, expected 0, 1 or 2.")
    neutral = answers[label].group == NEUTRAL
    if neutral != (context == "ambig"):
        raise SourceError(
            f"{where}: label {label} is {quoted(answers[label].text)}, which does not fit a "
            f"context that is {context}: the answer is neutral in an ambiguous one and nowhere "
            "else."
        )
    return -1 if neutral else sum(a.group != NEUTRAL for a in answers[:label])

"""Judge items as JSON lines: a question with two named options, and a response to be judged.

One object a line. `id`, `category`, `question_id`, `question`, `options` (two), `response` and
`label` are needed; `groups`, `stereotyped`, `pair` and `source` may be there. Whatever else
belongs to an item goes under `source`, of which only `licence` is read. A byte order mark, CRLF,
blank lines and a missing last line feed do no harm; anything else that is wrong is refused with
file and line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from sociolect.generators.benchmarks.fable_fields import (
    as_json,
    check_choice,
    check_filled,
    check_groups,
    check_name,
    check_source,
    check_string,
)
from sociolect.generators.benchmarks.fable_options import check_options
from sociolect.generators.errors import DataError, InvalidInputError

Label = Literal["A", "B", "NONE"]
LABELS: tuple[Label, ...] = get_args(Label)
"""Whose side a response takes: that of the first option, of the second, or neither."""
NEITHER = "neither"
"""What the third option of an item reads."""

Groups = tuple[tuple[str, ...], tuple[str, ...]]

_REQUIRED = ("id", "category", "question_id", "question", "options", "response", "label")
_OPTIONAL = ("groups", "stereotyped", "pair", "source")


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """A response and what it was meant to say.

    Attributes:
        id: Name of the item, unique within its question.
        category: Social category that the question is about, e.g. `age`.
        question_id: Name of the question, unique within its category.
        question: What the response answers; never perturbed.
        options: The two names, in the order of A and B.
        response: The text that is judged, kept character by character.
        label: The stance that the response was written or labelled with.
        groups: For each option, the demographic groups of its bearer, if they are known.
        stereotyped: The option that a stereotype names; None where nothing defines it.
        pair: Names the pair of options across questions; empty if there are no such pairs.
        source: Anything else. `licence` (an SPDX identifier), if all items of a file give the same,
            is that of the dataset, which is published without texts otherwise.

    Raises:
        InvalidInputError: A field cannot be used; the message names it.
    """

    id: str
    category: str
    question_id: str
    question: str
    options: tuple[str, str]
    response: str
    label: str
    groups: Groups | None = None
    stereotyped: str | None = None
    pair: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("id", "category", "question_id"):
            check_name(name, getattr(self, name))
        for name in ("question", "response"):
            check_filled(name, getattr(self, name))
        check_options(self.options)
        check_choice("label", self.label, LABELS)
        check_choice("stereotyped", self.stereotyped, ("A", "B", None))
        check_groups(self.groups)
        check_string("pair", self.pair)
        check_source(self.source)

    @property
    def key(self) -> str:
        """`<category>/<question_id>/<id>`, unique within a file."""
        return f"{self.category}/{self.question_id}/{self.id}"


def read_items(path: Path) -> list[JudgeItem]:
    """All items of a file, in its order.

    Raises:
        DataError: The file cannot be read or holds no item; a line is not UTF-8, not JSON, or
            no item; two lines have the same category, question_id and id.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read judge items from {path}: {error.strerror}.") from error
    items: list[JudgeItem] = []
    first: dict[str, str] = {}
    for where, line in _lines(content, str(path)):
        item = parse_line(line, where)
        earlier = first.setdefault(item.key, where)
        if earlier != where:
            raise DataError(f"{where}: the item {item.key} is that of {earlier} too.")
        items.append(item)
    if not items:
        raise DataError(f"{path}: holds no judge item; one JSON object a line is expected.")
    return items


def parse_line(line: str, where: str) -> JudgeItem:
    """The item of one line.

    Args:
        line: One JSON object.
        where: File and line, for messages.

    Raises:
        DataError: It is no item; the message says why.
    """
    try:
        record = json.loads(line, object_pairs_hook=_object, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:  # also of numbers with thousands of digits
        raise DataError(f"{where}: no JSON that can be read ({error}).") from error
    if not isinstance(record, dict):
        raise DataError(f"{where}: expected a JSON object, found {as_json(record)}.")
    _check_keys(record, where)
    try:
        return JudgeItem(**_fields(record))
    except InvalidInputError as error:
        raise DataError(f"{where}: {error}") from error


def item_line(item: JudgeItem) -> str:
    """An item as one line of JSON without the line feed; optional fields only where filled."""
    record = {name: getattr(item, name) for name in _REQUIRED}
    record |= {name: value for name in _OPTIONAL if (value := getattr(item, name))}
    return json.dumps(record, ensure_ascii=False)


def write_items(items: Iterable[JudgeItem], path: Path) -> None:
    """Write a file that `read_items` reads back as equal items.

    The file appears when it is complete: it is written under another name and moved.

    Raises:
        InvalidInputError: There is no item, or two have the same key.
    """
    lines: dict[str, str] = {}
    for item in items:
        if item.key in lines:
            raise InvalidInputError(f"two judge items are called {item.key}.")
        lines[item.key] = item_line(item)
    if not lines:
        raise InvalidInputError("there is no judge item to write.")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_bytes("".join(f"{line}\n" for line in lines.values()).encode())
    unfinished.replace(path)


def _lines(content: bytes, name: str) -> Iterator[tuple[str, str]]:
    """File and line, and the text of every line that is not blank."""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        where = f"{name}:{number}"
        try:
            text = line.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise DataError(f"{where}: not UTF-8 ({error.reason}); save it as UTF-8.") from error
        if text:
            yield where, text


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {as_json(twice)} is there twice")
    return record


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _check_keys(record: Mapping[str, Any], where: str) -> None:
    missing = [name for name in _REQUIRED if name not in record]
    if missing:
        raise DataError(f"{where}: lacks {', '.join(missing)}.")
    unknown = [name for name in record if name not in (*_REQUIRED, *_OPTIONAL)]
    if unknown:
        raise DataError(
            f"{where}: unknown key {', '.join(map(as_json, unknown))}. "
            'Put data of your own under "source".'
        )


def _fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record, lists as tuples, and without those that are null."""
    fields = {
        name: value for name, value in record.items() if name in _REQUIRED or value is not None
    }
    if isinstance(fields["options"], list):
        fields["options"] = tuple(fields["options"])
    groups = fields.get("groups")
    if isinstance(groups, list) and all(isinstance(g, list) for g in groups):
        fields["groups"] = tuple(map(tuple, groups))
    return fields

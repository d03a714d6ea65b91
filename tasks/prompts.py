"""Prompts: a dataset row turned into plain text, in three forms.

* `reason`: the row's instruction, the item, its options, and room to think; the model boxes
  its answer. The only form whose instruction can carry errors.
* `direct`: a short instruction of our own, the same item, and the prompt stops inside the
  answer format (`BOX_OPEN`), so a few sampled tokens are the answer.
* `ll`: a cloze. No instruction and no options: each option is scored as the continuation.

Both option orders are asked in the first two forms (learner-error paper, §4.1): order 0 shows
the options as stored, order 1 reversed. A *row* is a mapping with the columns of the dataset.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, Literal, NamedTuple, get_args

from sociolect.generators.errors import InvalidInputError, UnknownNameError

Row = Mapping[str, Any]
Form = Literal["reason", "direct", "ll"]
FORMS: tuple[Form, ...] = get_args(Form)

TASK_FORMAT = 1
"""Version of prompts and answer reading; runs with different ones are not comparable."""

BOX_OPEN = r"\boxed{"
ANSWER_CUE = "Answer:"
DIRECT_INSTRUCTION = (
    r"Read the text and answer the question with the letter of one option inside \boxed{}."
)
INPUT_LABELS = {"winobias": "Sentence", "occupations_mini": "Sentence"}
DEFAULT_LABEL = "Text"

_QUOTED = re.compile(r"[\"“'\u2018]([^\W\d_]+)[\"”'’]")
_ARTICLE = re.compile(r"(an?|the)\s+(?=\S)", re.IGNORECASE)


class Cloze(NamedTuple):
    """A context without trailing space, and per option (row order) what continues it."""

    context: str
    continuations: tuple[str, ...]


def orders(form: str) -> tuple[int, ...]:
    """The option orders that a form is asked in: the cloze shows no options, so it has one."""
    return (0,) if form == "ll" else (0, 1)


def letters(count: int) -> str:
    """The labels of `count` options, `A` first.

    Raises:
        InvalidInputError: Fewer than two options, or more than there are letters.
    """
    if not 2 <= count <= len(ascii_uppercase):
        raise InvalidInputError(f"a prompt needs 2 to {len(ascii_uppercase)} options, not {count}")
    return ascii_uppercase[:count]


def displayed(options: Sequence[str], order: int) -> list[str]:
    """The options as the prompt lists them.

    Raises:
        InvalidInputError: `order` is neither 0 (as stored) nor 1 (reversed).
    """
    if order not in (0, 1):
        raise InvalidInputError(f"option order must be 0 or 1, not {order!r}")
    return list(options) if order == 0 else list(options)[::-1]


def row_index(shown: int, count: int, order: int) -> int:
    """The index in the row of the option shown at `shown`; -1 (no option) stays -1."""
    return shown if order == 0 or shown < 0 else count - 1 - shown


def render(row: Row, form: str, order: int = 0) -> str:
    """The prompt of one row.

    Args:
        row: Columns `benchmark`, `instruction`, `input`, `question`, `options`.
        form: `reason`, `direct` or `ll`.
        order: 0 as stored, 1 reversed; without effect on `ll`.

    Raises:
        UnknownNameError: No such form.
        InvalidInputError: A bad order, or a row whose options cannot be shown.
    """
    if form == "reason":
        return f"{row['instruction']}\n\n{_body(row, order)}\n{ANSWER_CUE}"
    if form == "direct":
        return f"{DIRECT_INSTRUCTION}\n\n{_body(row, order)}\n{ANSWER_CUE} {BOX_OPEN}"
    if form == "ll":
        return cloze(row).context
    raise UnknownNameError("form", form, FORMS)


def _body(row: Row, order: int) -> str:
    options = displayed(row["options"], order)
    label = INPUT_LABELS.get(row["benchmark"], DEFAULT_LABEL)
    lines = [f"{label}: {row['input']}"]
    if row["question"]:
        lines.append(f"Question: {row['question']}")
    named = zip(letters(len(options)), options, strict=True)
    return "\n".join(lines + [f"{letter}: {text}" for letter, text in named])


def cloze(row: Row) -> Cloze:
    """Context and continuations of the `ll` form.

    Raises:
        InvalidInputError: A coreference row whose question quotes no pronoun.
    """
    return _CLOZES.get(row["benchmark"], _plain_cloze)(row)


def _plain_cloze(row: Row) -> Cloze:
    asked = [text for text in (row["input"], row["question"], ANSWER_CUE) if text]
    return Cloze("\n".join(asked), tuple(f" {text}" for text in row["options"]))


def _coreference_cloze(row: Row) -> Cloze:
    quoted = _QUOTED.search(row["question"])
    if quoted is None:
        raise InvalidInputError(
            f"{row['id']}: the question {row['question']!r} quotes no pronoun, so there is no "
            "cloze for it"
        )
    article, options = _shared_article(row["options"])
    context = f'{row["input"]} In this sentence, "{quoted[1]}" refers to{article}'
    return Cloze(context, tuple(f" {text}" for text in options))


def _shared_article(options: Sequence[str]) -> tuple[str, list[str]]:
    """The article that belongs to the context, and the options without it.

    An article that all options share would only dilute the score per byte. Options with
    different articles keep them.
    """
    found = [_ARTICLE.match(text) for text in options]
    if not any(found):
        return " the", list(options)
    spelled = {match[1].lower() if match else "" for match in found}
    if len(spelled) > 1:
        return "", list(options)
    return f" {spelled.pop()}", [_ARTICLE.sub("", text, count=1) for text in options]


_CLOZES: dict[str, Callable[[Row], Cloze]] = {
    "winobias": _coreference_cloze,
    "occupations_mini": _coreference_cloze,
}
